//! How large the objects and collections of the file are, as far as Blender tells it in constant time.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Objects and collections of the file as far as estimates need them; what is missing is taken to be a small mesh.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Figures by object.
    #[serde(default)]
    pub objects: IndexMap<String, Figures>,
    /// Names of the objects of each collection, those of its children included.
    #[serde(default)]
    pub collections: IndexMap<String, Vec<String>>,
}

/// An object's own data, before its modifiers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Vertices of a mesh.
    #[serde(default)]
    pub vertices: f64,
    /// Edges of a mesh.
    #[serde(default)]
    pub edges: f64,
    /// Faces of a mesh.
    #[serde(default)]
    pub faces: f64,
    /// Face corners of a mesh.
    #[serde(default)]
    pub corners: Option<f64>,
    /// Sum of its faces' areas, where it was measured.
    #[serde(default)]
    pub area: Option<f64>,
    /// Splines.
    #[serde(default)]
    pub splines: f64,
    /// Control points of splines, or points of a point cloud.
    #[serde(default)]
    pub points: f64,
    /// Extent along each axis, in its own space.
    #[serde(default)]
    pub size: [f64; 3],
}
