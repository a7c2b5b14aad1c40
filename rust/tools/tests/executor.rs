//! The executor at its limits: every call ends with a result, whatever its tool does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use geonode_protocol::Code;
use geonode_tools::{
    Access, Call, Executor, HostError, HostResult, Limits, Metric, Outcome, Registry, Runner, RunsIn, Scope, Settled,
    Spec, SpecError, Tool, ToolError, canonical, read_result,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn spec(id: &str) -> Spec {
    let input = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "additionalProperties": false});
    let output = json!({"type": "object", "required": ["said"]});
    Spec::new(id, id, "Does what the test wants.", input, output).unwrap()
}

fn tool(spec: Spec, run: impl Fn(&Value, &Scope) -> Result<Value, ToolError> + Send + Sync + 'static) -> Tool {
    Tool {
        spec: Arc::new(spec),
        runner: Runner::Core(Arc::new(run)),
    }
}

fn executor(limits: Limits, tools: impl IntoIterator<Item = Tool>) -> Executor {
    let mut registry = Registry::default();
    for tool in tools {
        registry.add(tool).unwrap();
    }
    registry.add(read_result().unwrap()).unwrap();
    Executor::new(registry, limits)
}

fn call(name: &str, arguments: Value) -> Call {
    Call {
        id: format!("id-{name}"),
        name: name.into(),
        arguments,
    }
}

fn run(executor: &mut Executor, calls: Vec<Call>) -> (Vec<Settled>, Vec<Metric>) {
    let (mut batch, mut metrics) = (executor.admit(calls, 7), Vec::new());
    executor.run(&mut batch, &|| false, &mut |metric| metrics.push(metric));
    assert!(!batch.open());
    (batch.results(), metrics)
}

fn one(executor: &mut Executor, name: &str, arguments: Value) -> Settled {
    run(executor, vec![call(name, arguments)]).0.remove(0)
}

fn code(settled: &Settled) -> Option<Code> {
    match &settled.outcome {
        Outcome::Done(_) => None,
        Outcome::Failed(error) => Some(error.code),
    }
}

#[test]
fn invalid_tools_are_not_registered() {
    let object = || json!({"type": "object"});
    for id in ["", "Upper", "with space", "ä", &"x".repeat(65)] {
        assert!(
            matches!(Spec::new(id, "", "d", object(), object()), Err(SpecError::Id(_))),
            "{id}"
        );
    }
    assert!(Spec::new(&"x".repeat(64), "", "d", object(), object()).is_ok());
    assert!(Spec::new("x", "", " ", object(), object()).is_err());
    assert!(Spec::new("x", "", "d", json!({"type": "array"}), object()).is_err());
    assert!(Spec::new("x", "", "d", object(), json!({"type": "object", "minProperties": "a"})).is_err());
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 600.1] {
        assert!(spec("x").within(seconds).is_err());
    }
    assert!(spec("x").within(600.0).is_ok());
    let mut registry = Registry::default();
    registry.add(read_result().unwrap()).unwrap();
    assert!(registry.add(read_result().unwrap()).is_err(), "taken");
}

#[test]
fn results_come_in_the_order_of_the_calls_however_long_each_takes() {
    let sleepy = tool(spec("sleepy"), |input, _| {
        let n = input["n"].as_u64().unwrap();
        std::thread::sleep(Duration::from_millis(60 - n * 15));
        Ok(json!({"said": n}))
    });
    let mut executor = executor(Limits::default(), [sleepy]);
    let started = Instant::now();
    let calls = (0..4).map(|n| call("sleepy", json!({"n": n}))).collect();
    let (results, metrics) = run(&mut executor, calls);
    assert!(
        started.elapsed() < Duration::from_millis(140),
        "at the same time: {:?}",
        started.elapsed()
    );
    let said: Vec<Outcome> = results.iter().map(|settled| settled.outcome.clone()).collect();
    assert_eq!(
        said,
        (0..4).map(|n| Outcome::Done(json!({"said": n}))).collect::<Vec<_>>()
    );
    assert_eq!(results[0].text(), r#"{"ok":true,"result":{"said":0}}"#);
    let starts = metrics.iter().filter(|m| matches!(m, Metric::ToolStart { .. })).count();
    let ends = metrics
        .iter()
        .filter(|m| {
            matches!(
                m,
                Metric::ToolEnd {
                    error: None,
                    bytes: 10,
                    ..
                }
            )
        })
        .count();
    assert_eq!((starts, ends), (4, 4));
}

#[test]
fn no_more_than_allowed_run_at_once() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (inside, peak) = (Arc::clone(&now), Arc::clone(&most));
    let busy = tool(spec("busy"), move |input, _| {
        peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        inside.fetch_sub(1, Ordering::SeqCst);
        Ok(json!({"said": input["n"]}))
    });
    let mut executor = executor(Limits::default(), [busy]);
    let calls: Vec<Call> = (0..50).map(|n| call("busy", json!({"n": n}))).collect();
    let (results, _) = run(&mut executor, calls);
    let done = results.iter().filter(|settled| settled.outcome.ok()).count();
    let later = results
        .iter()
        .filter(|settled| code(settled) == Some(Code::ToolBusy))
        .count();
    assert_eq!((results.len(), done, later), (50, 16, 34));
    assert!((2..=4).contains(&most.load(Ordering::SeqCst)), "{most:?}");
}

#[test]
fn a_hanging_tool_times_out_and_can_never_take_more_than_the_slots() {
    let hang = tool(spec("hang").within(0.05).unwrap(), |_, scope| {
        let limit = Instant::now() + Duration::from_secs(3);
        while Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(10));
        }
        scope.check()?;
        Ok(json!({"said": "late"}))
    });
    let quick = tool(spec("quick"), |_, _| Ok(json!({"said": 1})));
    let mut executor = executor(
        Limits {
            at_once: 2,
            ..Limits::default()
        },
        [hang, quick],
    );
    let started = Instant::now();
    let calls = vec![
        call("hang", json!({"n": 1})),
        call("hang", json!({"n": 2})),
        call("quick", json!({})),
    ];
    let (results, metrics) = run(&mut executor, calls);
    assert!(
        started.elapsed() < Duration::from_millis(2500),
        "it waited for a tool that hangs"
    );
    assert_eq!(
        results.iter().map(code).collect::<Vec<_>>(),
        [Some(Code::ToolTimeout), Some(Code::ToolTimeout), Some(Code::ToolBusy)]
    );
    assert!(matches!(
        &metrics[metrics.len() - 1],
        Metric::ToolEnd {
            error: Some(Code::ToolBusy),
            ..
        }
    ));
    // A busy machine may end the two calls later than they mean to.
    let free = (0..10).any(|_| {
        std::thread::sleep(Duration::from_secs(3));
        code(&one(&mut executor, "quick", json!({}))).is_none()
    });
    assert!(free, "the slots are free again");
}

#[test]
fn a_cancel_ends_all_calls_at_once() {
    let hang = tool(spec("hang"), |_, _| {
        std::thread::sleep(Duration::from_secs(5));
        Ok(json!({"said": 1}))
    });
    let mut executor = executor(Limits::default(), [hang]);
    let mut batch = executor.admit((0..6).map(|n| call("hang", json!({"n": n}))).collect(), 0);
    let started = Instant::now();
    executor.run(
        &mut batch,
        &|| started.elapsed() > Duration::from_millis(50),
        &mut |_| {},
    );
    assert!(started.elapsed() < Duration::from_secs(4), "it waited for the calls");
    let results = batch.results();
    assert!(results.len() == 6 && results.iter().all(|settled| code(settled) == Some(Code::Cancelled)));
}

#[test]
fn a_panic_and_a_wrong_result_stay_within_their_call() {
    let tools = [
        tool(spec("breaks"), |_, _| panic!("inside")),
        tool(spec("lies"), |_, _| Ok(json!({"other": "secret"}))),
        tool(spec("fails"), |_, _| {
            Err(ToolError::new(Code::UnknownObject, "Nothing of this name."))
        }),
        tool(spec("works"), |_, _| Ok(json!({"said": 1}))),
    ];
    let mut executor = executor(Limits::default(), tools);
    let calls = ["breaks", "lies", "fails", "works"].map(|name| call(name, Value::Null));
    let (results, _) = run(&mut executor, calls.into());
    assert_eq!(
        results.iter().map(code).collect::<Vec<_>>(),
        [
            Some(Code::InternalError),
            Some(Code::ReturnInvalid),
            Some(Code::UnknownObject),
            None
        ]
    );
    assert!(!results[0].text().contains("inside") && !results[1].text().contains("secret"));
    assert!(
        results[2]
            .text()
            .contains(r#""error":{"code":"unknown_object","message":"Nothing"#)
    );
}

#[test]
fn wrong_calls_are_refused_before_anything_runs() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let known = tool(spec("known"), move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(json!({"said": 1}))
    });
    let writer = tool(
        Spec {
            access: Access::Writes,
            ..spec("writer")
        },
        |_, _| Ok(json!({"said": 1})),
    );
    let mut executor = executor(Limits::default(), [known, writer]);
    for (name, arguments, expected) in [
        ("nothing", json!({}), Code::UnknownTool),
        ("known", json!({"m": 1}), Code::ToolValidationError),
        ("known", json!({"n": -1}), Code::ToolValidationError),
        ("known", json!("{\"n\": 1"), Code::ToolValidationError),
        ("known", json!([1]), Code::ToolValidationError),
        ("writer", json!({}), Code::ToolWrites),
    ] {
        assert_eq!(code(&one(&mut executor, name, arguments)), Some(expected), "{name}");
    }
    assert_eq!(ran.load(Ordering::SeqCst), 0);
    assert!(
        one(&mut executor, "nothing", json!({}))
            .text()
            .contains("known, writer, read_result")
    );
    assert_eq!(code(&one(&mut executor, " KNOWN ", json!("{\"n\": 1}"))), None);
}

#[test]
fn the_quota_applies_exactly_at_its_limit() {
    let mut executor = executor(
        Limits::default(),
        [tool(
            Spec {
                quota: 3,
                pure: false,
                ..spec("few")
            },
            |_, _| Ok(json!({"said": 1})),
        )],
    );
    let codes: Vec<_> = (0..4)
        .map(|n| code(&one(&mut executor, "few", json!({"n": n}))))
        .collect();
    assert_eq!(codes, [None, None, None, Some(Code::ToolQuota)]);
}

#[test]
fn pure_tools_run_once_and_others_report_that_nothing_changed() {
    let ran = Arc::new(AtomicUsize::new(0));
    let make = |id: &str, pure: bool| {
        let count = Arc::clone(&ran);
        tool(Spec { pure, ..spec(id) }, move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(json!({"said": 1}))
        })
    };
    let mut executor = executor(Limits::default(), [make("pure", true), make("live", false)]);
    assert_eq!(one(&mut executor, "pure", json!({"n": 1})).note, None);
    let second = one(&mut executor, "pure", json!("{ \"n\" : 1 }"));
    assert!(second.outcome.ok() && second.note.is_some(), "{second:?}");
    assert!(second.text().contains(r#""note":"You already have this result"#));
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let other = executor.admit(vec![call("pure", json!({"n": 1}))], 8);
    assert!(other.open(), "another scene is another question");
    one(&mut executor, "live", json!({}));
    assert!(one(&mut executor, "live", json!({})).note.is_some());
    assert_eq!(ran.load(Ordering::SeqCst), 3);
}

#[test]
fn large_results_go_by_reference_and_can_be_read_to_their_end() {
    let text = "wörd ".repeat(10_000);
    let whole = json!({"said": text}).to_string();
    let big = tool(spec("big"), move |_, _| Ok(json!({"said": text})));
    let mut executor = executor(Limits::default(), [big]);
    let told = one(&mut executor, "big", json!({}));
    assert!(told.text().len() < 3000 && told.bytes == whole.len());
    let Outcome::Done(value) = &told.outcome else {
        panic!("{told:?}")
    };
    assert_eq!((&value["ref"], &value["bytes"]), (&json!("r1"), &json!(whole.len())));
    let (mut joined, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let page = one(&mut executor, "read_result", json!({"ref": "r1", "offset": offset}));
        let Outcome::Done(page) = page.outcome else {
            panic!("{page:?}")
        };
        joined += page["text"].as_str().unwrap();
        offset = page["next"].clone();
    }
    assert_eq!(joined, whole);
    let lost = one(&mut executor, "read_result", json!({"ref": "r9"}));
    assert_eq!(code(&lost), Some(Code::UnknownReference));
}

#[test]
fn the_size_of_a_result_is_bounded_at_its_edge() {
    let limit = 1000;
    let of = tool(spec("of"), |input, _| {
        Ok(json!({"said": "x".repeat(usize::try_from(input["n"].as_u64().unwrap()).unwrap())}))
    });
    let mut executor = executor(
        Limits {
            result_bytes: limit,
            ..Limits::default()
        },
        [of],
    );
    let around = json!({"said": ""}).to_string().len();
    let fits = one(&mut executor, "of", json!({"n": limit - around}));
    assert!(matches!(&fits.outcome, Outcome::Done(value) if value["said"].is_string()));
    let over = one(&mut executor, "of", json!({"n": limit - around + 1}));
    assert!(matches!(&over.outcome, Outcome::Done(value) if value["ref"] == "r1"));
}

#[test]
fn folders_are_removed_progress_is_reported_and_other_hosts_are_denied() {
    let seen: Arc<Mutex<Option<PathBuf>>> = Arc::default();
    let keep = Arc::clone(&seen);
    let uses = tool(
        Spec {
            egress: vec!["example.org".into()],
            ..spec("uses")
        },
        move |_, scope| {
            let folder = scope.folder()?;
            std::fs::write(folder.join("x"), "x").unwrap();
            assert_eq!(folder, scope.folder()?);
            *keep.lock().unwrap() = Some(folder);
            scope.progress(40);
            scope.progress(255);
            scope.egress("EXAMPLE.org")?;
            assert!(!scope.correlation_id().is_empty());
            assert_eq!(scope.egress("example.com").unwrap_err().code, Code::EgressDenied);
            Ok(json!({"said": 1}))
        },
    );
    let mut executor = executor(Limits::default(), [uses]);
    let (results, metrics) = run(&mut executor, vec![call("uses", Value::Null)]);
    assert_eq!(code(&results[0]), None, "{results:?}");
    assert!(!seen.lock().unwrap().clone().unwrap().exists());
    let percents: Vec<u8> = metrics
        .iter()
        .filter_map(|metric| match metric {
            Metric::ToolProgress { percent, .. } => Some(*percent),
            _ => None,
        })
        .collect();
    assert_eq!(percents, [40, 100]);
}

fn host(id: &str) -> Tool {
    Tool {
        spec: Arc::new(
            Spec {
                place: RunsIn::Host,
                pure: false,
                ..spec(id)
            }
            .within(1.0)
            .unwrap(),
        ),
        runner: Runner::Host(Arc::new(|input, raw| Ok(json!({"said": raw, "asked": input})))),
    }
}

fn answer(ok: bool, ms: f64) -> HostResult {
    let error = HostError {
        code: "nonsense".into(),
        message: "no".into(),
    };
    HostResult {
        ok,
        result: json!(ms),
        error: (!ok).then_some(error),
        ms,
    }
}

#[test]
fn the_host_answers_in_order_and_missing_answers_fail() {
    let mut executor = executor(
        Limits::default(),
        [host("look"), tool(spec("core"), |_, _| Ok(json!({"said": 0})))],
    );
    let calls = vec![
        call("look", json!({"n": 1})),
        call("core", json!({})),
        call("look", json!({"n": 2})),
        call("look", json!({"n": 3})),
        call("look", json!({"n": 4})),
        call("look", json!({"n": 5})),
    ];
    let mut batch = executor.admit(calls, 0);
    let rejected = batch.entries()[5].correlation_id.clone();
    batch.refuse(&rejected, ToolError::new(Code::UserRejected, "Rejected."));
    executor.run(&mut batch, &|| false, &mut |_| {});
    let asked = batch.host_calls();
    assert_eq!(
        asked
            .iter()
            .map(|call| call.arguments["n"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    executor.host_answered(
        &mut batch,
        vec![answer(true, 3.0), answer(false, 1.0), answer(true, 1001.0)],
        &mut |_| {},
    );
    let results = batch.results();
    assert_eq!(
        results.iter().map(code).collect::<Vec<_>>(),
        [
            None,
            None,
            Some(Code::InternalError),
            Some(Code::ToolTimeout),
            Some(Code::InternalError),
            Some(Code::UserRejected)
        ]
    );
    assert_eq!(
        results[0].outcome,
        Outcome::Done(json!({"said": 3.0, "asked": {"n": 1}}))
    );
}

#[test]
fn a_picture_is_sent_beside_the_text() {
    let mut executor = executor(
        Limits::default(),
        [tool(spec("picture"), |_, _| {
            Ok(json!({"said": 1, "image": {"media_type": "image/png", "data": "QUJD".repeat(50_000)}}))
        })],
    );
    let shown = one(&mut executor, "picture", json!({}));
    assert_eq!(
        shown.outcome,
        Outcome::Done(json!({"said": 1, "image": {"media_type": "image/png", "bytes": 150_000}}))
    );
    assert_eq!(shown.image.unwrap().data.len(), 200_000);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5i64..50).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,3}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn every_call_has_one_bounded_result_in_its_place(
        calls in prop::collection::vec(("(known|look|read_result|.{0,9})", prop_oneof![any_json(), "[{}\\[\\]\":,a-z0-9]{0,20}".prop_map(Value::from)]), 0..24)
    ) {
        let limits = Limits { result_bytes: 300, head_bytes: 50, page_bytes: 100, ..Limits::default() };
        let echo = tool(spec("known"), |input, _| Ok(json!({"said": "é".repeat(usize::try_from(input["n"].as_u64().unwrap_or(1)).unwrap() * 10)})));
        let mut executor = executor(limits, [echo, host("look")]);
        let asked: Vec<Call> = calls.into_iter().enumerate().map(|(at, (name, arguments))| Call { id: at.to_string(), name, arguments }).collect();
        let mut batch = executor.admit(asked.clone(), 0);
        let (mut starts, mut ends) = (0, 0);
        let mut count = |metric| match metric {
            Metric::ToolStart { .. } => starts += 1,
            Metric::ToolEnd { .. } => ends += 1,
            Metric::ToolProgress { .. } => {}
        };
        executor.run(&mut batch, &|| false, &mut count);
        let answers = batch.host_calls().iter().map(|_| answer(true, 1.0)).collect();
        executor.host_answered(&mut batch, answers, &mut count);
        let results = batch.results();
        prop_assert_eq!(results.len(), asked.len());
        prop_assert_eq!((starts, ends), (asked.len(), asked.len()));
        for (call, settled) in asked.iter().zip(&results) {
            prop_assert_eq!(&call.id, &settled.call_id);
            prop_assert!(settled.text().len() < 2500, "{}", settled.text());
            let fields = settled.outcome.to_json();
            prop_assert_eq!(fields["ok"] == json!(true), fields.get("result").is_some());
            prop_assert_eq!(fields["ok"] == json!(false), fields.get("error").is_some());
        }
    }

    #[test]
    fn the_canonical_text_does_not_depend_on_the_order_of_keys(value in any_json()) {
        let text = canonical(&value);
        let again: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(canonical(&again), text);
    }
}

#[test]
fn without_strictness_unknown_arguments_are_left_out_and_results_pass() {
    let limits = Limits {
        strict: false,
        ..Limits::default()
    };
    let echo = tool(spec("echo"), |input, _| Ok(json!({"got": input})));
    let mut lenient = executor(limits, [echo]);
    let settled = one(&mut lenient, "echo", json!({"n": 1, "x": 2, "y": 3}));
    assert_eq!(settled.outcome, Outcome::Done(json!({"got": {"n": 1}})));
    let codes: Vec<Code> = settled.doubts.iter().map(|doubt| doubt.code).collect();
    assert_eq!(codes, [Code::ToolValidationError, Code::ReturnInvalid]);
    assert!(
        settled.doubts[0].message.contains("\"x\", \"y\""),
        "{:?}",
        settled.doubts
    );
    assert!(settled.text().contains("warnings"), "the model learns of it");
    let wrong = one(&mut lenient, "echo", json!({"n": -1, "x": 2}));
    assert_eq!(
        code(&wrong),
        Some(Code::ToolValidationError),
        "a wrong value is never waived"
    );
}
