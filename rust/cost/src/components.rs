//! The components that a geometry may contain.
//!
//! Sets may be too large, never too small: a component that is missing from a set certainly does not exist. So a node whose input has none
//! of the components that it acts on certainly has no effect.

/// A set of components; a mesh counts by its elements, since many nodes need faces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Components(u8);

impl Components {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Vertices of a mesh.
    pub const VERTICES: Self = Self(1);
    /// Edges of a mesh.
    pub const EDGES: Self = Self(1 << 1);
    /// Faces of a mesh.
    pub const FACES: Self = Self(1 << 2);
    /// Curves.
    pub const CURVES: Self = Self(1 << 3);
    /// Points of a point cloud.
    pub const POINTS: Self = Self(1 << 4);
    /// Instances.
    pub const INSTANCES: Self = Self(1 << 5);
    /// A volume.
    pub const VOLUME: Self = Self(1 << 6);
    /// Grease pencil.
    pub const STROKES: Self = Self(1 << 7);
    /// A mesh of edges only.
    pub const WIRE: Self = Self::VERTICES.or(Self::EDGES);
    /// A whole mesh.
    pub const MESH: Self = Self::WIRE.or(Self::FACES);
    /// Everything.
    pub const ALL: Self = Self(u8::MAX);

    /// Both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The components in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The components that are not in the other set.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether it is empty.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether both have a component in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The components that could be consumed together: one kind of mesh element represents all.
    pub(crate) const fn whole(self) -> Self {
        if self.meets(Self::MESH) {
            self.or(Self::MESH)
        } else {
            self
        }
    }
}

/// The components that a geometry may contain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// At the top level.
    pub own: Components,
    /// Inside its instances, at any depth.
    pub inside: Components,
}

impl Kinds {
    /// Certainly empty.
    pub const NONE: Self = Self {
        own: Components::NONE,
        inside: Components::NONE,
    };
    /// Unknown.
    pub const ANY: Self = Self {
        own: Components::ALL,
        inside: Components::ALL,
    };

    /// Only this, and no instances.
    pub const fn only(own: Components) -> Self {
        Self {
            own,
            inside: Components::NONE,
        }
    }

    /// Either, or both together.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            own: self.own.or(other.own),
            inside: self.inside.or(other.inside),
        }
    }

    /// Instances of it.
    #[must_use]
    pub(crate) const fn instanced(self) -> Self {
        Self {
            own: Components::INSTANCES,
            inside: self.own.or(self.inside),
        }
    }

    /// With all instances realized.
    #[must_use]
    pub(crate) const fn realised(self) -> Self {
        Self::only(self.own.or(self.inside).without(Components::INSTANCES))
    }

    /// Every part by itself, below instances too.
    pub(crate) fn each(self, deep: bool, part: impl Fn(Components) -> Components) -> Self {
        Self {
            own: part(self.own),
            inside: if deep { part(self.inside) } else { self.inside },
        }
    }
}
