//! Values and links at inputs that do nothing as the node is set: a length where it counts, an offset beside four others.

use geonode_graph::catalogue::{Catalogue, Socket};
use geonode_graph::ir::{Node, Side, Tree};
use geonode_protocol::{Code, Severity};

use super::doubt::{Doubt, alike};
use crate::facts::Facts;

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let Some(catalogue) = facts.catalogue else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, tree) in facts.written_trees() {
        let idle = facts.evidence.inactive.get(name).into_iter().flatten();
        for (id, identifier) in idle {
            let Some(node) = tree.nodes.iter().find(|node| node.id == *id) else {
                continue;
            };
            let sockets = inputs(node, catalogue);
            // Group nodes and dynamic items have no sockets of their type: what their inputs do is told elsewhere.
            let Some(socket) = sockets.iter().find(|socket| socket.identifier == *identifier) else {
                continue;
            };
            if !is_set_anew(facts, name, tree, node, socket) {
                continue;
            }
            let is_idle = |other: &Socket| {
                let mut all = facts.evidence.inactive.get(name).into_iter().flatten();
                all.any(|(at, socket)| at == id && *socket == other.identifier)
            };
            let used: Vec<String> = sockets
                .iter()
                .filter(|other| other.available && other.kind == socket.kind && !is_idle(other))
                .map(|other| format!("“{}”", other.name))
                .collect();
            let used = if used.is_empty() {
                String::new()
            } else {
                format!(" Used now: {}.", used.join(", "))
            };
            found.push(Doubt {
                severity: Severity::Warning,
                code: Code::InactiveInput,
                node: Some(id.clone()),
                socket: Some(socket.name.clone()),
                cause: format!("“{}” of “{id}” has no effect as the node is set.", socket.name),
                fix: format!("Set the node to the mode that uses it, or set what is used instead.{used}"),
            });
        }
    }
    found
}

fn inputs<'c>(node: &Node, catalogue: &'c Catalogue) -> Vec<&'c Socket> {
    let kind = catalogue.nodes.get(&node.kind);
    kind.map(|kind| kind.state(&node.props).side(Side::Input).iter().collect())
        .unwrap_or_default()
}

/// Whether the run linked the input, or gave it a value that a new node does not have.
fn is_set_anew(facts: &Facts<'_>, name: &str, tree: &Tree, node: &Node, socket: &Socket) -> bool {
    let before = facts.origin(name, &node.id);
    let leads_here = |tree: &Tree| {
        let mut links = tree.links.iter();
        links.any(|link| link.to.0 == node.id && link.to.1 == socket.identifier)
    };
    if leads_here(tree) {
        let was = facts.before.trees.get(name).is_some_and(leads_here);
        return !was && before.is_none();
    }
    let value = |node: &Node| node.inputs.get(&socket.identifier)?.get("value").cloned();
    let Some(now) = value(node) else {
        return false;
    };
    let was = before.map_or_else(|| socket.default.clone(), value);
    was.is_some_and(|was| !alike(&was, &now))
}
