//! Selects the events of a run that are recorded.

use std::collections::BTreeSet;

use geonode_protocol::{Code, Severity};
use geonode_run::{Answer, ApprovalRequest, EventKind, Message, Origin, State, Task};

use super::event::{Asked, Event};
use super::recorder::{record, trouble};

/// Observes a run.
#[derive(Debug, Default)]
pub struct Watcher {
    /// The subject of the open request.
    asked: Asked,
    /// How many answers are recorded.
    answers: usize,
    /// Rules that this run has already broken; each is recorded once.
    refused: BTreeSet<Code>,
    /// Whether the artist was warned that the log accepts no entries.
    warned: bool,
}

impl Watcher {
    /// Observes a resumed run, whose earlier answers another process has recorded.
    pub fn resumed(state: &State) -> Self {
        Self {
            answers: state.approvals.len(),
            ..Self::default()
        }
    }

    /// Called when a task begins.
    pub fn begin(&mut self, task: &Task) {
        if let Task::AskApproval { request } = task {
            self.asked = subject(request);
        }
    }

    /// Called when an event reaches the machine.
    pub fn observe(&mut self, event: &EventKind) {
        match event {
            EventKind::Answered {
                answer:
                    Answer::Checked { findings, .. } | Answer::Compiled { findings, .. } | Answer::Chosen { findings, .. },
                ..
            } => self.refuse(
                findings
                    .iter()
                    .filter(|finding| finding.is_error())
                    .map(|finding| finding.code),
            ),
            EventKind::Failed { failure, .. } | EventKind::Refuse(failure) => self.refuse([failure.code]),
            EventKind::Answered {
                answer:
                    Answer::Context
                    | Answer::Generated
                    | Answer::ToolCalls { .. }
                    | Answer::Called
                    | Answer::Inspected { .. }
                    | Answer::DryRun { .. }
                    | Answer::Begun
                    | Answer::Applied { .. }
                    | Answer::Evidence
                    | Answer::Judged { .. }
                    | Answer::Restored { .. }
                    | Answer::Committed,
                ..
            }
            | EventKind::Start { .. }
            | EventKind::Approved { .. }
            | EventKind::Rejected { .. }
            | EventKind::DryRun { .. }
            | EventKind::Cancel => {}
        }
    }

    /// Called when the machine sends a message.
    pub fn observe_message(&mut self, message: &Message) {
        if message.severity == Severity::Error {
            self.refuse([message.code]);
        }
    }

    /// Called after each step of the machine. Returns a warning about the log, at most once.
    pub fn advance(&mut self, state: &State) -> Option<Message> {
        for answer in state.approvals.iter().skip(self.answers) {
            record(Event::Approval {
                decision: answer.decision,
                asked: self.asked.clone(),
                left_out: answer.without.len(),
            });
        }
        self.answers = state.approvals.len();
        if self.warned {
            return None;
        }
        let error = trouble()?;
        self.warned = true;
        Some(Message::new(
            Severity::Warning,
            Origin::Run,
            error.code(),
            error.to_string(),
        ))
    }

    fn refuse(&mut self, codes: impl IntoIterator<Item = Code>) {
        let codes: BTreeSet<Code> = codes.into_iter().filter(|code| code.is_policy()).collect();
        let new: Vec<Code> = codes.difference(&self.refused).copied().collect();
        self.refused.extend(codes);
        if !new.is_empty() {
            record(Event::Refused {
                codes: new,
                left_out: 0,
            });
        }
    }
}

/// Calls of tools that were refused by a rule.
pub fn refused_calls(codes: impl IntoIterator<Item = Code>) {
    let codes: BTreeSet<Code> = codes.into_iter().filter(|code| code.is_policy()).collect();
    if !codes.is_empty() {
        record(Event::Refused {
            codes: codes.into_iter().collect(),
            left_out: 0,
        });
    }
}

fn subject(request: &ApprovalRequest) -> Asked {
    Asked {
        steps: request.steps.iter().map(|step| step.action_type.clone()).collect(),
        destructive: request.steps.iter().any(|step| step.destructive),
        tool: request.tool.as_ref().map(|tool| tool.id.clone()),
    }
}
