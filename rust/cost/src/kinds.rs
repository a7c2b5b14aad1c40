//! The components that each output of a node may contain.

use crate::acts_on::{Makes, rule};
use crate::components::{Components, Kinds};
use crate::inputs::Inputs;

/// The components that one output of a node may contain.
pub(crate) fn output_kinds(inputs: &Inputs<'_>, identifier: &str, first: bool) -> Kinds {
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

/// Nodes that create geometry without an input geometry.
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
