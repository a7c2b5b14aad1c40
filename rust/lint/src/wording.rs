//! Nodes and components in words.

use geonode_cost::{Components, Kinds};
use geonode_graph::catalogue::Catalogue;
use geonode_graph::ir::Node;

/// `Set Position "lift"`: the type's name, and the label or ID if it is different.
pub(crate) fn node_name(node: &Node, catalogue: &Catalogue) -> String {
    let kind = catalogue
        .nodes
        .get(&node.kind)
        .map_or(node.kind.as_str(), |kind| kind.label.as_str());
    let own = node
        .label
        .as_deref()
        .filter(|label| !label.is_empty())
        .unwrap_or(&node.id);
    if own == kind {
        kind.to_owned()
    } else {
        format!("{kind} “{own}”")
    }
}

/// What a geometry holds: `a mesh without faces and instances of curves`.
pub(crate) fn describe_geometry(kinds: Kinds) -> String {
    let own = part_names(kinds.own.without(Components::INSTANCES));
    let mut parts = own;
    if kinds.own.meets(Components::INSTANCES) {
        let inner = part_names(kinds.inside.without(Components::INSTANCES));
        parts.push(if inner.is_empty() || kinds.inside == Components::ALL {
            "instances".to_owned()
        } else {
            format!("instances of {}", join(&inner, "and"))
        });
    }
    join(&parts, "and")
}

fn part_names(components: Components) -> Vec<String> {
    let mesh = if components.meets(Components::FACES) {
        Some("a mesh")
    } else if components.meets(Components::EDGES) {
        Some("a mesh without faces")
    } else if components.meets(Components::VERTICES) {
        Some("loose vertices")
    } else {
        None
    };
    mesh.into_iter()
        .map(str::to_owned)
        .chain(other_names(components))
        .collect()
}

/// What a node acts on: `curves or grease pencil`.
pub(crate) fn describe_accepted(components: Components) -> String {
    let mesh = if components.meets(Components::VERTICES) {
        Some("meshes")
    } else if components.meets(Components::EDGES) {
        Some("edges of meshes")
    } else if components.meets(Components::FACES) {
        Some("faces of meshes")
    } else {
        None
    };
    let parts: Vec<String> = mesh
        .into_iter()
        .map(str::to_owned)
        .chain(other_names(components))
        .collect();
    join(&parts, "or")
}

fn other_names(components: Components) -> impl Iterator<Item = String> {
    const NAMES: [(Components, &str); 5] = [
        (Components::CURVES, "curves"),
        (Components::POINTS, "points"),
        (Components::INSTANCES, "instances"),
        (Components::VOLUME, "a volume"),
        (Components::STROKES, "grease pencil"),
    ];
    NAMES
        .into_iter()
        .filter(move |(one, _)| components.meets(*one))
        .map(|(_, name)| name.to_owned())
}

fn join(parts: &[String], word: &str) -> String {
    match parts {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}

/// Nodes that turn one component into another; the first that fits is named.
const CONVERSIONS: &[(Components, Components, &str)] = &[
    (Components::MESH, Components::CURVES, "Mesh to Curve"),
    (Components::CURVES, Components::VERTICES, "Curve to Mesh"),
    (Components::CURVES, Components::EDGES, "Curve to Mesh"),
    (
        Components::CURVES,
        Components::FACES,
        "Fill Curve (for a flat face) or Curve to Mesh with a profile",
    ),
    (Components::CURVES, Components::POINTS, "Curve to Points"),
    (Components::MESH, Components::POINTS, "Mesh to Points"),
    (Components::POINTS, Components::VERTICES, "Points to Vertices"),
    (Components::POINTS, Components::CURVES, "Points to Curves"),
    (Components::VOLUME, Components::MESH, "Volume to Mesh"),
    (Components::VOLUME, Components::POINTS, "Distribute Points in Volume"),
    (Components::STROKES, Components::CURVES, "Grease Pencil to Curves"),
    (Components::FACES, Components::VOLUME, "Mesh to Volume"),
    (Components::POINTS, Components::VOLUME, "Points to Volume"),
    (Components::CURVES, Components::STROKES, "Curves to Grease Pencil"),
    (Components::INSTANCES, Components::POINTS, "Instances to Points"),
];

/// What to put before a node that acts on `wants` but receives `kinds`.
pub(crate) fn remedy(kinds: Kinds, wants: Components, deep: bool) -> String {
    if !deep && kinds.own.meets(Components::INSTANCES) && kinds.inside.meets(wants) {
        return "Add Realize Instances before it.".to_owned();
    }
    if wants == Components::INSTANCES {
        return "Put it after Instance on Points, or use Transform Geometry or Set Position for geometry that is not instanced."
            .to_owned();
    }
    let wire =
        kinds.own.or(kinds.inside).meets(Components::WIRE) && !kinds.own.or(kinds.inside).meets(Components::FACES);
    if wire && wants.meets(Components::FACES) && !wants.meets(Components::WIRE) {
        return "Give it a mesh that has faces, for example Grid, Mesh Circle with a fill, or the result of Fill Curve."
            .to_owned();
    }
    let has = if deep { kinds.own.or(kinds.inside) } else { kinds.own };
    let step = CONVERSIONS
        .iter()
        .find(|(from, to, _)| has.meets(*from) && wants.meets(*to));
    match step {
        Some((_, _, node)) => format!("Add {node} before it, or link {} to it.", describe_accepted(wants)),
        None => format!("Link {} to it.", describe_accepted(wants)),
    }
}
