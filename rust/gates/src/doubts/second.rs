//! A modifier that runs a second time what another of the object runs already: often its name was mistaken.

use geonode_protocol::{Code, Severity};

use super::doubt::Doubt;
use crate::facts::Facts;

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let mut found = Vec::new();
    for target in facts.targets() {
        let Some(group) = facts.modifier(&target).and_then(|new| new.node_group.as_ref()) else {
            continue;
        };
        let before = facts.before.objects.get(target.object);
        let before = || before.into_iter().flat_map(|object| &object.modifiers);
        if before().any(|was| was.name == target.modifier) {
            continue;
        }
        let Some(first) = before().find(|was| was.node_group.as_ref() == Some(group)) else {
            continue;
        };
        let (object, second) = (target.object, target.modifier);
        found.push(Doubt {
            severity: Severity::Warning,
            code: Code::SecondModifier,
            node: None,
            socket: None,
            cause: format!(
                "“{object}” runs “{group}” in its modifier “{}” already; the new modifier “{second}” runs it again on that result.",
                first.name
            ),
            fix: format!(
                "If that is not meant, name the modifier that is there: modifier=\"{}\".",
                first.name
            ),
        });
    }
    found
}
