//! Points on and from other geometry.

use crate::flow::Content;
use crate::geometry::{Geometry, Parts, times};
use crate::inputs::{Inputs, Outcome};

/// Density of points with a minimum distance on a surface, in points per (area ÷ distance²), as Poisson disc sampling reaches it.
const DISC_PACKING: f64 = 0.75;

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    Some(match kind.strip_prefix("GeometryNode")? {
        "DistributePointsOnFaces" => on_faces(inputs),
        "DistributePointsInVolume" => in_volume(inputs, &inputs.mode("mode", "Mode")),
        "DistributePointsInGrid" => {
            let [x, y, z] = inputs.main().size;
            let grid = x * y * z;
            let volume = if grid > 0.0 { grid } else { 1.0 };
            Outcome::geometry(cloud(times(volume, inputs.most("Density")), [1.0; 3]))
        }
        "MeshToPoints" if !inputs.selected() => Outcome::geometry(Geometry::default()),
        "MeshToPoints" => {
            let mode = inputs.mode("mode", "Mode");
            Outcome::geometry(inputs.main().map(|parts| {
                let mesh = parts.mesh;
                let points = match mode.as_str() {
                    "edges" => mesh.edges,
                    "faces" => mesh.faces,
                    "corners" => mesh.corners,
                    _ => mesh.vertices,
                };
                Parts {
                    points,
                    ..Parts::default()
                }
            }))
        }
        "SeparateComponents" => components(&inputs.main()),
        _ => return None,
    })
}

fn cloud(points: f64, size: [f64; 3]) -> Geometry {
    let parts = Parts {
        points,
        ..Parts::default()
    };
    Geometry::of(parts, size)
}

/// Density × area; with a minimum distance, the number of those that fit, after all have been tried.
fn on_faces(inputs: &Inputs<'_>) -> Outcome {
    if !inputs.selected() {
        return Outcome::geometry(Geometry::default());
    }
    if inputs.mode("distribute_method", "Distribute Method") != "poisson" {
        let density = inputs.most("Density");
        return Outcome::geometry(inputs.main().map(|parts| Parts {
            points: times(parts.mesh.area, density),
            ..Parts::default()
        }));
    }
    let (density, factor) = (inputs.most("Density Max"), inputs.most("Density Factor").min(1.0));
    let distance = inputs.range("Distance Min").low.max(0.0);
    let main = inputs.main();
    let tried = times((main.own + main.referred).mesh.area, density);
    let fitting = |area: f64| {
        if distance > 0.0 {
            DISC_PACKING * area / (distance * distance)
        } else {
            f64::INFINITY
        }
    };
    let mut outcome = Outcome::geometry(main.map(|parts| Parts {
        points: times(times(parts.mesh.area, density).min(fitting(parts.mesh.area)), factor),
        ..Parts::default()
    }));
    outcome.work = tried;
    outcome
}

fn in_volume(inputs: &Inputs<'_>, mode: &str) -> Outcome {
    let main = inputs.main();
    let [x, y, z] = main.size;
    let space = times(x, times(y, z));
    let points = if mode.contains("grid") {
        let cell: f64 = inputs
            .vector("Spacing")
            .iter()
            .map(|side| if side.low.is_finite() { side.low.max(1e-9) } else { 0.3 })
            .product();
        space / cell
    } else {
        times(space, inputs.most("Density"))
    };
    let held = main.own.volume.voxels > 0.0;
    Outcome::geometry(cloud(if held { points } else { 0.0 }, main.size))
}

fn components(all: &Geometry) -> Outcome {
    let only = |part: &dyn Fn(&Parts) -> Parts| Content::from(Geometry::of(part(&all.own), all.size));
    let instances = Geometry {
        own: Parts::default(),
        ..*all
    };
    let none = Parts::default();
    Outcome::at(
        "Mesh",
        only(&|parts| Parts {
            mesh: parts.mesh,
            ..none
        }),
    )
    .and(
        "Curve",
        only(&|parts| Parts {
            curves: parts.curves,
            ..none
        }),
    )
    .and(
        "Point Cloud",
        only(&|parts| Parts {
            points: parts.points,
            ..none
        }),
    )
    .and(
        "Volume",
        only(&|parts| Parts {
            volume: parts.volume,
            ..none
        }),
    )
    .and("Grease Pencil", Content::from(Geometry::default()))
    .and("Instances", Content::from(instances))
}
