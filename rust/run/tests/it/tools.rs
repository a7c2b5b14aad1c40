//! Calls of tools: who is asked about them, what the model hears, and how they end.

use geonode_protocol::Code;
use geonode_run::{
    Answer, ApprovalRequest, Approve, Config, Event, EventKind, Feedback, Phase, State, Status, Task, ToolAsk,
    transition,
};

struct Run(State);

impl Run {
    /// A run whose model is at work.
    fn generating(approve: Approve, max_iterations: u32) -> Self {
        let mut run = Self(State::default());
        let config = Config {
            retries: 0,
            max_iterations,
            approve,
        };
        run.event(EventKind::Start {
            config,
            label: "test".into(),
            direct: false,
        });
        run.answer(Answer::Context);
        run
    }

    fn event(&mut self, kind: EventKind) {
        let (state, _) = transition(std::mem::take(&mut self.0), Event { at: 1.0, kind });
        self.0 = state;
    }

    fn answer(&mut self, answer: Answer) {
        let id = self.0.awaiting.unwrap();
        self.event(EventKind::Answered { id, answer });
    }

    fn wants(&mut self, asks: usize) {
        let asks = (0..asks).map(|n| ToolAsk {
            id: format!("c{n}"),
            request: question(n),
        });
        self.answer(Answer::ToolCalls { asks: asks.collect() });
    }

    fn refused(&self) -> Vec<(String, Code)> {
        match self.0.task() {
            Some(Task::CallTools { refused }) => refused.into_iter().map(|call| (call.id, call.code)).collect(),
            other => panic!("{other:?}"),
        }
    }
}

fn question(n: usize) -> ApprovalRequest {
    ApprovalRequest {
        reason: n.to_string(),
        ..ApprovalRequest::default()
    }
}

#[test]
fn results_go_back_to_the_model_and_count_as_turns() {
    let mut run = Run::generating(Approve::None, 2);
    for last in [false, true] {
        run.wants(0);
        assert_eq!(run.0.phase, Phase::CallingTools);
        run.answer(Answer::Called);
        let Some(Task::Generate { feedback, .. }) = run.0.task() else {
            panic!("{:?}", run.0.phase)
        };
        assert_eq!(feedback, Some(Feedback::Tools { last }));
    }
    run.wants(0);
    run.answer(Answer::Called);
    let outcome = run.0.outcome.unwrap();
    assert_eq!(
        (outcome.status, outcome.code),
        (Status::Error, Some(Code::IterationsExhausted))
    );
}

#[test]
fn each_call_is_asked_about_and_a_rejection_concerns_only_that_call() {
    let mut run = Run::generating(Approve::Ask, 8);
    run.wants(3);
    for (index, granted) in [true, false, true].into_iter().enumerate() {
        assert_eq!(run.0.phase, Phase::AwaitingToolApproval { index });
        assert_eq!(
            run.0.task(),
            Some(Task::AskApproval {
                request: Box::new(question(index))
            })
        );
        let id = run.0.awaiting.unwrap();
        run.event(if granted {
            EventKind::Approved {
                id,
                without: Vec::new(),
            }
        } else {
            EventKind::Rejected {
                id,
                words: Some("not this".to_owned()),
            }
        });
    }
    assert_eq!(run.refused(), [("c1".to_owned(), Code::UserRejected)]);
    let Some(Task::CallTools { refused }) = run.0.task() else {
        panic!("{:?}", run.0.phase)
    };
    let words = refused.first().map(|call| call.words.as_str());
    assert_eq!(words, Some("not this"), "they go to the model with the refusal");
}

#[test]
fn without_an_artist_such_calls_are_refused_and_with_prior_approval_they_run() {
    let mut run = Run::generating(Approve::None, 8);
    run.wants(2);
    assert_eq!(
        run.refused().iter().map(|(_, code)| *code).collect::<Vec<_>>(),
        [Code::ApprovalRequired; 2]
    );
    run.answer(Answer::Called);
    run.wants(0);
    assert_eq!(run.refused(), [], "the next reply begins anew");
    let mut run = Run::generating(Approve::All, 8);
    run.wants(2);
    assert_eq!(run.refused(), []);
}

#[test]
fn a_cancel_while_a_call_waits_ends_the_run() {
    for asks in [0, 1] {
        let mut run = Run::generating(Approve::Ask, 8);
        run.wants(asks);
        run.event(EventKind::Cancel);
        assert_eq!(
            run.0.outcome.as_ref().map(|outcome| outcome.status),
            Some(Status::Cancelled)
        );
    }
}
