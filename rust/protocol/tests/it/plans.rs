//! Every folder in `tests/fixtures/plans` is a test: `input.txt` or `input.json`, optionally `limits.json`, and `expected.json` with the
//! plan (as it is written again) or null, and every finding. `UPDATE=1` rewrites what is expected.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use geonode_protocol::{Code, Finding, Limits, Parsed, parse_plan, parse_plan_value};
use serde_json::{Value, json};

use geonode_testing::samples::every_operation;

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plans");
    let mut folders: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() > 50, "only {} fixtures were found", folders.len());
    folders
}

fn read(folder: &Path) -> (String, Limits) {
    let text = fs::read_to_string(folder.join("input.json")).or_else(|_| fs::read_to_string(folder.join("input.txt")));
    let limits = fs::read_to_string(folder.join("limits.json")).map(|text| serde_json::from_str(&text).unwrap());
    (text.unwrap(), limits.unwrap_or_default())
}

fn report(parsed: &Parsed) -> Value {
    json!({"plan": parsed.plan, "findings": parsed.findings})
}

fn check(folder: &Path) -> Result<Parsed, String> {
    let name = folder.file_name().unwrap().to_string_lossy();
    let (text, limits) = read(folder);
    let parsed = parse_plan(&text, &limits);
    let file = folder.join("expected.json");
    let found = report(&parsed);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, format!("{found:#}\n")).unwrap();
    }
    let expected: Value = fs::read_to_string(&file)
        .map(|text| serde_json::from_str(&text).unwrap())
        .unwrap_or_default();
    if expected != found {
        return Err(format!("{name}: expected {expected:#}\nfound {found:#}"));
    }
    if parsed.plan.is_some() == parsed.findings.iter().any(geonode_protocol::Finding::is_error) {
        return Err(format!("{name}: a plan comes exactly without errors"));
    }
    // What is JSON as it stands gives the same when it comes as a value, except what only text has (places, sizes, equal keys).
    let only_text = [
        Code::DuplicateKey,
        Code::NonFiniteNumber,
        Code::PlanTooLarge,
        Code::TooDeep,
    ];
    if let Ok(value) = serde_json::from_str::<Value>(&text)
        && !parsed.findings.iter().any(|finding| only_text.contains(&finding.code))
        && parse_plan_value(&value, &limits) != parsed
    {
        return Err(format!("{name}: text and value differ"));
    }
    if let Some(plan) = &parsed.plan {
        let roomy = Limits {
            max_bytes: usize::MAX,
            ..limits
        };
        let again = parse_plan(&serde_json::to_string(plan).unwrap(), &roomy);
        if again.plan.as_ref() != Some(plan) || !again.findings.is_empty() {
            return Err(format!("{name}: written and read again it differs"));
        }
    }
    Ok(parsed)
}

#[test]
fn every_fixture_gives_its_expected_result() {
    let results: Vec<_> = folders().iter().map(|folder| check(folder)).collect();
    let failed: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(
        failed.is_empty(),
        "{} of {} fixtures fail:\n{}",
        failed.len(),
        results.len(),
        failed[0]
    );
}

/// Nothing of an operation is lost or refused: what the schema allows is read, and written again as it was.
#[test]
fn every_operation_is_read_and_written_again_with_all_its_fields() {
    let sample = every_operation();
    for parsed in [
        parse_plan(&sample.to_string(), &Limits::default()),
        parse_plan_value(&sample, &Limits::default()),
    ] {
        assert!(parsed.findings.is_empty(), "{:#?}", parsed.findings);
        let written = serde_json::to_value(parsed.plan).unwrap();
        assert_eq!(written["steps"], sample["steps"]);
    }
}

#[test]
fn every_protocol_code_has_a_fixture() {
    let mut seen = HashSet::new();
    for folder in folders() {
        let (text, limits) = read(&folder);
        seen.extend(parse_plan(&text, &limits).findings.iter().map(|finding| finding.code));
    }
    let all: HashSet<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| code.section() == "protocol")
        .collect();
    let missing: Vec<_> = all.difference(&seen).collect();
    assert!(missing.is_empty(), "no fixture gives {missing:?}");
    let foreign: Vec<_> = seen.difference(&all).collect();
    assert!(foreign.is_empty(), "codes of another section: {foreign:?}");
}

/// Every proposal is applied to the plan as it was sent: the finding is gone, and nothing new is wrong.
#[test]
fn every_proposal_takes_its_finding_away() {
    let mut applied = 0;
    for folder in folders() {
        let (text, limits) = read(&folder);
        let parsed = parse_plan(&text, &limits);
        for finding in parsed.findings.iter().filter(|finding| !finding.changes.is_empty()) {
            let mut plan: Value = serde_json::from_str(&text).unwrap();
            for change in &finding.changes {
                change
                    .apply(&mut plan)
                    .unwrap_or_else(|| panic!("{}: {change:?} fits nowhere", folder.display()));
            }
            let again = parse_plan_value(&plan, &limits);
            let same = |one: &&Finding| (one.code, &one.message) == (finding.code, &finding.message);
            let count = |all: &[Finding]| all.iter().filter(same).count();
            let stays = count(&again.findings) >= count(&parsed.findings);
            assert!(!stays, "{}: {finding} stays after it was followed", folder.display());
            let unread = unread(finding, &parsed.findings);
            let known = |one: &Finding| {
                let mut all = parsed.findings.iter();
                all.any(|other| (one.code, &one.message) == (other.code, &other.message))
            };
            let is_inside = |path: &str| {
                let mut above = unread.iter().map(|above| path.strip_prefix(*above));
                above.any(|rest| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
            };
            let mut new = again.findings.iter().filter(|one| !known(one) && !is_inside(&one.path));
            let new = new.next();
            assert!(new.is_none(), "{}: {new:?} after following {finding}", folder.display());
            applied += 1;
        }
    }
    assert!(applied >= 20, "only {applied} proposals");
}

/// Pointers to what was not read because of a finding: all of a plan of an unknown version, a step or operation of an unknown type, and
/// what only a later version has. Its mistakes are seen after the proposal was followed.
fn unread<'f>(finding: &'f Finding, all: &'f [Finding]) -> Vec<&'f str> {
    let above = |one: &'f Finding| one.path.rsplit_once('/').map_or("", |(above, _)| above);
    let is_newer = |one: &&Finding| one.changes.iter().any(|change| json!(change)["path"] == "/version");
    match finding.code {
        Code::UnsupportedVersion => vec![""],
        _ if is_newer(&finding) => all.iter().filter(is_newer).map(above).collect(),
        Code::UnknownStepType | Code::UnknownOp => vec![above(finding)],
        _ => Vec::new(),
    }
}

/// Words that propose one change belong to a hint that carries it.
#[test]
fn what_proposes_carries_its_change() {
    for folder in folders() {
        let (text, limits) = read(&folder);
        for finding in parse_plan(&text, &limits).findings {
            let hint = finding.hint.as_ref().map_or("", |hint| hint.as_str());
            let proposes = ["Did you mean", "Leave", "Use ", "Set "]
                .iter()
                .any(|word| hint.starts_with(word));
            assert!(!proposes || !finding.changes.is_empty(), "{finding}");
        }
    }
}

#[test]
fn every_hint_and_message_is_a_sentence() {
    for folder in folders() {
        let (text, limits) = read(&folder);
        for finding in parse_plan(&text, &limits).findings {
            assert!(finding.message.ends_with('.'), "{finding}");
            assert!(finding.message.len() < 400, "{finding}");
        }
    }
}
