//! The transition function: which event leads where. The modules contain the effect of each event.

mod approval;
mod compiled;
mod ending;
mod planning;
mod resume;
mod steps;
mod tools;
mod verdict;

use geonode_protocol::{Code, Finding};
use serde_json::json;

use crate::effect::{Effect, Message, Notice, Origin, Purpose};
use crate::event::{Answer, Event, EventKind, Failure};
use crate::outcome::Outcome;
use crate::records::StepStatus;
use crate::state::{Phase, State};

pub use resume::resume;

/// What follows `event` in `state`: the next state, and the orders to the driver.
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

/// The working state of one call of [`transition`].
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
            EventKind::Approved { id, without } if self.asks(id) => self.approved(without),
            EventKind::Rejected { id, words } if self.asks(id) => self.rejected(words),
            EventKind::DryRun { id, without } if Some(id) == awaited && self.asks(id) => self.try_out(without),
            EventKind::Approved { id, .. } if Some(id) == awaited => self.tool_decided(None),
            EventKind::Rejected { id, words } if Some(id) == awaited => {
                self.tool_decided(Some(words.unwrap_or_default()));
            }
            EventKind::Cancel => self.cancel(),
            // Late or misplaced: the run has moved on.
            EventKind::Start { .. }
            | EventKind::Refuse(_)
            | EventKind::Answered { .. }
            | EventKind::Failed { .. }
            | EventKind::Approved { .. }
            | EventKind::Rejected { .. }
            | EventKind::DryRun { .. } => {}
        }
    }

    /// The awaited task was carried out.
    fn answered(&mut self, answer: Answer) {
        match (self.state.phase.clone(), answer) {
            (Phase::Capturing, Answer::Context) => self.enter(Phase::Generating),
            (Phase::Generating, Answer::Generated) => {
                self.state.agreed = None;
                self.enter(Phase::Checking);
            }
            (Phase::Generating, Answer::ToolCalls { asks }) => self.tools_wanted(asks),
            (Phase::CallingTools, Answer::Called) => self.tools_called(),
            (Phase::Checking, Answer::Checked { plan, findings }) => self.checked(plan, findings),
            (Phase::Inspecting(purpose), Answer::Inspected { fingerprint, conflict }) => {
                self.inspected(purpose, fingerprint, conflict);
            }
            (
                Phase::Compiling,
                Answer::Compiled {
                    findings,
                    steps,
                    objects,
                    trees,
                    approval,
                    confirm,
                    risk,
                },
            ) => {
                self.state.wanted_objects = objects.into_iter().collect();
                self.state.wanted_trees = trees.into_iter().collect();
                if let (Some(plan), Some(steps)) = (&mut self.state.plan, steps) {
                    plan.steps = steps;
                }
                self.compiled(findings, (approval, confirm), risk);
            }
            (Phase::DryRunning, Answer::DryRun { result }) => self.tried(result),
            (
                Phase::Choosing,
                Answer::Chosen {
                    plan,
                    findings,
                    objects,
                    trees,
                    reason,
                },
            ) => self.chosen(plan, findings, (objects, trees), reason),
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
                self.state.close();
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
            Phase::Checking if failure.code == Code::ContentRefused => self.fail(Origin::Provider, failure),
            Phase::Generating => self.fail(origin_of(failure.code), failure),
            Phase::CallingTools => self.fail(Origin::Tools, failure),
            // A dry run that fails does not affect the run.
            Phase::DryRunning => {
                self.tried(json!({"ok": false, "tried": false, "code": failure.code, "text": failure.message}));
            }
            Phase::Beginning { cancelled: false } if failure.code == Code::StaleBase && self.may_rebase() => {
                // Edited between inspection and first write: the plan is compiled again for the present state.
                self.state.rebased += 1;
                self.enter(Phase::Inspecting(Purpose::Plan));
            }
            Phase::Beginning { cancelled } => {
                // A transaction that did not open leaves nothing to restore; one that could not be extended does.
                if cancelled {
                    self.stop(Outcome::cancelled());
                } else {
                    self.fail(Origin::Host, failure);
                }
            }
            Phase::Applying { index } => self.step_failed(index, failure),
            Phase::Restoring(_) => {
                let text = format!("Undoing the run failed: {} {RESTORE_FIX}", failure.message);
                self.state.close();
                self.fail(Origin::Host, Failure::new(Code::RestoreFailed, text));
            }
            Phase::Idle | Phase::Ended => {}
            Phase::Checking
            | Phase::Compiling
            | Phase::AwaitingApproval
            | Phase::AwaitingToolApproval { .. }
            | Phase::Choosing
            | Phase::Judging => {
                self.fail(Origin::Run, failure);
            }
        }
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

/// The origin of a missing reply: the run itself when its budget is used up.
fn origin_of(code: Code) -> Origin {
    match code {
        Code::TokenLimit | Code::CostLimit | Code::RunTimeout => Origin::Run,
        _ => Origin::Provider,
    }
}

pub(super) const RESTORE_FIX: &str = "Undo once (Ctrl+Z), or reload the file, before you go on.";

pub(super) fn retry_text(cause: &str) -> String {
    format!("{cause} The model was asked again.")
}
