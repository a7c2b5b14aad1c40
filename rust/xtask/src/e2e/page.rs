//! The report for people: one page that needs nothing beside it.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use serde_json::Value;

use super::drawing::{self, Drawing};
use super::jobs::Shard;
use super::records::{Outcome, Record, Report};

const TEMPLATE: &str = include_str!("page.html");
/// Longest list of changes and longest value of a check that are shown.
const SHOWN: usize = 60;

/// A check of a manifest.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) ok: bool,
    pub(crate) expected: String,
    pub(crate) actual: String,
}

/// A message of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Message {
    pub(crate) severity: String,
    pub(crate) code: String,
    pub(crate) text: String,
}

/// A step of a run.
#[derive(Debug, Serialize)]
struct Step {
    id: String,
    kind: String,
    what: String,
    status: String,
    message: String,
    seconds: f64,
}

/// A part of a manifest's time.
#[derive(Debug, Serialize)]
struct Part {
    name: &'static str,
    seconds: f64,
    percent: f64,
}

/// A manifest as the page shows it.
#[derive(Debug, Serialize)]
struct Card {
    name: String,
    key: String,
    outcome: Outcome,
    word: &'static str,
    passed: bool,
    seconds: f64,
    prompts: Vec<String>,
    said: Option<String>,
    cause: Option<String>,
    hint: Option<String>,
    printed: String,
    picture: Option<String>,
    planner: String,
    attempts: u64,
    tokens: Option<String>,
    steps: Vec<Step>,
    gates: Option<bool>,
    findings: Vec<Message>,
    checks: Vec<Check>,
    failed_checks: usize,
    messages: Vec<Message>,
    measured: Vec<String>,
    trees: Vec<Drawing>,
    diff: Vec<String>,
    more_diff: usize,
    parts: Vec<Part>,
    /// `broken`, `mended`, `new`, or nothing.
    change: &'static str,
    /// Seconds less or more than last time, where that is worth a look.
    slower: Option<f64>,
}

/// The run before.
#[derive(Debug, Serialize)]
struct Before {
    started: u64,
    seconds: f64,
}

/// What the template is filled with.
#[derive(Debug, Serialize)]
struct Page<'a> {
    blender: &'a str,
    provider: Option<&'a str>,
    shard: Option<Shard>,
    started: u64,
    seconds: f64,
    complete: bool,
    notes: &'a [String],
    passed: usize,
    not_run: usize,
    failed: usize,
    total: usize,
    last: Option<Before>,
    broken: usize,
    mended: usize,
    new: usize,
    /// Keys that the run before had.
    gone: Vec<&'a str>,
    cards: Vec<Card>,
}

/// The page.
///
/// # Errors
/// When the template does not fit what it is filled with, which a test excludes.
pub(crate) fn of(report: &Report, last: Option<&Report>, folder: &Path) -> Result<String> {
    let cards: Vec<Card> = report
        .manifests
        .iter()
        .map(|record| card(record, last, folder))
        .collect();
    let gone: Vec<&str> = last
        .iter()
        .flat_map(|last| &last.manifests)
        .map(|record| record.key.as_str())
        .filter(|key| !report.head.keys.iter().any(|known| known == key))
        .collect();
    let count = |change: &str| cards.iter().filter(|card| card.change == change).count();
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("seconds", |seconds: f64| {
        if seconds < 60.0 {
            format!("{seconds:.1} s")
        } else {
            format!("{:.0} min {:.0} s", (seconds / 60.0).floor(), seconds % 60.0)
        }
    });
    environment
        .add_template("page", TEMPLATE)
        .context("the template of the report is broken")?;
    let values = Page {
        blender: &report.head.blender,
        provider: report.head.provider.as_deref(),
        shard: report.head.shard,
        started: report.head.started,
        seconds: report.seconds,
        complete: report.complete,
        notes: &report.notes,
        passed: report.count(Outcome::Passed),
        not_run: report.count(Outcome::NotRun),
        failed: report.failed() - report.count(Outcome::NotRun),
        total: report.manifests.len(),
        last: last.map(|last| Before {
            started: last.head.started,
            seconds: last.seconds,
        }),
        broken: count("broken"),
        mended: count("mended"),
        new: count("new"),
        gone,
        cards,
    };
    let page = environment
        .get_template("page")?
        .render(minijinja::value::Serde(&values));
    page.context("the report cannot be filled in")
}

fn card(record: &Record, last: Option<&Report>, folder: &Path) -> Card {
    let at = |pointer: &str| record.report.pointer(pointer);
    let word = |pointer: &str| {
        at(pointer)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let texts = |pointer: &str| list(at(pointer)).filter_map(Value::as_str).map(str::to_owned).collect();
    let before = last.and_then(|last| last.manifests.iter().find(|one| one.key == record.key));
    let passed = record.outcome == Outcome::Passed;
    let change = match before.map(|before| before.outcome) {
        _ if record.outcome == Outcome::NotRun => "",
        None if last.is_some() => "new",
        Some(Outcome::Passed) if !passed => "broken",
        Some(outcome) if passed && outcome != Outcome::Passed => "mended",
        _ => "",
    };
    let diff: Vec<String> = texts("/run/diff");
    let checks: Vec<Check> = list(at("/checks")).map(check).collect();
    let planner = [word("/run/provider"), word("/run/model")];
    Card {
        name: record.name(),
        key: record.key.clone(),
        outcome: record.outcome,
        word: record.outcome.word(),
        passed,
        seconds: record.seconds,
        prompts: list(at("/prompts"))
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        said: word("/run/final_message"),
        cause: record.cause.clone(),
        hint: word("/error/hint"),
        printed: record.printed.clone(),
        picture: record
            .picture
            .as_ref()
            .and_then(|picture| embedded(&folder.join(picture))),
        planner: planner.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        attempts: at("/run/attempts").and_then(Value::as_u64).unwrap_or_default(),
        tokens: tokens(at("/run/usage")),
        steps: list(at("/run/steps"))
            .map(|one| step(one, at("/run/plan/steps")))
            .collect(),
        gates: at("/run/gates/success").and_then(Value::as_bool),
        findings: list(at("/run/gates/findings")).map(finding).collect(),
        failed_checks: checks.iter().filter(|check| !check.ok).count(),
        checks,
        messages: messages(record),
        measured: list(at("/run/measured"))
            .filter_map(|one| one.get("line")?.as_str().map(str::to_owned))
            .collect(),
        trees: list(at("/trees")).filter_map(drawing::of).collect(),
        more_diff: diff.len().saturating_sub(SHOWN),
        diff: diff.into_iter().take(SHOWN).collect(),
        parts: parts(record),
        change,
        slower: before
            .filter(|before| before.outcome == record.outcome)
            .map(|before| record.seconds - before.seconds)
            .filter(|more| more.abs() > 1.0 && more.abs() > 0.2 * record.seconds),
    }
}

/// What the artist was told at the end.
pub(crate) fn final_message(record: &Record) -> Option<&str> {
    let said = record.report.pointer("/run/final_message")?.as_str()?;
    (!said.is_empty()).then_some(said)
}

/// The checks that do not hold.
pub(crate) fn failed_checks(record: &Record) -> Vec<Check> {
    list(record.report.get("checks"))
        .map(check)
        .filter(|check| !check.ok)
        .collect()
}

/// The messages of the run, worst first.
pub(crate) fn messages(record: &Record) -> Vec<Message> {
    list(record.report.pointer("/run/messages"))
        .map(|one| Message {
            severity: text(one, "severity"),
            code: text(one, "code"),
            text: text(one, "text"),
        })
        .collect()
}

fn finding(one: &Value) -> Message {
    Message {
        severity: "error".into(),
        code: text(one, "code"),
        text: [text(one, "cause"), text(one, "fix")].join(" ").trim().to_owned(),
    }
}

fn check(one: &Value) -> Check {
    Check {
        name: text(one, "name"),
        ok: one.get("ok").and_then(Value::as_bool).unwrap_or_default(),
        expected: shown(one.get("expected")),
        actual: shown(one.get("actual")),
    }
}

fn step(one: &Value, planned: Option<&Value>) -> Step {
    let id = text(one, "step_id");
    let time = |key: &str| one.get(key).and_then(Value::as_f64);
    let what = list(planned)
        .find(|step| text(step, "id") == id)
        .map(|step| text(step, "description"));
    Step {
        kind: text(one, "action_type"),
        what: what.unwrap_or_default(),
        status: text(one, "status"),
        message: one
            .get("error")
            .and_then(|error| error.get("text")?.as_str())
            .map_or_else(|| text(one, "message"), str::to_owned),
        seconds: time("ended_at")
            .zip(time("started_at"))
            .map_or(0.0, |(end, start)| end - start),
        id,
    }
}

/// Where the time went, Blender's own start first.
fn parts(record: &Record) -> Vec<Part> {
    let time = |name: &str| {
        record
            .report
            .pointer(&format!("/times/{name}"))
            .and_then(Value::as_f64)
            .unwrap_or_default()
    };
    let known = [
        ("Blender", record.start_seconds.unwrap_or_default()),
        ("scene", time("start")),
        ("prompts", time("prompts")),
        ("measuring", time("measuring")),
        ("picture", time("picture")),
        ("undo", time("undo")),
    ];
    let sum: f64 = known.iter().map(|(_, seconds)| seconds).sum();
    let all = record.seconds.max(sum).max(f64::MIN_POSITIVE);
    known
        .into_iter()
        .filter(|(_, seconds)| *seconds > 0.0)
        .map(|(name, seconds)| Part {
            name,
            seconds,
            percent: 100.0 * seconds / all,
        })
        .collect()
}

fn tokens(usage: Option<&Value>) -> Option<String> {
    let number = |key: &str| usage?.get(key)?.as_u64();
    match (number("input_tokens"), number("output_tokens")) {
        (None, None) => None,
        (input, output) => Some(format!(
            "{} in, {} out",
            input.unwrap_or_default(),
            output.unwrap_or_default()
        )),
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A value of a check, cut to what a line can show.
fn shown(value: Option<&Value>) -> String {
    let whole = match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), rounded),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| shown(Some(item))).collect();
            format!("[{}]", items.join(", "))
        }
        Some(Value::Null) | None => "nothing".into(),
        Some(other) => other.to_string(),
    };
    if whole.chars().count() > 4 * SHOWN {
        whole.chars().take(4 * SHOWN).chain(['…']).collect()
    } else {
        whole
    }
}

/// Six digits behind the point at most.
fn rounded(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A picture as part of the page.
fn embedded(file: &Path) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    Some(format!("data:image/jpeg;base64,{text}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::records::tests::{head, passed};
    use super::*;

    fn report(manifests: &[Record]) -> Report {
        let keys: Vec<&str> = manifests.iter().map(|record| record.key.as_str()).collect();
        Report {
            head: head(&keys),
            seconds: 4.5,
            complete: true,
            notes: Vec::new(),
            manifests: manifests.to_vec(),
        }
    }

    fn failed() -> Record {
        let mut record = passed("b.json");
        record.outcome = Outcome::Failed;
        record.picture = Some("pictures/b.jpg".into());
        record.report = json!({
            "name": "<script>alert(1)</script>",
            "prompts": ["a ring of cubes & more"],
            "times": {"prompts": 0.5},
            "checks": [{"name": "instances", "ok": false, "expected": [1.0, 2.5], "actual": null}],
            "run": {
                "final_message": "Twelve cubes.", "provider": "replay", "model": "recorded", "attempts": 2,
                "usage": {"input_tokens": 12, "output_tokens": 5},
                "steps": [{"step_id": "s", "action_type": "NODE_TREE", "status": "done", "started_at": 1.0, "ended_at": 1.25, "message": "trees 1", "error": null}],
                "plan": {"steps": [{"id": "s", "description": "Make the ring"}]},
                "gates": {"success": false, "findings": [{"code": "NOT_EMPTY", "cause": "Nothing is left.", "fix": "Look."}]},
                "messages": [{"severity": "warning", "code": "repaired", "text": "A number was rounded."}],
                "diff": ["Add the input “Count”"], "measured": [{"name": "Cube", "line": "Cube: 12 instances"}],
            },
        });
        record
    }

    #[test]
    fn the_page_shows_everything_and_runs_nothing_of_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("pictures")).unwrap();
        std::fs::write(folder.path().join("pictures/b.jpg"), b"picture").unwrap();
        let mut crashed = Record::stopped("c.json", Outcome::Crashed, 2.0, "Blender crashed: SIGSEGV.".into());
        crashed.printed = "<backtrace>".into();
        let page = of(&report(&[passed("a.json"), failed(), crashed]), None, folder.path()).unwrap();
        for part in [
            "&lt;script&gt;alert(1)&lt;",
            "a ring of cubes &amp; more",
            "data:image&#x2f;jpeg;base64,cGljdHVyZQ==",
            "instances",
            "[1, 2.5]",
            "nothing",
            "Twelve cubes.",
            "replay · recorded",
            "12 in, 5 out",
            "Make the ring",
            "0.2 s",
            "NOT_EMPTY",
            "Nothing is left. Look.",
            "repaired",
            "A number was rounded.",
            "Add the input “Count”",
            "Cube: 12 instances",
            "Blender crashed: SIGSEGV.",
            "&lt;backtrace&gt;",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("<script>alert") && !page.contains("{{"));
        // Nothing is fetched from elsewhere.
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("src=\"pictures"));
    }

    #[test]
    fn what_changed_since_the_last_run_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (mut mended, mut slow) = (passed("b.json"), passed("d.json"));
        slow.seconds = 9.0;
        mended.outcome = Outcome::Passed;
        let last = report(&[passed("a.json"), failed(), passed("d.json"), passed("old.json")]);
        let mut broken = failed();
        broken.key = "a.json".into();
        let now = report(&[broken, mended, passed("c.json"), slow]);
        let changes: Vec<_> = now
            .manifests
            .iter()
            .map(|record| card(record, Some(&last), folder.path()).change)
            .collect();
        assert_eq!(changes, ["broken", "mended", "new", ""]);
        let page = of(&now, Some(&last), folder.path()).unwrap();
        assert!(
            page.contains("1 broken") && page.contains("1 mended") && page.contains("1 new"),
            "{page}"
        );
        assert!(page.contains("+7.5 s") && page.contains("old.json"), "{page}");
    }

    #[test]
    fn numbers_are_shown_short() {
        for (value, text) in [
            (json!(0.1 + 0.2), "0.3"),
            (json!(12), "12"),
            (json!([1, -2.5]), "[1, -2.5]"),
            (json!("x".repeat(500)), ""),
        ] {
            let whole = shown(Some(&value));
            assert!(
                whole == text || text.is_empty() && whole.chars().count() == 4 * SHOWN + 1,
                "{whole}"
            );
        }
    }
}
