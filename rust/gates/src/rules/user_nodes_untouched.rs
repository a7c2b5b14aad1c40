//! `USER_NODES_UNTOUCHED`: nodes that no plan names are exactly as they were, and so are the links between them.
//!
//! Group Inputs and Outputs follow the interface, group nodes the interface of their tree, and nodes in a removed frame their frame;
//! those changes do not count against the run.

use std::collections::HashMap;

use geonode_graph::ir::{Node, Tree};
use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding};
use crate::gate::Gate;
use crate::named::Named;
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};

pub(crate) const GATE: Gate = Gate {
    code: Code::UserNodesUntouched,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let mut findings = Vec::new();
    for (name, now) in facts.written_trees() {
        if let Some(before) = facts.before.trees.get(name) {
            compare(facts, name, before, now, &mut findings);
        }
    }
    findings
}

fn compare(facts: &Facts<'_>, name: &str, before: &Tree, now: &Tree, findings: &mut Vec<GateFinding>) {
    let named = Named::of(facts, name);
    let nodes: HashMap<&str, &Node> = now.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let free = |node: &Node| named.has(&node.id) || node.kind == GROUP_INPUT_TYPE || node.kind == GROUP_OUTPUT_TYPE;
    let mut held: HashMap<&str, bool> = HashMap::new();
    for node in &before.nodes {
        held.insert(&node.id, !free(node));
        if free(node) {
            continue;
        }
        let word = match nodes.get(node.id.as_str()) {
            None if named.cleanup => continue,
            None => "is gone",
            Some(after) if same(facts, &named, node, after) => continue,
            Some(_) => "was changed",
        };
        findings.push(GateFinding {
            path: None,
            node_id: Some(node.id.clone()),
            ..finding(
                GATE.code,
                Code::UserNodesUntouched,
                format!("The node “{}” of “{name}” {word}, but no step names it.", node.id),
                "Name every node that is to change, and leave the others alone.",
            )
        });
    }
    let still: std::collections::HashSet<_> = now.links.iter().map(|link| (&link.from, &link.to)).collect();
    for link in &before.links {
        let kept = |id: &str| held.get(id) == Some(&true) && nodes.contains_key(id);
        if kept(&link.from.0) && kept(&link.to.0) && !still.contains(&(&link.from, &link.to)) {
            findings.push(GateFinding {
                path: None,
                node_id: Some(link.to.0.clone()),
                socket: Some(link.to.1.clone()),
                ..finding(
                    GATE.code,
                    Code::UserNodesUntouched,
                    format!(
                        "The link from “{}” to “{}” in “{name}” was removed, but no step names its ends.",
                        link.from.0, link.to.0
                    ),
                    "Remove only links that a step names.",
                )
            });
        }
    }
}

fn same(facts: &Facts<'_>, named: &Named<'_>, before: &Node, after: &Node) -> bool {
    if before == after {
        return true;
    }
    let frame_named = before.parent.as_deref().is_some_and(|frame| named.has(frame));
    let uses_written_tree = before
        .props
        .get("node_tree")
        .and_then(|value| value.get("node_group"))
        .and_then(|name| name.as_str())
        .is_some_and(|name| facts.trees.iter().any(|tree| tree == name));
    let mut expected = before.clone();
    if frame_named {
        expected.parent.clone_from(&after.parent);
        expected.location = after.location;
    }
    if uses_written_tree {
        expected.inputs.clone_from(&after.inputs);
        expected.outputs.clone_from(&after.outputs);
    }
    &expected == after
}
