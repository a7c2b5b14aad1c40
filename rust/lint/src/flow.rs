//! Nodes that receive nothing that they act on, and nodes whose data-block is not set.

use std::collections::HashSet;

use geonode_cost::{Components, Kinds, MissingData, Observation, Observations, RULES, ReceivedGeometry};
use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;
use geonode_graph::ir::{Node, Tree};
use geonode_protocol::Code;

use crate::finding::{Lint, Question};
use crate::wording::{describe_accepted, describe_geometry, node_name, remedy};

const SWITCH: &str = "GeometryNodeSwitch";
const SELECTOR: &str = "Switch";
/// What Instance on Points needs to pick from.
const PICKED: &str = "With “Pick Instance” on, each instance at “Instance” is a choice: link Geometry to Instance, geometry_to_instance(a, b, c), \
                      in place of a mesh or of Join Geometry.";
const DOMAIN_SIZE: &str = "GeometryNodeAttributeDomainSize";

/// Adds the findings; an empty input from upstream is only reported if no cause for it was found.
pub(crate) fn check(
    document: &Document,
    catalogue: &Catalogue,
    question: &Question<'_>,
    observations: &Observations,
    found: &mut Vec<Lint>,
) {
    let mut idle = Vec::new();
    for (tree, id, got) in observations.iter().filter(|(tree, ..)| question.trees.contains(tree)) {
        let Some((page, node)) = document.trees.get(tree).and_then(|page| {
            let node = page.nodes.iter().find(|node| node.id == id)?;
            Some((page, node))
        }) else {
            continue;
        };
        found.extend(missing(tree, node, got, catalogue));
        found.extend(got.shared.as_ref().map(|socket| shared(tree, node, socket, catalogue)));
        found.extend(merged_inside(tree, node, got, catalogue));
        let mut without = got.received.iter().filter(|received| !received.acts).peekable();
        if without.peek().is_some() && is_for_other_geometry(page, id) {
            continue;
        }
        for received in without {
            let lint = effectless(tree, node, received, catalogue);
            let waits = received.kinds == Kinds::NONE && received.linked;
            (if waits { &mut idle } else { &mut *found }).push(lint);
        }
    }
    let explained = found.iter().any(|lint| lint.code != Code::DeadEnd);
    if !explained {
        found.extend(idle.into_iter().take(1));
    }
}

/// Whether what the node makes only reaches the result through switches that ask which geometry there is, as in “turn the instances if
/// there are any, else the mesh”: for this geometry the tree may take the other branch.
fn is_for_other_geometry(tree: &Tree, id: &str) -> bool {
    let (mut todo, mut seen, mut switches) = (vec![id], HashSet::from([id]), 0);
    while let Some(at) = todo.pop() {
        let mut uses = 0;
        for link in tree.links.iter().filter(|link| !link.muted && link.from.0 == at) {
            uses += 1;
            let to = link.to.0.as_str();
            let is_switch = tree.nodes.iter().any(|node| node.id == to && node.kind == SWITCH);
            if is_switch && link.to.1 != SELECTOR && asks_for_geometry(tree, to) {
                switches += 1;
            } else if seen.insert(to) {
                todo.push(to);
            }
        }
        if uses == 0 {
            return false;
        }
    }
    switches > 0
}

/// Whether what a switch follows is counted in geometry.
fn asks_for_geometry(tree: &Tree, switch: &str) -> bool {
    let sources = |to: &str, socket: Option<&str>| {
        tree.links
            .iter()
            .filter(|link| !link.muted && link.to.0 == to && socket.is_none_or(|socket| link.to.1 == socket))
            .map(|link| link.from.0.as_str())
            .collect::<Vec<_>>()
    };
    let (mut todo, mut seen) = (sources(switch, Some(SELECTOR)), HashSet::new());
    while let Some(at) = todo.pop() {
        if tree.nodes.iter().any(|node| node.id == at && node.kind == DOMAIN_SIZE) {
            return true;
        }
        if seen.insert(at) {
            todo.extend(sources(at, None));
        }
    }
    false
}

fn missing(tree: &str, node: &Node, got: &Observation, catalogue: &Catalogue) -> Option<Lint> {
    let MissingData { socket, source, linked } = got.missing.as_ref()?;
    let name = node_name(node, catalogue);
    let kind = socket.to_lowercase();
    let (cause, fix) = match source {
        Some(input) => (
            format!("{name} has no {kind}, because the modifier's input “{input}” is empty."),
            format!(
                "Give the modifier's input one: apply(…, inputs={{\"{input}\": data.{kind}(\"Name\")}}), with the name of {} that exists.",
                with_article(&kind)
            ),
        ),
        None => (
            format!("{name} has no {kind}, so it does nothing."),
            format!("Set its input “{socket}” to {} that exists.", with_article(&kind)),
        ),
    };
    Some(Lint {
        tree: tree.to_owned(),
        node: node.id.clone(),
        socket: Some(socket.clone()),
        code: Code::MissingData,
        effectless: !linked,
        cause,
        fix,
    })
}

/// `an object`.
fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// Points that are merged inside of instances, where the instances themselves may have been meant.
fn merged_inside(tree: &str, node: &Node, got: &Observation, catalogue: &Catalogue) -> Option<Lint> {
    let is_merge = node.kind == "GeometryNodeMergeByDistance";
    let given = got
        .received
        .iter()
        .find(|given| is_merge && given.acts && given.kinds.own == Components::INSTANCES)?;
    Some(Lint {
        tree: tree.to_owned(),
        node: node.id.clone(),
        socket: Some(given.socket.clone()),
        code: Code::InsideInstances,
        effectless: false,
        cause: format!(
            "{} receives instances and merges points inside of each; the instances stay as many as they are.",
            node_name(node, catalogue)
        ),
        fix: "To thin the instances out, merge the points before Instance on Points; to join their meshes, put Realize Instances before \
              it. Leave it as it is if that is meant."
            .to_owned(),
    })
}

/// A choice by number or by chance that is made inside of instances.
fn shared(tree: &str, node: &Node, socket: &str, catalogue: &Catalogue) -> Lint {
    let name = node_name(node, catalogue);
    let fix = match node.kind.as_str() {
        "GeometryNodeDeleteGeometry" | "GeometryNodeSeparateGeometry" => {
            "For whole instances use domain=\"INSTANCE\", or select the points before Instance on Points."
        }
        "GeometryNodeStoreNamedAttribute" => "For a value of each instance use domain=\"INSTANCE\".",
        _ => {
            "For whole instances give each part of the points its own Instance on Points; or store the choice with domain=\"INSTANCE\", \
             put Realize Instances behind it, and read the attribute here."
        }
    };
    Lint {
        tree: tree.to_owned(),
        node: node.id.clone(),
        socket: Some(socket.to_owned()),
        code: Code::InsideInstances,
        effectless: false,
        cause: format!(
            "{name} receives instances and works inside of them: “{socket}” tells their points or faces apart, not the instances, so all that \
             show the same geometry look alike."
        ),
        fix: format!("{fix} Leave it as it is if that is meant."),
    }
}

fn effectless(tree: &str, node: &Node, received: &ReceivedGeometry, catalogue: &Catalogue) -> Lint {
    let (name, socket) = (node_name(node, catalogue), &received.socket);
    let short = node.kind.strip_prefix("GeometryNode").unwrap_or(&node.kind);
    let deep = RULES
        .iter()
        .any(|rule| rule.node == short && rule.deep && rule.acts_on == received.acts_on);
    let (cause, fix) = if received.kinds == Kinds::NONE {
        let why = if received.linked {
            "what is linked to it outputs nothing"
        } else {
            "nothing is linked to it"
        };
        (
            format!("{name} receives no geometry at “{socket}”: {why}."),
            format!("Link geometry to “{socket}” of “{}”.", node.id),
        )
    } else {
        (
            format!(
                "{name} has no effect: at “{socket}” it receives {}, but it acts on {}.",
                describe_geometry(received.kinds),
                describe_accepted(received.acts_on)
            ),
            if received.acts_on == Components::INSTANCES && received.socket == "Instance" {
                PICKED.to_owned()
            } else {
                remedy(received.kinds, received.acts_on, deep)
            },
        )
    };
    Lint {
        tree: tree.to_owned(),
        node: node.id.clone(),
        socket: Some(socket.clone()),
        code: if received.kinds == Kinds::NONE {
            Code::NothingReceived
        } else {
            Code::NoEffect
        },
        // Geometry from elsewhere may be optional.
        effectless: received.kinds != Kinds::NONE || !received.linked,
        cause,
        fix,
    }
}
