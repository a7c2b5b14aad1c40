//! Nodes that receive nothing that they act on, and nodes whose data-block is not set.

use std::collections::HashSet;

use geonode_cost::{Kinds, MissingData, Observation, RULES, ReceivedGeometry, observe};
use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;
use geonode_graph::ir::{Node, Tree};
use geonode_protocol::Code;

use crate::finding::{Lint, Question};
use crate::wording::{describe_accepted, describe_geometry, node_name, remedy};

const SWITCH: &str = "GeometryNodeSwitch";
const SELECTOR: &str = "Switch";
const DOMAIN_SIZE: &str = "GeometryNodeAttributeDomainSize";

/// Adds the findings; an empty input from upstream is only reported if no cause for it was found.
pub(crate) fn check(document: &Document, catalogue: &Catalogue, question: &Question<'_>, found: &mut Vec<Lint>) {
    let Some(observations) = observe(document, catalogue, question.objects.iter().copied()) else {
        return;
    };
    let mut idle = Vec::new();
    for (tree, id, got) in observations.iter().filter(|(tree, ..)| question.trees.contains(tree)) {
        let Some((page, node)) = document.trees.get(tree).and_then(|page| {
            let node = page.nodes.iter().find(|node| node.id == id)?;
            Some((page, node))
        }) else {
            continue;
        };
        found.extend(missing(tree, node, got, catalogue));
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
                "Choose a {kind} for “{input}”: `set_modifier_input`, or a default in `set_group_io`, with {{\"{kind}\": NAME}}."
            ),
        ),
        None => (
            format!("{name} has no {kind}, so it does nothing."),
            format!("Set its input “{socket}” to a {kind} that exists: {{\"{kind}\": NAME}}."),
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
            remedy(received.kinds, received.acts_on, deep),
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
