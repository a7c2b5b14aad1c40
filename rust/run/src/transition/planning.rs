//! The handling of a reply: the plan is read, its targets are inspected, or the model is asked again.

use geonode_protocol::{Code, Finding, Hint, Severity};

use super::{Machine, retry_text};
use crate::effect::{Message, Origin, Purpose, artists_words};
use crate::event::Failure;
use crate::feedback::Feedback;
use crate::outcome::{Outcome, Status};
use crate::plan::PlanInfo;
use crate::state::Phase;

impl Machine {
    pub(super) fn checked(&mut self, plan: Option<PlanInfo>, mut findings: Vec<Finding>) {
        let Some(plan) = plan else {
            return self.refused(Origin::Plan, findings);
        };
        // A plan that was given directly has no model to ask.
        let asks = plan.wants_context && !self.state.direct;
        let idle = plan.steps.is_empty() && !plan.done && !asks;
        if idle {
            let text = "The plan has no steps, is not done and requests no context.";
            let hint = "Add steps, request context, or set `done: true`.";
            findings.push(Finding::error(Code::EmptyPlan, "/steps", text).hint(Hint::explain(hint)));
            return self.refused(Origin::Plan, findings);
        }
        self.tell_findings(Origin::Plan, &findings);
        let (empty, done) = (plan.steps.is_empty(), plan.done);
        self.state.plan = Some(plan);
        self.state.open_request.times = 0;
        match (empty, done) {
            (true, true) if self.state.transaction => self.enter(Phase::Committing),
            (true, true) => self.finish(),
            (true, false) => self.enter(Phase::Inspecting(Purpose::Slices)),
            (false, _) if self.state.transaction => self.enter(Phase::Inspecting(Purpose::Recheck)),
            (false, _) => self.enter(Phase::Inspecting(Purpose::Plan)),
        }
    }

    pub(super) fn inspected(&mut self, purpose: Purpose, fingerprint: String, conflict: Option<String>) {
        match purpose {
            Purpose::Plan => {
                self.state.base = Some(fingerprint);
                self.enter(Phase::Compiling);
            }
            Purpose::Approved if self.state.base.as_ref() == Some(&fingerprint) => {
                if self.state.open_request.without.is_empty() {
                    self.begin();
                } else {
                    self.enter(Phase::Choosing);
                }
            }
            Purpose::Approved => {
                // The artist continued to work while the request was open, so what was shown is no longer what would happen.
                self.tell(Message::new(
                    Severity::Info,
                    Origin::Run,
                    Code::StaleBase,
                    "The scene changed while the approval was open; the plan was made again for it.",
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
                let mut text =
                    "Data that this run works on was changed by hand between two of its turns, so the run stopped. \
                                What was changed by hand is kept. Start it again when you have finished editing."
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

    /// A plan that cannot be used: the model gets another chance, or the run ends. Nothing of this plan was written, but earlier turns
    /// may have written: their changes stay for the retry and are undone if the run ends.
    pub(super) fn refused(&mut self, origin: Origin, findings: Vec<Finding>) {
        if self.may_retry() {
            for finding in findings.iter().filter(|f| f.severity == Severity::Error) {
                let mut message = Message::from_finding(origin, finding);
                message.severity = Severity::Info;
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
            .map_or("The plan was refused without a reason.", |f| artists_words(origin, f))
            .to_owned();
        self.stop(Outcome {
            status: Status::Error,
            code: Some(code),
            message,
        });
    }

    pub(super) fn may_rebase(&self) -> bool {
        self.state.rebased < MAX_REBASES
    }

    pub(super) fn may_retry(&self) -> bool {
        !self.state.direct && self.state.retried < self.state.config.retries
    }

    pub(super) fn retry(&mut self) {
        self.state.retried += 1;
        self.state.attempts += 1;
        self.enter(Phase::Generating);
    }

    /// Another request that is not a retry.
    pub(super) fn again(&mut self) {
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
}

/// How often a plan is compiled again because its targets changed before the first write.
const MAX_REBASES: u32 = 2;
