//! `NO_UNEXPECTED_NEW_NODE_GROUP`: only trees that the plan creates may appear (no `Name.001`).

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding};
use crate::gate::Gate;

pub(crate) const GATE: Gate = Gate {
    code: Code::NoUnexpectedNewNodeGroup,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let (before, after) = (&facts.evidence.before.node_groups, &facts.evidence.after.node_groups);
    after
        .iter()
        .filter(|name| !before.contains(name) && !facts.trees.contains(name))
        .map(|name| {
            finding(
                GATE.code,
                Code::NoUnexpectedNewNodeGroup,
                format!("The node group “{name}” appeared, but no step creates it."),
                "Name the node group in the step's target, and create no other.",
            )
        })
        .collect()
}
