//! Plans that say nothing go back to whoever made them.

use geonode_protocol::Code;
use geonode_run::{
    Answer, Approve, Config, Event, EventKind, Failure, Feedback, PlanInfo, State, StepInfo, Task, transition,
};

fn after(state: State, kind: EventKind) -> State {
    transition(state, Event { at: 0.0, kind }).0
}

#[test]
fn an_empty_plan_that_is_not_done_is_refused() {
    let config = Config {
        retries: 1,
        max_iterations: 3,
        approve: Approve::None,
    };
    let start = EventKind::Start {
        config,
        label: "test".into(),
        direct: false,
    };
    let mut state = after(State::default(), start);
    let empty = PlanInfo {
        steps: Vec::new(),
        done: false,
        final_message: String::new(),
        objects: Vec::new(),
        trees: Vec::new(),
        wants_context: false,
    };
    let checked = Answer::Checked {
        plan: Some(empty),
        findings: Vec::new(),
    };
    for answer in [Answer::Context, Answer::Generated, checked] {
        let id = state.awaiting.unwrap();
        state = after(state, EventKind::Answered { id, answer });
    }
    let Some(Task::Generate {
        feedback: Some(Feedback::Refused { findings }),
        ..
    }) = state.task()
    else {
        panic!("{:?}", state.phase)
    };
    assert!(
        findings.iter().any(|finding| finding.code == Code::EmptyPlan),
        "{findings:?}"
    );
}

/// A run whose only step Blender refuses: what became of it, and what the next request says.
fn refused_by_blender(code: Code, retries: u32) -> State {
    let config = Config {
        retries,
        max_iterations: 3,
        approve: Approve::All,
    };
    let start = EventKind::Start {
        config,
        label: "test".into(),
        direct: false,
    };
    let plan = PlanInfo {
        steps: vec![StepInfo {
            step_id: "s".into(),
            action_type: "NODE_TREE".into(),
        }],
        done: true,
        final_message: String::new(),
        objects: Vec::new(),
        trees: vec!["T".into()],
        wants_context: false,
    };
    let (findings, steps) = (Vec::new, None);
    let mut state = after(State::default(), start);
    for answer in [
        Answer::Context,
        Answer::Generated,
        Answer::Checked {
            plan: Some(plan),
            findings: findings(),
        },
        Answer::Inspected {
            fingerprint: "1".into(),
            conflict: None,
        },
        Answer::Compiled {
            findings: findings(),
            steps,
            objects: Vec::new(),
            trees: vec!["T".into()],
            approval: None,
            confirm: false,
            risk: None,
        },
        Answer::Begun,
    ] {
        let id = state.awaiting.unwrap();
        state = after(state, EventKind::Answered { id, answer });
    }
    assert!(
        matches!(state.task(), Some(Task::ApplyStep { .. })),
        "{:?}",
        state.phase
    );
    let failure = Failure::new(code, "The menu has no entry.");
    let id = state.awaiting.unwrap();
    state = after(state, EventKind::Failed { id, failure });
    assert!(matches!(state.task(), Some(Task::Restore)), "{:?}", state.phase);
    let id = state.awaiting.unwrap();
    let answer = Answer::Restored { equal: true };
    after(state, EventKind::Answered { id, answer })
}

#[test]
fn what_blender_refuses_goes_back_to_the_model() {
    let state = refused_by_blender(Code::InvalidValue, 1);
    let Some(Task::Generate {
        feedback: Some(Feedback::Refused { findings }),
        ..
    }) = state.task()
    else {
        panic!("{:?}", state.phase)
    };
    assert_eq!(findings[0].path, "/steps/0");
    assert_eq!(findings[0].message, "The menu has no entry.");

    // Without a turn left, and where no plan could help, the run ends.
    for (code, retries) in [(Code::InvalidValue, 0), (Code::DiskFull, 1), (Code::TouchedByArtist, 1)] {
        let state = refused_by_blender(code, retries);
        assert_eq!(state.outcome.as_ref().unwrap().code, Some(code), "{:?}", state.phase);
    }
}
