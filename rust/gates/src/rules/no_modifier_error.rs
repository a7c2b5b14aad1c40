//! `NO_MODIFIER_ERROR`: the target modifiers exist, use the right tree, and none of their nodes reports an error, except one that it reported
//! before the run.

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding, unless_before};
use crate::gate::Gate;
use crate::warnings::source;

pub(crate) const GATE: Gate = Gate {
    code: Code::NoModifierError,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let mut findings = Vec::new();
    for target in facts.targets() {
        let (object, name) = (target.object, target.modifier);
        let Some(modifier) = facts.modifier(&target) else {
            findings.push(finding(
                GATE.code,
                Code::UnknownModifier,
                format!("The object “{object}” has no modifier “{name}” after the run."),
                "Name an existing Geometry Nodes modifier, or allow creating one (`ensure_target`).",
            ));
            continue;
        };
        match (modifier.node_group.as_deref(), target.tree) {
            (None, _) => findings.push(finding(
                GATE.code,
                Code::TargetMissing,
                format!("The modifier “{name}” on “{object}” has no node group."),
                "Name the node group in the step's target.",
            )),
            (Some(runs), Some(wanted)) if !facts.holds(runs, wanted) => findings.push(finding(
                GATE.code,
                Code::TargetMissing,
                format!("The modifier “{name}” on “{object}” uses the node group “{runs}”, not “{wanted}”."),
                "Name the node group that the modifier uses, a group in it, or another modifier.",
            )),
            _ => {}
        }
        let erred = facts.result_before(object).and_then(|before| before.errors.get(name));
        for warning in modifier
            .warnings
            .iter()
            .flatten()
            .filter(|warning| warning.kind == "ERROR")
        {
            let source = source(facts, modifier, &warning.message);
            let who = source.node.as_ref().map(|id| format!(", node “{id}”,"));
            let found = GateFinding {
                path: None,
                node_id: source.node,
                socket: source.socket,
                ..finding(
                    GATE.code,
                    Code::NoModifierError,
                    format!(
                        "The modifier “{name}” on “{object}”{} reports an error: {}.",
                        who.unwrap_or_default(),
                        warning.message.trim_end_matches('.')
                    ),
                    source.fix.unwrap_or("Change the node that reports it, or its inputs."),
                )
            };
            let was_so = erred.is_some_and(|erred| erred.contains(&warning.message));
            findings.push(unless_before(was_so, found));
        }
    }
    findings
}
