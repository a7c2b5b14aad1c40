//! A script is approved only after its trial, by whom ever.

use geonode_protocol::Code;
use geonode_run::{
    Answer, Approve, Config, Event, EventKind, Failure, Phase, PlanInfo, State, StepInfo, Task, transition,
};
use serde_json::{Value, json};

struct Run(State);

impl Run {
    /// A run whose plan with a script was compiled; its trial is required.
    fn compiled(approve: Approve, offer: &Value) -> Self {
        Self::planned(approve, offer, true)
    }

    /// As `compiled`; `direct`: without a model.
    fn planned(approve: Approve, offer: &Value, direct: bool) -> Self {
        let mut run = Self(State::default());
        let config = Config {
            retries: 1,
            max_iterations: 3,
            approve,
        };
        run.event(EventKind::Start {
            config,
            label: "test".into(),
            direct,
        });
        if !direct {
            // The context, then the model's plan.
            run.0.phase = Phase::Checking;
        }
        run.answer(Answer::Checked {
            plan: Some(PlanInfo {
                steps: vec![StepInfo {
                    step_id: "s".into(),
                    action_type: "PYTHON".into(),
                }],
                done: true,
                final_message: String::new(),
                objects: Vec::new(),
                trees: Vec::new(),
                wants_context: false,
            }),
            findings: Vec::new(),
        });
        run.inspected();
        let steps = json!([{"id": "/steps/0", "action_type": "PYTHON"}]);
        run.answer(Answer::Compiled {
            findings: Vec::new(),
            steps: None,
            objects: Vec::new(),
            trees: Vec::new(),
            approval: Some(serde_json::from_value(json!({"reason": "r", "steps": steps, "dry_run": offer})).unwrap()),
            confirm: false,
            risk: None,
        });
        run
    }

    fn event(&mut self, kind: EventKind) {
        self.0 = transition(std::mem::take(&mut self.0), Event { at: 1.0, kind }).0;
    }

    fn answer(&mut self, answer: Answer) {
        let id = self.0.awaiting.unwrap();
        self.event(EventKind::Answered { id, answer });
    }

    fn inspected(&mut self) {
        self.answer(Answer::Inspected {
            fingerprint: "1".into(),
            conflict: None,
        });
    }

    fn tried(&mut self, result: Value) {
        assert_eq!(self.0.phase, Phase::DryRunning);
        self.answer(Answer::DryRun { result });
    }

    fn approve(&mut self, without: &[&str]) {
        let id = self.question();
        let without = without.iter().map(|id| (*id).to_owned()).collect();
        self.event(EventKind::Approved { id, without });
    }

    /// Number of the open question, which stays open while it is tried.
    fn question(&self) -> u64 {
        let awaiting = self.0.awaiting.unwrap();
        if self.0.phase == Phase::DryRunning {
            awaiting - 1
        } else {
            awaiting
        }
    }

    /// The findings of the open question.
    fn findings(&self) -> Vec<Code> {
        let Some(Task::AskApproval { request }) = self.0.task() else {
            panic!("{:?}", self.0.phase)
        };
        request.findings.iter().map(|finding| finding.code).collect()
    }

    fn begins(&mut self) -> bool {
        if self.0.phase == (Phase::Inspecting(geonode_run::Purpose::Approved)) {
            self.inspected();
        }
        matches!(self.0.phase, Phase::Beginning { .. })
    }
}

fn required() -> Value {
    json!({"available": true, "required": true})
}

#[test]
fn an_approval_before_the_trial_begins_the_trial() {
    let mut run = Run::compiled(Approve::Ask, &required());
    assert_eq!(run.0.phase, Phase::AwaitingApproval);
    run.approve(&[]);
    assert_eq!(run.0.phase, Phase::DryRunning);
    // Again while it is under way: nothing happens.
    let before = run.0.clone();
    run.approve(&[]);
    assert_eq!(run.0, before);
    run.tried(json!({"ok": true}));
    assert_eq!(run.0.phase, Phase::AwaitingApproval);
    run.approve(&[]);
    assert!(run.begins());
}

#[test]
fn a_failed_trial_cannot_be_approved() {
    let mut run = Run::compiled(Approve::Ask, &required());
    run.approve(&[]);
    run.tried(json!({"ok": false, "code": "dry_run_crashed", "text": "It crashed."}));
    assert_eq!(run.0.phase, Phase::AwaitingApproval);
    assert_eq!(run.findings(), [Code::TrialFailed]);
    let mut insisting = Run(run.0.clone());
    insisting.approve(&[]);
    let outcome = insisting.0.outcome.as_ref().unwrap();
    assert_eq!(outcome.code, Some(Code::TrialFailed), "approved nevertheless, it ends");
    assert!(!insisting.0.transaction);
    // A trial of something else opens the approval of that, and of nothing more.
    run.approve(&["/steps/0"]);
    run.tried(json!({"ok": true}));
    run.approve(&[]);
    assert_eq!(run.0.phase, Phase::DryRunning);
    let id = run.question();
    run.event(EventKind::Rejected { id, words: None });
    assert_eq!(run.0.outcome.as_ref().unwrap().code, Some(Code::UserRejected));
    assert!(!run.0.transaction);
}

#[test]
fn without_a_sandbox_the_artist_decides() {
    let mut run = Run::compiled(Approve::Ask, &required());
    run.approve(&[]);
    let id = run.0.awaiting.unwrap();
    let failure = Failure::new(Code::SandboxUnavailable, "no sandbox");
    run.event(EventKind::Failed { id, failure });
    assert_eq!(run.0.phase, Phase::AwaitingApproval);
    run.approve(&[]);
    assert!(run.begins());
    let mut run = Run::compiled(Approve::Ask, &json!({"available": false, "required": true, "why": "w"}));
    run.approve(&[]);
    assert!(run.begins());
}

#[test]
fn an_unattended_script_runs_only_after_a_passed_trial() {
    let mut run = Run::compiled(Approve::All, &required());
    run.tried(json!({"ok": true}));
    assert!(run.begins());
    let refused = |run: &Run| {
        let outcome = run.0.outcome.as_ref().unwrap();
        assert_eq!(outcome.code, Some(Code::TrialFailed), "{outcome:?}");
        assert!(!run.0.transaction && run.0.approvals.is_empty());
    };
    for result in [
        json!({"ok": false, "text": "It crashed."}),
        json!({"text": "?"}),
        json!({"ok": "yes"}),
    ] {
        let mut run = Run::compiled(Approve::All, &required());
        run.tried(result);
        refused(&run);
    }
    let mut run = Run::compiled(Approve::All, &required());
    let id = run.0.awaiting.unwrap();
    let failure = Failure::new(Code::SandboxUnavailable, "no sandbox");
    run.event(EventKind::Failed { id, failure });
    refused(&run);
    refused(&Run::compiled(
        Approve::All,
        &json!({"available": false, "required": true, "why": "w"}),
    ));
    // Not required: as before.
    assert!(Run::compiled(Approve::All, &json!({"available": true})).begins());
}

#[test]
fn a_cancel_ends_an_unattended_trial_and_is_no_answer() {
    let mut run = Run::compiled(Approve::All, &required());
    run.event(EventKind::Cancel);
    assert_eq!(run.0.outcome.as_ref().unwrap().code, Some(Code::Cancelled));
    assert!(run.0.finished() && run.0.approvals.is_empty());
}

#[test]
fn a_failed_trial_goes_back_to_the_model_while_it_may_be_asked() {
    for approve in [Approve::Ask, Approve::All] {
        let mut run = Run::planned(approve, &required(), false);
        if approve == Approve::Ask {
            run.approve(&[]);
        }
        run.tried(json!({"ok": false, "code": "script_failed", "text": "Line 3: KeyError."}));
        assert_eq!(run.0.phase, Phase::Generating);
        let state = serde_json::to_value(&run.0).unwrap();
        let feedback = state["feedback"].to_string();
        assert!(
            feedback.contains("trial_failed") && feedback.contains("Line 3: KeyError"),
            "{feedback}"
        );
        assert!(state["approval"].is_null() && run.0.approvals.is_empty());
    }
}

#[test]
fn what_is_nothing_to_mend_does_not_go_back() {
    for code in ["cancelled", "sandbox_breach"] {
        let mut run = Run::planned(Approve::Ask, &required(), false);
        run.approve(&[]);
        run.tried(json!({"ok": false, "code": code, "text": "x"}));
        assert_eq!(run.0.phase, Phase::AwaitingApproval);
    }
    let mut run = Run::planned(Approve::Ask, &required(), false);
    let mut state = serde_json::to_value(&run.0).unwrap();
    state["retried"] = json!(1);
    run.0 = serde_json::from_value(state).unwrap();
    run.approve(&[]);
    run.tried(json!({"ok": false, "code": "script_failed", "text": "x"}));
    assert_eq!(run.0.phase, Phase::AwaitingApproval);
}
