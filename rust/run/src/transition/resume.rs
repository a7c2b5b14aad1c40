//! Resuming a stored run in another process.
//!
//! A saved .blend contains nothing of an open transaction, since the host refuses to save during one. So the changes of such a run
//! are lost, and with them everything that was derived from them.

use geonode_protocol::{Code, Severity};

use super::Machine;
use crate::config::Config;
use crate::effect::{Effect, Message, Origin};
use crate::open_approval::Agreed;
use crate::outcome::{Aftermath, Outcome};
use crate::state::{Phase, State};

/// Greatest plausible counter of a stored state.
const MOST: u64 = 1 << 20;

/// The first state and effects of a run that is resumed in another process; `at` in Unix seconds.
///
/// - a run that has ended stays ended, one that has not begun has still to be started;
/// - a run that waited for the scene or the model waits for it again;
/// - a plan that was read is read, inspected and compiled again, so that everything follows from the present scene; the artist is asked
///   again unless question and scene are exactly as they were;
/// - a run that wrote in earlier turns starts again with its first turn, and a message says so.
///
/// # Errors
/// What is wrong with the state, if no run can have produced it.
pub fn resume(mut state: State, config: Config, at: f64) -> Result<(State, Vec<Effect>), &'static str> {
    let counters = [state.attempts, state.retried, state.iterations, state.rebased];
    if state.tasks > MOST || counters.iter().any(|count| u64::from(*count) > MOST) {
        return Err("its counters are implausibly large");
    }
    if state.finished() != state.outcome.is_some() {
        return Err("its state and its outcome contradict each other");
    }
    if state.phase != Phase::Idle {
        state.config = config;
    }
    let mut machine = Machine {
        state,
        effects: Vec::new(),
        at,
    };
    machine.restart();
    Ok((machine.state, machine.effects))
}

impl Machine {
    fn restart(&mut self) {
        if matches!(self.state.phase, Phase::Idle | Phase::Ended) {
            self.state.awaiting = None;
            return;
        }
        let earlier = self.wrote_earlier();
        let open = self.state.transaction;
        self.state.close();
        self.state.gates = None;
        match self.state.phase.clone() {
            Phase::Restoring(Aftermath::Stop(outcome)) => self.end(outcome),
            Phase::Beginning { cancelled: true } => self.end(Outcome::cancelled()),
            Phase::Restoring(Aftermath::Retry) => {
                self.forget_writes();
                self.retry();
            }
            _ if open && earlier => self.begin_again(),
            phase @ (Phase::Capturing | Phase::Generating) => self.enter(phase),
            // Tool results depend on the present scene: the model is asked once more.
            Phase::CallingTools | Phase::AwaitingToolApproval { .. } => self.enter(Phase::Generating),
            Phase::Idle
            | Phase::Ended
            | Phase::Checking
            | Phase::Inspecting(_)
            | Phase::Compiling
            | Phase::AwaitingApproval
            | Phase::DryRunning
            | Phase::Choosing
            | Phase::Beginning { cancelled: false }
            | Phase::Applying { .. }
            | Phase::Verifying
            | Phase::Judging
            | Phase::Committing => {
                self.forget_writes();
                self.enter(Phase::Checking);
            }
        }
    }

    /// Whether the open transaction covers more than the present plan writes.
    fn wrote_earlier(&self) -> bool {
        let writes = matches!(
            self.state.phase,
            Phase::Applying { .. } | Phase::Verifying | Phase::Judging | Phase::Committing
        );
        let wrote = self.state.plan.as_ref().is_some_and(|plan| !plan.steps.is_empty());
        !(writes && wrote && self.state.first_step == 0)
    }

    /// The earlier turns are lost: the model starts from the present scene.
    fn begin_again(&mut self) {
        self.forget_writes();
        self.state.plan = None;
        self.state.feedback = None;
        self.state.attempts = 1;
        self.state.retried = 0;
        self.state.iterations = 0;
        self.tell(Message::new(
            Severity::Warning,
            Origin::Run,
            Code::TurnsLost,
            "The results of earlier turns of this run were not in the saved file, so the run started again with its first turn.",
        ));
        self.enter(Phase::Capturing);
    }

    /// The artist approved. Parts that were left out are asked about again, since they are known by their place in this reply only; so is what
    /// may change anything in the file, since no fingerprint covers that.
    pub(super) fn agreed(&mut self, without: &[String]) {
        let base = self.state.base.clone();
        let request = self.state.approval.clone();
        let request = request.filter(|request| without.is_empty() && !request.writes_anything());
        self.state.agreed = request.map(|request| Agreed { base, request });
    }

    /// Whether exactly this was already approved for exactly this scene.
    pub(super) fn was_agreed(&self) -> bool {
        self.state.agreed.as_ref().is_some_and(|agreed| {
            agreed.base.is_some()
                && agreed.base == self.state.base
                && Some(&agreed.request) == self.state.approval.as_ref()
        })
    }
}
