//! Approval: the request, the answer, the selection of a part of the plan, the dry run before the answer.

use geonode_protocol::{Code, Finding, Hint};
use serde_json::{Value, json};

use super::Machine;
use crate::config::Approve;
use crate::effect::{Origin, Purpose};
use crate::event::Failure;
use crate::feedback::Feedback;
use crate::open_approval::{ApprovalRecord, Decision, OpenRequest};
use crate::outcome::{Outcome, Status};
use crate::plan::PlanInfo;
use crate::state::Phase;

/// How often the artist (or a script in the artist's place) is asked about one plan.
const MAX_TIMES: u32 = 50;
/// Ends of a trial that do not go back to the model.
const NOT_MENDED: [&str; 3] = ["cancelled", "sandbox_breach", "sandbox_unavailable"];

impl Machine {
    /// Sends the request, with everything that has come up about it.
    pub(super) fn ask(&mut self) {
        if self.state.open_request.times >= MAX_TIMES {
            let text = format!("Approval was requested {MAX_TIMES} times without a valid answer.");
            let path = self.state.approval.as_ref().and_then(|request| request.asked_step());
            return self.fail_at(path, Origin::Run, Failure::new(Code::ApprovalRequired, text));
        }
        self.state.open_request.times += 1;
        self.enter(Phase::AwaitingApproval);
        self.state.open_request.id = self.state.awaiting.unwrap_or_default();
    }

    /// Whether the request with this number is open; it stays so while the plan is tried.
    pub(super) fn asks(&self, id: u64) -> bool {
        let state = &self.state;
        match state.phase {
            Phase::AwaitingApproval => state.awaiting == Some(id),
            Phase::DryRunning => state.open_request.id == id,
            _ => false,
        }
    }

    pub(super) fn record(&mut self, decision: Decision, without: Vec<String>, words: Option<String>) {
        self.state.approvals.push(ApprovalRecord {
            id: self.state.open_request.id.to_string(),
            decision,
            without,
            words,
            at: self.at,
        });
    }

    pub(super) fn approved(&mut self, without: Vec<String>) {
        if self.state.phase == Phase::DryRunning
            && self.lacks_trial(&without)
            && self.state.open_request.without == without
        {
            // Its trial is under way: the question comes back with the result.
            return;
        }
        self.stop_trying();
        if !self.takes(&without) {
            return self.ask();
        }
        if self.lacks_trial(&without) {
            return self.try_out(without);
        }
        if let Some(text) = self.failed_trial() {
            // The question said so already; asking again would change nothing.
            self.record(Decision::Rejected, without, None);
            return self.fail(Origin::Run, Failure::new(Code::TrialFailed, text));
        }
        self.record(Decision::Approved, without.clone(), None);
        self.agreed(&without);
        self.state.open_request.without = without;
        self.enter(Phase::Inspecting(Purpose::Approved));
    }

    pub(super) fn rejected(&mut self, words: Option<String>) {
        self.stop_trying();
        let words = words.filter(|words| !words.trim().is_empty());
        self.record(Decision::Rejected, Vec::new(), words.clone());
        match words {
            Some(words) if !self.state.direct => {
                self.state.feedback = Some(Feedback::Rejected { words });
                self.again();
            }
            // Nobody can replace a plan that was given directly.
            _ => self.stop(rejection("The plan was rejected; none of it was applied.")),
        }
    }

    pub(super) fn try_out(&mut self, without: Vec<String>) {
        if !self.takes(&without) {
            return self.ask();
        }
        self.state.open_request.without = without;
        self.enter(Phase::DryRunning);
    }

    /// Nobody is there to read the script: the trial alone decides.
    pub(super) fn try_unattended(&mut self) {
        self.state.open_request = OpenRequest::default();
        if self
            .state
            .approval
            .as_ref()
            .is_some_and(|request| request.can_be_tried())
        {
            return self.enter(Phase::DryRunning);
        }
        let offer = self
            .state
            .approval
            .as_ref()
            .and_then(|request| request.dry_run.as_ref());
        let why = offer.and_then(|offer| offer.why.clone()).unwrap_or_default();
        self.refuse_untried(&why);
    }

    /// The dry run has ended or failed: the request is sent again, with the result. A script that failed its trial goes back to the model
    /// first, as long as it may be asked.
    pub(super) fn tried(&mut self, mut result: Value) {
        if let Some(finding) = self.to_mend(&result) {
            self.state.approval = None;
            self.state.open_request = OpenRequest::default();
            return self.refused(Origin::Run, vec![finding]);
        }
        if let Some(result) = result.as_object_mut() {
            result.insert("without".into(), json!(self.state.open_request.without));
        }
        self.state.open_request.tried = Some(result);
        if self.state.config.approve == Approve::Ask {
            let closed = self.failed_trial();
            let findings = closed.map(|text| Finding::error(Code::TrialFailed, "", text));
            self.state.open_request.findings = findings.into_iter().collect();
            return self.ask();
        }
        match self
            .state
            .open_request
            .tried
            .as_ref()
            .filter(|result| !passed(result))
            .map(words)
        {
            Some(why) => self.refuse_untried(&why),
            None => self.begin(),
        }
    }

    /// What the model has to mend, if a whole plan with scripts failed its trial and the model may be asked again. A trial that the artist
    /// stopped, or that broke out of its bounds, is nothing to mend.
    fn to_mend(&self, result: &Value) -> Option<Finding> {
        let request = self
            .state
            .approval
            .as_deref()
            .filter(|request| request.requires_trial())?;
        let code = result.get("code").and_then(Value::as_str).unwrap_or_default();
        let mendable = !passed(result)
            && result.get("tried") != Some(&Value::Bool(false))
            && !NOT_MENDED.contains(&code)
            && self.state.open_request.without.is_empty()
            && self.may_retry();
        let script = request.steps.iter().find(|step| step.script.is_some());
        mendable.then(|| {
            let path = script.map_or("", |step| step.id.as_str());
            let text = format!(
                "The script failed its trial on a copy of the file ({code}). {}",
                words(result)
            );
            Finding::error(Code::TrialFailed, path, text).hint(Hint::explain(
                "Mend the line that the message names, or do it another way; send the whole plan again.",
            ))
        })
    }

    fn refuse_untried(&mut self, why: &str) {
        let text = format!("Without approval by hand, a script runs only if it passed its trial. {why}");
        self.fail(Origin::Run, Failure::new(Code::TrialFailed, text));
    }

    /// Whether the plan without these has to be tried before it can be approved, and was not.
    fn lacks_trial(&self, without: &[String]) -> bool {
        let request = self.state.approval.as_deref();
        let tried = self.state.open_request.tried.as_ref();
        request.is_some_and(|request| request.requires_trial() && request.can_be_tried())
            && tried.is_none_or(|result| result.get("without") != Some(&json!(without)))
    }

    /// Why its trial keeps a script from being approved. One that could not take place keeps nobody: the question says so.
    fn failed_trial(&self) -> Option<String> {
        let request = self
            .state
            .approval
            .as_deref()
            .filter(|request| request.requires_trial())?;
        let result = self
            .state
            .open_request
            .tried
            .as_ref()
            .filter(|_| request.can_be_tried())?;
        let took_place = result.get("tried") != Some(&Value::Bool(false));
        (took_place && !passed(result)).then(|| {
            format!(
                "This script failed its trial, so it cannot be approved. {}",
                words(result)
            )
        })
    }

    /// The selected part of the plan was compiled: it is applied, or the selection has to be corrected.
    pub(super) fn chosen(
        &mut self,
        plan: Option<PlanInfo>,
        findings: Vec<Finding>,
        (objects, trees): (Vec<String>, Vec<String>),
        reason: Option<String>,
    ) {
        if reason.is_some() || findings.iter().any(Finding::is_error) {
            self.state.open_request.reason = reason;
            self.state.open_request.findings = findings;
            return self.ask();
        }
        let Some(plan) = plan else {
            if let Some(last) = self.state.approvals.last_mut() {
                last.decision = Decision::Rejected;
            }
            return self.stop(rejection("Every part of the plan was left out; nothing was applied."));
        };
        self.tell_findings(Origin::Preflight, &findings);
        self.state.plan = Some(plan);
        self.state.wanted_objects = objects.into_iter().collect();
        self.state.wanted_trees = trees.into_iter().collect();
        self.begin();
    }

    /// Whether all of these are in the request; a missing one becomes a finding of the next request.
    fn takes(&mut self, without: &[String]) -> bool {
        let offered = |id: &String| self.state.approval.as_ref().is_some_and(|request| request.offers(id));
        let unknown = without.iter().filter(|id| !offered(id));
        let findings: Vec<Finding> = unknown
            .map(|id| {
                Finding::error(
                    Code::InvalidArgument,
                    id,
                    format!("The request has no operation “{id}”."),
                )
                .hint(Hint::explain("The request lists the IDs of its operations."))
            })
            .collect();
        let all = findings.is_empty();
        self.state.open_request.findings = findings;
        self.state.open_request.reason = None;
        all
    }

    /// An answer does not wait for the dry run.
    fn stop_trying(&mut self) {
        if self.state.phase == Phase::DryRunning {
            self.abort();
        }
    }
}

fn passed(result: &Value) -> bool {
    result.get("ok") == Some(&Value::Bool(true))
}

/// What a trial says about itself.
fn words(result: &Value) -> String {
    result
        .get("text")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn rejection(message: &str) -> Outcome {
    Outcome {
        status: Status::Cancelled,
        code: Some(Code::UserRejected),
        message: message.into(),
    }
}
