//! Primitive meshes, curves and points, with exact counts.

use std::f64::consts::PI;

use crate::geometry::{Curves, Geometry, Mesh, Parts, box_area};
use crate::inputs::{Inputs, Outcome};

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    let (mesh, size) = match kind.strip_prefix("GeometryNode")? {
        "MeshCube" => cube(inputs),
        "MeshGrid" => grid(inputs),
        "MeshCircle" => circle(inputs),
        "MeshLine" => line(inputs),
        "MeshCone" => cone(inputs, inputs.most("Radius Top"), inputs.most("Radius Bottom")),
        "MeshCylinder" => cone(inputs, inputs.most("Radius"), inputs.most("Radius")),
        "MeshIcoSphere" => ico_sphere(inputs),
        "MeshUVSphere" => uv_sphere(inputs),
        other => return curve(other, inputs),
    };
    Some(Outcome::geometry(of_mesh(mesh, size)))
}

fn of_mesh(mesh: Mesh, size: [f64; 3]) -> Geometry {
    let parts = Parts {
        mesh,
        ..Parts::default()
    };
    Geometry::of(parts, size)
}

/// A grid of x by y vertices; of one vertex in a direction, a line.
fn sheet(x: f64, y: f64, area: f64) -> Mesh {
    Mesh::quads(
        x * y,
        (x - 1.0) * y + x * (y - 1.0),
        (x - 1.0) * (y - 1.0),
        if x > 1.0 && y > 1.0 { area } else { 0.0 },
    )
}

fn cube(inputs: &Inputs<'_>) -> (Mesh, [f64; 3]) {
    let size = inputs.lengths("Size", 1.0);
    let [x, y, z] = ["Vertices X", "Vertices Y", "Vertices Z"].map(|axis| inputs.count(axis, 1.0));
    let area = box_area(size);
    let mesh = if x < 2.0 {
        sheet(y, z, area)
    } else if y < 2.0 {
        sheet(x, z, area)
    } else if z < 2.0 {
        sheet(x, y, area)
    } else {
        let faces = 2.0 * ((x - 1.0) * (y - 1.0) + (y - 1.0) * (z - 1.0) + (z - 1.0) * (x - 1.0));
        // Euler: V - E + F = 2, and every face has four half-edges.
        Mesh::quads(faces + 2.0, 2.0 * faces, faces, area)
    };
    (mesh, size)
}

fn grid(inputs: &Inputs<'_>) -> (Mesh, [f64; 3]) {
    let (x, y) = (inputs.most("Size X"), inputs.most("Size Y"));
    let mesh = sheet(inputs.count("Vertices X", 1.0), inputs.count("Vertices Y", 1.0), x * y);
    (mesh, [x, y, 0.0])
}

fn circle(inputs: &Inputs<'_>) -> (Mesh, [f64; 3]) {
    let (n, radius) = (inputs.count("Vertices", 3.0), inputs.most("Radius"));
    let fill = inputs.mode("fill_type", "Fill Type");
    let (center, faces, corners) = match fill.as_str() {
        "trianglefan" => (1.0, n, 3.0 * n),
        "none" => (0.0, 0.0, 0.0),
        _ => (0.0, 1.0, n),
    };
    let mesh = Mesh {
        vertices: n + center,
        edges: n + center * n,
        faces,
        corners,
        area: if faces > 0.0 { PI * radius * radius } else { 0.0 },
    };
    (mesh, [2.0 * radius, 2.0 * radius, 0.0])
}

fn line(inputs: &Inputs<'_>) -> (Mesh, [f64; 3]) {
    let ends = inputs.mode("mode", "Mode") == "endpoints";
    let step = inputs.lengths("Offset", 1.0);
    let start = inputs.lengths("Start Location", 0.0);
    let reach = [0, 1, 2].map(|axis| step.get(axis).unwrap_or(&0.0) + start.get(axis).unwrap_or(&0.0));
    let count = if ends && inputs.mode("count_mode", "Count Mode") == "resolution" {
        let length = reach.iter().map(|side| side * side).sum::<f64>().sqrt();
        (length / inputs.finest("Resolution")).floor() + 1.0
    } else {
        inputs.count("Count", 0.0)
    };
    let mesh = Mesh {
        vertices: count,
        edges: (count - 1.0).max(0.0),
        ..Mesh::default()
    };
    (
        mesh,
        if ends {
            reach
        } else {
            step.map(|side| side * (count - 1.0).max(0.0))
        },
    )
}

/// A cone or cylinder: rings of n vertices, its ends closed by a fan, a face or not at all.
fn cone(inputs: &Inputs<'_>, top: f64, bottom: f64) -> (Mesh, [f64; 3]) {
    let n = inputs.count("Vertices", 3.0);
    let side = inputs.count("Side Segments", 1.0);
    let fill = inputs.count("Fill Segments", 1.0);
    let depth = inputs.most("Depth");
    let mode = inputs.mode("fill_type", "Fill Type");
    let ends = [top, bottom].into_iter().filter(|radius| *radius > 0.0).count();
    let ends = if ends == 2 { 2.0 } else { 1.0 };
    let pointed = 2.0 - ends;
    let mut mesh = Mesh {
        vertices: n * (side + 1.0 - pointed) + pointed,
        edges: n * (side + 1.0 - pointed) + n * side,
        faces: n * side,
        corners: 4.0 * n * side - pointed * n,
        area: PI * (top + bottom) * (depth * depth + (top - bottom).powi(2)).sqrt(),
    };
    if mode != "none" {
        let fan = mode == "trianglefan";
        let rings = fill - 1.0;
        mesh.vertices += ends * (n * rings + if fan { 1.0 } else { 0.0 });
        mesh.edges += ends * (2.0 * n * rings + if fan { n } else { 0.0 });
        mesh.faces += ends * (n * rings + if fan { n } else { 1.0 });
        mesh.corners += ends * (4.0 * n * rings + if fan { 3.0 * n } else { n });
        mesh.area += PI * (top * top + bottom * bottom);
    }
    let width = 2.0 * top.max(bottom);
    (mesh, [width, width, depth])
}

fn ico_sphere(inputs: &Inputs<'_>) -> (Mesh, [f64; 3]) {
    let radius = inputs.most("Radius");
    let parts = 4.0_f64.powf(inputs.count("Subdivisions", 1.0) - 1.0);
    let mesh = Mesh {
        vertices: 10.0 * parts + 2.0,
        edges: 30.0 * parts,
        faces: 20.0 * parts,
        corners: 60.0 * parts,
        area: 4.0 * PI * radius * radius,
    };
    (mesh, [2.0 * radius; 3])
}

fn uv_sphere(inputs: &Inputs<'_>) -> (Mesh, [f64; 3]) {
    let radius = inputs.most("Radius");
    let (segments, rings) = (inputs.count("Segments", 3.0), inputs.count("Rings", 2.0));
    let mesh = Mesh {
        vertices: segments * (rings - 1.0) + 2.0,
        edges: segments * (2.0 * rings - 1.0),
        faces: segments * rings,
        corners: 4.0 * segments * rings - 2.0 * segments,
        area: 4.0 * PI * radius * radius,
    };
    (mesh, [2.0 * radius; 3])
}

fn curve(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    let radius = || inputs.most("Radius");
    let resolution = |least| inputs.count("Resolution", least);
    let (curves, width) = match kind {
        "CurvePrimitiveLine" => {
            let length = if inputs.mode("mode", "Mode") == "direction" {
                inputs.most("Length")
            } else {
                let [a, b] = ["Start", "End"].map(|end| inputs.lengths(end, 1.0));
                a.iter().chain(&b).map(|side| side * side).sum::<f64>().sqrt()
            };
            (Curves::poly(1.0, 2.0, false, length), length)
        }
        "CurvePrimitiveCircle" => {
            let around = if inputs.mode("mode", "Mode") == "points" {
                2.0
            } else {
                radius()
            };
            (
                Curves::poly(1.0, resolution(3.0), true, 2.0 * PI * around),
                2.0 * around,
            )
        }
        "CurveArc" => {
            let center = f64::from(inputs.truth("Connect Center") != Some(false));
            let around = radius();
            (
                Curves::poly(1.0, resolution(2.0) + center, false, 2.0 * PI * around),
                2.0 * around,
            )
        }
        "CurveSpiral" => {
            let around = inputs.most("Start Radius").max(inputs.most("End Radius"));
            let turns = inputs.most("Rotations");
            let length = turns * (2.0 * PI * around) + inputs.most("Height");
            (
                Curves::poly(1.0, (resolution(1.0) * turns).floor() + 1.0, false, length),
                2.0 * around,
            )
        }
        "CurveStar" => {
            let (a, b) = (inputs.most("Inner Radius"), inputs.most("Outer Radius"));
            let points = 2.0 * inputs.count("Points", 3.0);
            let length = points * ((a - b).abs() + a.min(b));
            (Curves::poly(1.0, points, true, length), 2.0 * a.max(b))
        }
        "CurvePrimitiveQuadrilateral" => {
            let (a, b) = (inputs.most("Width"), inputs.most("Height"));
            (Curves::poly(1.0, 4.0, true, 2.0 * (a + b)), a.max(b))
        }
        "CurveQuadraticBezier" => {
            let length = reach(inputs, ["Start", "Middle", "End"]);
            (Curves::poly(1.0, resolution(3.0) + 1.0, false, length), length)
        }
        "CurvePrimitiveBezierSegment" => {
            let length = reach(inputs, ["Start", "End", "Start Handle"]);
            let mut curve = Curves::poly(1.0, 2.0, false, length);
            curve.evaluated = resolution(1.0) + 1.0;
            curve.spans = resolution(1.0);
            (curve, length)
        }
        "Points" => {
            let parts = Parts {
                points: inputs.count("Count", 0.0),
                ..Parts::default()
            };
            return Some(Outcome::geometry(Geometry::of(parts, inputs.lengths("Position", 1.0))));
        }
        _ => return None,
    };
    let parts = Parts {
        curves,
        ..Parts::default()
    };
    Some(Outcome::geometry(Geometry::of(parts, [width, width, 0.0])))
}

/// Length of a bent line by its three points, roughly.
fn reach(inputs: &Inputs<'_>, points: [&str; 3]) -> f64 {
    let most = points.map(|point| inputs.lengths(point, 1.0).into_iter().fold(0.0, f64::max));
    most.iter().sum()
}
