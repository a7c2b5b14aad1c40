//! Which components a geometry may hold: what flows where, and which nodes can do nothing with it.
//!
//! Sets only ever err on the large side: a component that is missing from a set is certainly not there. So a node whose input holds none
//! of the components that it acts on certainly has no effect.

use crate::effects::{Makes, rule};
use crate::inputs::Inputs;

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
    const fn whole(self) -> Self {
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
    fn each(self, deep: bool, part: impl Fn(Components) -> Components) -> Self {
        Self {
            own: part(self.own),
            inside: if deep { part(self.inside) } else { self.inside },
        }
    }
}

/// What one output of a node may hold.
pub(crate) fn made(inputs: &Inputs<'_>, identifier: &str, first: bool) -> Kinds {
    let kind = inputs.kind();
    let Some(short) = kind.strip_prefix("GeometryNode") else {
        return Kinds::ANY;
    };
    if let Some(kinds) = source(short, inputs) {
        return kinds;
    }
    let main = inputs.main_kinds();
    match short {
        "SeparateGeometry" => return main,
        "SeparateComponents" => return component(identifier, main),
        _ if !first => return Kinds::ANY,
        "JoinGeometry" | "CaptureAttribute" | "RemoveAttribute" | "Transform" | "SortElements" | "ReplaceMaterial" => {
            return main;
        }
        "GeometryToInstance" => return main.instanced(),
        "RealizeInstances" if partly(inputs) => return main.or(main.realised()),
        "RealizeInstances" => return main.realised(),
        "InstanceOnPoints" => {
            let placed = inputs.kinds("Instance").instanced();
            return if main.inside.is_none() {
                placed
            } else {
                placed.or(Kinds {
                    own: Components::INSTANCES,
                    inside: Components::INSTANCES.or(main.inside),
                })
            };
        }
        _ => {}
    }
    let Some(rule) = rule(inputs).filter(|rule| rule.secondary.is_none()) else {
        return Kinds::ANY;
    };
    let acted = rule.acts_on.whole();
    match rule.makes {
        Makes::Unknown => Kinds::ANY,
        Makes::Same => main,
        Makes::More(more) => main.each(
            rule.deep,
            |part| {
                if part.meets(rule.acts_on) { part.or(more) } else { part }
            },
        ),
        Makes::Only(only) => main.each(rule.deep, |part| {
            let made = if part.meets(rule.acts_on) {
                only
            } else {
                Components::NONE
            };
            made.or(if rule.deep {
                part.and(Components::INSTANCES)
            } else {
                Components::NONE
            })
        }),
        Makes::Instead(new) => main.each(rule.deep, |part| {
            let made = if part.meets(rule.acts_on) {
                new
            } else {
                Components::NONE
            };
            part.without(acted).or(made)
        }),
    }
}

/// Realize Instances that leaves some instances as they are.
fn partly(inputs: &Inputs<'_>) -> bool {
    !inputs.all_selected() || inputs.position("Realize All").is_some() && inputs.truth("Realize All") != Some(true)
}

/// Nodes that make geometry out of no other.
fn source(short: &str, inputs: &Inputs<'_>) -> Option<Kinds> {
    let own = match short {
        "MeshLine" => Components::WIRE,
        "MeshCircle" if inputs.mode("fill_type", "Fill Type") == "none" => Components::WIRE,
        "MeshCube" | "MeshGrid" | "MeshUVSphere" | "MeshIcoSphere" | "MeshCylinder" | "MeshCone" | "MeshCircle" => {
            Components::MESH
        }
        "CurveArc" | "CurveSpiral" | "CurveStar" | "CurveQuadraticBezier" => Components::CURVES,
        _ if short.starts_with("CurvePrimitive") => Components::CURVES,
        "Points" => Components::POINTS,
        "VolumeCube" => Components::VOLUME,
        "StringToCurves" => return Some(Kinds::only(Components::CURVES).instanced()),
        "ObjectInfo" => {
            return Some(match (inputs.is_null("Object"), inputs.truth("As Instance")) {
                (true, _) => Kinds::NONE,
                (false, Some(true)) => Kinds::ANY.instanced(),
                (false, _) => Kinds::ANY,
            });
        }
        "CollectionInfo" => {
            return Some(if inputs.is_null("Collection") {
                Kinds::NONE
            } else {
                Kinds::ANY.instanced()
            });
        }
        _ => return None,
    };
    Some(Kinds::only(own))
}

/// One output of Separate Components.
fn component(identifier: &str, main: Kinds) -> Kinds {
    let own = match identifier {
        "Mesh" => Components::MESH,
        "Curve" => Components::CURVES,
        "Point Cloud" => Components::POINTS,
        "Volume" => Components::VOLUME,
        "Grease Pencil" => Components::STROKES,
        "Instances" => {
            return Kinds {
                own: main.own.and(Components::INSTANCES),
                ..main
            };
        }
        _ => return Kinds::ANY,
    };
    Kinds::only(main.own.and(own))
}
