//! What follows a plan whose evaluation would freeze Blender, by who is there to approve it.

use geonode_protocol::{Advice, Code, GateFinding, Severity};
use geonode_run::{
    Answer, Approve, Config, Effect, Event, EventKind, Feedback, Message, Notice, Origin, Phase, PlanInfo, State,
    StepInfo, Task, transition,
};
use serde_json::json;

const CAUSE: &str = "Subdivision Surface at Level 12 makes about 400 million vertices.";
const FIX: &str = "Level 6 stays under 5 million.";

struct Run {
    state: State,
    messages: Vec<Message>,
}

impl Run {
    /// A run up to the point where its plan is compiled.
    fn compiled(approve: Approve, direct: bool, retries: u32) -> Self {
        let mut run = Self {
            state: State::default(),
            messages: Vec::new(),
        };
        run.event(EventKind::Start {
            config: Config {
                retries,
                max_iterations: 3,
                approve,
            },
            label: "test".into(),
            direct,
        });
        if !direct {
            run.answer(Answer::Context);
        }
        run.compile();
        run
    }

    fn compile(&mut self) {
        if self.state.phase == Phase::Generating {
            self.answer(Answer::Generated);
        }
        self.answer(Answer::Checked {
            plan: Some(PlanInfo {
                steps: vec![StepInfo {
                    step_id: "s".into(),
                    action_type: "NODE_TREE".into(),
                }],
                done: true,
                final_message: String::new(),
                objects: Vec::new(),
                trees: Vec::new(),
                wants_context: false,
            }),
            findings: Vec::new(),
        });
        self.answer(Answer::Inspected {
            fingerprint: "1".into(),
            conflict: None,
        });
        assert_eq!(self.state.phase, Phase::Compiling);
        self.answer(Answer::Compiled {
            findings: Vec::new(),
            steps: None,
            objects: Vec::new(),
            trees: Vec::new(),
            approval: Some(serde_json::from_value(json!({"reason": CAUSE})).unwrap()),
            confirm: false,
            risk: Some(Box::new(GateFinding {
                path: None,
                gate: Code::BlowupRisk,
                code: Code::BlowupRisk,
                severity: Severity::Error,
                node_id: Some("sub".into()),
                socket: Some("Level".into()),
                cause: CAUSE.into(),
                fix: Some(FIX.into()),
            })),
        });
    }

    fn answer(&mut self, answer: Answer) {
        let id = self.state.awaiting.unwrap();
        self.event(EventKind::Answered { id, answer });
    }

    fn event(&mut self, kind: EventKind) {
        let (state, effects) = transition(std::mem::take(&mut self.state), Event { at: 1.0, kind });
        self.state = state;
        self.messages
            .extend(effects.into_iter().filter_map(|effect| match effect {
                Effect::Tell(Notice::Message(message)) => Some(message),
                _ => None,
            }));
    }

    /// The warning of the gate, exactly once.
    fn warned(&self) {
        let warnings: Vec<_> = self.messages.iter().filter(|m| m.code == Code::BlowupRisk).collect();
        let [warning] = warnings.as_slice() else {
            panic!("{warnings:?}")
        };
        assert_eq!((warning.origin, warning.severity), (Origin::Gates, Severity::Warning));
        assert_eq!((warning.text.as_str(), warning.hint.as_deref()), (CAUSE, Some(FIX)));
    }
}

#[test]
fn without_an_artist_a_plan_given_directly_ends_the_run() {
    let run = Run::compiled(Approve::None, true, 2);
    assert!(run.state.finished() && !run.state.transaction);
    assert_eq!(run.state.outcome.as_ref().unwrap().code, Some(Code::ApprovalRequired));
    let gates = run.state.gates.as_ref().unwrap();
    assert!(!gates.success);
    assert_eq!(gates.failed_gates, [Code::BlowupRisk]);
    run.warned();
}

#[test]
fn without_an_artist_the_model_is_first_told_what_to_change() {
    let mut run = Run::compiled(Approve::None, false, 1);
    assert_eq!((run.state.phase.clone(), run.state.attempts), (Phase::Generating, 2));
    let Some(Task::Generate { feedback, .. }) = run.state.task() else {
        panic!("{:?}", run.state.phase)
    };
    let Some(Feedback::Refused { findings }) = feedback else {
        panic!("{feedback:?}")
    };
    let [finding] = findings.as_slice() else {
        panic!("{findings:?}")
    };
    assert!(finding.is_error() && finding.code == Code::BlowupRisk);
    assert_eq!(
        (finding.message.as_str(), finding.hint.as_ref().map(Advice::as_str)),
        (CAUSE, Some(FIX))
    );
    run.messages.clear();
    run.compile();
    assert_eq!(run.state.outcome.as_ref().unwrap().code, Some(Code::ApprovalRequired));
    run.warned();
}

#[test]
fn the_artist_is_asked_about_a_risk() {
    let run = Run::compiled(Approve::Ask, false, 2);
    assert_eq!(run.state.phase, Phase::AwaitingApproval);
    run.warned();
}

#[test]
fn a_plan_approved_beforehand_is_applied() {
    let run = Run::compiled(Approve::All, true, 2);
    assert_eq!(run.state.phase, Phase::Beginning { cancelled: false });
    run.warned();
}
