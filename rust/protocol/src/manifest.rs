//! End-to-end manifests: a prompt in a known scene, and the expected result.
//!
//! A manifest is checked against the schema that is generated from these types, then against the rules that no schema expresses.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codes::Code;
use crate::collect::Collector;
use crate::explain::{self, missing_field};
use crate::finding::{Finding, Hint};
use crate::json::{Reader, Stop};
use crate::limits::Limits;
use crate::object_schemas::Shape;
use crate::{pointer, schema};

/// One manifest.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the form.
    #[schemars(extend("const" = 1))]
    pub manifest: u32,
    /// Its name in reports.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What the artist asks for, in words.
    pub prompt: String,
    /// Prompts that follow in the same conversation; the result after the last one is checked.
    #[serde(default)]
    #[schemars(schema_with = "names")]
    pub follow_ups: Vec<String>,
    /// The provider; the offline planner when absent.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub provider: Option<String>,
    /// The replies of the provider `replay`, in order: plans or texts.
    #[serde(default)]
    pub replies: Option<Vec<Reply>>,
    /// The scene in which the prompt is run; the starter scene when absent.
    #[serde(default)]
    pub start: Option<Start>,
    /// Name of the object to work on; the active one when absent.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub object: Option<String>,
    /// Seconds after which each run is cancelled.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1_000_000_000))]
    pub timeout_s: f64,
    /// The expected result.
    pub expect: Expected,
}

/// A plan as an object, or the text of a reply.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(transparent, inline)]
pub struct Reply(#[schemars(schema_with = "reply")] pub Value);

fn reply(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["object", "string"]})
}

/// Objects in an empty file, or a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Objects to create; the last one is active.
    #[serde(default)]
    pub objects: Option<Vec<Primitive>>,
    /// Name of another object to make active.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub active: Option<String>,
    /// Path of a .blend file, relative to the manifest; excludes the other fields.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub blend: Option<String>,
}

/// An object to create.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Primitive {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is.
    pub primitive: PrimitiveKind,
    /// Its extent in metres; Blender's default of 2 when absent.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1_000_000_000))]
    pub size: Option<f64>,
    /// Where it is, in metres.
    #[serde(default)]
    pub location: Option<[f64; 3]>,
    /// Its scale.
    #[serde(default)]
    pub scale: Option<[f64; 3]>,
    /// Its rotation, Euler XYZ in radians.
    #[serde(default)]
    pub rotation: Option<[f64; 3]>,
}

/// The Blender primitives that a manifest can create.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are Blender's names")]
pub enum PrimitiveKind {
    Plane,
    Cube,
    UvSphere,
    IcoSphere,
    Cylinder,
    Cone,
    Grid,
    BezierCurve,
    CircleCurve,
    Monkey,
}

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

fn names(_: &mut SchemaGenerator) -> Schema {
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
    fn counts(&self) -> impl Iterator<Item = (&'static str, Range<u64>)> {
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
    fn is_upside_down(&self) -> bool {
        matches!(self, Self::Between([least, most]) if least > most)
    }
}

fn count(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["integer", "array"], "minimum": 0, "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2})
}

fn extent(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["number", "array"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2})
}

/// The schema of a manifest, compiled once; `None` only if the types generate an invalid schema, which a test excludes.
fn shape() -> Option<&'static Shape> {
    static SHAPE: OnceLock<Option<Shape>> = OnceLock::new();
    SHAPE.get_or_init(|| Shape::whole(schema::of::<Manifest>())).as_ref()
}

/// Reads and checks the text of a manifest. Nothing is repaired.
///
/// # Errors
/// At least one finding, each with its JSON Pointer; at most [`Limits::max_findings`].
pub fn parse_manifest(text: &str, limits: &Limits) -> Result<Manifest, Vec<Finding>> {
    let mut findings = Collector::new(limits.max_findings);
    let value = read(text, limits, &mut findings);
    let manifest = value.and_then(|value| check(&value, &mut findings));
    match manifest {
        Some(manifest) if !findings.failed() => Ok(manifest),
        _ => Err(findings.finish()),
    }
}

fn read(text: &str, limits: &Limits, findings: &mut Collector) -> Option<Value> {
    if text.len() > limits.max_bytes {
        let message = format!(
            "The manifest has {} bytes; the limit is {}.",
            text.len(),
            limits.max_bytes
        );
        findings.error(|| Finding::error(Code::FileTooLarge, "", message));
        return None;
    }
    let mut reader = Reader::new(text, 0, limits.max_depth.clamp(1, Limits::DEPTH_CEILING));
    let value = match reader.value() {
        Ok(value) => value,
        Err(Stop { code, at, message, .. }) => {
            let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            findings.error(|| Finding::error(code, "", format!("It is not JSON: {message} (line {line}).")));
            return None;
        }
    };
    reader.skip_space();
    let broken = if reader.trailing_commas > 0 {
        "a comma stands before a closing bracket"
    } else if reader.cut_off {
        "the last brace is missing"
    } else if !reader.rest().is_empty() {
        "something follows after the object"
    } else {
        ""
    };
    if !broken.is_empty() {
        findings.error(|| Finding::error(Code::InvalidJson, "", format!("It is not JSON: {broken}.")));
    }
    findings.extend(std::mem::take(&mut reader.findings), reader.more);
    (!findings.failed()).then_some(value)
}

fn check(value: &Value, findings: &mut Collector) -> Option<Manifest> {
    let Some(shape) = shape() else {
        findings.error(|| Finding::error(Code::InternalError, "", "The schema of manifests is broken."));
        return None;
    };
    explain::errors(shape, value, "", &[], findings);
    if findings.failed() {
        return None;
    }
    match Manifest::deserialize(value) {
        Ok(manifest) => {
            fit_together(&manifest, findings);
            Some(manifest)
        }
        // For example a whole number that is written as 4.0.
        Err(error) => {
            findings.error(|| {
                Finding::error(
                    Code::WrongType,
                    "",
                    format!("It does not fit the schema of manifests: {error}."),
                )
            });
            None
        }
    }
}

/// Checks the rules that no schema expresses.
fn fit_together(manifest: &Manifest, findings: &mut Collector) {
    if (manifest.provider.as_deref() == Some("replay")) != manifest.replies.is_some() {
        let message = "Replies are given with the provider replay, and only with it.";
        findings.error(|| Finding::error(Code::ConflictingFields, "/replies", message));
    }
    if let Some(start) = &manifest.start {
        for (field, given) in [("active", start.active.is_some()), ("objects", start.objects.is_some())] {
            if start.blend.is_some() && given {
                let message = "A scene that is loaded from a file has no other fields.";
                findings.error(|| Finding::error(Code::ConflictingFields, pointer::child("/start", field), message));
            }
        }
        if start.blend.is_none() && start.objects.is_none() {
            findings.error(|| missing_field("objects", "/start").hint(Hint::explain("Or name a file with \"blend\".")));
        }
    }
    let expect = &manifest.expect;
    if expect.steps.is_some_and(|range| range.is_upside_down()) {
        findings.error(|| upside_down("/expect/steps".to_owned()));
    }
    for (number, nodes) in expect.node_types.iter().enumerate() {
        for (kind, _) in nodes.contains.iter().filter(|(_, range)| range.is_upside_down()) {
            let at = format!("/expect/node_types/{number}/contains");
            findings.error(|| upside_down(pointer::child(&at, kind)));
        }
    }
    for (number, geometry) in expect.geometry.iter().enumerate() {
        let at = format!("/expect/geometry/{number}");
        let counts = geometry.counts().filter(|(_, range)| range.is_upside_down());
        let counts = counts.map(|(name, _)| pointer::child(&at, name));
        let size = geometry.size.iter();
        let axes = size.flat_map(|size| [("x", size.x), ("y", size.y), ("z", size.z)]);
        let axes = axes.filter(|(_, range)| range.is_some_and(|range| range.is_upside_down()));
        let axes = axes.map(|(axis, _)| format!("{at}/size/{axis}"));
        let attributes = geometry.attributes.iter().flat_map(|(name, attribute)| {
            let at = pointer::child(&format!("{at}/attributes"), name);
            let ends = [("min", attribute.min), ("max", attribute.max)].into_iter();
            ends.filter(|(_, range)| range.is_some_and(|range| range.is_upside_down()))
                .map(move |(end, _)| format!("{at}/{end}"))
        });
        for path in counts.chain(axes).chain(attributes) {
            findings.error(|| upside_down(path));
        }
    }
}

fn upside_down(path: String) -> Finding {
    Finding::error(Code::OutOfRange, path, "The minimum is above the maximum.")
}

#[cfg(test)]
mod tests;
