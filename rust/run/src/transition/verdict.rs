//! After the last step: the gates' verdict, and what follows a restore.

use geonode_protocol::{Code, Envelope, GateFinding, Severity};

use super::{Machine, RESTORE_FIX, retry_text};
use crate::effect::{Message, Origin, Purpose};
use crate::event::Failure;
use crate::feedback::Feedback;
use crate::outcome::Aftermath;
use crate::state::Phase;

/// What is hardly meant, although Blender takes it and the result passes.
const DOUBTS: [Code; 13] = [
    Code::DefaultNotApplied,
    Code::Degrees,
    Code::DirectionAsRotation,
    Code::EmptyInstances,
    Code::InactiveInput,
    Code::InsideInstances,
    Code::ItemNotSet,
    Code::LostMaterial,
    Code::NoProfile,
    Code::NothingSelected,
    Code::SecondModifier,
    Code::Unchanged,
    Code::WholeCollection,
];

/// What fails, unless the model was told of it and means it: what the artist will add later, a collection or an attribute.
const CONFIRMED: [Code; 2] = [Code::EmptyInstances, Code::MissingAttribute];

/// The codes of what fails.
fn failing(envelope: &Envelope) -> impl Iterator<Item = Code> {
    let failed = envelope
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error && envelope.failed_gates.contains(&finding.gate));
    failed.map(|finding| finding.code)
}

impl Machine {
    /// Lets pass what the model was told of before and means all the same; the artist is warned.
    fn confirmed(&self, mut envelope: Envelope) -> Envelope {
        let fails: Vec<Code> = failing(&envelope).collect();
        let is_known = |code: &Code| CONFIRMED.contains(code) && self.state.told_of.contains(code);
        if fails.is_empty() || !fails.iter().all(is_known) {
            return envelope;
        }
        for finding in &mut envelope.findings {
            finding.severity = finding.severity.max(Severity::Warning);
        }
        envelope.failed_gates.clear();
        envelope.messages.clear();
        envelope.success = true;
        envelope
    }

    pub(super) fn judged(&mut self, envelope: Envelope) {
        let envelope = self.confirmed(envelope);
        self.state.gates = Some(envelope.clone());
        let done = self.state.direct || self.state.plan.as_ref().is_some_and(|plan| plan.done);
        if !done {
            // Incomplete trees often fail gates; the verdict only informs the next turn.
            self.state.feedback = Some(Feedback::Progress { envelope });
            return self.enter(Phase::Inspecting(Purpose::Baseline));
        }
        // The model is told once and decides; it may be intended. What the artist approved is not planned anew.
        let told = &self.state.told_of;
        let is_doubt = |found: &GateFinding| {
            found.severity == Severity::Warning && DOUBTS.contains(&found.code) && !told.contains(&found.code)
        };
        let doubtful = envelope.success && envelope.findings.iter().any(is_doubt);
        if doubtful && self.state.doubted.is_none() && self.state.approvals.is_empty() && self.may_retry() {
            self.state.doubted = Some(self.state.attempts);
            self.state.feedback = Some(Feedback::GatesFailed { envelope });
            return self.enter(Phase::Restoring(Aftermath::Retry));
        }
        // A finding of a gate that passed only says what Blender cannot report.
        let (failed, unsaid): (Vec<_>, Vec<_>) = envelope
            .findings
            .iter()
            .partition(|finding| finding.severity == Severity::Error && envelope.failed_gates.contains(&finding.gate));
        for finding in unsaid {
            // Missing data is information; everything else is a warning.
            let severity = if finding.code == Code::NotAvailable {
                Severity::Info
            } else {
                finding.severity.max(Severity::Warning)
            };
            self.tell(Message::from_gate(severity, finding.code, finding));
        }
        if envelope.success {
            return self.enter(Phase::Committing);
        }
        if self.may_retry() {
            for finding in failed {
                let text = retry_text(&finding.cause);
                self.tell(Message {
                    path: finding.path.clone(),
                    ..Message::new(Severity::Info, Origin::Gates, finding.gate, text)
                });
            }
            self.state.told_of = failing(&envelope).collect();
            self.state.feedback = Some(Feedback::GatesFailed { envelope });
            return self.enter(Phase::Restoring(Aftermath::Retry));
        }
        for finding in failed {
            self.tell(Message::from_gate(Severity::Error, finding.gate, finding));
        }
        let why = envelope.messages.first().cloned().unwrap_or_default();
        let text = format!("The result did not pass its checks, so everything was undone. {why}");
        let mut failing = envelope
            .findings
            .iter()
            .filter(|found| found.severity == Severity::Error);
        let path = failing.find_map(|finding| finding.path.clone());
        self.fail_at(path, Origin::Gates, Failure::new(Code::GateFailed, text.trim_end()));
    }

    pub(super) fn restored(&mut self, then: Aftermath, equal: bool) {
        self.state.close();
        if !equal {
            let text = format!("After the run was undone, something still differs from before. {RESTORE_FIX}");
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

    /// After a restore the run is in the state before its first write.
    pub(super) fn forget_writes(&mut self) {
        self.state.steps.clear();
        self.state.first_step = 0;
        self.state.objects.clear();
        self.state.trees.clear();
        self.state.baseline = None;
    }
}
