//! `SINGLE_GROUP_OUTPUT`: every written tree has exactly one Group Output.
//!
//! Blender uses only the active one; with several, the plan may connect one that is not shown. What the artist has left so is not the fault of a run
//! that had something else to do in the tree.

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding, unless_before};
use crate::gate::Gate;
use crate::named::Named;
use geonode_graph::ir::{Node, Tree};
use geonode_graph::sockets::GROUP_OUTPUT_TYPE;

pub(crate) const GATE: Gate = Gate {
    code: Code::SingleGroupOutput,
    judges_scripts: false,
    check,
};

fn group_outputs(tree: &Tree) -> Vec<&Node> {
    let ends = tree.nodes.iter().filter(|node| node.kind == GROUP_OUTPUT_TYPE);
    ends.collect()
}

/// Whether a plan names a Group Output that Blender does not show.
fn names_another(facts: &Facts<'_>, tree: &str, ends: &[&Node]) -> bool {
    let named = Named::of(facts, tree);
    ends.iter().any(|node| {
        let hidden = node
            .props
            .get("is_active_output")
            .is_some_and(|active| *active == false);
        hidden && named.has(&node.id)
    })
}

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let mut findings = Vec::new();
    for (name, tree) in facts.written_trees() {
        let found = group_outputs(tree);
        let before = facts.before.trees.get(name).map(group_outputs).unwrap_or_default();
        match found.as_slice() {
            [_] => {}
            [] => findings.push(unless_before(
                facts.left_unfinished(name),
                finding(
                    GATE.code,
                    Code::UnknownNode,
                    format!("The tree “{name}” has no Group Output."),
                    "Use `ensure_single_group_io`, or link to the reserved node `group_output`.",
                ),
            )),
            // Several of the artist's: Blender shows the active one, and so do links to `group_output` lead there.
            several if before.len() >= several.len() && !names_another(facts, name, several) => {}
            [_, further, ..] => findings.push(GateFinding {
                path: None,
                node_id: Some(further.id.clone()),
                ..finding(
                    GATE.code,
                    Code::DuplicateId,
                    format!(
                        "The tree “{name}” has {} Group Outputs; Blender shows only one.",
                        found.len()
                    ),
                    "Use `ensure_single_group_io`: it keeps the linked one.",
                )
            }),
        }
    }
    findings
}
