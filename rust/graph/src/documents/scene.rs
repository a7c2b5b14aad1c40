//! Sizes of objects and collections, from which estimates start.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Objects and collections of the file as far as estimates need them; a missing object counts as a small mesh.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Figures by object.
    #[serde(default)]
    pub objects: IndexMap<String, Figures>,
    /// Names of the objects of each collection, those of its children included.
    #[serde(default)]
    pub collections: IndexMap<String, Vec<String>>,
}

/// An object's own data, before its modifiers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Vertices of a mesh.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub vertices: f64,
    /// Edges of a mesh.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub edges: f64,
    /// Faces of a mesh.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faces: f64,
    /// Face corners of a mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corners: Option<f64>,
    /// Sum of its faces' areas, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// Splines.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub splines: f64,
    /// Control points of splines, or points of a point cloud.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub points: f64,
    /// Extent along each axis, in its own space.
    #[serde(default, skip_serializing_if = "is_point")]
    pub size: [f64; 3],
    /// What nodes of its modifiers warned of at the last evaluation, by modifier; of targets only, and not in Blender 4.2.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub warnings: BTreeMap<String, Vec<String>>,
    /// What Blender made of it with its modifiers, for a target whose last evaluation is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluated: Option<EvaluatedMesh>,
}

/// The mesh at the end of a stack of modifiers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluatedMesh {
    /// How many modifiers the stack has.
    pub modifiers: usize,
    /// Vertices.
    pub vertices: f64,
    /// Edges.
    pub edges: f64,
    /// Faces.
    pub faces: f64,
    /// Face corners.
    pub corners: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn is_point(size: &[f64; 3]) -> bool {
    size.iter().all(is_zero)
}
