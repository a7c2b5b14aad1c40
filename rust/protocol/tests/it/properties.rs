//! What holds for every input: nothing panics, findings are bounded and point into the document, and reading what was written gives the
//! same plan.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use geonode_protocol::{
    Arriving, ArrivingStep, Code, Finding, Limits, Parsed, Plan, Severity, parse_plan, parse_plan_value,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use geonode_testing::samples::every_operation;

/// Texts of the fixtures: the seeds that are changed.
fn seeds() -> &'static [String] {
    static SEEDS: OnceLock<Vec<String>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plans");
        let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
        let inputs = folders.flat_map(|folder| [folder.join("input.json"), folder.join("input.txt")]);
        let mut seeds: Vec<String> = inputs.filter_map(|input| fs::read_to_string(input).ok()).collect();
        seeds.sort();
        assert!(seeds.len() > 50);
        seeds
    })
}

/// Plans among the seeds that are accepted, as JSON, and the one with every operation.
fn accepted() -> &'static [Value] {
    static ACCEPTED: OnceLock<Vec<Value>> = OnceLock::new();
    ACCEPTED.get_or_init(|| {
        let plans = seeds()
            .iter()
            .filter_map(|text| parse_plan(text, &Limits::default()).plan);
        let mut plans: Vec<Value> = plans.map(|plan| serde_json::to_value(plan).unwrap()).collect();
        assert!(plans.len() > 20);
        plans.push(every_operation());
        plans
    })
}

fn check(parsed: &Parsed) -> Result<(), TestCaseError> {
    let limits = Limits::default();
    prop_assert!(parsed.findings.len() <= limits.max_findings);
    prop_assert_eq!(parsed.plan.is_none(), parsed.findings.iter().any(Finding::is_error));
    prop_assert!(
        parsed
            .findings
            .iter()
            .all(|finding| finding.code != Code::InternalError),
        "{:?}",
        parsed.findings
    );
    if let Some(plan) = &parsed.plan {
        let text = serde_json::to_string(plan).unwrap();
        let again = parse_plan(&text, &limits);
        prop_assert_eq!(again.plan.as_ref(), Some(plan));
        prop_assert!(again.findings.is_empty());
        prop_assert_eq!(&serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }
    Ok(())
}

/// The place that a finding names exists; a field that is missing lies in an object that exists.
fn check_paths(value: &Value, findings: &[Finding]) -> Result<(), TestCaseError> {
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let exists = value.pointer(&finding.path).is_some();
        if finding.code == Code::MissingField {
            let (parent, _) = finding.path.rsplit_once('/').unwrap();
            prop_assert!(
                !exists && value.pointer(parent).is_some_and(Value::is_object),
                "{finding}"
            );
        } else {
            prop_assert!(exists, "{finding}");
        }
    }
    let places: HashSet<_> = findings.iter().map(|finding| (&finding.path, finding.code)).collect();
    prop_assert_eq!(places.len(), findings.len(), "something is said twice: {:#?}", findings);
    Ok(())
}

fn schema() -> &'static jsonschema::Validator {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| jsonschema::validator_for(&geonode_protocol::schema("plan").unwrap()).unwrap())
}

/// Codes of rules that the schema does not say.
const RULES: [Code; 5] = [
    Code::DuplicateStepId,
    Code::GateVerificationRequired,
    Code::ContextRequestsNotAllowed,
    Code::ReservedId,
    Code::OutOfRange,
];

/// The published schema of a plan and the reader agree.
fn check_schema(value: &Value, parsed: &Parsed) -> Result<(), TestCaseError> {
    if value.get("version") == Some(&json!("1.0")) {
        return Ok(());
    }
    let fits = schema().is_valid(value);
    if parsed.plan.is_some() {
        prop_assert!(fits, "accepted, but not by the schema: {value:#}");
    } else if fits {
        let newer = |finding: &Finding| {
            let hint = finding.hint.as_ref().map_or("", |hint| hint.as_str());
            value.get("version") == Some(&json!("1.1")) && hint.starts_with("It exists from version 1.2 on")
        };
        let rule = |finding: &Finding| {
            RULES.contains(&finding.code) || finding.path.starts_with("/meta/expects/") || newer(finding)
        };
        let only_rules = parsed.findings.iter().all(rule);
        prop_assert!(only_rules, "{:#?} is not in the schema: {value:#}", parsed.findings);
    }
    Ok(())
}

/// Every pointer into `value`.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Object(object) => {
            for (key, member) in object {
                pointers(
                    member,
                    &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                    out,
                );
            }
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, item)| pointers(item, &format!("{at}/{i}"), out)),
        _ => {}
    }
}

/// One change of a document: where, what, and with which value.
type Change = (Index, u8, Index);

fn change(value: &mut Value, (place, how, with): Change) {
    let mut places = Vec::new();
    pointers(value, "", &mut places);
    let place = place.get(&places).clone();
    let values = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("group_input"),
        json!([]),
        json!([1, 2, 3]),
        json!({}),
        json!({"object": "Cube"}),
        json!("1.0"),
        json!("NODE_TREE"),
        json!("set_group_io"),
    ];
    let with = with.get(&values).clone();
    let (parent, last) = place.rsplit_once('/').unwrap_or(("", ""));
    match (how % 4, value.pointer_mut(&place)) {
        (1, Some(Value::Object(object))) => drop(object.insert("extra".into(), with)),
        (1, Some(Value::Array(items))) => items.push(with),
        (2, _) => match value.pointer_mut(parent) {
            Some(Value::Object(object)) => drop(object.shift_remove(last)),
            Some(Value::Array(items)) if !items.is_empty() => drop(items.pop()),
            _ => {}
        },
        (3, Some(Value::Array(items))) => items.extend(items.clone()),
        (_, Some(target)) => *target = with,
        _ => {}
    }
}

fn changes(most: usize) -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((any::<Index>(), any::<u8>(), any::<Index>()), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&parse_plan(&String::from_utf8_lossy(&bytes), &Limits::default()))?;
    }

    #[test]
    fn damaged_texts_are_read_or_refused(seed in any::<Index>(), at in any::<Index>(), length in 0_usize..20, insert in "[\\[\\]{}\",:`0-9a-z\n ]{0,6}") {
        let chars: Vec<char> = seed.get(seeds()).chars().collect();
        let at = at.index(chars.len() + 1);
        let text: String =
            chars[..at].iter().copied().chain(insert.chars()).chain(chars[at..].iter().skip(length).copied()).collect();
        check(&parse_plan(&text, &Limits::default()))?;
    }

    #[test]
    fn truncated_texts_are_read_or_refused(seed in any::<Index>(), at in any::<Index>()) {
        let text = seed.get(seeds());
        let chars: Vec<char> = text.chars().collect();
        let cut: String = chars[..at.index(chars.len() + 1)].iter().collect();
        check(&parse_plan(&cut, &Limits::default()))?;
    }

    #[test]
    fn changed_plans_are_read_or_refused(seed in any::<Index>(), changes in changes(4)) {
        let mut value = seed.get(accepted()).clone();
        for step in changes {
            change(&mut value, step);
        }
        let parsed = parse_plan_value(&value, &Limits::default());
        check(&parsed)?;
        check_paths(&value, &parsed.findings)?;
        check_schema(&value, &parsed)?;
        prop_assert_eq!(parse_plan(&value.to_string(), &Limits::default()), parsed);
    }
}

/// A cut text is a plan only where one brace makes it one, and then no step is lost.
#[test]
fn every_truncation_of_every_plan_is_read_or_refused() {
    let limits = Limits::default();
    for whole in accepted() {
        let text = whole.to_string();
        if text.len() > 2_000 {
            continue;
        }
        let mut mended = 0;
        for (at, _) in text.char_indices() {
            let cut = &text[..at];
            let parsed = parse_plan(cut, &limits);
            let strict = parse_plan(&format!("{cut}}}"), &limits);
            let certain = strict.plan.is_some() && strict.findings.is_empty();
            assert_eq!(parsed.plan.is_some(), certain, "{cut}");
            if let Some(plan) = parsed.plan {
                mended += 1;
                assert_eq!(parsed.findings.len(), 1, "{cut}");
                assert_eq!(serde_json::to_value(plan.steps).unwrap(), whole["steps"], "{cut}");
            }
        }
        assert!(mended > 0);
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"steps\":[", "]}"), ("{", "}")] {
        for text in [
            open.repeat(100_000),
            open.repeat(100_000) + &close.repeat(100_000),
            format!("See {}", open.repeat(100_000)),
        ] {
            let parsed = parse_plan(&text, &Limits::default());
            assert!(
                parsed.plan.is_none() && parsed.findings.len() == 1,
                "{:?}",
                parsed.findings
            );
        }
    }
    let mut value = json!(1);
    for _ in 0..10_000 {
        value = Value::Array(vec![value]);
    }
    assert_eq!(
        parse_plan_value(&value, &Limits::default()).findings[0].code,
        Code::TooDeep
    );
    // Its drop would recurse; taking it apart does not.
    while let Value::Array(mut items) = value {
        value = items.pop().unwrap();
    }
    let limits = Limits {
        max_depth: usize::MAX,
        ..Limits::default()
    };
    assert_eq!(
        parse_plan(&"[".repeat(100_000), &limits).findings[0].code,
        Code::TooDeep
    );
}

/// A long prose that looks like JSON again and again takes linear time: this test would not end otherwise.
#[test]
fn hostile_prose_takes_linear_time() {
    for piece in [
        "{",
        "{\"",
        "{\"a\":1,",
        "{\"a\":[",
        "{}",
        "{\"version\":",
        "{\"version\":1,\"steps\":",
        "}{",
        "{\"\\\"",
        "```{",
        "{\"a\":\"\",\"a\":",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        assert!(parse_plan(&text, &Limits::default()).plan.is_none());
        assert!(parse_plan(&format!("x{text}"), &Limits::default()).plan.is_none());
    }
}

/// Far too many operations are one finding, whichever way the plan comes; where they are allowed they are all read.
#[test]
fn a_hundred_thousand_operations_are_read_quickly() {
    let op = json!({"op": "remove_node", "id": "a"});
    let step = json!({"id": "a", "type": "GN_OPS", "description": "", "payload":
        {"v": 1, "target": {"object_name": "P", "modifier_name": "M"}, "ops": vec![op; 100_000]}});
    let plan = json!({"version": "1.1", "steps": [step], "done": true, "final_message": ""});
    let text = plan.to_string();
    let parsed = parse_plan_value(&plan, &Limits::default());
    assert_eq!(parse_plan(&text, &Limits::default()), parsed);
    let codes: Vec<Code> = parsed.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::TooManyOperations]);
    let all = Limits {
        max_operations: 100_000,
        ..Limits::default()
    };
    let read = parse_plan(&text, &all).plan.unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap()["steps"], plan["steps"]);
}

#[test]
fn many_findings_are_counted() {
    let ops = vec![json!({"op": "remove_node", "id": ""}); 10_000];
    let step = json!({"id": "a", "type": "GN_OPS", "description": "", "payload":
        {"v": 1, "target": {"object_name": "P", "modifier_name": "M"}, "ops": ops}});
    let plan = json!({"version": "1.1", "steps": [step], "done": true, "final_message": ""});
    let findings = parse_plan_value(&plan, &Limits::default()).findings;
    assert_eq!(findings.len(), 50);
    assert!(findings[49].message.starts_with("9951 more"), "{}", findings[49]);

    let text = format!("{{{}\"version\":\"1.1\"}}", "\"a\":0,".repeat(5_001));
    let findings = parse_plan(&text, &Limits::default()).findings;
    // 5,000 doubled keys, one unknown field, three missing ones.
    assert!(findings[49].message.starts_with("4955 more"), "{}", findings[49]);
}

/// Steps that a scanner tells of these pieces.
fn arriving<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<ArrivingStep> {
    let (mut scanner, mut out) = (Arriving::default(), Vec::new());
    for piece in pieces {
        scanner.push(piece, &mut out);
    }
    out
}

#[test]
fn the_arriving_steps_are_those_of_the_plan() {
    let mut steps = 0;
    for plan in accepted() {
        let expected: Vec<ArrivingStep> = plan["steps"].as_array().unwrap().iter().map(told).collect();
        steps += expected.len();
        for text in [plan.to_string(), serde_json::to_string_pretty(plan).unwrap()] {
            assert_eq!(arriving([text.as_bytes()]), expected);
            assert_eq!(
                arriving([format!("Here it is:\n```json\n{text}\n```").as_bytes()]),
                expected
            );
        }
    }
    assert!(steps > 20);
}

fn told(step: &Value) -> ArrivingStep {
    let word = |key: &str| step[key].as_str().unwrap_or_default().to_owned();
    ArrivingStep {
        id: word("id"),
        kind: word("type"),
        description: word("description"),
    }
}

proptest! {
    #[test]
    fn steps_arrive_the_same_however_the_text_is_cut(
        seed in any::<Index>(),
        noise in any::<Vec<(Index, u8)>>(),
        cuts in any::<Vec<Index>>(),
    ) {
        let mut text = seed.get(seeds()).clone().into_bytes();
        for (at, byte) in noise.iter().take(4) {
            if !text.is_empty() {
                let at = at.index(text.len());
                text[at] = *byte;
            }
        }
        let whole = arriving([text.as_slice()]);
        prop_assert_eq!(&arriving(text.chunks(1)), &whole);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.push(text.len());
        cuts.sort_unstable();
        let mut start = 0;
        let mut pieces = Vec::new();
        for cut in cuts {
            pieces.push(&text[start..cut]);
            start = cut;
        }
        prop_assert_eq!(&arriving(pieces), &whole);
        // What was told stays told: nothing that follows takes it back.
        let half = arriving([&text[..text.len() / 2]]);
        prop_assert!(whole.starts_with(&half));
    }
}
