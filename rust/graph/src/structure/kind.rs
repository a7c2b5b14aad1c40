//! The structures of values, and how they join.

/// What a socket holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structure {
    /// One of the others, which cannot be told.
    #[default]
    Dynamic,
    /// One value.
    Single,
    /// A value for each element.
    Field,
    /// A value for each voxel.
    Grid,
    /// Several values in an order.
    List,
}

impl Structure {
    /// Name as Blender has it, for example `FIELD`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "DYNAMIC",
            Self::Single => "SINGLE",
            Self::Field => "FIELD",
            Self::Grid => "GRID",
            Self::List => "LIST",
        }
    }

    /// The structure of that name, in any case.
    pub(super) fn of(name: &str) -> Option<Self> {
        [Self::Dynamic, Self::Single, Self::Field, Self::Grid, Self::List]
            .into_iter()
            .find(|structure| structure.name().eq_ignore_ascii_case(name))
    }

    /// What comes out where both come in.
    pub(super) fn with(self, other: Self) -> Self {
        use Structure::{Dynamic, Field, Grid, List, Single};
        match (self, other) {
            (one, two) if one == two => one,
            (Dynamic, _) | (_, Dynamic) => Dynamic,
            (Single, one) | (one, Single) => one,
            (Field, Grid) | (Grid, Field) => Grid,
            (Field, List) | (List, Field) => List,
            _ => self, // a grid and a list cannot be joined
        }
    }
}

/// What a tree takes and gives, for the group nodes that use it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Signature {
    pub(super) inputs: Vec<Structure>,
    /// With the inputs that a dynamic output follows.
    pub(super) outputs: Vec<(Structure, Vec<usize>)>,
}
