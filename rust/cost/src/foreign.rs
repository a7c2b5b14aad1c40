//! What modifiers other than Geometry Nodes make of an object's geometry: from Blender's own figures where it has evaluated exactly
//! that, else from their settings.

use geonode_graph::documents::{EvaluatedMesh, Modifier};
use geonode_graph::ir::Map;
use serde_json::Value;

use crate::geometry::{Geometry, Mesh, Parts};

/// Faces up to which the edges of a mesh count as sharp for a bevel by angle.
const HARD: f64 = 200.0;

/// The geometry behind a modifier; `measured` is what Blender made of the stack up to it.
pub(crate) fn after(modifier: &Modifier, measured: Option<&EvaluatedMesh>, given: &Geometry) -> Geometry {
    let settings = &modifier.inputs;
    if let Some(mesh) = measured {
        let grows = (mesh.faces / given.own.mesh.faces.max(1.0)).max(1.0);
        let mesh = Mesh {
            vertices: mesh.vertices,
            edges: mesh.edges,
            faces: mesh.faces,
            corners: mesh.corners,
            area: given.own.mesh.area * grows,
        };
        let own = Parts { mesh, ..given.own };
        return Geometry { own, ..*given };
    }
    // One that is switched off has no settings.
    if settings.is_empty() {
        return *given;
    }
    if let Some(vertices) = anew(&modifier.kind, settings, given) {
        let mesh = Mesh::quads(vertices, 2.0 * vertices, vertices, given.own.mesh.area);
        let own = Parts { mesh, ..given.own };
        return Geometry { own, ..*given };
    }
    let times = times(&modifier.kind, settings, given);
    let mut made = given.repeated(times);
    let longest = made.size.iter_mut().max_by(|a, b| a.total_cmp(b));
    if let Some(longest) = longest.filter(|_| modifier.kind.ends_with("ARRAY")) {
        *longest *= times;
    }
    let further = number(settings, "further");
    made.own.mesh = with(made.own.mesh, further);
    made
}

/// Vertices of a mesh that does not depend on the one that is given; none for other modifiers.
fn anew(kind: &str, settings: &Map, given: &Geometry) -> Option<f64> {
    match (kind, text(settings, "geometry_mode"), text(settings, "mode")) {
        ("OCEAN", "GENERATE", _) => {
            // Each side has the square of the resolution.
            let repeats = number(settings, "repeat_x").max(1.0) * number(settings, "repeat_y").max(1.0);
            Some(number(settings, "viewport_resolution").powi(4) * repeats)
        }
        ("REMESH", _, mode) => {
            let longest = given.size.iter().copied().fold(0.0, f64::max);
            let side = if mode == "VOXEL" {
                number(settings, "voxel_size")
            } else {
                longest / (2_f64.powf(number(settings, "octree_depth")) * number(settings, "scale").max(1e-3))
            };
            Some(given.own.mesh.area / (side * side).max(1e-12))
        }
        _ => None,
    }
}

/// How often a modifier repeats what it is given.
fn times(kind: &str, settings: &Map, given: &Geometry) -> f64 {
    let count = |name: &str| number(settings, name).max(1.0);
    let faces = given.own.mesh.faces;
    match kind {
        "ARRAY" | "GREASE_PENCIL_ARRAY" | "PARTICLE_INSTANCE" => count("copies"),
        "MIRROR" | "GREASE_PENCIL_MIRROR" => 2_f64.powf(number(settings, "axes")),
        "SOLIDIFY" | "EDGE_SPLIT" | "EXPLODE" => 2.0,
        "TRIANGULATE" => 1.3,
        "WIREFRAME" => 4.0,
        "SKIN" => 6.0,
        "SCREW" => count("steps") * count("iterations"),
        "BEVEL" => {
            let segments = count("segments");
            let all = 1.0 + 1.5 * segments + 0.75 * segments * segments;
            let sharp = match text(settings, "limit_method") {
                "ANGLE" | "WEIGHT" | "VGROUP" => (HARD / faces.max(1.0)).min(1.0),
                _ => 1.0,
            };
            1.0 + (all - 1.0) * sharp
        }
        "DECIMATE" if text(settings, "decimate_type") == "COLLAPSE" => number(settings, "ratio").clamp(0.0, 1.0),
        _ => 1.0,
    }
}

/// The mesh with as many further vertices, as a mesh of quads has them.
fn with(mesh: Mesh, further: f64) -> Mesh {
    Mesh {
        vertices: mesh.vertices + further,
        edges: mesh.edges + 2.0 * further,
        faces: mesh.faces + further,
        corners: mesh.corners + 4.0 * further,
        area: mesh.area,
    }
}

fn number(settings: &Map, name: &str) -> f64 {
    let number = settings.get(name).and_then(Value::as_f64);
    number.filter(|number| number.is_finite()).unwrap_or_default().max(0.0)
}

fn text<'s>(settings: &'s Map, name: &str) -> &'s str {
    settings.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn vertices(kind: &str, settings: &Value) -> f64 {
        let modifier = Modifier {
            kind: kind.to_owned(),
            inputs: serde_json::from_value(settings.clone()).unwrap(),
            ..Modifier::default()
        };
        let mesh = Mesh::quads(100.0, 200.0, 100.0, 24.0);
        let own = Parts {
            mesh,
            ..Parts::default()
        };
        after(&modifier, None, &Geometry::of(own, [2.0; 3])).own.mesh.vertices
    }

    #[test]
    fn each_kind_multiplies_by_its_settings_and_none_when_switched_off() {
        let cases = [
            ("ARRAY", json!({"copies": 10}), 1000.0),
            ("MIRROR", json!({"axes": 2}), 400.0),
            ("SCREW", json!({"steps": 16, "iterations": 2}), 3200.0),
            ("DECIMATE", json!({"decimate_type": "COLLAPSE", "ratio": 0.1}), 10.0),
            ("BOOLEAN", json!({"further": 50}), 150.0),
            ("REMESH", json!({"mode": "VOXEL", "voxel_size": 0.1}), 2400.0),
            (
                "OCEAN",
                json!({"geometry_mode": "GENERATE", "viewport_resolution": 4}),
                256.0,
            ),
            ("WAVE", json!({"shown": true}), 100.0),
            ("ARRAY", json!({}), 100.0),
        ];
        for (kind, settings, expected) in cases {
            let found = vertices(kind, &settings);
            assert!((found / expected - 1.0).abs() < 1e-6, "{kind}: {found}");
        }
    }
}
