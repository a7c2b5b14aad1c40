//! Geometry that comes from outside the trees: objects and collections.

use geonode_graph::documents::{Figures, Scene};

use crate::geometry::{Curves, Geometry, Mesh, Parts, box_area};

/// The assumed figures of an unknown object: Blender's own cube, a little refined.
const ASSUMED: Figures = Figures {
    warnings: std::collections::BTreeMap::new(),
    vertices: 500.0,
    edges: 1000.0,
    faces: 500.0,
    corners: None,
    area: None,
    splines: 0.0,
    points: 0.0,
    size: [2.0; 3],
    evaluated: None,
};

/// Evaluated points of a curve per control point, at Blender's default resolution of 12.
const CURVE_RESOLUTION: f64 = 12.0;

/// An object's own geometry.
pub(crate) fn object(scene: &Scene, name: &str) -> Geometry {
    geometry(scene.objects.get(name).unwrap_or(&ASSUMED))
}

/// The objects of a collection, each as an instance.
pub(crate) fn collection(scene: &Scene, name: &str) -> Geometry {
    let Some(names) = scene.collections.get(name) else {
        return geometry(&ASSUMED).instanced(1.0);
    };
    names.iter().fold(Geometry::default(), |sum, name| {
        sum.joined(&object(scene, name).instanced(1.0))
    })
}

/// An object's own data, or what is assumed of it.
fn geometry(figures: &Figures) -> Geometry {
    let size = figures.size.map(|side| if side.is_finite() { side.abs() } else { 1.0 });
    let mesh = Mesh {
        vertices: figures.vertices,
        edges: figures.edges,
        faces: figures.faces,
        // Every edge of a closed mesh has two corners.
        corners: figures
            .corners
            .unwrap_or(if figures.faces > 0.0 { 2.0 * figures.edges } else { 0.0 }),
        area: figures
            .area
            .unwrap_or(if figures.faces > 0.0 { box_area(size) } else { 0.0 }),
    };
    let mut parts = Parts {
        mesh,
        ..Parts::default()
    };
    if figures.splines > 0.0 {
        let diagonal = size.iter().map(|side| side * side).sum::<f64>().sqrt();
        let mut curves = Curves::poly(figures.splines, figures.points, false, figures.splines * 2.0 * diagonal);
        curves.spans = CURVE_RESOLUTION * curves.segments;
        curves.evaluated = curves.spans + curves.count;
        parts.curves = curves;
    } else {
        parts.points = figures.points;
    }
    Geometry::of(parts, size)
}
