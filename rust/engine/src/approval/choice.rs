//! The rest of a plan after the artist left something out.

use std::collections::BTreeSet;

use geonode_protocol::{Action, Finding, Plan};

/// Origins of the steps and operations of a rest: for each step its index in the plan and those of its operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places(Vec<(usize, Vec<usize>)>);

impl Places {
    /// The indices in the rest of the steps with these indices in the plan.
    pub(crate) fn of_steps(&self, steps: &BTreeSet<usize>) -> BTreeSet<usize> {
        let kept = self.0.iter().enumerate();
        kept.filter(|(_, (step, _))| steps.contains(step))
            .map(|(at, _)| at)
            .collect()
    }

    /// The finding with the pointer that the whole plan has.
    pub(crate) fn trace(&self, mut finding: Finding) -> Finding {
        if let Some(path) = self.path(&finding.path) {
            finding.path = path;
        }
        for change in &mut finding.changes {
            if let Some(path) = self.path(change.path_mut()) {
                *change.path_mut() = path;
            }
        }
        finding
    }

    /// The same places in the plan whose rest is `outer`.
    pub(crate) fn within(&self, outer: &Self) -> Self {
        let steps = self.0.iter().filter_map(|(step, operations)| {
            let (place, places) = outer.0.get(*step)?;
            Some((*place, pick(places, operations)))
        });
        Self(steps.collect())
    }

    fn path(&self, path: &str) -> Option<String> {
        let mut parts: Vec<&str> = path.strip_prefix("/steps/")?.split('/').collect();
        let (step, operations) = self.0.get(parts.first()?.parse::<usize>().ok()?)?;
        let step = step.to_string();
        let mut operation = String::new();
        if let [_, "payload", "operations" | "ops", at, ..] = parts.as_slice()
            && *at != "-"
        {
            let at = at.parse::<usize>().ok()?;
            let behind = || Some(operations.get(at.checked_sub(1)?)? + 1);
            operation = operations.get(at).copied().or_else(behind)?.to_string();
        }
        if let Some(first) = parts.first_mut() {
            *first = &step;
        }
        if !operation.is_empty()
            && let Some(at) = parts.get_mut(3)
        {
            *at = &operation;
        }
        Some(format!("/steps/{}", parts.join("/")))
    }
}

/// JSON Pointer of a step.
pub(crate) fn step_id(step: usize) -> String {
    format!("/steps/{step}")
}

/// JSON Pointer of an operation; `None` if the step has no operations.
pub(crate) fn operation_id(action: &Action, step: usize, operation: usize) -> Option<String> {
    let list = match action {
        Action::NodeTree(_) => "operations",
        Action::GnOps(_) => "ops",
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return None,
    };
    Some(format!("/steps/{step}/payload/{list}/{operation}"))
}

/// The plan without these steps and operations; a step without remaining operations is removed.
pub(crate) fn leave_out(plan: &Plan, without: &[String]) -> (Plan, Places) {
    let gone: BTreeSet<&str> = without.iter().map(String::as_str).collect();
    let mut rest = plan.clone();
    rest.steps.clear();
    let mut places = Vec::new();
    for (index, step) in plan.steps.iter().enumerate() {
        if gone.contains(step_id(index).as_str()) {
            continue;
        }
        let mut step = step.clone();
        let all = match &step.action {
            Action::NodeTree(payload) => payload.operations.len(),
            Action::GnOps(payload) => payload.ops.len(),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => 0,
        };
        let stays = |at: &usize| operation_id(&step.action, index, *at).is_none_or(|id| !gone.contains(id.as_str()));
        let kept: Vec<usize> = (0..all).filter(stays).collect();
        if all > 0 && kept.is_empty() {
            continue;
        }
        match &mut step.action {
            Action::NodeTree(payload) => payload.operations = pick(&payload.operations, &kept),
            Action::GnOps(payload) => payload.ops = pick(&payload.ops, &kept),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => {}
        }
        rest.steps.push(step);
        places.push((index, kept));
    }
    (rest, Places(places))
}

fn pick<T: Clone>(all: &[T], kept: &[usize]) -> Vec<T> {
    kept.iter().filter_map(|at| all.get(*at)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use geonode_protocol::{Code, Limits, parse_plan_value};
    use serde_json::{Value, json};

    use super::*;

    fn plan() -> Plan {
        let node = |id: &str| json!({"op": "create_node", "node_id": id, "bl_idname": "ShaderNodeMath"});
        let tree = |id: &str, ops: Vec<Value>| {
            let target = json!({"object_name": "O", "modifier_name": "M", "node_group_name": "T"});
            let payload = json!({"target": target, "operations": ops});
            json!({"id": id, "type": "NODE_TREE", "description": "", "payload": payload})
        };
        let steps = vec![
            tree("a", vec![node("1")]),
            tree("b", vec![node("2"), node("3"), node("4")]),
            tree("c", vec![node("5")]),
        ];
        let plan = json!({"version": "1.1", "steps": steps, "done": true, "final_message": ""});
        parse_plan_value(&plan, &Limits::default()).plan.unwrap()
    }

    fn left(without: &[&str]) -> (Vec<String>, Places) {
        let without: Vec<String> = without.iter().map(|id| (*id).to_owned()).collect();
        let (rest, places) = leave_out(&plan(), &without);
        let ids = rest.steps.iter().flat_map(|step| {
            let Action::NodeTree(payload) = &step.action else {
                panic!("{step:?}")
            };
            let json = json!(payload.operations);
            let ids: Vec<String> = json
                .as_array()
                .unwrap()
                .iter()
                .map(|op| op["node_id"].to_string())
                .collect();
            ids
        });
        (ids.map(|id| id.trim_matches('"').to_owned()).collect(), places)
    }

    #[test]
    fn operations_and_steps_are_left_out_by_their_pointers() {
        assert_eq!(left(&[]).0, ["1", "2", "3", "4", "5"]);
        assert_eq!(left(&["/steps/1/payload/operations/1"]).0, ["1", "2", "4", "5"]);
        assert_eq!(left(&["/steps/0", "/steps/1/payload/operations/0"]).0, ["3", "4", "5"]);
        assert_eq!(
            left(&["/steps/0/payload/operations/0", "/steps/1", "/steps/2"]).0,
            [""; 0]
        );
        // A pointer without a target leaves nothing out.
        let odd = [
            "/steps/9",
            "/steps/0/payload/ops/0",
            "",
            "/steps/1/payload/operations/01",
        ];
        assert_eq!(left(&odd).0.len(), 5);
    }

    #[test]
    fn findings_about_a_rest_name_the_whole_plan() {
        let (_, places) = left(&["/steps/0", "/steps/1/payload/operations/1"]);
        let at = |path: &str| places.trace(Finding::error(Code::UnknownNode, path, "")).path;
        assert_eq!(
            at("/steps/0/payload/operations/1/node_id"),
            "/steps/1/payload/operations/2/node_id"
        );
        assert_eq!(at("/steps/0/payload/operations/0"), "/steps/1/payload/operations/0");
        assert_eq!(
            at("/steps/1/payload/target/object_name"),
            "/steps/2/payload/target/object_name"
        );
        for elsewhere in ["", "/done", "/steps/7/x", "/steps/0/payload/operations/9"] {
            assert_eq!(at(elsewhere), elsewhere);
        }
    }

    #[test]
    fn leaving_out_twice_keeps_the_original_places() {
        let (_, outer) = left(&["/steps/0", "/steps/1/payload/operations/1"]);
        let inner = Places(vec![(0, vec![1])]);
        let finding = Finding::error(Code::UnknownNode, "/steps/0/payload/operations/0", "");
        assert_eq!(
            inner.within(&outer).trace(finding).path,
            "/steps/1/payload/operations/2"
        );
    }
}
