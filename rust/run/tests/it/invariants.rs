//! Random event sequences: the machine keeps its promises whatever happens.

#![allow(clippy::struct_excessive_bools, reason = "independent switches of a test")]

use geonode_protocol::{Code, Envelope, Finding, GateFinding, Severity};
use geonode_run::{
    Answer, Approve, Config, Effect, Event, EventKind, Failure, Phase, PlanInfo, RunState, State, StepInfo, Task,
    ToolAsk, resume, transition,
};
use proptest::prelude::*;
use serde_json::json;

#[derive(Debug, Clone)]
enum Move {
    Start {
        approve: Approve,
        direct: bool,
        retries: u32,
    },
    Refuse,
    /// The answer that the awaited task wants.
    Fitting(Choice),
    /// Any answer, for the awaited task or a late one.
    Any(Choice, u8, bool),
    Fail(bool),
    /// With how many operations left out, and one that is not there.
    Approve(u8, bool),
    Reject(bool),
    DryRun(bool),
    /// An answer to the question before the last.
    Late(bool),
    Cancel,
    /// The run is saved and resumed in another process, whose file contains nothing of an open transaction.
    Resume,
}

/// Which of the possible outcomes an answer carries.
#[derive(Debug, Clone, Copy)]
struct Choice {
    good: bool,
    steps: usize,
    done: bool,
    approval: bool,
    target: u8,
}

fn risk() -> GateFinding {
    GateFinding {
        path: None,
        gate: Code::BlowupRisk,
        code: Code::BlowupRisk,
        severity: Severity::Error,
        node_id: Some("sub".into()),
        socket: Some("Level".into()),
        cause: "Subdivision Surface at Level 12 makes about 400 million vertices.".into(),
        fix: Some("Level 6 stays under 5 million.".into()),
    }
}

fn choice() -> impl Strategy<Value = Choice> {
    (
        prop::bool::weighted(0.8),
        0..3usize,
        any::<bool>(),
        any::<bool>(),
        0..2u8,
    )
        .prop_map(|(good, steps, done, approval, target)| Choice {
            good,
            steps,
            done,
            approval,
            target,
        })
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let approve = prop_oneof![Just(Approve::None), Just(Approve::Ask), Just(Approve::All)];
    let start = (approve, any::<bool>(), 0..3u32).prop_map(|(approve, direct, retries)| Move::Start {
        approve,
        direct,
        retries,
    });
    let one = prop_oneof![
        2 => start.clone(),
        1 => Just(Move::Refuse),
        40 => choice().prop_map(Move::Fitting),
        3 => (choice(), 0..15u8, any::<bool>()).prop_map(|(c, kind, late)| Move::Any(c, kind, late)),
        2 => any::<bool>().prop_map(Move::Fail),
        4 => (0..3u8, prop::bool::weighted(0.1)).prop_map(|(n, wrong)| Move::Approve(n, wrong)),
        1 => any::<bool>().prop_map(Move::Reject),
        2 => any::<bool>().prop_map(Move::DryRun),
        1 => any::<bool>().prop_map(Move::Late),
        1 => Just(Move::Cancel),
        2 => Just(Move::Resume),
    ];
    (start, prop::collection::vec(one, 0..120)).prop_map(|(start, mut rest)| {
        rest.insert(0, start);
        rest
    })
}

fn planned(c: Choice) -> PlanInfo {
    PlanInfo {
        steps: (0..c.steps)
            .map(|i| StepInfo {
                step_id: i.to_string(),
                action_type: if c.target == 1 { "PYTHON" } else { "GN_OPS" }.into(),
            })
            .collect(),
        done: c.done,
        final_message: "made".into(),
        objects: vec![format!("O{}", c.target)],
        trees: Vec::new(),
        wants_context: c.steps == 0 && !c.done && c.approval,
    }
}

fn answer(kind: u8, c: Choice) -> Answer {
    let finding = Finding {
        severity: Severity::Error,
        code: Code::WrongType,
        path: String::new(),
        message: "wrong".into(),
        hint: None,
        changes: Vec::new(),
        by_hand: None,
    };
    let findings = if c.good { Vec::new() } else { vec![finding] };
    let object = format!("O{}", c.target);
    match kind {
        0 => Answer::Context,
        1 if c.steps == 2 && !c.done => answer(13, c),
        1 => Answer::Generated,
        2 => Answer::Checked {
            plan: c.good.then(|| planned(c)),
            findings,
        },
        3 => Answer::Inspected {
            conflict: None,
            fingerprint: if c.good { "same".into() } else { "other".into() },
        },
        4 => Answer::Compiled {
            findings,
            steps: None,
            objects: vec![object],
            trees: Vec::new(),
            approval: c.approval.then(|| {
                let operations = json!([{"id": "/steps/0/payload/ops/0"}, {"id": "/steps/0/payload/ops/1"}]);
                let request = json!({"reason": "destructive", "steps": [{"id": "/steps/0", "operations": operations}]});
                serde_json::from_value(request).unwrap()
            }),
            confirm: c.approval && c.steps == 2,
            risk: (c.approval && c.target == 0).then(risk).map(Box::new),
        },
        5 => Answer::Begun,
        6 => Answer::Applied {
            message: "ok".into(),
            objects: Vec::new(),
            trees: Vec::new(),
        },
        7 => Answer::Evidence,
        8 => Answer::Judged {
            envelope: Envelope {
                success: c.good,
                failed_gates: vec![],
                messages: vec![],
                findings: vec![],
            },
        },
        9 => Answer::Restored { equal: c.good },
        10 => Answer::Committed,
        11 => Answer::DryRun {
            result: json!({"ok": c.good}),
        },
        12 => Answer::Chosen {
            plan: (c.steps > 0).then(|| planned(c)),
            findings,
            objects: vec![object],
            trees: Vec::new(),
            reason: (c.approval && c.target == 1).then(|| "It removes 9 nodes.".into()),
        },
        13 => Answer::ToolCalls {
            asks: (0..if c.approval { 1 + c.target } else { 0 })
                .map(|n| ToolAsk {
                    id: n.to_string(),
                    request: serde_json::from_value(json!({"reason": "it asks"})).unwrap(),
                })
                .collect(),
        },
        _ => Answer::Called,
    }
}

fn wanted(task: &Task) -> u8 {
    match task {
        Task::CaptureContext => 0,
        Task::Generate { .. } => 1,
        Task::CheckPlan => 2,
        Task::Inspect { .. } => 3,
        Task::Compile => 4,
        Task::Begin { .. } | Task::AskApproval { .. } => 5,
        Task::ApplyStep { .. } => 6,
        Task::Verify { .. } => 7,
        Task::Judge => 8,
        Task::Restore => 9,
        Task::Commit { .. } => 10,
        Task::DryRun { .. } => 11,
        Task::Choose { .. } => 12,
        Task::CallTools { .. } => 14,
    }
}

fn event(state: &State, one: &Move, at: f64) -> Event {
    let id = state.awaiting.unwrap_or(0);
    let kind = match one.clone() {
        Move::Start {
            approve,
            direct,
            retries,
        } => EventKind::Start {
            config: Config {
                retries,
                max_iterations: 3,
                approve,
            },
            label: "test".into(),
            direct,
        },
        Move::Refuse => EventKind::Refuse(Failure::new(Code::PromptEmpty, "empty")),
        Move::Fitting(c) => match state.task() {
            Some(Task::AskApproval { .. }) => EventKind::Approved { id, without: vec![] },
            Some(task) => EventKind::Answered {
                id,
                answer: answer(wanted(&task), c),
            },
            None => EventKind::Cancel,
        },
        Move::Any(c, kind, late) => EventKind::Answered {
            id: if late { id.saturating_sub(1) } else { id },
            answer: answer(kind, c),
        },
        Move::Fail(late) => EventKind::Failed {
            id: if late { id.saturating_sub(1) } else { id },
            failure: Failure::new(Code::InternalError, "failed"),
        },
        Move::Approve(left_out, wrong) => {
            let mut without: Vec<String> = (0..left_out).map(|n| format!("/steps/0/payload/ops/{n}")).collect();
            if wrong {
                without.push("/steps/7".into());
            }
            EventKind::Approved { id, without }
        }
        Move::Reject(talks) => EventKind::Rejected {
            id,
            words: talks.then(|| "Smaller.".into()),
        },
        Move::DryRun(wrong) => EventKind::DryRun {
            id,
            without: if wrong { vec!["x".into()] } else { vec![] },
        },
        Move::Late(accept) => {
            let id = id.saturating_sub(1);
            if accept {
                EventKind::Approved { id, without: vec![] }
            } else {
                EventKind::Rejected { id, words: None }
            }
        }
        Move::Cancel | Move::Resume => EventKind::Cancel,
    };
    Event { at, kind }
}

/// Follows one run and checks every promise at every event.
#[derive(Default)]
struct Watch {
    state: State,
    /// The host's side: a transaction is open.
    open: bool,
    wrote: bool,
    in_flight: Option<(u64, Task)>,
    clock: f64,
    /// The artist was asked about the present plan and has not agreed.
    undecided: bool,
    /// Only the artist's own word lets the present plan begin, and it was not given.
    unconfirmed: bool,
    /// The transaction holds the whole file.
    whole: bool,
}

impl Watch {
    fn resume(&mut self) {
        let text = serde_json::to_string(&self.state).unwrap();
        let stored: State = serde_json::from_str(&text).unwrap();
        let config = stored.config.clone();
        self.open = false;
        self.wrote = false;
        self.whole = false;
        self.unconfirmed = false;
        self.in_flight = None;
        let (after, effects) = resume(stored.clone(), config.clone(), self.clock).unwrap();
        assert_eq!(
            resume(after.clone(), config, self.clock).unwrap().0.phase,
            after.phase,
            "saved again at once"
        );
        if stored.finished() {
            assert_eq!((&after, effects.len()), (&stored, 0), "an ended run stays ended");
        }
        assert!(!after.transaction);
        self.state = after;
        self.obey(effects);
    }

    fn step(&mut self, one: &Move) {
        self.clock += 1.0;
        if matches!(one, Move::Resume) {
            return self.resume();
        }
        let event = event(&self.state, one, self.clock);
        let before = self.state.clone();
        self.host_sees(&event.kind);
        let (after, effects) = transition(before.clone(), event.clone());
        if let EventKind::Approved { .. } = event.kind
            && after.approvals.len() > before.approvals.len()
        {
            self.undecided = false;
            self.unconfirmed = false;
        }
        assert_eq!(
            (after.clone(), effects.clone()),
            transition(before.clone(), event),
            "not deterministic"
        );
        if before.finished() {
            assert_eq!(after, before, "terminal states absorb");
            assert!(effects.is_empty());
        }
        let text = serde_json::to_string(&after).unwrap();
        assert_eq!(
            serde_json::from_str::<State>(&text).unwrap(),
            after,
            "a state survives storage"
        );
        self.state = after;
        self.obey(effects);
    }

    fn obey(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Do { id, task } => self.start(id, task),
                Effect::Abort { .. } | Effect::Tell(_) => {}
            }
        }
        assert_eq!(
            self.state.awaiting.is_some(),
            self.state.task().is_some(),
            "every waiting phase awaits its task"
        );
        assert_eq!(
            self.state.awaiting.is_none(),
            matches!(self.state.phase, Phase::Idle | Phase::Ended)
        );
        assert_eq!(self.state.finished(), self.state.outcome.is_some());
        if self.state.finished() {
            assert!(!self.open, "a transaction was left open");
        }
    }

    /// What the host knows to have happened, whether or not the machine still listens.
    fn host_sees(&mut self, event: &EventKind) {
        let EventKind::Answered { id, answer } = event else {
            return;
        };
        let Some((in_flight, task)) = &self.in_flight else {
            return;
        };
        if in_flight == id && wanted(task) == 5 && matches!(answer, Answer::Begun) && matches!(task, Task::Begin { .. })
        {
            self.open = true;
            self.whole |= matches!(task, Task::Begin { whole: true, .. });
        }
        if let (true, Task::Compile, Answer::Compiled { confirm, .. }) = (in_flight == id, task, answer) {
            self.unconfirmed = *confirm;
        }
        if in_flight == id && matches!((task, answer), (Task::Commit { .. }, Answer::Committed)) {
            self.open = false;
            self.wrote = false;
            self.whole = false;
        }
    }

    fn start(&mut self, id: u64, task: Task) {
        match &task {
            Task::AskApproval { .. } => self.undecided = true,
            Task::Generate { .. } | Task::CheckPlan | Task::Compile => {
                self.undecided = false;
                self.unconfirmed = false;
            }
            _ => {}
        }
        match &task {
            Task::Begin { extend, .. } => {
                assert_eq!(*extend, self.open);
                assert!(!self.undecided, "a write without the artist's word");
                assert!(!self.unconfirmed, "prior approval is not a confirmation");
            }
            Task::ApplyStep { index, .. } => {
                let plan = self.state.plan.as_ref().unwrap();
                assert!(
                    self.whole || plan.steps[*index].action_type != "PYTHON",
                    "a script, and not all is kept that it may touch"
                );
                assert!(!self.unconfirmed, "prior approval is not a confirmation");
                assert!(!self.undecided, "a write without the artist's word");
                assert!(self.open, "write without transaction");
                self.wrote = true;
            }
            Task::Commit { .. } => assert!(self.open, "commit without transaction"),
            Task::CallTools { refused } => {
                assert!(refused.len() <= 2);
                let approve = self.state.config.approve;
                assert!(
                    approve != Approve::All || refused.is_empty(),
                    "what is approved goes on"
                );
            }
            Task::Restore => {
                assert!(self.open, "restore without transaction");
                self.open = false;
                self.wrote = false;
                self.whole = false;
            }
            Task::Generate { attempt, .. } => {
                assert!(*attempt <= 1 + 2 + 3, "retries and iterations are bounded");
            }
            _ => {}
        }
        self.in_flight = Some((id, task));
    }

    /// Drives the run to its end with nothing but fitting answers.
    fn finish(&mut self) {
        let good = Choice {
            good: true,
            steps: 1,
            done: true,
            approval: false,
            target: 0,
        };
        for _ in 0..40 {
            if self.state.finished() {
                return;
            }
            self.step(&if self.state.phase == Phase::Idle {
                Move::Cancel
            } else {
                Move::Fitting(good)
            });
        }
        panic!("no way out of {:?}", self.state.phase);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn random_runs_keep_every_invariant(moves in moves()) {
        let mut watch = Watch::default();
        for one in &moves {
            watch.step(one);
        }
        watch.finish();
    }

    #[test]
    fn cancel_ends_a_run_from_anywhere(moves in moves()) {
        let mut watch = Watch::default();
        for one in &moves {
            watch.step(one);
        }
        watch.step(&Move::Cancel);
        // At most one answer is needed for an open transaction, two when it was just being opened.
        let good = Choice { good: true, steps: 1, done: true, approval: false, target: 0 };
        for _ in 0..2 {
            if !watch.state.finished() {
                watch.step(&Move::Fitting(good));
            }
        }
        prop_assert!(watch.state.finished(), "still {:?}", watch.state.phase);
    }
}

#[test]
fn a_plain_run_goes_through_the_states_in_order() {
    let mut watch = Watch::default();
    let mut states = vec![watch.state.run_state()];
    let good = Choice {
        good: true,
        steps: 2,
        done: true,
        approval: false,
        target: 0,
    };
    watch.step(&Move::Start {
        approve: Approve::None,
        direct: false,
        retries: 2,
    });
    while !watch.state.finished() {
        if states.last() != Some(&watch.state.run_state()) {
            states.push(watch.state.run_state());
        }
        watch.step(&Move::Fitting(good));
    }
    states.push(watch.state.run_state());
    assert_eq!(
        states,
        [
            RunState::Idle,
            RunState::Generating,
            RunState::RequestingContext,
            RunState::Applying,
            RunState::Verifying,
            RunState::Done
        ]
    );
    assert!(watch.state.steps.iter().all(|s| s.started_at < s.ended_at));
}
