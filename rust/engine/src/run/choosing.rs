//! The artist leaves something out: the rest is checked and compiled again, or tried in another process.

use std::collections::BTreeSet;

use geonode_graph::{Catalogue, Compiled, compile_exactly, operations};
use geonode_protocol::{Code, Finding, Plan};
use geonode_run::{Answer, Failure, PlanInfo};
use serde_json::Value;

use crate::approval::choice::{leave_out, operation_id, step_id};
use crate::approval::request as approval;
use crate::error::{EngineError, lost};
use crate::request::PlanInput;
use crate::run::info::info;
use crate::run::work::Work;
use crate::validate::{self, Mode, Response};

/// Removes these steps and operations from the plan, validates and compiles the rest against the document that was inspected last.
/// Only a valid rest replaces the plan.
pub(crate) fn choose(work: &mut Work, without: &[String]) -> Result<Answer, Failure> {
    let offered = work.planned.plan.clone().ok_or_else(|| lost("plan"))?;
    let (rest, places) = leave_out(&offered, without);
    let mut answer = Chosen::default();
    if rest.steps.is_empty() {
        return Ok(answer.into());
    }
    let given = PlanInput::Json(json(&rest)?);
    let scripts = work.scripts();
    let mut given = Response::new(
        &given,
        None,
        work.settings.limits_of_a_rest(),
        &work.extensions,
        scripts,
    );
    answer.findings = validate::response(&mut given, Mode::Strict).findings;
    if given.plan.is_some() {
        let catalogue = work.catalogue()?;
        let exact = places.of_steps(&work.planned.exact);
        let compiled = compile_exactly(&rest, &work.planned.document, &catalogue, &exact);
        answer.findings.extend(compiled.findings.iter().cloned());
        if !answer.findings.iter().any(Finding::is_error) {
            answer.objects = compiled.touched_objects.iter().cloned().collect();
            answer.trees = compiled.touched_trees.iter().cloned().collect();
            answer.reason = new_reason(work, &rest, &compiled, &catalogue);
            if answer.reason.is_none() {
                let rest = compiled.repaired_plan(&rest).unwrap_or(rest);
                answer.plan = Some(info(&rest));
                let words = describe_left_out(work, &offered, without, &catalogue);
                work.asked.left_out.extend(words);
                let whole = work.planned.places.as_ref();
                work.planned.places = Some(whole.map_or_else(|| places.clone(), |outer| places.within(outer)));
                work.planned.exact = exact;
                work.planned.take(rest, compiled);
            }
        }
    }
    answer.findings = answer.findings.into_iter().map(|found| places.trace(found)).collect();
    Ok(answer.into())
}

/// Why the rest needs approval, if the artist was not given this reason for the whole plan.
fn new_reason(work: &mut Work, rest: &Plan, compiled: &Compiled, catalogue: &Catalogue) -> Option<String> {
    let risk = work.risk(compiled, catalogue);
    let blender = work.blender().unwrap_or_default();
    let request = approval::request(&work.subject(rest, catalogue, &blender), compiled, risk.as_ref())?;
    let given = &mut work.planned.reasons_given;
    let mut new = approval::reasons(&request);
    new.retain(|reason| !given.contains(reason));
    given.extend(new.iter().cloned());
    (!new.is_empty()).then(|| format!("Without the parts that were left out: {}", new.join(" ")))
}

/// What was left out, in plain words.
fn describe_left_out(work: &Work, plan: &Plan, without: &[String], catalogue: &Catalogue) -> Vec<String> {
    let mut words = Vec::new();
    for (index, step) in plan.steps.iter().enumerate() {
        if without.contains(&step_id(index)) {
            words.push(format!("The step “{}”: {}", step.id, step.description));
            continue;
        }
        let operations = operations(step, &work.planned.document, catalogue);
        for (at, operation) in operations.into_iter().enumerate() {
            if operation_id(&step.action, index, at).is_some_and(|id| without.contains(&id)) {
                words.push(format!("{}: {}", step.id, operation.words));
            }
        }
    }
    words
}

/// The plan for a dry run in another process, and which of its steps mean exactly what they name; the error says why there can be none.
pub(crate) fn trial(work: &Work, without: &[String]) -> Result<(Value, BTreeSet<usize>), Failure> {
    let plan = work.planned.plan.as_ref().ok_or_else(|| lost("plan"))?;
    let (rest, places) = leave_out(plan, without);
    if let Some(why) = approval::untried(&rest) {
        return Err(Failure::new(Code::InvalidArgument, why));
    }
    Ok((json(&rest)?, places.of_steps(&work.planned.exact)))
}

fn json(plan: &Plan) -> Result<Value, Failure> {
    serde_json::to_value(plan).map_err(|error| EngineError::Internal(error.to_string()).into())
}

/// The parts of [`Answer::Chosen`].
#[derive(Default)]
struct Chosen {
    plan: Option<PlanInfo>,
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
