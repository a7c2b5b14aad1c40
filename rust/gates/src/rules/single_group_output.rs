//! `SINGLE_GROUP_OUTPUT`: every written tree has exactly one Group Output.
//!
//! Blender uses only the active one; with several, the plan may connect one that is not shown.

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding};
use crate::gate::Gate;
use geonode_graph::sockets::GROUP_OUTPUT_TYPE;

pub(crate) const GATE: Gate = Gate {
    code: Code::SingleGroupOutput,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let mut findings = Vec::new();
    for (name, tree) in facts.written_trees() {
        let found: Vec<_> = tree
            .nodes
            .iter()
            .filter(|node| node.kind == GROUP_OUTPUT_TYPE)
            .collect();
        match found.as_slice() {
            [_] => {}
            [] => findings.push(finding(
                GATE.code,
                Code::UnknownNode,
                format!("The tree “{name}” has no Group Output."),
                "Use `ensure_single_group_io`, or link to the reserved node `group_output`.",
            )),
            [_, further, ..] => findings.push(GateFinding {
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
