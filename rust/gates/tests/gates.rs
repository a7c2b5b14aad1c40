//! Each case in `cases/cases.json` changes a good result (`cases/base.json`) in one way and says which findings must follow.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;
use std::path::Path;

use geonode_gates::{Facts, GATES, judge};
use geonode_graph::Moves;
use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;
use geonode_graph::documents::Evidence;
use geonode_graph::documents::delta::TreeDelta;
use geonode_protocol::{Code, Plan, Severity};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// JSON Pointer into the base → new value; null removes.
    #[serde(default)]
    change: serde_json::Map<String, Value>,
    #[serde(default)]
    allow_empty: bool,
    /// Links of which the plan said that they carry nothing, by tree.
    #[serde(default)]
    idle: BTreeSet<(String, [String; 4])>,
    /// The edits that moved nodes between trees.
    #[serde(default)]
    moves: Vec<TreeDelta>,
    /// (gate, code, node) of each finding.
    expect: BTreeSet<(Code, Code, Option<String>)>,
    /// Whether the result is kept nevertheless, where that is not plain.
    success: Option<bool>,
}

fn check(name: &str, mut world: Value, case: &Case) {
    for (pointer, value) in &case.change {
        set(&mut world, pointer, value.clone());
    }
    let plan: Plan = serde_json::from_value(world["plan"].take()).unwrap_or_else(|e| panic!("{name}: plan: {e}"));
    let before: Document = serde_json::from_value(world["before"].take()).unwrap();
    let evidence: Evidence = serde_json::from_value(world["evidence"].take()).unwrap();
    let catalogue: Catalogue = serde_json::from_value(world["catalogue"].take()).unwrap();
    let trees: Vec<String> = serde_json::from_value(world["trees"].take()).unwrap();
    let now = Document {
        trees: evidence.trees.clone(),
        ..before.clone()
    };
    let mut moves = Moves::default();
    moves.note(&case.moves);
    let facts = Facts {
        plans: &[plan],
        before: &before,
        moves: &moves,
        idle: &case.idle,
        now: Some(&now),
        trees: &trees,
        evidence: &evidence,
        catalogue: Some(&catalogue),
        allow_empty: case.allow_empty,
    };
    let envelope = judge(&facts);
    let found: BTreeSet<_> = envelope
        .findings
        .iter()
        .map(|f| (f.gate, f.code, f.node_id.clone()))
        .collect();
    assert_eq!(found, case.expect, "{name}: {:#?}", envelope.findings);
    let failed: BTreeSet<Code> = envelope
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error && f.code != Code::NotAvailable)
        .map(|f| f.gate)
        .collect();
    assert_eq!(
        envelope.failed_gates.iter().copied().collect::<BTreeSet<_>>(),
        failed,
        "{name}"
    );
    assert_eq!(envelope.success, failed.is_empty(), "{name}");
    assert!(case.success.is_none_or(|kept| kept == envelope.success), "{name}");
    assert_eq!(envelope.messages.len(), failed.len(), "{name}");
    for finding in &envelope.findings {
        assert!(
            finding.cause.ends_with('.') || finding.cause.contains(": "),
            "{name}: {}",
            finding.cause
        );
        assert!(
            finding.fix.is_some() || finding.code == Code::NotAvailable,
            "{name}: no fix"
        );
    }
}

fn set(world: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match world
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("{pointer} does not exist"))
    {
        Value::Object(map) if value.is_null() => assert!(map.shift_remove(key).is_some(), "{pointer}"),
        Value::Object(map) => drop(map.insert(key.to_owned(), value)),
        Value::Array(list) if key == "-" => list.push(value),
        Value::Array(list) if value.is_null() => drop(list.remove(key.parse().unwrap())),
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        _ => panic!("{pointer} leads nowhere"),
    }
}

#[test]
fn every_case_gives_its_expected_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let base: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("base.json")).unwrap()).unwrap();
    let cases: serde_json::Map<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("cases.json")).unwrap()).unwrap();
    let mut covered = BTreeSet::new();
    for (name, case) in &cases {
        let case: Case = serde_json::from_value(case.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
        covered.extend(case.expect.iter().map(|(gate, _, _)| *gate));
        check(name, base.clone(), &case);
    }
    assert_eq!(
        covered,
        GATES.iter().map(|gate| gate.code).collect(),
        "every gate fails in some case"
    );
}

#[test]
fn a_thousand_findings_are_truncated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut world: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("base.json")).unwrap()).unwrap();
    let many: Vec<Value> = (0..1000)
        .map(|i| json!(["a", "O", "b", format!("I{i}"), "circle"]))
        .collect();
    set(&mut world, "/evidence/invalid_links/Tree", json!(many));
    let evidence: Evidence = serde_json::from_value(world["evidence"].take()).unwrap();
    let facts = Facts {
        plans: &[],
        before: &Document::default(),
        moves: &Moves::default(),
        idle: &BTreeSet::new(),
        now: None,
        trees: &["Tree".to_owned()],
        evidence: &evidence,
        catalogue: None,
        allow_empty: false,
    };
    let envelope = judge(&facts);
    let own: Vec<_> = envelope
        .findings
        .iter()
        .filter(|f| f.gate == Code::NoInvalidLinks)
        .collect();
    assert_eq!(own.len(), 10);
    let message = envelope
        .messages
        .iter()
        .find(|text| text.starts_with("NO_INVALID_LINKS"))
        .unwrap();
    assert!(message.ends_with("(and 990 more)"), "{message}");
}
