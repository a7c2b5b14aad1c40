//! Group nodes without content, and unused results.

use std::collections::{HashMap, HashSet};

use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;
use geonode_graph::ir::{Node, Side, Tree};
use geonode_graph::sockets::{FRAME, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE, acts_alone};
use geonode_protocol::Code;

use crate::finding::{Lint, Question};
use crate::wording::node_name;

pub(crate) fn check(document: &Document, catalogue: &Catalogue, question: &Question<'_>) -> Vec<Lint> {
    let mut found = Vec::new();
    for name in question.trees {
        let Some(tree) = document.trees.get(*name) else {
            continue;
        };
        let used = used(tree, catalogue);
        for node in tree.nodes.iter().filter(|node| node.kind == GROUP) {
            if node.group().is_none() || used.contains(node.id.as_str()) {
                found.extend(hollow(name, node, document, catalogue));
            }
        }
        found.extend(dead_ends(name, tree, catalogue, &used));
    }
    found
}

/// A group node without an effect.
fn hollow(tree: &str, node: &Node, document: &Document, catalogue: &Catalogue) -> Option<Lint> {
    let name = node_name(node, catalogue);
    let lint = |code, cause: String, fix: String| Lint {
        tree: tree.to_owned(),
        node: node.id.clone(),
        socket: None,
        code,
        effectless: true,
        cause,
        fix,
    };
    let Some(inner) = node.group() else {
        return Some(lint(
            Code::MissingGroup,
            format!("The group node {name} has no node group, so it outputs nothing."),
            "Set its property `node_tree` to a node group that exists: {\"node_group\": NAME}.".to_owned(),
        ));
    };
    let content = document.trees.get(inner)?;
    let hollow = !content.nodes.iter().any(|node| node.kind == GROUP_OUTPUT_TYPE)
        || !content.interface.iter().any(|item| item.is_socket(Side::Output));
    hollow.then(|| {
        lint(
            Code::EmptyGroup,
            format!("The node group “{inner}” of {name} outputs nothing: it has no Group Output or no output socket."),
            format!("Build “{inner}” first (a step whose target is this node group), or use another group."),
        )
    })
}

/// Nodes whose result something uses: the Group Output, a viewer, a gizmo or another node without outputs.
pub fn used<'t>(tree: &'t Tree, catalogue: &Catalogue) -> HashSet<&'t str> {
    let mut sources: HashMap<&str, Vec<&str>> = HashMap::new();
    for link in tree.links.iter().filter(|link| !link.muted) {
        sources.entry(&link.to.0).or_default().push(&link.from.0);
    }
    for node in &tree.nodes {
        if let Some(output) = &node.pair {
            sources.entry(output).or_default().push(&node.id);
        }
    }
    let mut todo: Vec<&str> = tree
        .nodes
        .iter()
        .filter(|node| is_sink(node, catalogue))
        .map(|node| node.id.as_str())
        .collect();
    let mut used = HashSet::new();
    while let Some(id) = todo.pop() {
        if used.insert(id) {
            todo.extend(sources.get(id).into_iter().flatten());
        }
    }
    used
}

fn is_sink(node: &Node, catalogue: &Catalogue) -> bool {
    if matches!(node.kind.as_str(), GROUP | GROUP_INPUT_TYPE | FRAME) {
        return false;
    }
    node.kind == GROUP_OUTPUT_TYPE
        || acts_alone(&node.kind)
        || catalogue
            .nodes
            .get(&node.kind)
            .and_then(|kind| kind.states.first())
            .is_none_or(|state| state.outputs.is_empty())
}

/// The last node of each chain whose result is unused.
fn dead_ends(name: &str, tree: &Tree, catalogue: &Catalogue, used: &HashSet<&str>) -> Vec<Lint> {
    let feeds: HashSet<&str> = tree.links.iter().map(|link| link.from.0.as_str()).collect();
    let silent = |node: &&Node| {
        let id = node.id.as_str();
        let other = match node.kind.as_str() {
            FRAME | REROUTE | GROUP_INPUT_TYPE => true,
            // Reported already: it has no node group.
            GROUP => node.group().is_none(),
            _ => node.pair.is_some(),
        };
        !other && !used.contains(id) && !feeds.contains(id)
    };
    tree.nodes
        .iter()
        .filter(silent)
        .map(|node| Lint {
            tree: name.to_owned(),
            node: node.id.clone(),
            socket: None,
            code: Code::DeadEnd,
            effectless: false,
            cause: format!("The result of {} is not used.", node_name(node, catalogue)),
            fix: "Link one of its outputs towards the Group Output, or leave the node out.".to_owned(),
        })
        .collect()
}
