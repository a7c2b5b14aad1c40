//! What modifiers other than Geometry Nodes make of an object's geometry: from Blender's own figures where it has evaluated exactly
//! that, else from their settings. The figures were measured by `rust/xtask/src/bench/evaluation/stacks.py` in Blender 5.2.

use geonode_graph::documents::{EvaluatedMesh, Modifier};
use geonode_graph::ir::Map;
use serde_json::Value;

use crate::geometry::{Geometry, Mesh, Parts, times};
use crate::work::{self, Work};

/// Faces up to which the edges of a mesh count as sharp for a bevel by angle.
pub(crate) const HARD: f64 = 200.0;

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
    let often = often(&modifier.kind, settings, given);
    let mut made = given.repeated(often);
    let longest = made.size.iter_mut().max_by(|a, b| a.total_cmp(b));
    if let Some(longest) = longest.filter(|_| modifier.kind.ends_with("ARRAY")) {
        *longest *= often;
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
fn often(kind: &str, settings: &Map, given: &Geometry) -> f64 {
    let count = |name: &str| number(settings, name).max(1.0);
    let mesh = given.own.mesh;
    let vertices = mesh.vertices.max(1.0);
    match kind {
        "ARRAY" | "GREASE_PENCIL_ARRAY" | "PARTICLE_INSTANCE" => count("copies"),
        "MIRROR" | "GREASE_PENCIL_MIRROR" => 2_f64.powf(number(settings, "axes")),
        "SOLIDIFY" | "EDGE_SPLIT" | "EXPLODE" => 2.0,
        "TRIANGULATE" => 1.3,
        "WIREFRAME" => 2.0 * mesh.edges / vertices + 2.0,
        "SKIN" => 12.0 * mesh.edges.max(vertices) / vertices,
        "SCREW" => count("steps") * count("iterations"),
        "BEVEL" => {
            // A vertex for each corner, and a grid for each edge and vertex.
            let cuts = count("segments") - 1.0;
            let all = (mesh.corners + mesh.edges * (2.0 * cuts + 0.5 * cuts * cuts)) / vertices;
            1.0 + (all.max(1.0) - 1.0) * sharp(settings, mesh)
        }
        "DECIMATE" if text(settings, "decimate_type") == "COLLAPSE" => number(settings, "ratio").clamp(0.0, 1.0),
        _ => 1.0,
    }
}

/// Share of the edges that a bevel rounds.
fn sharp(settings: &Map, mesh: Mesh) -> f64 {
    match text(settings, "limit_method") {
        "ANGLE" | "WEIGHT" | "VGROUP" => {
            // Boxes and prisms have three edges at each vertex, smooth surfaces four and more.
            let boxes = 4.0 - 2.0 * mesh.edges / mesh.vertices.max(1.0);
            (HARD / mesh.faces.max(1.0)).max(boxes).clamp(0.0, 1.0)
        }
        _ => 1.0,
    }
}

/// What a modifier takes that makes `made` of `given`, beside other work on the stack.
pub(crate) fn work(modifier: &Modifier, given: &Geometry, made: &Geometry) -> Work {
    let settings = &modifier.inputs;
    if settings.is_empty() {
        return Work::default();
    }
    let (vertices, more) = (given.own.mesh.vertices, made.own.mesh.vertices);
    let rounds = number(settings, "iterations").max(1.0);
    let power = |seconds: f64, items: f64, at: f64, power: f64| times(seconds, (items / at).powf(power));
    let micro = match modifier.kind.as_str() {
        "ARRAY" if settings.get("use_merge_vertices") == Some(&Value::Bool(true)) => 0.35 * more,
        "ARRAY" => 0.07 * more,
        "MIRROR" => 0.35 * more,
        "SOLIDIFY" if text(settings, "solidify_mode") == "NON_MANIFOLD" => 2.0 * more,
        "SOLIDIFY" => 0.15 * more,
        "EDGE_SPLIT" | "TRIANGULATE" | "WEIGHTED_NORMAL" | "NORMAL_EDIT" => 1.2 * vertices,
        "WIREFRAME" => 1.3 * more,
        "SCREW" => 0.45 * more,
        "SKIN" => power(5.2e6, more, 10_000.0, 2.2),
        "BEVEL" => 0.9 * vertices + 2.8 * (more - vertices).max(0.0),
        "DECIMATE" => match text(settings, "decimate_type") {
            "DISSOLVE" => power(60e3, vertices, 5_000.0, 1.5),
            "UNSUBDIV" => 2.5 * vertices,
            _ => 6.0 * vertices,
        },
        "REMESH" => 3.0 * more + 8.0 * vertices,
        "BOOLEAN" if text(settings, "solver") == "EXACT" => 20.0 * more,
        "BOOLEAN" => 2.5 * more,
        "WELD" => 0.6 * vertices,
        "SMOOTH" | "CORRECTIVE_SMOOTH" => 0.015 * rounds * vertices,
        // Solves equations whose number is that of the vertices.
        "LAPLACIANSMOOTH" | "LAPLACIANDEFORM" => power(25e3 * rounds, vertices, 5_000.0, 1.6),
        "SHRINKWRAP" | "SURFACE_DEFORM" | "DATA_TRANSFER" => 2.5 * vertices,
        "OCEAN" => 0.2 * more,
        _ => 0.05 * more,
    };
    Work {
        seconds: micro * 1e-6,
        kept: 0.0,
        peak: work::bytes(given) + work::bytes(made) + times(SCRATCH, vertices.max(more)),
    }
}

/// Bytes per vertex while a modifier edits a mesh.
const SCRATCH: f64 = 200.0;

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
    fn what_solves_equations_takes_more_than_what_moves_vertices() {
        let seconds = |kind: &str, settings: Value| {
            let modifier = Modifier {
                kind: kind.to_owned(),
                inputs: serde_json::from_value(settings).unwrap(),
                ..Modifier::default()
            };
            let own = Parts {
                mesh: Mesh::quads(90_000.0, 180_000.0, 90_000.0, 4.0),
                ..Parts::default()
            };
            let given = Geometry::of(own, [2.0; 3]);
            work(&modifier, &given, &after(&modifier, None, &given)).seconds
        };
        let smoothed = seconds("LAPLACIANSMOOTH", json!({"iterations": 4}));
        assert!((5.0..80.0).contains(&smoothed), "{smoothed}");
        let moved = seconds("CAST", json!({"shown": true}));
        assert!(moved < 0.01, "{moved}");
        let copied = seconds("ARRAY", json!({"copies": 10}));
        assert!((0.02..0.2).contains(&copied), "{copied}");
        assert!(seconds("ARRAY", json!({})) <= 0.0);
    }

    #[test]
    fn each_kind_multiplies_by_its_settings_and_none_when_switched_off() {
        let cases = [
            ("ARRAY", json!({"copies": 10}), 1000.0),
            ("MIRROR", json!({"axes": 2}), 400.0),
            ("SCREW", json!({"steps": 16, "iterations": 2}), 3200.0),
            ("WIREFRAME", json!({"shown": true}), 600.0),
            ("BEVEL", json!({"limit_method": "NONE", "segments": 1}), 400.0),
            ("BEVEL", json!({"limit_method": "NONE", "segments": 3}), 1600.0),
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
