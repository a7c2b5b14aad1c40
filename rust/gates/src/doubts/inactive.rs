//! Values and links at inputs that do nothing as the node is set: a length where it counts, an offset beside four others.

use std::collections::{HashMap, HashSet};

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
        let (linked, was_linked) = (ends(tree), facts.before.trees.get(name).map(ends).unwrap_or_default());
        let nodes: HashMap<&str, &Node> = tree.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        for (id, identifier) in idle {
            let Some(node) = nodes.get(id.as_str()).copied() else {
                continue;
            };
            let sockets = inputs(node, catalogue);
            // Group nodes and dynamic items have no sockets of their type: what their inputs do is told elsewhere.
            let Some(socket) = sockets.iter().find(|socket| socket.identifier == *identifier) else {
                continue;
            };
            let place = (id.as_str(), identifier.as_str());
            let is_new = if linked.contains(&place) {
                !was_linked.contains(&place) && !facts.came(name, id)
            } else {
                has_new_value(facts.origin(name, id), node, socket)
            };
            if !is_new {
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

/// Node and input of every link.
fn ends(tree: &Tree) -> HashSet<(&str, &str)> {
    let links = tree.links.iter();
    links.map(|link| (link.to.0.as_str(), link.to.1.as_str())).collect()
}

/// Whether the run gave the input a value that a new node does not have.
fn has_new_value(before: Option<&Node>, node: &Node, socket: &Socket) -> bool {
    let value = |node: &Node| node.inputs.get(&socket.identifier)?.get("value").cloned();
    let Some(now) = value(node) else {
        return false;
    };
    let was = before.map_or_else(|| socket.default.clone(), value);
    was.is_some_and(|was| !alike(&was, &now))
}
