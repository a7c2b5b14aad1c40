//! `NO_UNEXPECTED_NEW_MODIFIER`: only modifiers that `NODE_TREE` names or `ensure_target` allows may appear.

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding};
use crate::gate::Gate;

pub(crate) const GATE: Gate = Gate {
    code: Code::NoUnexpectedNewModifier,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let targets = facts.targets();
    let mut findings = Vec::new();
    for (object, now) in &facts.evidence.after.modifiers {
        let before = facts
            .evidence
            .before
            .modifiers
            .get(object)
            .map(Vec::as_slice)
            .unwrap_or_default();
        for name in now.iter().filter(|name| !before.contains(name)) {
            let expected = targets
                .iter()
                .any(|t| t.object == object && t.modifier == name && t.may_create);
            if !expected {
                findings.push(finding(
                    GATE.code,
                    Code::NoUnexpectedNewModifier,
                    format!("The modifier “{name}” appeared on “{object}”, but no step names it."),
                    "Use an existing modifier, or `ensure_target` with `allow_create_modifier: true`.",
                ));
            }
        }
    }
    findings
}
