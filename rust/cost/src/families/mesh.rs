//! Operations on meshes.

use crate::flow::Content;
use crate::geometry::{Geometry, Mesh, Parts, box_area, times};
use crate::inputs::{Inputs, Outcome};
use crate::range::Range;

/// Blender gives up above this level; the elements that it would have created are counted anyway.
const MAX_LEVEL: f64 = 40.0;

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    let mesh = |operation: &dyn Fn(Mesh) -> Mesh| {
        Outcome::geometry(inputs.main().map(|parts| Parts {
            mesh: operation(parts.mesh),
            ..*parts
        }))
    };
    Some(match kind.strip_prefix("GeometryNode")? {
        "SubdivisionSurface" | "SubdivideMesh" => {
            let level = inputs.count("Level", 0.0).min(MAX_LEVEL);
            mesh(&|mut mesh| {
                let mut done = 0.0;
                while done < level {
                    mesh = mesh.subdivided();
                    done += 1.0;
                }
                mesh
            })
        }
        "ExtrudeMesh" => {
            let mode = inputs.mode("mode", "Mode");
            let selected = inputs.selected();
            let single = inputs.truth("Individual") != Some(false) || !inputs.all_selected();
            mesh(&|mesh| if selected { extruded(mesh, &mode, single) } else { mesh })
        }
        "Triangulate" => mesh(&|mesh| {
            let faces = (mesh.corners - 2.0 * mesh.faces).max(mesh.faces);
            Mesh {
                edges: mesh.edges + faces - mesh.faces,
                faces,
                corners: 3.0 * faces,
                ..mesh
            }
        }),
        "DualMesh" => mesh(&|mesh| Mesh {
            vertices: mesh.faces + mesh.boundary(),
            faces: mesh.vertices,
            edges: mesh.edges + mesh.boundary(),
            ..mesh
        }),
        "SplitEdges" if inputs.selected() => mesh(&|mesh| Mesh {
            vertices: mesh.corners.max(2.0 * mesh.edges - mesh.corners).max(mesh.vertices),
            edges: mesh.corners.max(mesh.edges),
            ..mesh
        }),
        "MeshBevel" if inputs.selected() => {
            let segments = inputs.count("Segments", 1.0);
            mesh(&|mesh| bevelled(mesh, segments))
        }
        "MeshBoolean" => {
            let sum = inputs.geometry("Mesh 1").joined(&inputs.geometry("Mesh 2"));
            Outcome::geometry(sum.realised())
        }
        "ConvexHull" => {
            let all = inputs.main().realised();
            let vertices = all.own.all_points();
            let hull = Mesh {
                vertices,
                edges: 3.0 * vertices,
                faces: 2.0 * vertices,
                corners: 6.0 * vertices,
                area: box_area(all.size),
            };
            Outcome::geometry(of(hull, all.size))
        }
        "BoundBox" => {
            let size = inputs.main().size;
            // Where it lies is not known: around the origin, as most objects do. Differences are exact.
            let corner = |half: f64| Content::Vector(size.map(|side| Range::exactly(side * half)));
            Outcome::geometry(of(Mesh::quads(8.0, 12.0, 6.0, box_area(size)), size))
                .and("Min", corner(-0.5))
                .and("Max", corner(0.5))
        }
        "DeleteGeometry" => {
            let gone = inputs.truth("Selection") == Some(true);
            let kept = match inputs.flow("Selection").map(|flow| &flow.content) {
                _ if gone => Geometry::default(),
                Some(Content::AllButFirst(count)) => inputs.main().first(&inputs.mode("domain", "Domain"), *count),
                _ => inputs.main(),
            };
            Outcome::geometry(kept)
        }
        "SeparateGeometry" => separated(inputs),
        "DuplicateElements" => Outcome::geometry(duplicated(inputs)),
        "PointsToVertices" => Outcome::geometry(inputs.main().map(|parts| Parts {
            mesh: Mesh {
                vertices: parts.mesh.vertices + parts.points,
                ..parts.mesh
            },
            points: 0.0,
            ..*parts
        })),
        _ => return None,
    })
}

fn of(mesh: Mesh, size: [f64; 3]) -> Geometry {
    let parts = Parts {
        mesh,
        ..Parts::default()
    };
    Geometry::of(parts, size)
}

/// Faces one by one, or a whole region, which gets sides only at its boundary.
fn extruded(mesh: Mesh, mode: &str, single: bool) -> Mesh {
    let sides = match mode {
        "vertices" => {
            return Mesh {
                vertices: 2.0 * mesh.vertices,
                edges: mesh.edges + mesh.vertices,
                ..mesh
            };
        }
        "edges" => {
            return Mesh {
                vertices: 2.0 * mesh.vertices,
                edges: 2.0 * mesh.edges + mesh.vertices,
                faces: mesh.faces + mesh.edges,
                corners: mesh.corners + 4.0 * mesh.edges,
                area: 2.0 * mesh.area,
            };
        }
        _ if single => mesh.corners,
        _ => mesh.boundary(),
    };
    Mesh {
        vertices: mesh.vertices + sides,
        edges: mesh.edges + 2.0 * sides,
        faces: mesh.faces + sides,
        corners: mesh.corners + 4.0 * sides,
        area: 2.0 * mesh.area,
    }
}

/// Every edge becomes a strip, every corner of the mesh a patch.
fn bevelled(mesh: Mesh, segments: f64) -> Mesh {
    let strips = mesh.edges * segments;
    let patches = mesh.vertices * segments * segments;
    Mesh {
        vertices: mesh.corners.max(mesh.edges)
            + mesh.edges * (segments - 1.0) * 2.0
            + mesh.vertices * (segments - 1.0).powi(2),
        edges: 2.0 * (mesh.faces + strips + patches) + mesh.edges,
        faces: mesh.faces + strips + patches,
        corners: mesh.corners + 4.0 * (strips + patches),
        area: mesh.area,
    }
}

/// Each part may be everything if the selection is unknown.
fn separated(inputs: &Inputs<'_>) -> Outcome {
    let (all, none) = (inputs.main(), Geometry::default());
    let (selection, inverted) = match inputs.truth("Selection") {
        Some(true) => (all, none),
        Some(false) => (none, all),
        None => (all, all),
    };
    Outcome::at("Selection", Content::from(selection)).and("Inverted", Content::from(inverted))
}

fn duplicated(inputs: &Inputs<'_>) -> Geometry {
    let amount = if inputs.selected() {
        inputs.count("Amount", 0.0)
    } else {
        0.0
    };
    let main = inputs.main();
    let domain = inputs.mode("domain", "Domain");
    let parts = |operation: &dyn Fn(&Parts) -> Parts| main.map(|parts| operation(parts) * amount);
    let mesh = |mesh: Mesh| Parts {
        mesh,
        ..Parts::default()
    };
    match domain.as_str() {
        "edge" => parts(&|parts| {
            mesh(Mesh {
                vertices: 2.0 * parts.mesh.edges,
                edges: parts.mesh.edges,
                ..Mesh::default()
            })
        }),
        "face" => parts(&|parts| {
            mesh(Mesh {
                vertices: parts.mesh.corners,
                edges: parts.mesh.corners,
                ..parts.mesh
            })
        }),
        "spline" | "curve" | "layer" => parts(&|parts| Parts {
            curves: parts.curves,
            ..Parts::default()
        }),
        "instance" => Geometry {
            own: Parts::default(),
            inside: main.inside * amount,
            instances: times(main.instances, amount),
            nested: times(main.nested, amount),
            ..main
        },
        _ => parts(&|parts| Parts {
            points: parts.all_points(),
            ..Parts::default()
        }),
    }
}
