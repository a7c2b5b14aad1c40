//! What Subdivision Surface takes beside its result: around faces that are not quads, and around vertices where not four edges meet, Blender
//! refines patches, however few levels are asked for. Measured on spheres of triangles and of hexagons, boxes and single quads.

use crate::costs::older;
use crate::geometry::{Mesh, times};

/// Microseconds and bytes for each corner of a face that is not a quad, and for each quad at an irregular vertex.
struct Patches {
    corner: (f64, f64),
    quad: (f64, f64),
}

/// The modifier, whenever what it is given has other edges than before, in every version.
const OF_THE_MODIFIER: Patches = Patches {
    corner: (115.0, 22e3),
    quad: (85.0, 37e3),
};
const NONE: Patches = Patches {
    corner: (0.0, 0.0),
    quad: (0.0, 0.0),
};
const SINCE_4_3: Patches = Patches {
    corner: (19.0, 6e3),
    quad: (40.0, 14e3),
};
const SINCE_5_1: Patches = Patches {
    corner: (85.0, 22e3),
    quad: (85.0, 37e3),
};

/// What patches take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub seconds: f64,
    pub bytes: f64,
}

/// What the modifier takes for a mesh.
pub(crate) fn of_modifier(mesh: Mesh) -> Taken {
    taken(mesh, &OF_THE_MODIFIER)
}

/// What the node takes for a mesh in this Blender.
pub(crate) fn of_node(mesh: Mesh, blender: &str) -> Taken {
    let costs = if older(blender, (4, 3)) {
        &NONE
    } else if older(blender, (5, 1)) {
        &SINCE_4_3
    } else {
        &SINCE_5_1
    };
    taken(mesh, costs)
}

fn taken(mesh: Mesh, costs: &Patches) -> Taken {
    let (corners, quads) = irregular(mesh);
    Taken {
        seconds: (times(corners, costs.corner.0) + times(quads, costs.quad.0)) * 1e-6,
        bytes: times(corners, costs.corner.1) + times(quads, costs.quad.1),
    }
}

/// Corners of faces that are not quads, and quads at irregular vertices; what cancels out in the sums is not seen.
fn irregular(mesh: Mesh) -> (f64, f64) {
    let Mesh {
        vertices,
        edges,
        faces,
        corners,
        ..
    } = mesh;
    if faces <= 0.0 {
        return (0.0, 0.0);
    }
    let excess = corners - 4.0 * faces;
    let (others, their) = if excess < 0.0 {
        (-excess, 3.0)
    } else {
        let sides = (corners / faces).max(5.0);
        (excess / (sides - 4.0), sides)
    };
    let others = others.min(faces);
    // In a regular mesh four edges meet at each vertex, three at its border.
    let deviation = (4.0 * edges - 4.0 * vertices - corners).abs();
    let quads = times(4.0, deviation).min(faces - others);
    (times(others, their), quads)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(vertices: f64, edges: f64, faces: f64, corners: f64) -> Mesh {
        Mesh {
            vertices,
            edges,
            faces,
            corners,
            area: 1.0,
        }
    }

    #[test]
    fn triangles_hexagons_boxes_and_single_quads_are_irregular() {
        let cases = [
            (mesh(10_242.0, 30_720.0, 20_480.0, 61_440.0), (61_440.0, 0.0)),
            (mesh(20_000.0, 30_000.0, 10_000.0, 60_000.0), (60_000.0, 0.0)),
            (mesh(8.0, 12.0, 6.0, 24.0), (0.0, 6.0)),
            (mesh(40.0, 40.0, 10.0, 40.0), (0.0, 10.0)),
            (mesh(121.0, 220.0, 100.0, 400.0), (0.0, 16.0)),
            (mesh(10.0, 9.0, 0.0, 0.0), (0.0, 0.0)),
        ];
        for (mesh, expected) in cases {
            let (corners, quads) = irregular(mesh);
            assert_eq!((corners.round(), quads.round()), expected, "{mesh:?}");
        }
    }

    #[test]
    fn the_modifier_takes_seconds_for_a_sphere_of_triangles() {
        let seconds = of_modifier(mesh(10_242.0, 30_720.0, 20_480.0, 61_440.0)).seconds;
        assert!((1.8..28.0).contains(&seconds), "{seconds}");
    }

    #[test]
    fn they_are_dear_since_4_3_and_dearer_since_5_1() {
        let triangles = mesh(10_242.0, 30_720.0, 20_480.0, 61_440.0);
        let seconds = ["4.2.23", "4.5.15", "5.2.3"].map(|blender| of_node(triangles, blender).seconds);
        assert!(
            seconds[0] == 0.0 && (0.25..4.0).contains(&seconds[1]) && (1.2..18.0).contains(&seconds[2]),
            "{seconds:?}"
        );
    }
}
