//! A link that looks forgotten: whoever made the plan is asked once, and may mean it so; the artist hears of it.

use geonode_protocol::{Change, Code, Finding, Hint};
use geonode_run::{
    Answer, Approve, Config, Effect, Event, EventKind, Feedback, Message, Notice, Phase, PlanInfo, State, StepInfo,
    Task, transition,
};
use serde_json::json;

struct Run {
    state: State,
    messages: Vec<Message>,
    told: Vec<Feedback>,
}

impl Run {
    fn new(direct: bool, retries: u32) -> Self {
        let mut run = Self {
            state: State::default(),
            messages: Vec::new(),
            told: Vec::new(),
        };
        let config = Config {
            retries,
            max_iterations: 3,
            approve: Approve::All,
        };
        let label = "test".into();
        run.event(EventKind::Start { config, label, direct });
        if !direct {
            run.answer(Answer::Context);
        }
        run
    }

    /// A plan arrives and is compiled, with the doubt.
    fn compile(&mut self) {
        if self.state.phase == Phase::Generating {
            self.answer(Answer::Generated);
        }
        let step = StepInfo {
            step_id: "s".into(),
            action_type: "NODE_TREE".into(),
        };
        self.answer(Answer::Checked {
            plan: Some(PlanInfo {
                steps: vec![step],
                done: true,
                final_message: String::new(),
                objects: Vec::new(),
                trees: Vec::new(),
                wants_context: false,
            }),
            findings: Vec::new(),
        });
        let fingerprint = "1".into();
        self.answer(Answer::Inspected {
            fingerprint,
            conflict: None,
        });
        self.answer(Answer::Compiled {
            findings: vec![doubt()],
            steps: None,
            objects: Vec::new(),
            trees: Vec::new(),
            approval: None,
            confirm: false,
            risk: None,
        });
    }

    fn answer(&mut self, answer: Answer) {
        let id = self.state.awaiting.unwrap();
        self.event(EventKind::Answered { id, answer });
    }

    fn event(&mut self, kind: EventKind) {
        let (state, effects) = transition(std::mem::take(&mut self.state), Event { at: 1.0, kind });
        self.state = state;
        for effect in effects {
            match effect {
                Effect::Tell(Notice::Message(message)) => self.messages.push(message),
                Effect::Do {
                    task: Task::Generate { feedback, .. },
                    ..
                } => self.told.extend(feedback),
                _ => {}
            }
        }
    }
}

fn doubt() -> Finding {
    let link = json!({"op": "link"});
    Finding::warning(Code::UnlinkedGeometry, "/steps/0", "The box goes nowhere.").hint(Hint::change(
        "Link it.",
        Change::add("/steps/0/payload/operations/-", link),
    ))
}

#[test]
fn the_model_receives_the_doubt_with_the_change_and_decides() {
    let mut run = Run::new(false, 2);
    run.compile();
    assert_eq!(run.state.phase, Phase::Generating);
    let [Feedback::Refused { findings }] = run.told.as_slice() else {
        panic!("{:?}", run.told)
    };
    assert_eq!(findings, &[doubt()]);
    // It says the same again: that is meant.
    run.compile();
    assert!(
        matches!(run.state.phase, Phase::Beginning { .. }),
        "{:?}",
        run.state.phase
    );
    let [message] = run.messages.as_slice() else {
        panic!("{:?}", run.messages)
    };
    assert_eq!(
        (message.code, &message.changes),
        (Code::UnlinkedGeometry, &doubt().changes)
    );
}

#[test]
fn a_plan_given_directly_only_warns_the_artist() {
    for mut run in [Run::new(true, 2), Run::new(false, 0)] {
        run.compile();
        assert!(
            matches!(run.state.phase, Phase::Beginning { .. }),
            "{:?}",
            run.state.phase
        );
        assert!(run.told.is_empty());
        assert_eq!(run.messages.len(), 1);
    }
}
