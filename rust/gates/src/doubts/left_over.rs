//! What an edit leaves over: nodes that made the result before and feed nothing now, and new inputs that nothing uses.

use std::collections::{BTreeSet, HashSet};

use geonode_graph::catalogue::Catalogue;
use geonode_graph::ir::{Side, Tree};
use geonode_graph::sockets::{FRAME, GEOMETRY, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE};
use geonode_lint::used;
use geonode_protocol::{Code, Severity};

use super::doubt::Doubt;
use crate::facts::Facts;

/// Most nodes that are named.
const NAMED: usize = 6;

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let Some(catalogue) = facts.catalogue else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, tree) in facts.written_trees() {
        let before = facts.before.trees.get(name);
        found.extend(before.and_then(|before| left_over(name, before, tree, catalogue)));
        found.extend(unused(name, before, tree));
    }
    found
}

fn left_over(name: &str, before: &Tree, now: &Tree, catalogue: &Catalogue) -> Option<Doubt> {
    let (was, is): (HashSet<&str>, HashSet<&str>) = (used(before, catalogue), used(now, catalogue));
    // A tree that shows nothing at all is another finding.
    let ends = |tree: &Tree| {
        let mut ends = tree.nodes.iter().filter(|node| node.kind == GROUP_OUTPUT_TYPE);
        ends.any(|end| tree.links.iter().any(|link| link.to.0 == end.id && !link.muted))
    };
    let idle = |kind: &str| matches!(kind, FRAME | REROUTE | GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
    let left: Vec<&str> = now
        .nodes
        .iter()
        .filter(|node| !idle(&node.kind) && was.contains(node.id.as_str()) && !is.contains(node.id.as_str()))
        .map(|node| {
            node.label
                .as_deref()
                .filter(|label| !label.is_empty())
                .unwrap_or(&node.id)
        })
        .collect();
    if left.is_empty() || !ends(now) {
        return None;
    }
    let mut words: Vec<String> = left.iter().take(NAMED).map(|node| format!("“{node}”")).collect();
    if left.len() > NAMED {
        words.push(format!("{} more", left.len() - NAMED));
    }
    let (verb, them) = if left.len() == 1 {
        ("feeds", "it")
    } else {
        ("feed", "them")
    };
    Some(Doubt {
        severity: Severity::Info,
        code: Code::LeftOver,
        node: None,
        socket: None,
        cause: format!("In “{name}” {} {verb} nothing any more.", words.join(", ")),
        fix: format!("`cleanup()` in an edit of “{name}” removes {them}."),
    })
}

/// Inputs that the run made and that no node uses; a geometry may be there for the modifier alone.
fn unused(name: &str, before: Option<&Tree>, now: &Tree) -> Vec<Doubt> {
    let ends: HashSet<&str> = now
        .nodes
        .iter()
        .filter(|node| node.kind == GROUP_INPUT_TYPE)
        .map(|node| node.id.as_str())
        .collect();
    let linked: HashSet<&str> = now
        .links
        .iter()
        .filter(|link| ends.contains(link.from.0.as_str()))
        .map(|link| link.from.1.as_str())
        .collect();
    let known: BTreeSet<&str> = before
        .into_iter()
        .flat_map(|tree| &tree.interface)
        .map(|item| item.identifier.as_str())
        .collect();
    now.interface
        .iter()
        .filter(|item| item.is_socket(Side::Input) && item.socket_type != GEOMETRY)
        .filter(|item| !known.contains(item.identifier.as_str()) && !linked.contains(item.identifier.as_str()))
        .map(|item| Doubt {
            severity: Severity::Info,
            code: Code::UnusedInput,
            node: None,
            socket: Some(item.name.clone()),
            cause: format!("Nothing in “{name}” uses its input “{}”.", item.name),
            fix: "Use it in the tree, or take it away: `del` with its name in an edit.".to_owned(),
        })
        .collect()
}
