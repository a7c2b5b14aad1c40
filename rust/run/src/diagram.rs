//! The transition table as a picture, found by walking the machine itself through every representative event.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::fmt::Write as _;

use geonode_protocol::{Code, Envelope, Finding};
use serde_json::json;

use crate::approval::{ApprovalRequest, AskedStep};
use crate::config::{Approve, Config};
use crate::effect::Purpose;
use crate::event::{Answer, Event, EventKind, Failure};
use crate::plan::{PlanInfo, StepInfo};
use crate::state::{Phase, State};
use crate::tools::ToolAsk;
use crate::transition::transition;

/// A Markdown document with the table of phases and a Mermaid diagram of all transitions.
pub fn diagram() -> String {
    let (edges, phases) = walk();
    let mut text = String::from(
        "# States of a run\n\nGenerated from the machine itself (`UPDATE=1 cargo test -p geonode-run --test it states`); do not edit.\n\n\
         | phase | state | summary | awaited task |\n|---|---|---|---|\n",
    );
    for (phase, (state, summary, task)) in &phases {
        let _ = writeln!(text, "| {phase} | {state} | {summary} | {task} |");
    }
    text.push_str("\n```mermaid\nstateDiagram-v2\n    [*] --> idle\n");
    for ((from, to), labels) in &edges {
        let labels = labels.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "    {from} --> {to}: {labels}");
    }
    text.push_str("    ended --> [*]\n```\n");
    text
}

type Edges = BTreeMap<(&'static str, &'static str), BTreeSet<String>>;
type Phases = BTreeMap<&'static str, (String, String, String)>;

fn walk() -> (Edges, Phases) {
    let mut edges = Edges::new();
    let mut phases = Phases::new();
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([State::default()]);
    while let Some(state) = queue.pop_front() {
        let row = (
            word(&json!(state.run_state())),
            word(&json!(state.run_state().summary())),
            state.task().map_or("–", |task| task.name()).to_owned(),
        );
        let known = phases.entry(state.phase.name()).or_insert_with(|| row.clone());
        if state.finished() && !known.0.contains(&row.0) {
            known.0 = format!("{}, {}", known.0, row.0);
            known.1 = format!("{}, {}", known.1, row.1);
        }
        for (label, kind) in representative_events(&state) {
            let (next, _) = transition(state.clone(), Event { at: 0.0, kind });
            // A stale base is a failure like any other wherever nothing special follows.
            let drawn = label != "stale" || matches!(next.phase, Phase::Inspecting(_));
            if next.phase != state.phase && drawn {
                edges
                    .entry((state.phase.name(), next.phase.name()))
                    .or_default()
                    .insert(label);
            }
            if seen.insert(key(&next)) {
                queue.push_back(next);
            }
        }
    }
    (edges, phases)
}

/// What tells two states apart, task numbers aside.
fn key(state: &State) -> String {
    let mut state = state.clone();
    state.tasks = 0;
    state.awaiting = None;
    state.approvals.clear();
    // Of a question only its choice decides what follows, and only until it is answered.
    let asked = matches!(state.phase, Phase::Inspecting(Purpose::Approved) | Phase::Choosing);
    let without = std::mem::take(&mut state.asking).without;
    if asked {
        state.asking.without = without;
    }
    state.agreed = None;
    // A state is plain data, which cannot fail to be written.
    serde_json::to_string(&state).unwrap_or_default()
}

fn word(value: &serde_json::Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn representative_events(state: &State) -> Vec<(String, EventKind)> {
    let mut events = vec![("cancel".to_owned(), EventKind::Cancel)];
    let config = Config {
        retries: 1,
        max_iterations: 1,
        approve: Approve::Ask,
    };
    let failure = Failure::new(Code::InternalError, "");
    events.push((
        "start".into(),
        EventKind::Start {
            config: config.clone(),
            label: String::new(),
            direct: false,
        },
    ));
    events.push((
        "start with a plan".into(),
        EventKind::Start {
            config,
            label: String::new(),
            direct: true,
        },
    ));
    events.push(("refuse".into(), EventKind::Refuse(failure.clone())));
    if let Some(id) = state.awaiting {
        events.push(("failed".into(), EventKind::Failed { id, failure }));
        let failure = Failure::new(Code::StaleBase, "");
        events.push(("stale".into(), EventKind::Failed { id, failure }));
        events.push(("approved".into(), EventKind::Approved { id, without: vec![] }));
        let without = vec!["/steps/0".to_owned()];
        for id in [id, state.asking.id] {
            let without = without.clone();
            events.push(("approved in part".into(), EventKind::Approved { id, without }));
            events.push(("rejected".into(), EventKind::Rejected { id, words: None }));
            let words = Some("Smaller.".to_owned());
            events.push(("rejected with words".into(), EventKind::Rejected { id, words }));
        }
        events.push(("dry run".into(), EventKind::DryRun { id, without }));
        for (label, answer) in answers() {
            // Only answers that fit; one that does not is a failure of the driver and drawn as such.
            if fits(state, &answer) {
                events.push((label.into(), EventKind::Answered { id, answer }));
            }
        }
    }
    events
}

fn fits(state: &State, answer: &Answer) -> bool {
    let wanted = match state.task().map(|task| task.name()) {
        Some("capture_context") => "context",
        Some("generate") => "generated",
        Some("call_tools") => "called",
        Some("check_plan") => "checked",
        Some("inspect") => "inspected",
        Some("compile") => "compiled",
        Some("dry_run") => "dry_run",
        Some("choose") => "chosen",
        Some("begin") => "begun",
        Some("apply_step") => "applied",
        Some("verify") => "evidence",
        Some("judge") => "judged",
        Some("restore") => "restored",
        Some("commit") => "committed",
        _ => return false,
    };
    answer.name() == wanted || (wanted == "generated" && answer.name() == "tool_calls")
}

fn one_step() -> Box<ApprovalRequest> {
    Box::new(ApprovalRequest {
        steps: vec![AskedStep {
            id: "/steps/0".into(),
            ..AskedStep::default()
        }],
        ..ApprovalRequest::default()
    })
}

fn asks() -> Vec<ToolAsk> {
    vec![
        ToolAsk {
            id: "c".into(),
            request: ApprovalRequest::default(),
        };
        2
    ]
}

fn answers() -> Vec<(&'static str, Answer)> {
    let error = an_error();
    let checked = |plan| Answer::Checked {
        plan: Some(plan),
        findings: Vec::new(),
    };
    let compiled = |findings, approval| Answer::Compiled {
        findings,
        objects: vec!["O".into()],
        trees: vec!["T".into()],
        approval,
        confirm: false,
        risk: None,
    };
    let judged = |success| Answer::Judged {
        envelope: Envelope {
            success,
            failed_gates: Vec::new(),
            messages: Vec::new(),
            findings: Vec::new(),
        },
    };
    let mut all = vec![
        ("context", Answer::Context),
        ("reply", Answer::Generated),
        ("calls tools", Answer::ToolCalls { asks: Vec::new() }),
        ("calls to approve", Answer::ToolCalls { asks: asks() }),
        ("results", Answer::Called),
        ("plan", checked(plan(1, true, false))),
        ("plan, not done", checked(plan(1, false, false))),
        ("no steps, done", checked(plan(0, true, false))),
        ("wants context", checked(plan(0, false, true))),
        (
            "refused",
            Answer::Checked {
                plan: None,
                findings: vec![error.clone()],
            },
        ),
        (
            "document",
            Answer::Inspected {
                fingerprint: "1".into(),
                conflict: None,
            },
        ),
        (
            "document changed",
            Answer::Inspected {
                fingerprint: "2".into(),
                conflict: None,
            },
        ),
        ("compiled", compiled(Vec::new(), None)),
        ("needs approval", compiled(Vec::new(), Some(one_step()))),
        ("refused", compiled(vec![error], None)),
        ("begun", Answer::Begun),
        (
            "applied",
            Answer::Applied {
                message: String::new(),
                objects: Vec::new(),
                trees: Vec::new(),
            },
        ),
        ("evidence", Answer::Evidence),
        ("passed", judged(true)),
        ("gates failed", judged(false)),
        ("restored", Answer::Restored { equal: true }),
        ("not equal", Answer::Restored { equal: false }),
        ("committed", Answer::Committed),
    ];
    all.extend(answers_to_a_choice());
    all
}

fn answers_to_a_choice() -> Vec<(&'static str, Answer)> {
    let chosen = |plan, findings| Answer::Chosen {
        plan,
        findings,
        objects: vec!["O".into()],
        trees: vec!["T".into()],
        reason: None,
    };
    vec![
        (
            "tried",
            Answer::DryRun {
                result: json!({"ok": true}),
            },
        ),
        ("rest fits", chosen(Some(plan(1, true, false)), Vec::new())),
        ("nothing left", chosen(None, Vec::new())),
        ("rest does not fit", chosen(None, vec![an_error()])),
    ]
}

fn plan(steps: usize, done: bool, wants_context: bool) -> PlanInfo {
    PlanInfo {
        steps: vec![
            StepInfo {
                step_id: "s".into(),
                action_type: "NODE_TREE".into()
            };
            steps
        ],
        done,
        final_message: String::new(),
        objects: vec!["O".into()],
        trees: vec!["T".into()],
        wants_context,
    }
}

fn an_error() -> Finding {
    Finding::error(Code::InternalError, "", "")
}
