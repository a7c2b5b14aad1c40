//! Which components a geometry may hold.
//!
//! Sets only ever err on the large side: a component that is missing from a set is certainly not there. So a node whose input holds none
//! of the components that it acts on certainly has no effect.

/// A set of components; a mesh counts by its elements, for many nodes need faces.
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

    /// What both sets have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Without what the other set has.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Nothing is in it.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Something is in both.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The components that could be consumed together: one element of a mesh stands for all.
    pub(crate) const fn whole(self) -> Self {
        if self.meets(Self::MESH) {
            self.or(Self::MESH)
        } else {
            self
        }
    }
}

/// What a geometry may hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Itself.
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
    /// Nothing is known.
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

    /// All instances made real.
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
