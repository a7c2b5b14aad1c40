//! A run that is saved anywhere and taken up in another process ends like one that was never saved.

#![allow(clippy::struct_excessive_bools, reason = "independent switches of a test")]

use geonode_protocol::{Code, Envelope, Finding};
use geonode_run::{
    Answer, Approve, Config, Effect, Event, EventKind, PlanInfo, State, StepInfo, StepStatus, Task, ToolAsk, resume,
    transition,
};
use proptest::prelude::*;
use serde_json::json;

/// What one reply of the model leads to.
#[derive(Debug, Clone)]
struct Reply {
    calls: bool,
    readable: bool,
    fits: bool,
    asks: bool,
    passes: bool,
    done: bool,
    steps: usize,
    /// Its steps may touch anything.
    script: bool,
}

/// A model, a scene and an artist who never change their minds.
struct World {
    replies: Vec<Reply>,
    direct: bool,
    /// Steps that are written and not kept.
    written: usize,
    kept: usize,
    asked: usize,
}

impl World {
    fn reply(&self, state: &State) -> Reply {
        let last = self.replies.len() - 1;
        self.replies[(state.attempts as usize - 1).min(last)].clone()
    }

    fn answer(&mut self, id: u64, task: &Task, state: &State) -> EventKind {
        let reply = self.reply(state);
        let wrong = vec![Finding::error(Code::WrongType, "", "wrong")];
        let answer = match task {
            Task::CaptureContext => Answer::Context,
            Task::Generate { .. } if reply.calls => Answer::ToolCalls {
                asks: reply.asks.then(tool_ask).into_iter().collect(),
            },
            Task::Generate { .. } => Answer::Generated,
            Task::CallTools { .. } => Answer::Called,
            Task::CheckPlan => Answer::Checked {
                plan: reply.readable.then(|| self.plan(&reply)),
                findings: if reply.readable { Vec::new() } else { wrong },
            },
            Task::Inspect { .. } => Answer::Inspected {
                fingerprint: self.written.to_string(),
                conflict: None,
            },
            Task::Compile => Answer::Compiled {
                findings: if reply.fits { Vec::new() } else { wrong },
                steps: None,
                objects: vec!["O".into()],
                trees: Vec::new(),
                approval: reply.asks.then(|| {
                    let kind = if reply.script { "PYTHON" } else { "GN_OPS" };
                    let request = json!({"reason": "it asks", "steps": [{"id": "/steps/0", "action_type": kind}]});
                    serde_json::from_value(request).unwrap()
                }),
                confirm: false,
                risk: None,
            },
            Task::AskApproval { .. } => {
                self.asked += 1;
                return approved(id);
            }
            Task::DryRun { .. } | Task::Choose { .. } => panic!("nobody tries or chooses here"),
            Task::Begin { .. } => Answer::Begun,
            Task::ApplyStep { .. } => {
                self.written += 1;
                Answer::Applied {
                    message: String::new(),
                    objects: Vec::new(),
                    trees: Vec::new(),
                }
            }
            Task::Verify { .. } => Answer::Evidence,
            Task::Judge => Answer::Judged {
                envelope: Envelope {
                    success: reply.passes,
                    ..Envelope::passed()
                },
            },
            Task::Restore => {
                self.written = 0;
                Answer::Restored { equal: true }
            }
            Task::Commit { .. } => {
                self.kept = std::mem::take(&mut self.written);
                Answer::Committed
            }
        };
        EventKind::Answered { id, answer }
    }

    fn plan(&self, reply: &Reply) -> PlanInfo {
        let step = |n: usize| StepInfo {
            step_id: n.to_string(),
            action_type: if reply.script { "PYTHON" } else { "GN_OPS" }.into(),
        };
        PlanInfo {
            steps: (0..reply.steps).map(step).collect(),
            done: reply.done || self.direct,
            final_message: "made".into(),
            objects: vec!["O".into()],
            trees: Vec::new(),
            wants_context: false,
        }
    }
}

fn tool_ask() -> ToolAsk {
    ToolAsk {
        id: "1".into(),
        request: serde_json::from_value(json!({"reason": "it asks"})).unwrap(),
    }
}

fn approved(id: u64) -> EventKind {
    EventKind::Approved {
        id,
        without: Vec::new(),
    }
}

/// How a run ended, and how often the artist was asked.
#[derive(Debug, PartialEq)]
struct End {
    state: State,
    kept: usize,
}

fn config() -> Config {
    Config {
        retries: 2,
        max_iterations: 3,
        approve: Approve::Ask,
    }
}

/// Runs to the end; after `save` events the run goes on in another process.
fn run(replies: &[Reply], direct: bool, save: Option<usize>) -> (End, usize, bool) {
    let mut world = World {
        replies: replies.to_vec(),
        direct,
        written: 0,
        kept: 0,
        asked: 0,
    };
    let start = EventKind::Start {
        config: config(),
        label: "test".into(),
        direct,
    };
    let (mut state, mut effects) = transition(State::default(), Event { at: 0.0, kind: start });
    for count in 0..500 {
        if save == Some(count) {
            let stored = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
            world.written = 0;
            (state, effects) = resume(stored, config(), 0.0).unwrap();
        }
        let Some((id, task)) = effects.iter().find_map(|effect| match effect {
            Effect::Do { id, task } => Some((*id, task.clone())),
            _ => None,
        }) else {
            assert!(state.finished(), "nothing to do in {:?}", state.phase);
            let kept = world.kept;
            return (End { state, kept }, world.asked, save.is_some_and(|save| save <= count));
        };
        let kind = world.answer(id, &task, &state);
        (state, effects) = transition(state, Event { at: 0.0, kind });
    }
    panic!("no end in {:?}", state.phase);
}

fn reply() -> impl Strategy<Value = Reply> {
    let usually = || prop::bool::weighted(0.8);
    let seldom = prop::bool::weighted(0.2);
    (
        seldom,
        usually(),
        usually(),
        any::<bool>(),
        usually(),
        any::<bool>(),
        0..3usize,
        any::<bool>(),
    )
        .prop_map(|(calls, readable, fits, asks, passes, done, steps, script)| Reply {
            calls,
            readable,
            fits,
            asks,
            passes,
            done,
            steps,
            script,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_run_that_is_saved_and_resumed_at_any_point_ends_like_one_that_is_not(
        replies in prop::collection::vec(reply(), 1..6),
        direct in any::<bool>(),
    ) {
        let (plain, _, _) = run(&replies, direct, None);
        for save in 0.. {
            let (end, _, saved) = run(&replies, direct, Some(save));
            prop_assert_eq!(&end.state.outcome, &plain.state.outcome, "saved after {} events", save);
            prop_assert_eq!(end.kept, plain.kept);
            let done = |state: &State| state.steps.iter().filter(|s| s.status == StepStatus::Done).count();
            prop_assert_eq!(done(&end.state), done(&plain.state));
            if !saved {
                break;
            }
        }
    }
}

/// The artist approves at the end of event 6 of this run; whoever saves later need not ask again.
#[test]
fn an_approval_counts_in_another_process_for_the_same_question_and_scene_only() {
    let reply = Reply {
        calls: false,
        readable: true,
        fits: true,
        asks: true,
        passes: true,
        done: true,
        steps: 2,
        script: false,
    };
    let (_, asked, _) = run(std::slice::from_ref(&reply), false, None);
    assert_eq!(asked, 1);
    let counts: Vec<usize> = (0..14)
        .map(|save| run(std::slice::from_ref(&reply), false, Some(save)).1)
        .collect();
    assert!(counts.iter().all(|asked| *asked == 1), "{counts:?}");
    // No fingerprint covers what a script may touch: after the answer it is asked about once more.
    let script = Reply { script: true, ..reply };
    let counts: Vec<usize> = (0..14)
        .map(|save| run(std::slice::from_ref(&script), false, Some(save)).1)
        .collect();
    assert!(
        counts.contains(&2) && counts.iter().all(|asked| *asked <= 2),
        "{counts:?}"
    );
}

#[test]
fn an_impossible_state_is_refused() {
    let fresh = serde_json::to_value(State::default()).unwrap();
    for (field, value) in [
        ("tasks", json!(u64::MAX)),
        ("attempts", json!(u32::MAX)),
        ("outcome", json!({"status": "done", "code": null, "message": ""})),
        ("phase", json!("ended")),
    ] {
        let mut broken = fresh.clone();
        broken[field] = value;
        let state: State = serde_json::from_value(broken).unwrap();
        assert!(resume(state, config(), 0.0).is_err(), "{field}");
    }
}
