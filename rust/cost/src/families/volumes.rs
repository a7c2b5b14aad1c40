//! Volumes: voxels by resolution.

use crate::geometry::{Geometry, Mesh, Parts, VOXELS_PER_ELEMENT, Volume, box_area, times};
use crate::inputs::{Inputs, Outcome};

/// Vertices of a surface per (area ÷ voxel²), as marching through a grid makes them.
const VERTICES_PER_VOXEL_FACE: f64 = 1.5;

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    Some(match kind.strip_prefix("GeometryNode")? {
        "VolumeCube" => cube(inputs),
        "MeshToVolume" | "MeshToDensityGrid" => {
            let main = inputs.main();
            let area = main.own.mesh.area;
            filled(inputs, &main, 0.0, area, f64::INFINITY)
        }
        "PointsToVolume" => points(inputs),
        "MeshToSDFGrid" | "PointsToSDFGrid" => {
            let main = inputs.main();
            let band = inputs
                .position("Band Width")
                .map_or(3.0, |_| inputs.count("Band Width", 1.0));
            let voxel = inputs.finest("Voxel Size");
            // Only a band around the surface is kept.
            let voxels = 2.0 * band * box_area(main.size) / (voxel * voxel);
            filled(inputs, &main, 0.0, main.own.mesh.area, voxels)
        }
        "VolumeToMesh" => to_mesh(inputs),
        _ => return None,
    })
}

fn of(volume: Volume, size: [f64; 3]) -> Outcome {
    let parts = Parts {
        volume,
        ..Parts::default()
    };
    Outcome::geometry(Geometry::of(parts, size))
}

fn cube(inputs: &Inputs<'_>) -> Outcome {
    let counts = ["Resolution X", "Resolution Y", "Resolution Z"].map(|axis| inputs.count(axis, 1.0));
    let (low, high) = (inputs.vector("Min"), inputs.vector("Max"));
    let span = |axis: usize| {
        let length = match (low.get(axis), high.get(axis)) {
            (Some(low), Some(high)) => high.high - low.low,
            _ => 2.0,
        };
        if length.is_finite() { length.max(0.0) } else { 2.0 }
    };
    let size = [span(0), span(1), span(2)];
    let voxel = size
        .iter()
        .zip(counts)
        .map(|(side, count)| side / count)
        .fold(f64::INFINITY, f64::min);
    let volume = Volume {
        voxels: counts.iter().product(),
        voxel,
        surface: box_area(size),
    };
    of(volume, size)
}

/// Voxel size: given directly, or the diagonal plus both margins, divided by the number of voxels along it.
fn voxel(inputs: &Inputs<'_>, size: [f64; 3], margin: f64) -> f64 {
    if inputs.position("Voxel Amount").is_none() || inputs.mode("resolution_mode", "Resolution Mode").contains("size") {
        return inputs.finest("Voxel Size");
    }
    let diagonal = size.iter().map(|side| side * side).sum::<f64>().sqrt() + 2.0 * margin;
    (diagonal / inputs.most("Voxel Amount").max(1.0)).max(1e-9)
}

fn filled(inputs: &Inputs<'_>, main: &Geometry, margin: f64, surface: f64, most: f64) -> Outcome {
    let size = main.size.map(|side| side + 2.0 * margin);
    if main.own.elements() <= 0.0 {
        return Outcome::geometry(Geometry::default());
    }
    let voxel = voxel(inputs, main.size, margin);
    let all: f64 = size.iter().map(|side| (side / voxel).ceil().max(1.0)).product();
    let volume = Volume {
        voxels: all.min(most),
        voxel,
        surface: surface.min(box_area(size)).max(0.0),
    };
    of(volume, size)
}

/// A ball around each point.
fn points(inputs: &Inputs<'_>) -> Outcome {
    let main = inputs.main();
    let radius = inputs.most("Radius");
    let count = main.own.all_points();
    let voxel = voxel(inputs, main.size, radius);
    let ball = 4.19 * (radius / voxel).powi(3) + 1.0;
    let surface = 12.57 * radius * radius;
    filled(inputs, &main, radius, times(count, surface), times(count, ball))
}

fn to_mesh(inputs: &Inputs<'_>) -> Outcome {
    let main = inputs.main();
    let mode = inputs.mode("resolution_mode", "Resolution Mode");
    let volume = main.own.volume;
    let own = mode.contains("grid") || mode.is_empty();
    let edge = if own {
        volume.voxel
    } else {
        voxel(inputs, main.size, 0.0)
    };
    let edge = edge.max(1e-9);
    let faces = if volume.voxels > 0.0 {
        VERTICES_PER_VOXEL_FACE * volume.surface / (edge * edge)
    } else {
        0.0
    };
    let mesh = Mesh::quads(faces, 2.0 * faces, faces, volume.surface);
    let parts = Parts {
        mesh,
        ..Parts::default()
    };
    let mut outcome = Outcome::geometry(Geometry::of(parts, main.size));
    if !own && volume.voxels > 0.0 {
        // It is sampled anew first.
        let all: f64 = main.size.iter().map(|side| (side / edge).ceil().max(1.0)).product();
        outcome.work = all / VOXELS_PER_ELEMENT;
    }
    outcome
}
