//! The envelope that a model sends: a plan with its steps.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::gn_ops::GnOps;
use crate::node_tree::{NodeTree, NodeTreeFields, NodeTreeForm, TreeText};

/// Version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Version {
    /// The first version.
    #[serde(rename = "1.0")]
    V1_0,
    /// The second version.
    #[serde(rename = "1.1")]
    V1_1,
    /// The current version; each version only adds to the one before.
    #[serde(rename = "1.2")]
    V1_2,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 3] = [Self::V1_0, Self::V1_1, Self::V1_2];

    /// The newest version, to which older plans are migrated when they are read.
    pub const CURRENT: Self = Self::V1_2;

    /// The version as a plan states it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
        }
    }

    /// The version that a plan or a schema's `x-since` states.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.text() == text)
    }
}

/// A plan: what a model wants to do, or the context that it needs first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the protocol; always 1.2 after reading, since older plans are migrated.
    pub version: Version,
    /// Steps, carried out in order.
    #[schemars(length(max = 25))]
    pub steps: Vec<Step>,
    /// Whether the prompt is fulfilled after these steps; counts only when the required gates pass.
    pub done: bool,
    /// Shown to the artist.
    pub final_message: String,
    /// Flags about the plan itself.
    #[serde(default)]
    pub meta: Meta,
    /// Context that the model needs before it plans; only with no steps and `done: false`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-since" = "1.1"))]
    pub context_requests: Vec<ContextRequest>,
}

/// Flags about the plan itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Whether the gates judge the result; `false` is only accepted with no steps.
    #[serde(default = "yes")]
    pub requires_gate_verification: bool,
    /// Counts that the evaluated result has after these steps, as far as the plan determines them; the gate `EXPECTED_EFFECTS` measures them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), extend("x-since" = "1.1"))]
    pub expects: Vec<Expectation>,
    /// Sizes and places that the evaluated result has after these steps, where the prompt fixes them; the same gate measures them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), extend("x-since" = "1.2"))]
    pub measures: Vec<Measure>,
}

/// How far an object reaches after evaluation, in its own space, in Blender units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// An object that a step targets.
    #[schemars(length(min = 1))]
    pub object_name: String,
    /// What is measured.
    pub extent: Extent,
    /// The least value that is right.
    #[schemars(with = "f64", range(min = -1e12, max = 1e12))]
    pub min: serde_json::Number,
    /// The greatest value that is right.
    #[schemars(with = "f64", range(min = -1e12, max = 1e12))]
    pub max: serde_json::Number,
}

impl Measure {
    /// `min` and `max`.
    pub fn bounds(&self) -> [f64; 2] {
        [&self.min, &self.max].map(|number| number.as_f64().unwrap_or_default())
    }
}

/// A side of the box around evaluated geometry, instances included, or a coordinate of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// Length along X.
    SizeX,
    /// Length along Y.
    SizeY,
    /// Length along Z.
    SizeZ,
    /// Least X.
    LowX,
    /// Least Y.
    LowY,
    /// Least Z.
    LowZ,
    /// Greatest X.
    HighX,
    /// Greatest Y.
    HighY,
    /// Greatest Z.
    HighZ,
}

impl Extent {
    /// What it is, in words.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::SizeX => "length along X",
            Self::SizeY => "length along Y",
            Self::SizeZ => "length along Z",
            Self::LowX => "least X",
            Self::LowY => "least Y",
            Self::LowZ => "least Z",
            Self::HighX => "greatest X",
            Self::HighY => "greatest Y",
            Self::HighZ => "greatest Z",
        }
    }

    /// Its value in a box, and the length of the box along its axis.
    pub fn of(self, [low, high]: [[f64; 3]; 2]) -> (f64, f64) {
        let ([lx, ly, lz], [hx, hy, hz]) = (low, high);
        let (low, high) = match self {
            Self::SizeX | Self::LowX | Self::HighX => (lx, hx),
            Self::SizeY | Self::LowY | Self::HighY => (ly, hy),
            Self::SizeZ | Self::LowZ | Self::HighZ => (lz, hz),
        };
        let length = high - low;
        let value = match self {
            Self::SizeX | Self::SizeY | Self::SizeZ => length,
            Self::LowX | Self::LowY | Self::LowZ => low,
            Self::HighX | Self::HighY | Self::HighZ => high,
        };
        (value, length)
    }
}

/// How many of a component an object has after evaluation: `count`, or `min` and `max`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// An object that a step targets.
    #[schemars(length(min = 1))]
    pub object_name: String,
    /// What is counted.
    pub component: Component,
    /// The expected count, within a tenth; within half where the count is random.
    #[serde(
        default,
        deserialize_with = "optional_whole_number",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 0, max = 1_000_000_000_000_u64))]
    pub count: Option<u64>,
    /// The least allowed count.
    #[serde(
        default,
        deserialize_with = "optional_whole_number",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 0, max = 1_000_000_000_000_u64))]
    pub min: Option<u64>,
    /// The greatest allowed count.
    #[serde(
        default,
        deserialize_with = "optional_whole_number",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 0, max = 1_000_000_000_000_u64))]
    pub max: Option<u64>,
}

/// A countable component of evaluated geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// Instances: those at the top level, or those nested in instances, each counted as often as it appears.
    Instances,
    /// Points of a point cloud.
    Points,
    /// Vertices of a mesh.
    Vertices,
    /// Edges of a mesh.
    Edges,
    /// Faces of a mesh.
    Faces,
    /// Curves.
    Splines,
    /// Control points of curves.
    CurvePoints,
    /// Grids of a volume.
    Grids,
}

impl Component {
    /// Its name on the wire, with spaces.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Instances => "instances",
            Self::Points => "points",
            Self::Vertices => "vertices",
            Self::Edges => "edges",
            Self::Faces => "faces",
            Self::Splines => "splines",
            Self::CurvePoints => "curve points",
            Self::Grids => "grids",
        }
    }
}

impl Default for Meta {
    fn default() -> Self {
        Self {
            requires_gate_verification: true,
            expects: Vec::new(),
            measures: Vec::new(),
        }
    }
}

/// A slice of context that the model asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextRequest {
    /// Which slice.
    pub slice: ContextSlice,
    /// Object that it is about; the target of the run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub object_name: Option<String>,
    /// Node group that it is about; the target of the run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub node_group_name: Option<String>,
    /// Words to search for, for `node_docs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub query: Option<String>,
}

/// Kinds of context that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextSlice {
    /// The modifiers of an object.
    ModifierStack,
    /// Nodes, links and interface of a tree in short form.
    NodeTreeSummary,
    /// Every object of the scene.
    SceneSummary,
    /// A tree, complete.
    NodeTreeIr,
    /// Counts and bounds of the evaluated geometry.
    GeometryStats,
    /// Documentation of node types.
    NodeDocs,
}

/// One step of a plan; on the wire `action` is spread over `type` and `payload`.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// ID, unique in the plan.
    pub id: String,
    /// What the step does, in words for the artist.
    pub description: String,
    /// Asks for the artist's approval; cannot waive an approval that is required anyway.
    pub requires_approval: bool,
    /// What the step does.
    pub action: Action,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// `NODE_TREE`: a tree described by its nodes and links.
    NodeTree(NodeTree),
    /// `NODE_TREE` with a page of tree text, which becomes steps with operations before anything is compiled.
    TreeText(TreeText),
    /// `GN_OPS`: small edits of the tree on a modifier.
    GnOps(GnOps),
    /// `PYTHON`: a script.
    Python(PythonScript),
    /// Another type, which was added by `register_executor`.
    Added(AddedStep),
}

/// The type of a step without its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// `NODE_TREE`.
    NodeTree,
    /// `GN_OPS`.
    GnOps,
    /// `PYTHON`.
    Python,
    /// A type that was added by `register_executor`.
    Added,
}

impl ActionKind {
    /// The kind that a step type on the wire names.
    pub fn of(type_name: &str) -> Self {
        let [node_tree, gn_ops, python] = Action::TYPES;
        match type_name {
            name if name == node_tree => Self::NodeTree,
            name if name == gn_ops => Self::GnOps,
            name if name == python => Self::Python,
            _ => Self::Added,
        }
    }

    /// Whether a step of this kind may change anything in the file, so that all of it must be backed up before the first write. The
    /// others write only what they name.
    pub const fn writes_anything(self) -> bool {
        match self {
            Self::Python => true,
            Self::NodeTree | Self::GnOps | Self::Added => false,
        }
    }
}

/// A step whose type was added; its executor interprets the payload.
#[derive(Debug, Clone, PartialEq)]
pub struct AddedStep {
    /// The registered type.
    pub action_type: String,
    /// The payload, which fits the registered schema.
    pub payload: Value,
}

impl Action {
    /// The step type on the wire; [`Action::TYPES`] lists the built-in ones.
    pub fn type_name(&self) -> &str {
        let [node_tree, gn_ops, python] = Self::TYPES;
        match self {
            Self::NodeTree(_) | Self::TreeText(_) => node_tree,
            Self::GnOps(_) => gn_ops,
            Self::Python(_) => python,
            Self::Added(step) => &step.action_type,
        }
    }

    /// Every built-in step type.
    pub const TYPES: [&'static str; 3] = ["NODE_TREE", "GN_OPS", "PYTHON"];
}

/// Payload of a `PYTHON` step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PythonScript {
    /// How far the script is trusted; judged by the artist's settings when it is applied.
    #[serde(default)]
    pub mode: PythonMode,
    /// The script; at most 20,000 characters unless configured otherwise.
    pub code: String,
    /// Time that the script may take, in milliseconds.
    #[serde(default = "default_timeout_ms")]
    #[serde(deserialize_with = "whole_number")]
    #[schemars(range(min = 1, max = 600_000))]
    pub timeout_ms: u32,
}

/// How far a script is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PythonMode {
    /// Allow-listed syntax, names and API.
    #[default]
    Safe,
    /// Anything; only with the artist's explicit setting and confirmation.
    Trusted,
}

/// One step of a plan.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
enum StepWire {
    NodeTree(StepFields<NodeTreeFields>),
    GnOps(StepFields<GnOps>),
    Python(StepFields<PythonScript>),
}

/// A step as it is read.
#[derive(Deserialize)]
#[serde(untagged)]
enum StepRead {
    BuiltIn(StepWire),
    Added(AddedFields),
}

/// A step of a type that was added; whether it is known was checked before it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddedFields {
    id: String,
    #[serde(rename = "type")]
    action_type: String,
    description: String,
    #[serde(default)]
    requires_approval: bool,
    payload: Value,
}

/// One step of a plan.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepFields<P> {
    /// ID, unique in the plan.
    #[schemars(length(min = 1))]
    id: String,
    /// What the step does, in words for the artist.
    description: String,
    /// Asks for the artist's approval; cannot waive an approval that is required anyway.
    #[serde(default)]
    #[schemars(extend("x-since" = "1.1"))]
    requires_approval: bool,
    /// What the step does.
    payload: P,
}

impl<P> StepFields<P> {
    fn step(self, action: impl FnOnce(P) -> Action) -> Step {
        Step {
            id: self.id,
            description: self.description,
            requires_approval: self.requires_approval,
            action: action(self.payload),
        }
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match StepRead::deserialize(deserializer)? {
            StepRead::BuiltIn(StepWire::NodeTree(fields)) => {
                let StepFields {
                    id,
                    description,
                    requires_approval,
                    payload,
                } = fields;
                Step {
                    id,
                    description,
                    requires_approval,
                    action: match payload.form().map_err(serde::de::Error::custom)? {
                        NodeTreeForm::Operations(payload) => Action::NodeTree(payload),
                        NodeTreeForm::Text(payload) => Action::TreeText(payload),
                    },
                }
            }
            StepRead::BuiltIn(StepWire::GnOps(fields)) => fields.step(Action::GnOps),
            StepRead::BuiltIn(StepWire::Python(fields)) => fields.step(Action::Python),
            StepRead::Added(fields) if Action::TYPES.contains(&fields.action_type.as_str()) => {
                let message = format!(
                    "the step of the type {} does not have the expected form",
                    fields.action_type
                );
                return Err(serde::de::Error::custom(message));
            }
            StepRead::Added(fields) => Step {
                id: fields.id,
                description: fields.description,
                requires_approval: fields.requires_approval,
                action: Action::Added(AddedStep {
                    action_type: fields.action_type,
                    payload: fields.payload,
                }),
            },
        })
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut step = serializer.serialize_struct("Step", 5)?;
        step.serialize_field("id", &self.id)?;
        step.serialize_field("type", self.action.type_name())?;
        step.serialize_field("description", &self.description)?;
        if self.requires_approval {
            step.serialize_field("requires_approval", &true)?;
        } else {
            step.skip_field("requires_approval")?;
        }
        match &self.action {
            Action::NodeTree(payload) => step.serialize_field("payload", payload)?,
            Action::TreeText(payload) => step.serialize_field("payload", payload)?,
            Action::GnOps(payload) => step.serialize_field("payload", payload)?,
            Action::Python(payload) => step.serialize_field("payload", payload)?,
            Action::Added(added) => step.serialize_field("payload", &added.payload)?,
        }
        step.end()
    }
}

impl JsonSchema for Step {
    fn schema_name() -> Cow<'static, str> {
        "Step".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        StepWire::json_schema(generator)
    }
}

fn yes() -> bool {
    true
}

fn default_timeout_ms() -> u32 {
    crate::SCRIPT_MS
}

/// The same for an optional field; null is not a number.
fn optional_whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    whole_number(deserializer).map(Some)
}

/// Reads an unsigned number that may be written `1.0`, which JSON Schema calls an integer too.
pub(crate) fn whole_number<'de, D: Deserializer<'de>, T: TryFrom<u64>>(deserializer: D) -> Result<T, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    let whole = number.as_u64().or_else(|| {
        let whole = number
            .as_f64()
            .filter(|float| float.fract() == 0.0 && (0.0..1e15).contains(float))?;
        format!("{whole:.0}").parse().ok()
    });
    whole
        .and_then(|whole| T::try_from(whole).ok())
        .ok_or_else(|| serde::de::Error::custom("a whole number is expected"))
}
