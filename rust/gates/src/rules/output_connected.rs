//! `OUTPUT_CONNECTED`: a geometry reaches the Group Output.
//!
//! A modifier shows the first geometry output of its tree; a nested group needs at least one connected output, unless it had none.

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, carries, finding, is_output, outputs, unless_before};
use crate::gate::Gate;
use geonode_graph::sockets::{GEOMETRY, GROUP_OUTPUT_TYPE};

pub(crate) const GATE: Gate = Gate {
    code: Code::OutputConnected,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let on_modifiers = facts.modifier_trees();
    let mut findings = Vec::new();
    for (name, tree) in facts.written_trees() {
        let Some(output) = tree.nodes.iter().find(|node| node.kind == GROUP_OUTPUT_TYPE) else {
            continue;
        };
        let invalid = facts.still_invalid(name);
        let reached: Vec<&str> = tree
            .links
            .iter()
            .filter(|link| is_output(tree, &link.to.0) && carries(tree, link, &invalid))
            .map(|link| link.to.1.as_str())
            .collect();
        let problem = if on_modifiers.contains(&name) {
            match outputs(tree).find(|item| item.socket_type == GEOMETRY) {
                None => Some((
                    None,
                    format!("The tree “{name}” has no geometry output, so its modifier outputs nothing."),
                )),
                Some(item) if !reached.contains(&item.identifier.as_str()) => {
                    let text = format!("Nothing reaches the output “{}” of the tree “{name}”.", item.name);
                    Some((Some(item.name.clone()), text))
                }
                Some(_) => None,
            }
        } else if outputs(tree).next().is_some() && reached.is_empty() && !was_unfinished(facts, name) {
            Some((None, format!("Nothing reaches any output of the group “{name}”.")))
        } else {
            None
        };
        if let Some((socket, cause)) = problem {
            let found = GateFinding {
                path: None,
                node_id: Some(output.id.clone()),
                socket,
                ..finding(
                    GATE.code,
                    Code::OutputConnected,
                    cause,
                    "Link the final geometry to `group_output`.",
                )
            };
            findings.push(unless_before(facts.left_unfinished(name), found));
        }
    }
    findings
}

/// A group of the artist's to whose output nothing was linked before the run need not be finished by it.
fn was_unfinished(facts: &Facts<'_>, name: &str) -> bool {
    let before = facts.before.trees.get(name);
    before.is_some_and(|tree| {
        !tree
            .links
            .iter()
            .any(|link| is_output(tree, &link.to.0) && carries(tree, link, facts.invalid_before(name)))
    })
}
