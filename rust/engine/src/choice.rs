//! What is left of a plan when the artist leaves something out.

use std::collections::BTreeSet;

use geonode_graph::{compile, operations};
use geonode_protocol::{Action, Finding, Plan};
use geonode_run::{Answer, Failure};
use serde_json::Value;

use crate::approval;
use crate::check;
use crate::error::EngineError;
use crate::request::PlanInput;
use crate::validate::{self, Mode, Response};
use crate::work::{Work, lost};

/// Where the steps and operations of a rest stood in the plan: for each step its index and those of its operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places(Vec<(usize, Vec<usize>)>);

impl Places {
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

    /// The same places in the plan of which `outer` is the rest.
    fn within(&self, outer: &Self) -> Self {
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
            operation = operations.get(at.parse::<usize>().ok()?)?.to_string();
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

/// JSON Pointer of an operation; none where the step has no operations.
pub(crate) fn operation_id(action: &Action, step: usize, operation: usize) -> Option<String> {
    let list = match action {
        Action::NodeTree(_) => "operations",
        Action::GnOps(_) => "ops",
        Action::Python(_) | Action::Added(_) => return None,
    };
    Some(format!("/steps/{step}/payload/{list}/{operation}"))
}

/// The plan without these steps and operations; a step of which nothing is left goes as a whole.
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
            Action::Python(_) | Action::Added(_) => 0,
        };
        let stays = |at: &usize| operation_id(&step.action, index, *at).is_none_or(|id| !gone.contains(id.as_str()));
        let kept: Vec<usize> = (0..all).filter(stays).collect();
        if all > 0 && kept.is_empty() {
            continue;
        }
        match &mut step.action {
            Action::NodeTree(payload) => payload.operations = pick(&payload.operations, &kept),
            Action::GnOps(payload) => payload.ops = pick(&payload.ops, &kept),
            Action::Python(_) | Action::Added(_) => {}
        }
        rest.steps.push(step);
        places.push((index, kept));
    }
    (rest, Places(places))
}

fn pick<T: Clone>(all: &[T], kept: &[usize]) -> Vec<T> {
    kept.iter().filter_map(|at| all.get(*at)).cloned().collect()
}

impl Work {
    /// Takes these steps and operations out of the plan, validates and compiles the rest against the document that was inspected last.
    /// Only a rest that fits takes the plan's place.
    pub(crate) fn choose(&mut self, without: &[String]) -> Result<Answer, Failure> {
        let offered = self.plan.clone().ok_or_else(|| lost("plan"))?;
        let (rest, places) = leave_out(&offered, without);
        let mut answer = Chosen::default();
        if rest.steps.is_empty() {
            return Ok(answer.into());
        }
        let given = PlanInput::Json(json(&rest)?);
        let scripts = self.scripts();
        let mut given = Response::new(&given, None, self.settings.limits(), &self.extensions, scripts);
        answer.findings = validate::response(&mut given, Mode::Strict).findings;
        if given.plan.is_some() {
            let catalogue = self.catalogue()?;
            let compiled = compile(&rest, &self.document, &catalogue);
            answer.findings.extend(compiled.findings.iter().cloned());
            if !answer.findings.iter().any(Finding::is_error) {
                answer.objects = compiled.touched_objects.iter().cloned().collect();
                answer.trees = compiled.touched_trees.iter().cloned().collect();
                answer.reason = self.unheard(&rest, &compiled, &catalogue);
                if answer.reason.is_none() {
                    let rest = compiled.repaired_plan(&rest).unwrap_or(rest);
                    answer.plan = Some(check::info(&rest));
                    self.left_out.extend(self.spoken(&offered, without, &catalogue));
                    let whole = self.places.as_ref();
                    self.places = Some(whole.map_or_else(|| places.clone(), |outer| places.within(outer)));
                    self.take(rest, compiled);
                }
            }
        }
        answer.findings = answer.findings.into_iter().map(|found| places.trace(found)).collect();
        Ok(answer.into())
    }

    /// Why the rest needs approval, where the artist was not told so of the whole plan.
    fn unheard(
        &mut self,
        rest: &Plan,
        compiled: &geonode_graph::Compiled,
        catalogue: &geonode_graph::Catalogue,
    ) -> Option<String> {
        let risk = self.risk(compiled, catalogue);
        let blender = self.blender().unwrap_or_default();
        let request = approval::request(&self.subject(rest, catalogue, &blender), compiled, risk.as_ref())?;
        let new: Vec<String> = approval::reasons(&request)
            .into_iter()
            .filter(|reason| !self.told.contains(reason))
            .collect();
        self.told.extend(new.iter().cloned());
        (!new.is_empty()).then(|| format!("Without what was left out: {}", new.join(" ")))
    }

    /// What was left out, in plain words.
    fn spoken(&self, plan: &Plan, without: &[String], catalogue: &geonode_graph::Catalogue) -> Vec<String> {
        let mut words = Vec::new();
        for (index, step) in plan.steps.iter().enumerate() {
            if without.contains(&step_id(index)) {
                words.push(format!("The step “{}”: {}", step.id, step.description));
                continue;
            }
            for (at, operation) in operations(step, &self.document, catalogue).into_iter().enumerate() {
                if operation_id(&step.action, index, at).is_some_and(|id| without.contains(&id)) {
                    words.push(format!("{}: {}", step.id, operation.words));
                }
            }
        }
        words
    }

    /// The plan as a trial in another process needs it; why there can be none is the error.
    pub(crate) fn trial(&self, without: &[String]) -> Result<Value, Failure> {
        let plan = self.plan.as_ref().ok_or_else(|| lost("plan"))?;
        let (rest, _) = leave_out(plan, without);
        if let Some(why) = approval::untried(&rest) {
            return Err(Failure::new(geonode_protocol::Code::InvalidArgument, why));
        }
        json(&rest)
    }
}

fn json(plan: &Plan) -> Result<Value, Failure> {
    serde_json::to_value(plan).map_err(|error| EngineError::Internal(error.to_string()).into())
}

/// The parts of [`Answer::Chosen`].
#[derive(Default)]
struct Chosen {
    plan: Option<geonode_run::PlanInfo>,
    findings: Vec<Finding>,
    objects: Vec<String>,
    trees: Vec<String>,
    reason: Option<String>,
}

impl From<Chosen> for Answer {
    fn from(chosen: Chosen) -> Self {
        Self::Chosen {
            plan: chosen.plan,
            findings: chosen.findings,
            objects: chosen.objects,
            trees: chosen.trees,
            reason: chosen.reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use geonode_protocol::{Code, Limits, parse_plan_value};
    use serde_json::json;

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
        // What is not there leaves nothing out.
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
    fn the_rest_of_a_rest_keeps_its_places() {
        let (_, outer) = left(&["/steps/0", "/steps/1/payload/operations/1"]);
        let inner = Places(vec![(0, vec![1])]);
        let finding = Finding::error(Code::UnknownNode, "/steps/0/payload/operations/0", "");
        assert_eq!(
            inner.within(&outer).trace(finding).path,
            "/steps/1/payload/operations/2"
        );
    }
}
