//! What a manifest expects of its result.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::json;

/// The largest whole number that every reader of JSON takes as it is written.
const LARGEST: u64 = (1 << 53) - 1;

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it")]
pub enum ExpectedStatus {
    Done,
    Error,
    Cancelled,
}

/// The expected result.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// How the run ends.
    pub status: ExpectedStatus,
    /// Codes that the report contains, among its messages or its gates' findings.
    #[serde(default)]
    #[schemars(schema_with = "names")]
    pub codes: Vec<String>,
    /// Objects that exist.
    #[serde(default)]
    #[schemars(schema_with = "names")]
    pub objects: Vec<String>,
    /// Objects that do not exist.
    #[serde(default)]
    #[schemars(schema_with = "names")]
    pub absent: Vec<String>,
    /// Number of steps that were carried out.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub steps: Option<Range<u64>>,
    /// The gates that failed: exactly these.
    #[serde(default)]
    #[schemars(schema_with = "names")]
    pub failed_gates: Option<Vec<String>>,
    /// What the run may use.
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Data-blocks and nodes that are as before.
    #[serde(default)]
    pub untouched: Vec<Untouched>,
    /// Modifiers that exist.
    #[serde(default)]
    pub modifiers: Vec<ExpectedModifier>,
    /// Nodes in the tree of a modifier and in its groups.
    #[serde(default)]
    pub node_types: Vec<ExpectedNodes>,
    /// Evaluated geometry.
    #[serde(default)]
    pub geometry: Vec<ExpectedGeometry>,
    /// Pictures that the result resembles.
    #[serde(default)]
    pub pictures: Vec<ExpectedPicture>,
    /// Whether undo, once for each prompt, restores the whole file.
    #[serde(default)]
    pub undo_restores: bool,
}

/// What a run may use, its follow-ups included.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Seconds from the first prompt to the last result.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1_000_000_000))]
    pub seconds: Option<f64>,
    /// Tokens, input and output together.
    #[serde(default)]
    #[schemars(range(min = 0, max = LARGEST))]
    pub tokens: Option<u64>,
}

/// A data-block that is as before, or nodes of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Untouched {
    /// Its list in `bpy.data`, for example `objects`, `materials` or `node_groups`.
    #[schemars(length(min = 1))]
    pub kind: String,
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Names of nodes, if it is a tree of which the rest may change: their values, places and incoming links.
    #[serde(default)]
    #[schemars(schema_with = "names")]
    pub nodes: Vec<String>,
}

pub(super) fn names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string", "minLength": 1}})
}

/// A modifier of an object.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedModifier {
    /// Name of the object.
    #[schemars(length(min = 1))]
    pub object: String,
    /// Name of the modifier.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Blender's type of modifier, for example `NODES`.
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    pub kind: String,
}

/// Nodes in the tree of a modifier and in its groups.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedNodes {
    /// Name of the object.
    #[schemars(length(min = 1))]
    pub object: String,
    /// Name of the modifier.
    #[schemars(length(min = 1))]
    pub modifier: String,
    /// How many nodes there are, by type: at least `N`, or `[least, most]`.
    #[schemars(schema_with = "number_by_type")]
    pub contains: BTreeMap<String, Range<u64>>,
    /// Links that exist.
    #[serde(default)]
    pub links: Vec<ExpectedLink>,
}

fn number_by_type(_: &mut SchemaGenerator) -> Schema {
    let number = json!({"type": ["integer", "array"], "minimum": 1, "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2});
    json_schema!({"type": "object", "minProperties": 1, "additionalProperties": number})
}

/// A link; nodes by ID or type, sockets by identifier.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedLink {
    /// Node and output.
    #[schemars(schema_with = "end_of_link")]
    pub from: [String; 2],
    /// Node and input.
    #[schemars(schema_with = "end_of_link")]
    pub to: [String; 2],
}

fn end_of_link(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 2, "maxItems": 2})
}

/// The evaluated geometry of an object.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedGeometry {
    /// Name of the object.
    #[schemars(length(min = 1))]
    pub object: String,
    /// The frame at which it is measured, reached from the first frame of the scene on; the present one when absent.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    pub frame: Option<u32>,
    /// Number of vertices.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub vertices: Option<Range<u64>>,
    /// Number of edges.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub edges: Option<Range<u64>>,
    /// Number of faces.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub faces: Option<Range<u64>>,
    /// Number of curves.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub curves: Option<Range<u64>>,
    /// Number of points: of the point cloud, else of the curves.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub points: Option<Range<u64>>,
    /// Number of instances.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub instances: Option<Range<u64>>,
    /// Number of volume grids.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub grids: Option<Range<u64>>,
    /// Number of warnings that nodes of its modifiers show.
    #[serde(default)]
    #[schemars(schema_with = "count")]
    pub warnings: Option<Range<u64>>,
    /// Attributes by name.
    #[serde(default)]
    pub attributes: BTreeMap<String, ExpectedAttribute>,
    /// Its bounding box in object space.
    #[serde(default)]
    pub bounds: Option<ExpectedBounds>,
    /// Extents along the axes.
    #[serde(default)]
    pub size: Option<ExpectedSize>,
}

impl ExpectedGeometry {
    /// The counts that are given, by name.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'static str, Range<u64>)> {
        let all = [
            ("vertices", self.vertices),
            ("edges", self.edges),
            ("faces", self.faces),
            ("curves", self.curves),
            ("points", self.points),
            ("instances", self.instances),
            ("grids", self.grids),
            ("warnings", self.warnings),
        ];
        all.into_iter()
            .filter_map(|(name, range)| range.map(|range| (name, range)))
    }
}

/// An attribute of the evaluated geometry; of the mesh first, then of curves, points and instances.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedAttribute {
    /// Blender's name of its domain, for example `POINT`.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub domain: Option<String>,
    /// Blender's name of its type, for example `FLOAT_VECTOR`.
    #[serde(rename = "type", default)]
    #[schemars(length(min = 1))]
    pub kind: Option<String>,
    /// Its least number, of all elements and components.
    #[serde(default)]
    #[schemars(schema_with = "extent")]
    pub min: Option<Range<f64>>,
    /// Its greatest number.
    #[serde(default)]
    #[schemars(schema_with = "extent")]
    pub max: Option<Range<f64>>,
}

/// A box with a tolerance.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedBounds {
    /// Its lowest corner.
    pub min: [f64; 3],
    /// Its highest corner.
    pub max: [f64; 3],
    /// Greatest allowed difference of a coordinate.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1_000_000_000))]
    pub tolerance: f64,
}

/// Extents along the axes.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedSize {
    /// Along X.
    #[serde(default)]
    #[schemars(schema_with = "extent")]
    pub x: Option<Range<f64>>,
    /// Along Y.
    #[serde(default)]
    #[schemars(schema_with = "extent")]
    pub y: Option<Range<f64>>,
    /// Along Z.
    #[serde(default)]
    #[schemars(schema_with = "extent")]
    pub z: Option<Range<f64>>,
}

/// A picture that an object resembles.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedPicture {
    /// Name of the object.
    #[schemars(length(min = 1))]
    pub object: String,
    /// The picture, a file below the folder of the manifest.
    #[schemars(length(min = 1))]
    pub like: String,
    /// From where it is seen; from the front, the right and above when absent.
    #[serde(default)]
    pub view: Option<PictureView>,
    /// The least similarity; 1 is the same picture, 0.9 when absent.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub similarity: Option<f64>,
}

/// From where a picture is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it")]
pub enum PictureView {
    Perspective,
    Front,
    Side,
    Top,
}

/// `N`, or `[least, most]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Range<T> {
    /// Exactly this.
    Exactly(T),
    /// From the first to the second, both included.
    Between([T; 2]),
}

impl<T: PartialOrd> Range<T> {
    pub(super) fn is_upside_down(&self) -> bool {
        matches!(self, Self::Between([least, most]) if least > most)
    }
}

fn count(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["integer", "array"], "minimum": 0, "maximum": LARGEST,
        "items": {"type": "integer", "minimum": 0, "maximum": LARGEST}, "minItems": 2, "maxItems": 2,
    })
}

fn extent(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["number", "array"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2})
}
