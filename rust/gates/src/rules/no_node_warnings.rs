//! `NO_NODE_WARNINGS`: no node of the target modifiers reports a warning, except one that it reported before the run. Blender 4.2 has no
//! such list.

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding, unless_before};
use crate::gate::Gate;
use crate::warnings::source;

pub(crate) const GATE: Gate = Gate {
    code: Code::NoNodeWarnings,
    judges_scripts: false,
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
                path: None,
                fix: None,
                ..finding(
                    GATE.code,
                    Code::NotAvailable,
                    format!(
                        "This version of Blender does not report the warnings of the nodes of “{name}” on “{object}”."
                    ),
                    "",
                )
            });
            continue;
        };
        let figures = facts.before.scene.objects.get(object);
        let known = figures.and_then(|figures| figures.warnings.get(name));
        for warning in warnings.iter().filter(|warning| warning.kind == "WARNING") {
            let source = source(facts, modifier, &warning.message);
            let who = source
                .node
                .as_ref()
                .map_or("A node".to_owned(), |id| format!("The node “{id}”"));
            let found = GateFinding {
                path: None,
                node_id: source.node,
                socket: source.socket,
                ..finding(
                    GATE.code,
                    Code::NoNodeWarnings,
                    format!(
                        "{who} of the modifier “{name}” on “{object}” warns: {}.",
                        warning.message.trim_end_matches('.')
                    ),
                    source.fix.unwrap_or("Change the node that warns, or its inputs."),
                )
            };
            let was_so = known.is_some_and(|known| known.contains(&warning.message));
            findings.push(unless_before(was_so, found));
        }
    }
    findings
}
