//! Geometry as figures: the number of elements of each kind, and their size.
//!
//! All counts are `f64`, so that no product overflows; they are only as exact as estimates need.

use std::ops::{Add, Mul};

/// Figures of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Mesh {
    pub vertices: f64,
    pub edges: f64,
    pub faces: f64,
    pub corners: f64,
    /// Sum of the faces, in square units.
    pub area: f64,
}

impl Mesh {
    /// A mesh of quads only.
    pub(crate) fn quads(vertices: f64, edges: f64, faces: f64, area: f64) -> Self {
        Self {
            vertices,
            edges,
            faces,
            corners: 4.0 * faces,
            area,
        }
    }

    /// Edges with one face (exact where every edge has one or two faces).
    pub(crate) fn boundary(self) -> f64 {
        (2.0 * self.edges - self.corners).max(0.0).min(self.edges)
    }

    /// Each face of n corners becomes n quads, as in both subdivision nodes.
    pub(crate) fn subdivided(self) -> Self {
        Self {
            vertices: self.vertices + self.edges + self.faces,
            edges: 2.0 * self.edges + self.corners,
            faces: self.corners,
            corners: 4.0 * self.corners,
            area: self.area,
        }
    }
}

/// Figures of curves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Curves {
    /// Splines.
    pub count: f64,
    /// Control points.
    pub points: f64,
    /// Spans between neighbouring control points.
    pub segments: f64,
    /// Points of the evaluated polylines.
    pub evaluated: f64,
    /// Spans of the evaluated polylines.
    pub spans: f64,
    /// Sum over all curves.
    pub length: f64,
}

impl Curves {
    /// This many open or closed polylines of `points` points in all.
    pub(crate) fn poly(curves: f64, points: f64, cyclic: bool, length: f64) -> Self {
        let segments = if cyclic { points } else { (points - curves).max(0.0) };
        Self {
            count: curves,
            points,
            segments,
            evaluated: points,
            spans: segments,
            length,
        }
    }

    /// Share of closed curves, as far as the counts tell.
    pub(crate) fn closed(self) -> bool {
        self.points > 0.0 && self.segments >= self.points
    }
}

/// Figures of volumes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Volume {
    /// Voxels that are not empty.
    pub voxels: f64,
    /// Edge of a voxel.
    pub voxel: f64,
    /// Area of the surface that Volume to Mesh would find.
    pub surface: f64,
}

/// Geometry without instances.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Parts {
    pub mesh: Mesh,
    pub curves: Curves,
    /// Points of point clouds.
    pub points: f64,
    pub volume: Volume,
}

/// Voxels are compact: ten of them cost as much as a vertex with its share of edges, faces and attributes.
pub(crate) const VOXELS_PER_ELEMENT: f64 = 10.0;

impl Parts {
    /// Vertices, control points, points and voxels by weight. Edges and faces count where they outnumber vertices, as in triangle soups.
    pub(crate) fn elements(&self) -> f64 {
        let mesh = self.mesh.vertices.max(self.mesh.faces / 2.0);
        mesh + self.curves.points + self.points + self.volume.voxels / VOXELS_PER_ELEMENT
    }

    /// Everything on which instances can be placed, and which Set Position moves.
    pub(crate) fn all_points(&self) -> f64 {
        self.mesh.vertices + self.curves.points + self.points
    }

    /// All figures in a fixed order, the edge of a voxel last.
    fn to_array(self) -> [f64; FIGURES] {
        let Self {
            mesh,
            curves,
            points,
            volume,
        } = self;
        [
            mesh.vertices,
            mesh.edges,
            mesh.faces,
            mesh.corners,
            mesh.area,
            curves.count,
            curves.points,
            curves.segments,
            curves.evaluated,
            curves.spans,
            curves.length,
            points,
            volume.voxels,
            volume.surface,
            volume.voxel,
        ]
    }

    fn from_array(figures: [f64; FIGURES]) -> Self {
        let [
            vertices,
            edges,
            faces,
            corners,
            area,
            splines,
            control,
            segments,
            evaluated,
            spans,
            length,
            points,
            voxels,
            surface,
            voxel,
        ] = figures;
        Self {
            mesh: Mesh {
                vertices,
                edges,
                faces,
                corners,
                area,
            },
            curves: Curves {
                count: splines,
                points: control,
                segments,
                evaluated,
                spans,
                length,
            },
            points,
            volume: Volume { voxels, voxel, surface },
        }
    }
}

/// Figures of [`Parts`].
const FIGURES: usize = 15;

impl Add for Parts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let mut sum = self.to_array();
        for (mine, its) in sum.iter_mut().zip(other.to_array()) {
            *mine += its;
        }
        let mut sum = Self::from_array(sum);
        sum.volume.voxel = self.volume.voxel.max(other.volume.voxel);
        sum
    }
}

impl Mul<f64> for Parts {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        let mut product = Self::from_array(self.to_array().map(|count| times(count, factor)));
        product.volume.voxel = self.volume.voxel;
        product
    }
}

/// A geometry set.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Geometry {
    /// The geometry at the top level.
    pub own: Parts,
    /// The geometry that instances refer to, each once, as it is in memory.
    pub referred: Parts,
    /// The additional geometry if all instances were realized.
    pub inside: Parts,
    /// Instances at the top.
    pub instances: f64,
    /// Nested instances, each as often as it appears.
    pub nested: f64,
    /// Extent along each axis, instances included.
    pub size: [f64; 3],
}

impl Geometry {
    /// Geometry without instances.
    pub(crate) fn of(own: Parts, size: [f64; 3]) -> Self {
        Self {
            own,
            size,
            ..Self::default()
        }
    }

    /// What Blender must store for it: instances count as one each, their geometry once.
    pub(crate) fn elements(&self) -> f64 {
        self.own.elements() + self.referred.elements() + self.instances + self.nested
    }

    /// Applies the same operation to everything, as most nodes do; it must be linear in the counts.
    pub(crate) fn map(&self, operation: impl Fn(&Parts) -> Parts) -> Self {
        Self {
            own: operation(&self.own),
            referred: operation(&self.referred),
            inside: operation(&self.inside),
            ..*self
        }
    }

    /// With everything realized.
    pub(crate) fn realised(&self) -> Self {
        Self::of(self.own + self.inside, self.size)
    }

    /// `count` instances of it.
    pub(crate) fn instanced(&self, count: f64) -> Self {
        Self {
            own: Parts::default(),
            referred: self.own + self.referred,
            inside: (self.own + self.inside) * count,
            instances: count,
            nested: times(count, self.instances + self.nested),
            size: self.size,
        }
    }

    /// `count` instances, each of one of its instances.
    pub(crate) fn picked(&self, count: f64) -> Self {
        if self.instances <= 0.0 {
            return self.instanced(count);
        }
        let share = count / self.instances;
        Self {
            own: Parts::default(),
            referred: self.referred,
            inside: self.inside * share,
            instances: count,
            nested: times(self.nested, share),
            size: self.size,
        }
    }

    /// `count` copies side by side.
    pub(crate) fn repeated(&self, count: f64) -> Self {
        Self {
            own: self.own * count,
            referred: self.referred,
            inside: self.inside * count,
            instances: times(self.instances, count),
            nested: times(self.nested, count),
            size: self.size,
        }
    }

    /// The first elements of a domain of each component, at most `count` of them.
    pub(crate) fn first(&self, domain: &str, count: f64) -> Self {
        let share = |all: f64| if all > count { count / all } else { 1.0 };
        let Parts {
            mesh, curves, points, ..
        } = self.own;
        let (of_mesh, of_curves, of_points, of_instances) = match domain {
            "point" => (share(mesh.vertices), share(curves.points), share(points), 1.0),
            "edge" => (share(mesh.edges), 1.0, 1.0, 1.0),
            "face" => (share(mesh.faces), 1.0, 1.0, 1.0),
            "curve" => (1.0, share(curves.count), 1.0, 1.0),
            "instance" => (1.0, 1.0, 1.0, share(self.instances)),
            _ => (1.0, 1.0, 1.0, 1.0),
        };
        let own = Parts {
            mesh: (self.own * of_mesh).mesh,
            curves: (self.own * of_curves).curves,
            points: points * of_points,
            volume: self.own.volume,
        };
        Self {
            own,
            inside: self.inside * of_instances,
            instances: self.instances * of_instances,
            nested: times(self.nested, of_instances),
            ..*self
        }
    }

    /// Both together; their relative position is unknown, so the larger extent counts.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        let mut size = self.size;
        for (side, other) in size.iter_mut().zip(other.size) {
            *side = side.max(other);
        }
        Self {
            own: self.own + other.own,
            referred: self.referred + other.referred,
            inside: self.inside + other.inside,
            instances: self.instances + other.instances,
            nested: self.nested + other.nested,
            size,
        }
    }
}

impl Geometry {
    /// All figures in a fixed order.
    pub(crate) fn figures(&self) -> Vec<f64> {
        let parts = [self.own, self.referred, self.inside].map(Parts::to_array);
        let mut figures = parts.concat();
        figures.extend([self.instances, self.nested]);
        figures.extend(self.size);
        figures
    }

    /// The inverse of [`Self::figures`]; missing figures are zero.
    pub(crate) fn from_figures(figures: &[f64]) -> Self {
        let mut rest = figures.iter().copied().chain(std::iter::repeat(0.0));
        let mut next = || rest.next().unwrap_or_default();
        let mut parts = || Parts::from_array(std::array::from_fn(|_| next()));
        let (own, referred, inside) = (parts(), parts(), parts());
        Self {
            own,
            referred,
            inside,
            instances: next(),
            nested: next(),
            size: std::array::from_fn(|_| next()),
        }
    }
}

/// Ten of them count as one element.
pub(crate) const VOXELS: &str = "voxels";

/// Plural name of most of a geometry's elements.
pub(crate) fn noun_of(geometry: &Geometry) -> &'static str {
    let own = geometry.own + geometry.referred;
    let weights = [
        (own.mesh.vertices, "vertices"),
        (own.points, "points"),
        (own.curves.points, "curve points"),
        (geometry.instances + geometry.nested, "instances"),
        (own.volume.voxels / VOXELS_PER_ELEMENT, VOXELS),
    ];
    let largest = weights.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    largest.map_or("elements", |(_, noun)| noun)
}

/// Product in which zero times infinity is zero.
pub(crate) fn times(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { a * b } else { 0.0 }
}

/// Surface of a box; for a flat box, the area of one side.
pub(crate) fn box_area([x, y, z]: [f64; 3]) -> f64 {
    let sides = x * y + y * z + z * x;
    let flat = [x, y, z].iter().any(|side| *side < 1e-6);
    if flat { sides } else { 2.0 * sides }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers and round decimals are exact")]
mod tests {
    use super::*;

    fn cube() -> Geometry {
        let mesh = Mesh::quads(8.0, 12.0, 6.0, 6.0);
        Geometry::of(
            Parts {
                mesh,
                ..Parts::default()
            },
            [1.0; 3],
        )
    }

    #[test]
    fn subdivision_of_a_cube_is_exact() {
        let mut mesh = cube().own.mesh;
        for (vertices, edges, faces) in [(26.0, 48.0, 24.0), (98.0, 192.0, 96.0), (386.0, 768.0, 384.0)] {
            mesh = mesh.subdivided();
            assert_eq!((mesh.vertices, mesh.edges, mesh.faces), (vertices, edges, faces));
        }
        assert_eq!(mesh.boundary(), 0.0);
    }

    #[test]
    fn instances_count_once_until_they_are_realized() {
        let many = cube().instanced(1e6);
        assert_eq!(many.elements(), 1e6 + 8.0);
        assert_eq!(many.realised().elements(), 8e6);
        let nested = many.instanced(3.0);
        assert_eq!((nested.instances, nested.nested), (3.0, 3e6));
        assert_eq!(nested.realised().elements(), 24e6);
    }

    #[test]
    fn picked_instances_share_the_existing_geometry() {
        let two = cube().instanced(1.0).joined(&cube().repeated(3.0).instanced(1.0));
        let picked = two.picked(100.0);
        assert_eq!(picked.instances, 100.0);
        assert_eq!(picked.realised().own.mesh.vertices, 1600.0);
    }

    #[test]
    fn huge_counts_do_not_overflow() {
        let mut geometry = cube();
        for _ in 0..2000 {
            geometry = geometry.repeated(1e9).instanced(1e9).realised();
        }
        assert_eq!(geometry.elements(), f64::INFINITY);
        assert_eq!(geometry.repeated(0.0).elements(), 0.0);
    }
}
