//! Materials that a node sets and nothing of the result has, as where another Set Material paints over them.

use std::collections::{HashMap, HashSet};

use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;
use geonode_graph::ir::{Link, Node, Side, Tree};
use geonode_graph::sockets::{GEOMETRY, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE};
use geonode_protocol::Code;
use serde_json::Value;

use crate::finding::{Lint, Question};
use crate::structure::used;
use crate::wording::node_name;

const SET_MATERIAL: &str = "GeometryNodeSetMaterial";

/// Nodes that ask which material something has, or change it by that: a material that is painted over may have had an effect before.
const ASKING: &[&str] = &[
    "GeometryNodeMaterialSelection",
    "GeometryNodeInputMaterialIndex",
    "GeometryNodeReplaceMaterial",
    "GeometryNodeSetMaterialIndex",
];

/// Nodes behind which geometry has the materials that it had before, and that do not look at them.
const KEEPING: &[&str] = &[
    "Bake",
    "CaptureAttribute",
    "DeleteGeometry",
    "DuplicateElements",
    "ExtrudeMesh",
    "FlipFaces",
    "GeometryToInstance",
    "IndexSwitch",
    "JoinGeometry",
    "MenuSwitch",
    "MergeByDistance",
    "RealizeInstances",
    "RotateInstances",
    "ScaleElements",
    "ScaleInstances",
    "SeparateGeometry",
    "SetID",
    "SetMaterial",
    "SetPosition",
    "SetShadeSmooth",
    "SplitEdges",
    "StoreNamedAttribute",
    "SubdivideMesh",
    "SubdivisionSurface",
    "Switch",
    "Transform",
    "TranslateInstances",
    "Triangulate",
];

/// Nodes of which one branch is shown: the others are right without being seen.
const SWITCHES: &[&str] = &[
    "GeometryNodeSwitch",
    "GeometryNodeIndexSwitch",
    "GeometryNodeMenuSwitch",
];

pub(crate) fn check(document: &Document, catalogue: &Catalogue, question: &Question<'_>) -> Vec<Lint> {
    let mut found = Vec::new();
    for name in question.trees {
        let Some(tree) = document.trees.get(*name) else {
            continue;
        };
        if tree.nodes.iter().any(|node| ASKING.contains(&node.kind.as_str())) {
            continue;
        }
        if tree.nodes.iter().all(|node| node.kind != SET_MATERIAL) {
            continue;
        }
        let used = used(tree, catalogue);
        let ways = Ways::of(tree);
        let painting = tree
            .nodes
            .iter()
            .filter(|node| node.kind == SET_MATERIAL && used.contains(node.id.as_str()));
        for node in painting {
            let over = painted_over(tree, &ways, node, catalogue);
            if let Some(other) = over {
                found.push(lint(name, node, catalogue, Some(other)));
            } else if lost(tree, node, question) && is_shown(document, name, &node.id, &mut HashSet::new()) {
                found.push(lint(name, node, catalogue, None));
            }
        }
    }
    found
}

fn lint(tree: &str, node: &Node, catalogue: &Catalogue, over: Option<&Node>) -> Lint {
    let name = node_name(node, catalogue);
    let what = match material(node) {
        Some(material) => format!("The material “{material}” that {name} sets"),
        None => format!("What {name} sets"),
    };
    let (cause, fix) = match over {
        Some(other) => {
            let other = node_name(other, catalogue);
            (
                format!("{what} is on nothing: {other}, further on, paints everything again."),
                format!("Set it after {other}, with a selection, or join this part behind {other} instead of before it."),
            )
        }
        None => (
            format!("{what} is on nothing in the result."),
            "Check where it stands: a later Set Material replaces it, and what has no faces, curves or points shows none.".to_owned(),
        ),
    };
    Lint {
        tree: tree.to_owned(),
        node: node.id.clone(),
        socket: Some("Material".to_owned()),
        code: Code::LostMaterial,
        effectless: over.is_some(),
        cause,
        fix,
    }
}

/// The name of the material that a node sets, unless a link decides it.
fn material(node: &Node) -> Option<&str> {
    let value = node.inputs.get("Material").and_then(|state| state.get("value"))?;
    value.get("material").and_then(Value::as_str)
}

/// The nodes of a tree by ID, and the links that lead from each.
struct Ways<'t> {
    nodes: HashMap<&'t str, &'t Node>,
    links: HashMap<&'t str, Vec<&'t Link>>,
}

impl<'t> Ways<'t> {
    fn of(tree: &'t Tree) -> Self {
        let mut links: HashMap<&str, Vec<&Link>> = HashMap::new();
        for link in tree.links.iter().filter(|link| !link.muted) {
            links.entry(link.from.0.as_str()).or_default().push(link);
        }
        Self {
            nodes: tree.nodes.iter().map(|node| (node.id.as_str(), node)).collect(),
            links,
        }
    }

    fn links_from(&self, id: &str) -> impl Iterator<Item = &'t Link> {
        self.links.get(id).into_iter().flatten().copied()
    }
}

/// The Set Material that certainly paints everything again that this one painted, on every way to the result.
fn painted_over<'t>(tree: &Tree, ways: &Ways<'t>, node: &'t Node, catalogue: &Catalogue) -> Option<&'t Node> {
    let (mut todo, mut seen, mut over) = (vec![node.id.as_str()], HashSet::new(), None);
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        for link in ways.links_from(at) {
            let source = ways.nodes.get(at)?;
            let target: &'t Node = ways.nodes.get(link.to.0.as_str())?;
            if !carries_geometry(source, &link.from.1, catalogue) {
                continue;
            }
            let short = target.kind.strip_prefix("GeometryNode").unwrap_or(&target.kind);
            if target.kind == SET_MATERIAL && paints_all(tree, target, node) {
                over.get_or_insert(target);
            } else if target.kind == REROUTE
                || KEEPING.contains(&short)
                || short == "InstanceOnPoints" && link.to.1 == "Instance"
            {
                todo.push(&target.id);
            } else {
                return None;
            }
        }
    }
    over
}

fn carries_geometry(node: &Node, socket: &str, catalogue: &Catalogue) -> bool {
    let kind = catalogue.nodes.get(&node.kind);
    let outputs = kind.map(|kind| kind.state(&node.props).side(Side::Output));
    let known = outputs.and_then(|all| all.iter().find(|one| one.identifier == socket));
    // Sockets of items and reroutes carry anything.
    known.is_none_or(|socket| socket.kind == GEOMETRY || socket.kind.is_empty())
}

/// Whether a Set Material certainly paints everything with another material.
fn paints_all(tree: &Tree, node: &Node, other: &Node) -> bool {
    let value = |socket: &str| node.inputs.get(socket).and_then(|state| state.get("value"));
    let linked = |socket: &str| {
        tree.links
            .iter()
            .any(|link| link.to.0 == node.id && link.to.1 == socket)
    };
    let muted = node.props.get("mute").is_some_and(|mute| *mute == true);
    let all = !linked("Selection") && value("Selection").is_none_or(|selection| *selection == true);
    let differs = linked("Material") || material(node).is_some_and(|own| Some(own) != material(other));
    all && differs && !muted
}

/// Whether nothing of the results has the material although the node sets it on everything. Of a selection, nothing may be selected now.
fn lost(tree: &Tree, node: &Node, question: &Question<'_>) -> bool {
    let (Some(known), Some(own)) = (question.materials, material(node)) else {
        return false;
    };
    let linked = |socket: &str| {
        tree.links
            .iter()
            .any(|link| link.to.0 == node.id && link.to.1 == socket)
    };
    let value = node.inputs.get("Selection").and_then(|state| state.get("value"));
    let all = !linked("Selection") && value.is_none_or(|selection| *selection == true);
    all && !linked("Material") && !known.contains(own)
}

/// Whether what a node makes always reaches the result: no switch stands between, no zone, and no group that is not used.
fn is_shown(document: &Document, name: &str, id: &str, trees: &mut HashSet<String>) -> bool {
    let Some(tree) = document.trees.get(name) else {
        return false;
    };
    let ways = Ways::of(tree);
    let (mut todo, mut seen, mut ends) = (vec![id], HashSet::new(), false);
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(node) = ways.nodes.get(at) else {
            return false;
        };
        if SWITCHES.contains(&node.kind.as_str()) || node.kind == GROUP_INPUT_TYPE {
            return false;
        }
        ends |= node.kind == GROUP_OUTPUT_TYPE;
        todo.extend(ways.links_from(at).map(|link| link.to.0.as_str()));
    }
    if !ends || !trees.insert(name.to_owned()) {
        return false;
    }
    let mut callers = document.trees.iter().flat_map(|(outer, tree)| {
        let callers = tree.nodes.iter().filter(|node| node.group() == Some(name));
        callers.map(move |node| (outer, node))
    });
    callers.all(|(outer, node)| is_shown(document, outer, &node.id, trees))
}
