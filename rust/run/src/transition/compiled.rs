//! From the compiled plan to the open transaction: risk, approval, begin.

use geonode_protocol::{Advice, Code, Envelope, Finding, GateFinding, Severity};

use super::Machine;
use crate::approval::ApprovalRequest;
use crate::config::Approve;
use crate::effect::{Message, Origin};
use crate::event::Failure;
use crate::open_approval::OpenRequest;
use crate::outcome::Outcome;
use crate::state::Phase;

impl Machine {
    pub(super) fn compiled(
        &mut self,
        findings: Vec<Finding>,
        (approval, confirm): (Option<Box<ApprovalRequest>>, bool),
        risk: Option<Box<GateFinding>>,
    ) {
        if findings.iter().any(|f| f.severity == Severity::Error) {
            return self.refused(Origin::Preflight, findings);
        }
        // The model is told once and decides; it may be intended.
        if self.state.doubted.is_none() && self.may_retry() && findings.iter().any(|f| f.code == Code::UnlinkedGeometry)
        {
            self.state.doubted = Some(self.state.attempts);
            return self.refused(Origin::Preflight, findings);
        }
        let alone = self.state.config.approve == Approve::None;
        if let Some(risk) = risk {
            // Nobody is there to approve it: the model is first told what to change.
            if alone && self.may_retry() {
                return self.refused(Origin::Gates, vec![risk_finding(&risk)]);
            }
            let mut message = Message::new(Severity::Warning, Origin::Gates, risk.gate, &risk.cause);
            message.hint.clone_from(&risk.fix);
            message.path.clone_from(&risk.path);
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
            (None, _) => self.begin(),
            (Some(request), Approve::All) if !confirm && request.requires_trial() => self.try_unattended(),
            (Some(_), Approve::All) if !confirm => self.begin(),
            (Some(_), Approve::Ask) if !confirm && self.was_agreed() => self.begin(),
            (Some(_), Approve::Ask) => {
                self.state.open_request = OpenRequest {
                    times: self.state.open_request.times,
                    ..OpenRequest::default()
                };
                self.ask();
            }
            (Some(request), Approve::None | Approve::All) => {
                let reason = match request.reason.as_str() {
                    "" => "The plan asks for approval.",
                    reason => reason,
                };
                let text = format!("The plan needs approval, and nobody is there to give it. {reason}");
                let path = request.asked_step();
                self.fail_at(path, Origin::Run, Failure::new(Code::ApprovalRequired, text));
            }
        }
    }

    /// Opens the transaction, extends it when the plan reaches further, or goes straight to the first step.
    pub(super) fn begin(&mut self) {
        let state = &self.state;
        let held = state.whole || !state.wants_whole();
        let covered =
            held && state.wanted_objects.is_subset(&state.objects) && state.wanted_trees.is_subset(&state.trees);
        if state.transaction && covered {
            self.open_steps();
        } else {
            self.enter(Phase::Beginning { cancelled: false });
        }
    }

    pub(super) fn begun(&mut self, cancelled: bool) {
        self.state.transaction = true;
        self.state.whole |= self.state.wants_whole();
        self.state.rebased = 0;
        if cancelled {
            return self.stop(Outcome::cancelled());
        }
        let (objects, trees) = (self.state.wanted_objects.clone(), self.state.wanted_trees.clone());
        self.state.objects.extend(objects);
        self.state.trees.extend(trees);
        self.open_steps();
    }
}

/// Feedback to the model about a plan that costs too much.
fn risk_finding(risk: &GateFinding) -> Finding {
    let mut finding = Finding::error(risk.gate, risk.path.as_deref().unwrap_or("/steps"), &risk.cause);
    finding.hint = risk.fix.clone().map(Advice::from);
    finding
}
