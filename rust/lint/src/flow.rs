//! Nodes that receive nothing that they act on, and nodes whose data-block is not set.

use geonode_cost::{Kinds, MissingData, Observation, RULES, ReceivedGeometry, observe};
use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;
use geonode_graph::ir::Node;
use geonode_protocol::Code;

use crate::finding::{Lint, Question};
use crate::wording::{describe_accepted, describe_geometry, node_name, remedy};

/// Adds the findings; an empty input from upstream is only reported if no cause for it was found.
pub(crate) fn check(document: &Document, catalogue: &Catalogue, question: &Question<'_>, found: &mut Vec<Lint>) {
    let Some(observations) = observe(document, catalogue, question.objects.iter().copied()) else {
        return;
    };
    let mut idle = Vec::new();
    for (tree, id, got) in observations.iter().filter(|(tree, ..)| question.trees.contains(tree)) {
        let nodes = document.trees.get(tree).map(|tree| tree.nodes.as_slice());
        let Some(node) = nodes.unwrap_or_default().iter().find(|node| node.id == id) else {
            continue;
        };
        found.extend(missing(tree, node, got, catalogue));
        for received in got.received.iter().filter(|received| !received.acts) {
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
