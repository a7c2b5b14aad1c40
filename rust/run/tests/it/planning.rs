//! Plans that say nothing go back to whoever made them.

use geonode_protocol::Code;
use geonode_run::{Answer, Approve, Config, Event, EventKind, Feedback, PlanInfo, State, Task, transition};

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
