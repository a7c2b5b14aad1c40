//! The steps and their records.

use super::Machine;
use crate::effect::{Effect, Notice};
use crate::event::Failure;
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
}
