//! The transition function.

use geonode_protocol::{Code, Envelope, Finding, GateFinding, Severity};
use serde_json::Value;

use crate::effect::{Effect, Message, Notice, Origin};
use crate::event::{Answer, Event, EventKind, Failure, PlanInfo};
use crate::state::{Aftermath, Approve, Feedback, Outcome, Phase, Purpose, State, Status, StepRecord, StepStatus};

/// What follows `event` in `state`: the next state, and what the driver shall do, in order.
///
/// Total: an event that does not fit (a late answer, a second start) changes nothing and has no effects.
pub fn transition(state: State, event: Event) -> (State, Vec<Effect>) {
    let mut machine = Machine {
        state,
        effects: Vec::new(),
        at: event.at,
    };
    machine.handle(event.kind);
    (machine.state, machine.effects)
}

/// One call of [`transition`] at work.
struct Machine {
    state: State,
    effects: Vec<Effect>,
    at: f64,
}

impl Machine {
    fn handle(&mut self, event: EventKind) {
        let awaited = self.state.awaiting;
        match event {
            EventKind::Start { config, label, direct } if self.state.phase == Phase::Idle => {
                self.state.config = config;
                self.state.label = label;
                self.state.direct = direct;
                self.state.attempts = 1;
                self.enter(if direct { Phase::Checking } else { Phase::Capturing });
            }
            EventKind::Refuse(failure) if self.state.phase == Phase::Idle => self.fail(Origin::Request, failure),
            EventKind::Answered { id, answer } if Some(id) == awaited => self.answered(answer),
            EventKind::Failed { id, failure } if Some(id) == awaited => self.failed(failure),
            EventKind::Approved { id } if Some(id) == awaited && self.state.phase == Phase::AwaitingApproval => {
                self.enter(Phase::Inspecting(Purpose::Approved));
            }
            EventKind::Rejected { id } if Some(id) == awaited && self.state.phase == Phase::AwaitingApproval => {
                self.stop(Outcome {
                    status: Status::Cancelled,
                    code: Some(Code::UserRejected),
                    message: "The plan was rejected; nothing of it was applied.".into(),
                });
            }
            EventKind::Cancel => self.cancel(),
            // Late or misplaced: the run has moved on.
            EventKind::Start { .. }
            | EventKind::Refuse(_)
            | EventKind::Answered { .. }
            | EventKind::Failed { .. }
            | EventKind::Approved { .. }
            | EventKind::Rejected { .. } => {}
        }
    }

    /// The awaited task was carried out.
    fn answered(&mut self, answer: Answer) {
        match (self.state.phase.clone(), answer) {
            (Phase::Capturing, Answer::Context) => self.enter(Phase::Generating),
            (Phase::Generating, Answer::Generated) => self.enter(Phase::Checking),
            (Phase::Checking, Answer::Checked { plan, findings }) => self.checked(plan, findings),
            (Phase::Inspecting(purpose), Answer::Inspected { fingerprint, conflict }) => {
                self.inspected(purpose, fingerprint, conflict);
            }
            (
                Phase::Compiling,
                Answer::Compiled {
                    findings,
                    objects,
                    trees,
                    approval,
                    risk,
                },
            ) => {
                self.state.wanted_objects = objects.into_iter().collect();
                self.state.wanted_trees = trees.into_iter().collect();
                self.compiled(findings, approval, risk);
            }
            (Phase::Beginning { cancelled }, Answer::Begun) => self.begun(cancelled),
            (
                Phase::Applying { index },
                Answer::Applied {
                    message,
                    objects,
                    trees,
                },
            ) => {
                self.state.objects.extend(objects);
                self.state.trees.extend(trees);
                self.step_ended(index, StepStatus::Done, message, None);
                self.apply(index + 1);
            }
            (Phase::Verifying, Answer::Evidence) => self.enter(Phase::Judging),
            (Phase::Judging, Answer::Judged { envelope }) => self.judged(envelope),
            (Phase::Committing, Answer::Committed) => {
                self.state.transaction = false;
                self.finish();
            }
            (Phase::Restoring(then), Answer::Restored { equal }) => self.restored(then, equal),
            (phase, answer) => {
                let text = format!(
                    "The answer `{}` does not fit the phase `{}`.",
                    answer.name(),
                    phase.name()
                );
                self.failed(Failure::new(Code::InternalError, text));
            }
        }
    }

    /// The awaited task could not be carried out.
    fn failed(&mut self, failure: Failure) {
        match self.state.phase.clone() {
            Phase::Capturing | Phase::Inspecting(_) | Phase::Verifying | Phase::Committing => {
                self.fail(Origin::Host, failure);
            }
            Phase::Generating => self.fail(Origin::Provider, failure),
            Phase::Beginning { cancelled: false } if failure.code == Code::StaleBase && self.may_rebase() => {
                // Edited between the look and the first write: the plan is compiled anew for what is there now.
                self.state.rebased += 1;
                self.enter(Phase::Inspecting(Purpose::Plan));
            }
            Phase::Beginning { cancelled } => {
                // A transaction that did not open leaves nothing to restore; one that could not be extended does.
                if cancelled {
                    self.stop(cancelled_outcome());
                } else {
                    self.fail(Origin::Host, failure);
                }
            }
            Phase::Applying { index } => {
                self.step_ended(index, StepStatus::Failed, String::new(), Some(failure.clone()));
                let step = self
                    .state
                    .plan
                    .as_ref()
                    .and_then(|p| p.steps.get(index))
                    .map(|s| s.step_id.as_str());
                let text = format!(
                    "Step \"{}\" could not be applied: {}",
                    step.unwrap_or_default(),
                    failure.message
                );
                self.fail(Origin::Host, Failure::new(failure.code, text));
            }
            Phase::Restoring(_) => {
                let text = format!("Taking the run back failed: {} {RESTORE_FIX}", failure.message);
                self.state.transaction = false;
                self.fail(Origin::Host, Failure::new(Code::RestoreFailed, text));
            }
            Phase::Idle | Phase::Ended => {}
            Phase::Checking | Phase::Compiling | Phase::AwaitingApproval | Phase::Judging => {
                self.fail(Origin::Run, failure);
            }
        }
    }

    fn checked(&mut self, plan: Option<PlanInfo>, mut findings: Vec<Finding>) {
        let Some(plan) = plan else {
            return self.refused(Origin::Plan, findings);
        };
        // A plan that was given directly has nobody to ask.
        let asks = plan.wants_context && !self.state.direct;
        let idle = plan.steps.is_empty() && !plan.done && !asks;
        if idle {
            findings.push(Finding {
                severity: Severity::Error,
                code: Code::EmptyPlan,
                path: "/steps".into(),
                message: "The plan has no steps, is not done and asks for nothing.".into(),
                hint: Some("Add steps, ask for context, or say `done: true`.".into()),
            });
            return self.refused(Origin::Plan, findings);
        }
        self.tell_findings(Origin::Plan, &findings);
        let (empty, done) = (plan.steps.is_empty(), plan.done);
        self.state.plan = Some(plan);
        match (empty, done) {
            (true, true) if self.state.transaction => self.enter(Phase::Committing),
            (true, true) => self.finish(),
            (true, false) => self.enter(Phase::Inspecting(Purpose::Slices)),
            (false, _) if self.state.transaction => self.enter(Phase::Inspecting(Purpose::Recheck)),
            (false, _) => self.enter(Phase::Inspecting(Purpose::Plan)),
        }
    }

    fn inspected(&mut self, purpose: Purpose, fingerprint: String, conflict: Option<String>) {
        match purpose {
            Purpose::Plan => {
                self.state.base = Some(fingerprint);
                self.enter(Phase::Compiling);
            }
            Purpose::Approved if self.state.base.as_ref() == Some(&fingerprint) => self.begin(),
            Purpose::Approved => {
                // The artist worked on while the question was open: what was shown is not what would happen now.
                self.tell(Message::new(
                    Severity::Info,
                    Origin::Run,
                    Code::StaleBase,
                    "The scene changed while the approval was open; the plan was made anew for it.",
                ));
                self.state.base = Some(fingerprint);
                self.enter(Phase::Compiling);
            }
            Purpose::Baseline => {
                self.state.baseline = Some(fingerprint);
                self.again();
            }
            Purpose::Recheck if self.state.baseline.as_ref() == Some(&fingerprint) => {
                self.enter(Phase::Inspecting(Purpose::Plan));
            }
            Purpose::Recheck => {
                let mut text = "What this run works on was changed by hand between two of its turns, so it stopped. \
                                Start it again when the edit is finished."
                    .to_owned();
                if let Some(conflict) = conflict {
                    text.push(' ');
                    text.push_str(&conflict);
                }
                self.fail(Origin::Run, Failure::new(Code::TouchedByArtist, text));
            }
            Purpose::Slices => {
                self.state.feedback = Some(Feedback::Slices);
                self.again();
            }
        }
    }

    fn compiled(&mut self, findings: Vec<Finding>, approval: Option<Value>, risk: Option<Box<GateFinding>>) {
        if findings.iter().any(|f| f.severity == Severity::Error) {
            return self.refused(Origin::Preflight, findings);
        }
        let alone = self.state.config.approve == Approve::None;
        if let Some(risk) = risk {
            // Nobody is there to approve it: the model hears what to change first.
            if alone && self.may_retry() {
                return self.refused(Origin::Gates, vec![risk_finding(&risk)]);
            }
            let mut message = Message::new(Severity::Warning, Origin::Gates, risk.gate, &risk.cause);
            message.hint.clone_from(&risk.fix);
            self.tell(message);
            if alone {
                self.state.gates = Some(Envelope {
                    success: false,
                    failed_gates: vec![risk.gate],
                    messages: vec![risk.cause.clone()],
                    findings: vec![*risk],
                });
            }
        }
        self.tell_findings(Origin::Preflight, &findings);
        self.state.approval = approval;
        match (&self.state.approval, self.state.config.approve) {
            (None, _) | (_, Approve::All) => self.begin(),
            (Some(_), Approve::Ask) => self.enter(Phase::AwaitingApproval),
            (Some(request), Approve::None) => {
                let reason = request
                    .get("reason")
                    .and_then(Value::as_str)
                    .unwrap_or("It asks for it.");
                let text = format!("The plan needs approval and nobody is there to give it. {reason}");
                self.fail(Origin::Run, Failure::new(Code::ApprovalRequired, text));
            }
        }
    }

    /// Opens the transaction, extends it when the plan reaches further, or goes straight to the first step.
    fn begin(&mut self) {
        let state = &self.state;
        let covered = state.wanted_objects.is_subset(&state.objects) && state.wanted_trees.is_subset(&state.trees);
        if state.transaction && covered {
            self.open_steps();
        } else {
            self.enter(Phase::Beginning { cancelled: false });
        }
    }

    fn begun(&mut self, cancelled: bool) {
        self.state.transaction = true;
        self.state.rebased = 0;
        if cancelled {
            return self.stop(cancelled_outcome());
        }
        let (objects, trees) = (self.state.wanted_objects.clone(), self.state.wanted_trees.clone());
        self.state.objects.extend(objects);
        self.state.trees.extend(trees);
        self.open_steps();
    }

    fn open_steps(&mut self) {
        let records = self
            .state
            .plan
            .iter()
            .flat_map(|plan| &plan.steps)
            .map(|step| StepRecord {
                step_id: step.step_id.clone(),
                action_type: step.action_type.clone(),
                status: StepStatus::Pending,
                started_at: None,
                ended_at: None,
                message: String::new(),
                error: None,
            });
        self.state.first_step = self.state.steps.len();
        self.state.steps.extend(records.collect::<Vec<_>>());
        self.apply(0);
    }

    fn apply(&mut self, index: usize) {
        let at = self.at;
        if let Some(record) = self.state.steps.get_mut(self.state.first_step + index) {
            record.status = StepStatus::Running;
            record.started_at = Some(at);
            let record = record.clone();
            self.effects.push(Effect::Tell(Notice::Step(record)));
            self.enter(Phase::Applying { index });
        } else {
            self.enter(Phase::Verifying);
        }
    }

    fn step_ended(&mut self, index: usize, status: StepStatus, message: String, error: Option<Failure>) {
        let at = self.at;
        if let Some(record) = self.state.steps.get_mut(self.state.first_step + index) {
            record.status = status;
            record.ended_at = Some(at);
            record.message = message;
            record.error = error;
            let record = record.clone();
            self.effects.push(Effect::Tell(Notice::Step(record)));
        }
    }

    fn judged(&mut self, envelope: Envelope) {
        self.state.gates = Some(envelope.clone());
        let done = self.state.direct || self.state.plan.as_ref().is_some_and(|plan| plan.done);
        if !done {
            // Half-made trees fail gates by nature; the verdict only informs the next turn.
            self.state.feedback = Some(Feedback::Progress { envelope });
            return self.enter(Phase::Inspecting(Purpose::Baseline));
        }
        // A finding of a gate that did not fail only says what Blender could not tell.
        let (failed, unsaid): (Vec<_>, Vec<_>) = envelope
            .findings
            .iter()
            .partition(|finding| envelope.failed_gates.contains(&finding.gate));
        for finding in unsaid {
            self.tell(Message::new(
                Severity::Info,
                Origin::Gates,
                finding.code,
                &finding.cause,
            ));
        }
        if envelope.success {
            return self.enter(Phase::Committing);
        }
        if self.may_retry() {
            for finding in failed {
                let text = retry_text(&finding.cause);
                self.tell(Message::new(Severity::Warning, Origin::Gates, finding.gate, text));
            }
            self.state.feedback = Some(Feedback::GatesFailed { envelope });
            return self.enter(Phase::Restoring(Aftermath::Retry));
        }
        for finding in failed {
            let mut message = Message::new(Severity::Error, Origin::Gates, finding.gate, &finding.cause);
            message.hint.clone_from(&finding.fix);
            self.tell(message);
        }
        let why = envelope.messages.first().cloned().unwrap_or_default();
        let text = format!("The result did not pass its checks, so everything was taken back. {why}");
        self.fail(Origin::Gates, Failure::new(Code::GateFailed, text.trim_end()));
    }

    fn restored(&mut self, then: Aftermath, equal: bool) {
        self.state.transaction = false;
        if !equal {
            let text = format!("After taking the run back something still differs from before. {RESTORE_FIX}");
            return self.fail(Origin::Host, Failure::new(Code::RestoreFailed, text));
        }
        match then {
            Aftermath::Stop(outcome) => self.end(outcome),
            Aftermath::Retry => {
                self.forget_writes();
                self.retry();
            }
        }
    }

    /// A plan that cannot be used: the model gets another chance, or the run ends. Nothing of this plan was written, but earlier turns
    /// may have written: they stay for the retry and are taken back at an end.
    fn refused(&mut self, origin: Origin, findings: Vec<Finding>) {
        if self.may_retry() {
            for finding in findings.iter().filter(|f| f.severity == Severity::Error) {
                let mut message = Message::from_finding(origin, finding);
                message.severity = Severity::Warning;
                message.text = retry_text(&message.text);
                self.tell(message);
            }
            self.state.feedback = Some(Feedback::Refused { findings });
            return self.retry();
        }
        self.tell_findings(origin, &findings);
        let worst = findings.iter().find(|f| f.severity == Severity::Error);
        let code = worst.map_or(Code::InternalError, |f| f.code);
        let message = worst
            .map_or("The plan was refused without a reason.", |f| f.message.as_str())
            .to_owned();
        self.stop(Outcome {
            status: Status::Error,
            code: Some(code),
            message,
        });
    }

    fn may_rebase(&self) -> bool {
        self.state.rebased < MAX_REBASES
    }

    fn may_retry(&self) -> bool {
        !self.state.direct && self.state.retried < self.state.config.retries
    }

    fn retry(&mut self) {
        self.state.retried += 1;
        self.state.attempts += 1;
        self.enter(Phase::Generating);
    }

    /// Another request that is no retry.
    fn again(&mut self) {
        if self.state.iterations >= self.state.config.max_iterations {
            let text = format!(
                "The model did not finish within {} turns.",
                self.state.config.max_iterations
            );
            return self.fail(Origin::Run, Failure::new(Code::IterationsExhausted, text));
        }
        self.state.iterations += 1;
        self.state.attempts += 1;
        self.enter(Phase::Generating);
    }

    fn cancel(&mut self) {
        match self.state.phase {
            // Over, too late, or under way: the host answers within its next poll.
            Phase::Ended | Phase::Committing | Phase::Restoring(Aftermath::Stop(_)) => {}
            Phase::Restoring(Aftermath::Retry) => {
                self.state.phase = Phase::Restoring(Aftermath::Stop(cancelled_outcome()));
            }
            // Whether the transaction is open is known only with the answer.
            Phase::Beginning { .. } => self.state.phase = Phase::Beginning { cancelled: true },
            _ => {
                if let Some(id) = self.state.awaiting.take() {
                    self.effects.push(Effect::Abort { id });
                }
                if let Phase::Applying { index } = self.state.phase {
                    let failure = Failure::new(Code::Cancelled, "Cancelled.");
                    self.step_ended(index, StepStatus::Failed, String::new(), Some(failure));
                }
                self.stop(cancelled_outcome());
            }
        }
    }

    fn fail(&mut self, origin: Origin, failure: Failure) {
        self.tell(Message::new(Severity::Error, origin, failure.code, &failure.message));
        self.stop(Outcome {
            status: Status::Error,
            code: Some(failure.code),
            message: failure.message,
        });
    }

    fn finish(&mut self) {
        let message = self
            .state
            .plan
            .as_ref()
            .map(|plan| plan.final_message.clone())
            .unwrap_or_default();
        self.end(Outcome {
            status: Status::Done,
            code: None,
            message,
        });
    }

    /// Ends without success, after a restore if anything may have been written.
    fn stop(&mut self, outcome: Outcome) {
        if self.state.transaction {
            self.enter(Phase::Restoring(Aftermath::Stop(outcome)));
        } else {
            self.end(outcome);
        }
    }

    fn end(&mut self, outcome: Outcome) {
        if outcome.status == Status::Cancelled {
            let code = outcome.code.unwrap_or(Code::Cancelled);
            self.tell(Message::new(Severity::Info, Origin::Run, code, &outcome.message));
        }
        if outcome.status != Status::Done {
            for record in self.state.steps.iter_mut().filter(|r| r.status == StepStatus::Done) {
                record.status = StepStatus::Restored;
            }
        }
        self.state.outcome = Some(outcome);
        self.enter(Phase::Ended);
    }

    /// After a restore the run stands where it stood before its first write.
    fn forget_writes(&mut self) {
        self.state.steps.clear();
        self.state.first_step = 0;
        self.state.objects.clear();
        self.state.trees.clear();
        self.state.baseline = None;
    }

    fn enter(&mut self, phase: Phase) {
        let before = self.state.run_state();
        self.state.phase = phase;
        let state = self.state.run_state();
        if state != before {
            self.effects.push(Effect::Tell(Notice::State {
                state,
                summary: state.summary(),
            }));
        }
        self.state.awaiting = self.state.task().map(|task| {
            self.state.tasks += 1;
            self.effects.push(Effect::Do {
                id: self.state.tasks,
                task,
            });
            self.state.tasks
        });
    }

    fn tell(&mut self, message: Message) {
        self.effects.push(Effect::Tell(Notice::Message(message)));
    }

    fn tell_findings(&mut self, origin: Origin, findings: &[Finding]) {
        for finding in findings {
            self.tell(Message::from_finding(origin, finding));
        }
    }
}

/// So often a plan is compiled anew because its targets changed before the first write.
const MAX_REBASES: u32 = 2;

const RESTORE_FIX: &str = "Undo (Ctrl+Z) or reload the file before you go on.";

/// What the model is told about a plan that costs too much.
fn risk_finding(risk: &GateFinding) -> Finding {
    let mut finding = Finding::error(risk.gate, "/steps", &risk.cause);
    finding.hint.clone_from(&risk.fix);
    finding
}

fn retry_text(cause: &str) -> String {
    format!("{cause} The model was asked again.")
}

fn cancelled_outcome() -> Outcome {
    Outcome {
        status: Status::Cancelled,
        code: Some(Code::Cancelled),
        message: "Cancelled; the file is as it was.".into(),
    }
}
