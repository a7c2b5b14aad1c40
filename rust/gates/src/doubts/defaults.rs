//! New defaults of inputs that were there: modifiers keep the values that they have.

use geonode_graph::ir::{Item, Side, Tree};
use geonode_protocol::{Code, Severity};
use serde_json::Value;

use super::doubt::{Doubt, alike};
use crate::facts::Facts;

const DEFAULT: &str = "default_value";

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let mut found = Vec::new();
    for target in facts.targets() {
        let Some(modifier) = facts.modifier(&target) else {
            continue;
        };
        let Some(name) = modifier.node_group.as_deref() else {
            continue;
        };
        let (Some(before), Some(now)) = (facts.before.trees.get(name), facts.evidence.trees.get(name)) else {
            continue;
        };
        let objects = facts.before.objects.get(target.object);
        let Some(was) = objects.and_then(|object| object.modifiers.iter().find(|was| was.name == modifier.name)) else {
            continue;
        };
        for (item, new) in changed(before, now) {
            let kept = modifier.inputs.get(&item.identifier).filter(|value| {
                was.inputs.get(&item.identifier).is_some_and(|was| alike(was, value)) && !alike(value, new)
            });
            if let Some(kept) = kept {
                found.push(Doubt {
                    severity: Severity::Warning,
                    code: Code::DefaultNotApplied,
                    node: None,
                    socket: Some(item.name.clone()),
                    cause: format!(
                        "The new default of “{}” does not reach the modifier “{}” of “{}”, which keeps {kept}.",
                        item.name, modifier.name, target.object
                    ),
                    fix: format!(
                        "Give the modifier the value: apply(\"{name}\", object=\"{}\", inputs={{\"{}\": {new}}}).",
                        target.object, item.name
                    ),
                });
            }
        }
    }
    found
}

/// Inputs that were there, whose default the run changed, with the new one.
fn changed<'t>(before: &'t Tree, now: &'t Tree) -> impl Iterator<Item = (&'t Item, &'t Value)> {
    now.interface
        .iter()
        .filter(|item| item.is_socket(Side::Input))
        .filter_map(|item| {
            let was = before.interface.iter().find(|was| was.identifier == item.identifier)?;
            let new = item.props.get(DEFAULT)?;
            let same = was.socket_type != item.socket_type || was.props.get(DEFAULT).is_some_and(|was| alike(was, new));
            (!same).then_some((item, new))
        })
}
