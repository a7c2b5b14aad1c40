//! The steps and their records.

use geonode_protocol::{Code, Finding, Severity};

use super::{Machine, retry_text};
use crate::effect::{Effect, Message, Notice, Origin};
use crate::event::Failure;
use crate::feedback::Feedback;
use crate::outcome::Aftermath;
use crate::records::{StepRecord, StepStatus};
use crate::state::Phase;

impl Machine {
    pub(super) fn open_steps(&mut self) {
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

    pub(super) fn apply(&mut self, index: usize) {
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

    pub(super) fn step_ended(&mut self, index: usize, status: StepStatus, message: String, error: Option<Failure>) {
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

    /// Blender refused what the checks had passed: the model gets another chance, in the file as it was before the run, where the
    /// cause can lie in its plan.
    pub(super) fn step_failed(&mut self, index: usize, failure: Failure) {
        self.step_ended(index, StepStatus::Failed, String::new(), Some(failure.clone()));
        let step = self.state.plan.as_ref().and_then(|plan| plan.steps.get(index));
        let text = format!(
            "Step “{}” could not be applied: {}",
            step.map(|step| step.step_id.as_str()).unwrap_or_default(),
            failure.message
        );
        if may_lie_in_the_plan(failure.code) && self.may_retry() {
            self.tell(Message::new(
                Severity::Info,
                Origin::Host,
                failure.code,
                retry_text(&text),
            ));
            let finding = Finding::error(failure.code, format!("/steps/{index}"), failure.message);
            self.state.feedback = Some(Feedback::Refused {
                findings: vec![finding],
            });
            return self.enter(Phase::Restoring(Aftermath::Retry));
        }
        self.fail(Origin::Host, Failure::new(failure.code, text));
    }
}

/// Whether another plan can avoid a failure of Blender; not so one of the disk, of the artist's hand, or of a rule.
fn may_lie_in_the_plan(code: Code) -> bool {
    matches!(
        code,
        Code::BadName
            | Code::Cycle
            | Code::DuplicateId
            | Code::IllegalLink
            | Code::InvalidValue
            | Code::NonFiniteNumber
            | Code::ObjectHidden
            | Code::ObjectTypeUnsupported
            | Code::OutOfRange
            | Code::ScriptFailed
            | Code::TooDeep
            | Code::UnknownCollection
            | Code::UnknownModifier
            | Code::UnknownNode
            | Code::UnknownNodeGroup
            | Code::UnknownNodeType
            | Code::UnknownObject
            | Code::UnknownProperty
            | Code::UnknownSocket
            | Code::ZoneIncomplete
    )
}
