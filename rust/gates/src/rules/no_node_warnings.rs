//! `NO_NODE_WARNINGS`: no node of the target modifiers reports a warning. Blender 4.2 has no such list.

use geonode_protocol::{Code, GateFinding};

use crate::Gate;
use crate::facts::{Facts, finding};

pub(crate) const GATE: Gate = Gate {
    code: Code::NoNodeWarnings,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let mut findings = Vec::new();
    for target in facts.targets() {
        let (object, name) = (target.object, target.modifier);
        let Some(modifier) = facts.modifier(&target) else {
            continue;
        };
        let Some(warnings) = &modifier.warnings else {
            findings.push(GateFinding {
                fix: None,
                ..finding(
                    GATE.code,
                    Code::NotAvailable,
                    format!("This Blender does not say what the nodes of \"{name}\" on \"{object}\" warn of."),
                    "",
                )
            });
            continue;
        };
        for warning in warnings.iter().filter(|warning| warning.kind == "WARNING") {
            findings.push(finding(
                GATE.code,
                Code::NoNodeWarnings,
                format!(
                    "A node of the modifier \"{name}\" on \"{object}\" warns: {}",
                    warning.message
                ),
                "Change the node that warns, or what it is fed with.",
            ));
        }
    }
    findings
}
