//! End-to-end manifests: a prompt in a known scene, and the expected result.
//!
//! A manifest is checked against the schema that is generated from these types, then against the rules that no schema expresses.

use std::path::{Component, Path};
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use crate::codes::Code;
use crate::collect::Collector;
use crate::explain::{self, missing_field};
use crate::finding::{Finding, Hint};
use crate::json::{Reader, Stop};
use crate::limits::Limits;
use crate::object_schemas::Shape;
use crate::{check, pointer, schema};

mod expected;

use expected::names;

pub use expected::{
    Budget, Expected, ExpectedAttribute, ExpectedBounds, ExpectedGeometry, ExpectedLink, ExpectedModifier,
    ExpectedNodes, ExpectedPicture, ExpectedSize, ExpectedStatus, PictureView, Range, Untouched,
};

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
    /// Path of a .blend file below the folder of the manifest, with forward slashes; excludes the other fields.
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
            texts_are_whole(value, findings);
            fit_together(&manifest, findings);
            Some(manifest)
        }
        Err(error) => {
            whole_numbers(shape, value, findings);
            if findings.failed() {
                return None;
            }
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

/// Names every place that wants a whole number and has one with a decimal point or an exponent: to a schema `8.0` is whole.
fn whole_numbers(shape: &Shape, value: &Value, findings: &mut Collector) {
    let is_such = |value: &Value| value.is_f64() && value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let mut broken = value.clone();
    let mut open = vec![&mut broken];
    while let Some(place) = open.pop() {
        match place {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values_mut()),
            // Not whole in any reading, so that the schema itself tells which places want whole numbers.
            place if is_such(place) => *place = Value::from(0.5),
            _ => {}
        }
    }
    let mut found = Collector::new(usize::MAX);
    explain::errors(shape, &broken, "", &[], &mut found);
    for finding in found.finish() {
        let written = value.pointer(&finding.path).filter(|written| is_such(written));
        if let Some(written) = written
            && [Code::WrongType, Code::InvalidValue].contains(&finding.code)
        {
            let message = format!(
                "Only a whole number is allowed here, written without decimal point and exponent, not {written}."
            );
            findings.error(|| Finding::error(Code::WrongType, finding.path, message));
        }
    }
}

/// Nothing in Blender and no path can have a NUL in its name; what artists and models say may hold one.
fn texts_are_whole(value: &Value, findings: &mut Collector) {
    let fields = value.as_object().into_iter().flatten();
    for (name, field) in fields.filter(|(name, _)| !["prompt", "follow_ups", "replies"].contains(&name.as_str())) {
        check::whole_texts(field, &pointer::child("", name), findings);
    }
}

/// Whether a path leads below a folder on every system, as far as the path alone tells.
fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    let drive = |path: &str| matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    !path.contains('\\')
        && !path.ends_with('/')
        && !drive(path)
        && parts.clone().any(|part| matches!(part, Component::Normal(_)))
        && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
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
        if start.blend.as_deref().is_some_and(|path| !is_below(path)) {
            let message = "The file is named by a path below the folder of the manifest, with forward slashes.";
            findings.error(|| Finding::error(Code::InvalidValue, "/start/blend", message));
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
    for (number, picture) in expect.pictures.iter().enumerate() {
        if !is_below(&picture.like) {
            let message = "A picture is named by a path below the folder of the manifest, with forward slashes.";
            let at = format!("/expect/pictures/{number}/like");
            findings.error(|| Finding::error(Code::InvalidValue, at, message));
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
