//! The ways out of a run.

use geonode_protocol::{Code, Severity};

use super::Machine;
use crate::config::Approve;
use crate::effect::{Effect, Message, Origin};
use crate::event::Failure;
use crate::open_approval::Decision;
use crate::outcome::{Aftermath, Outcome, Status};
use crate::records::StepStatus;
use crate::state::Phase;

impl Machine {
    pub(super) fn cancel(&mut self) {
        match self.state.phase {
            // Ended, too late, or in progress: the host answers within its next poll.
            Phase::Ended | Phase::Committing | Phase::Restoring(Aftermath::Stop(_)) => {}
            Phase::Restoring(Aftermath::Retry) => {
                self.state.phase = Phase::Restoring(Aftermath::Stop(Outcome::cancelled()));
            }
            // Only the answer shows whether the transaction is open.
            Phase::Beginning { .. } => self.state.phase = Phase::Beginning { cancelled: true },
            Phase::Idle
            | Phase::Capturing
            | Phase::Generating
            | Phase::AwaitingToolApproval { .. }
            | Phase::CallingTools
            | Phase::Checking
            | Phase::Inspecting(_)
            | Phase::Compiling
            | Phase::AwaitingApproval
            | Phase::DryRunning
            | Phase::Choosing
            | Phase::Applying { .. }
            | Phase::Verifying
            | Phase::Judging => {
                let asked = self.state.config.approve == Approve::Ask;
                if asked && matches!(self.state.phase, Phase::AwaitingApproval | Phase::DryRunning) {
                    self.record(Decision::Cancelled, Vec::new(), None);
                }
                self.abort();
                if let Phase::Applying { index } = self.state.phase {
                    let failure = Failure::new(Code::Cancelled, "Cancelled.");
                    self.step_ended(index, StepStatus::Failed, String::new(), Some(failure));
                }
                self.stop(Outcome::cancelled());
            }
        }
    }

    /// The awaited task is no longer needed.
    pub(super) fn abort(&mut self) {
        if let Some(id) = self.state.awaiting.take() {
            self.effects.push(Effect::Abort { id });
        }
    }

    pub(super) fn fail(&mut self, origin: Origin, failure: Failure) {
        self.fail_at(None, origin, failure);
    }

    /// As [`Self::fail`], with a JSON Pointer to what in the plan it is about.
    pub(super) fn fail_at(&mut self, path: Option<String>, origin: Origin, failure: Failure) {
        self.tell(Message {
            path,
            instead: failure.instead,
            ..Message::new(Severity::Error, origin, failure.code, &failure.message)
        });
        self.stop(Outcome {
            status: Status::Error,
            code: Some(failure.code),
            message: failure.message,
        });
    }

    pub(super) fn finish(&mut self) {
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
    pub(super) fn stop(&mut self, outcome: Outcome) {
        if self.state.transaction {
            self.enter(Phase::Restoring(Aftermath::Stop(outcome)));
        } else {
            self.end(outcome);
        }
    }

    pub(super) fn end(&mut self, outcome: Outcome) {
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
}
