//! Geometry that comes from outside the trees: objects and collections.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::geometry::{Curves, Geometry, Mesh, Parts, box_area};

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

/// What an object is taken for of which nothing is known: Blender's own cube, a little refined.
const ASSUMED: Figures = Figures {
    vertices: 500.0,
    edges: 1000.0,
    faces: 500.0,
    corners: None,
    area: None,
    splines: 0.0,
    points: 0.0,
    size: [2.0; 3],
};

/// Evaluated points of a curve per control point, at Blender's default resolution of 12.
const CURVE_RESOLUTION: f64 = 12.0;

impl Figures {
    fn geometry(&self) -> Geometry {
        let size = self.size.map(|side| if side.is_finite() { side.abs() } else { 1.0 });
        let mesh = Mesh {
            vertices: self.vertices,
            edges: self.edges,
            faces: self.faces,
            // Every edge of a closed mesh has two corners.
            corners: self
                .corners
                .unwrap_or(if self.faces > 0.0 { 2.0 * self.edges } else { 0.0 }),
            area: self.area.unwrap_or(if self.faces > 0.0 { box_area(size) } else { 0.0 }),
        };
        let mut parts = Parts {
            mesh,
            ..Parts::default()
        };
        if self.splines > 0.0 {
            let diagonal = size.iter().map(|side| side * side).sum::<f64>().sqrt();
            let mut curves = Curves::poly(self.splines, self.points, false, self.splines * 2.0 * diagonal);
            curves.spans = CURVE_RESOLUTION * curves.segments;
            curves.evaluated = curves.spans + curves.count;
            parts.curves = curves;
        } else {
            parts.points = self.points;
        }
        Geometry::of(parts, size)
    }
}

impl Scene {
    /// An object's own geometry.
    pub(crate) fn object(&self, name: &str) -> Geometry {
        self.objects.get(name).unwrap_or(&ASSUMED).geometry()
    }

    /// The objects of a collection, each as an instance.
    pub(crate) fn collection(&self, name: &str) -> Geometry {
        let Some(names) = self.collections.get(name) else {
            return ASSUMED.geometry().instanced(1.0);
        };
        names.iter().fold(Geometry::default(), |sum, name| {
            sum.joined(&self.object(name).instanced(1.0))
        })
    }
}
