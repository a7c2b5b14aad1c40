//! Plans against documents: each folder of `tests/plans` holds `case.json` (Blender versions, document), `plan.json` and
//! `expected.json` (each operation for the artist, findings, deltas, words). `UPDATE=1` writes what is found; read the difference before you commit it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use geonode_graph::{Catalogue, Compiled, Document, compile, operations};
use geonode_protocol::{Finding, Limits, Plan, parse_plan, schema};
use serde_json::{Value, json};

use crate::catalogue;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap_or_else(|_| panic!("{} is missing", path.display()))).unwrap()
}

/// A folder of `tests/plans`, without what is expected.
struct Case {
    versions: Vec<String>,
    document: Document,
    text: String,
    plan: Plan,
}

impl Case {
    fn read(folder: &Path) -> Self {
        let case = read(&folder.join("case.json"));
        let text = fs::read_to_string(folder.join("plan.json")).unwrap();
        let parsed = parse_plan(&text, &Limits::default());
        let plan = parsed
            .plan
            .unwrap_or_else(|| panic!("{}: {:?}", folder.display(), parsed.findings));
        Self {
            versions: serde_json::from_value(case["blender"].clone()).unwrap(),
            document: serde_json::from_value(case["document"].clone()).unwrap(),
            text,
            plan,
        }
    }
}

/// What compiling a case gives, as JSON.
fn outcome(folder: &Path) -> Value {
    let Case {
        versions,
        document,
        text,
        plan,
    } = Case::read(folder);
    let mut by_version = serde_json::Map::new();
    for version in versions {
        let catalogue = catalogue(&version);
        let compiled = compile(&plan, &document, &catalogue);
        let (deltas, words) = if compiled.ok() {
            // A repaired plan compiles to the same edits.
            let again = compile(&compiled.repaired_plan(&plan).unwrap(), &document, &catalogue);
            assert_eq!(
                again.steps,
                compiled.steps,
                "{}: repairs change the result",
                folder.display()
            );
            links_are_the_plans(folder, &text, &compiled);
            (json!(compiled.steps), json!(compiled.diff))
        } else {
            (json!([]), json!([]))
        };
        for finding in &compiled.findings {
            words_are_in_their_place(folder, finding);
        }
        for finding in compiled.findings.iter().filter(|finding| !finding.changes.is_empty()) {
            advice_works(folder, &text, &document, &catalogue, finding, &compiled.findings);
        }
        let operations = for_the_artist(&plan, &document, &catalogue);
        let mut found =
            json!({"operations": operations, "findings": compiled.findings, "deltas": deltas, "words": words});
        if !compiled.questions.is_empty() {
            found["questions"] = json!(compiled.questions);
        }
        by_version.insert(version, found);
    }
    Value::Object(by_version)
}

/// The operations as the artist reads them, marked where they take something away.
fn for_the_artist(plan: &Plan, document: &Document, catalogue: &Catalogue) -> Vec<String> {
    let operations = plan.steps.iter().flat_map(|step| operations(step, document, catalogue));
    operations
        .map(|op| op.words + if op.destructive { " (destructive)" } else { "" })
        .collect()
}

/// No repair makes a link: there are at most as many new ones as operations that ask for one.
fn links_are_the_plans(folder: &Path, plan: &str, compiled: &Compiled) {
    let plan: Value = serde_json::from_str(plan).unwrap();
    for (step, delta) in plan["steps"].as_array().unwrap().iter().zip(&compiled.steps) {
        let operations = step["payload"].get("operations").or_else(|| step["payload"].get("ops"));
        let asked = operations.and_then(Value::as_array).into_iter().flatten();
        let moving = ["replace_node", "order_links", "group_nodes", "ungroup_nodes"];
        let asked: Vec<&Value> = asked.collect();
        if asked
            .iter()
            .any(|operation| moving.iter().any(|name| operation["op"] == *name))
        {
            continue; // these make the links anew that are there
        }
        let asked = asked.iter().filter(|operation| operation["op"] == "link").count();
        let made: usize = delta.trees.iter().map(|tree| tree.links.len()).sum();
        assert!(made <= asked, "{}: a link that nobody asked for", folder.display());
    }
}

/// Applies a finding's proposal; the finding must then disappear, and no new ones may appear.
fn advice_works(
    folder: &Path,
    plan: &str,
    document: &Document,
    catalogue: &Catalogue,
    finding: &Finding,
    before: &[Finding],
) {
    let mut changed: Value = serde_json::from_str(plan).unwrap();
    for change in &finding.changes {
        change
            .apply(&mut changed)
            .unwrap_or_else(|| panic!("{}: {change:?} fits nowhere", folder.display()));
    }
    let parsed = parse_plan(&changed.to_string(), &Limits::default());
    let plan = parsed
        .plan
        .unwrap_or_else(|| panic!("{}: {:?}", folder.display(), parsed.findings));
    let again = compile(&plan, document, catalogue);
    let same = |one: &&Finding| (one.code, &one.message) == (finding.code, &finding.message);
    let count = |all: &[Finding]| all.iter().filter(same).count();
    assert!(
        count(&again.findings) < count(before),
        "{}: {finding} stays after it was followed",
        folder.display()
    );
    let is_known = |one: &&Finding| {
        before
            .iter()
            .any(|other| (one.code, &one.message) == (other.code, &other.message))
    };
    let new: Vec<&Finding> = again
        .findings
        .iter()
        .filter(|one| one.is_error() && !is_known(one))
        .collect();
    assert!(
        new.is_empty(),
        "{}: {new:?} after following {finding}",
        folder.display()
    );
}

/// Words that propose one change belong to a hint that carries it, and artists are told in their own words.
fn words_are_in_their_place(folder: &Path, finding: &Finding) {
    const PROPOSE: [&str; 12] = [
        "Did you mean",
        "Leave",
        "Use ",
        "Set ",
        "Choose",
        "Remove",
        "Add ",
        "Name ",
        "Make ",
        "Give ",
        "Move ",
        "Link the",
    ];
    const OF_PLANS: [&str; 14] = [
        "`",
        "JSON",
        "node_id",
        "bl_idname",
        "operation ",
        "operations",
        "payload",
        "set_property",
        "add_zone",
        "node_group_name",
        "single_user",
        "the field \"",
        "ensure_",
        "group_io",
    ];
    let hint = finding.hint.as_ref().map_or("", |hint| hint.as_str());
    let proposes = PROPOSE.iter().any(|word| hint.starts_with(word));
    assert!(
        !proposes || !finding.changes.is_empty(),
        "{}: {finding}",
        folder.display()
    );
    let own = finding.message.split(['“', '”']).step_by(2).collect::<String>();
    for words in [own.as_str(), finding.by_hand.as_deref().unwrap_or_default()] {
        let found = OF_PLANS.iter().find(|word| words.contains(**word));
        assert!(
            found.is_none(),
            "{}: an artist reads {found:?} in {words}",
            folder.display()
        );
    }
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(here().join("tests/plans"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    assert!(folders.len() >= 10, "the fixtures are missing");
    let number = |folder: &PathBuf| folder.file_name().unwrap().to_str().unwrap()[..3].to_owned();
    let twice = folders.windows(2).find(|pair| number(&pair[0]) == number(&pair[1]));
    assert_eq!(twice, None, "two cases have one number");
    folders
}

/// An operation whose edits nobody looked at is not known to work.
#[test]
fn every_operation_is_in_a_case_that_compiles() {
    let mut carried_out = BTreeSet::new();
    for folder in folders() {
        let case = Case::read(&folder);
        let compiles = |version: &String| compile(&case.plan, &case.document, &catalogue(version)).ok();
        if !case.versions.iter().any(compiles) {
            continue;
        }
        for step in serde_json::to_value(&case.plan).unwrap()["steps"].as_array().unwrap() {
            let payload = &step["payload"];
            let operations = payload["operations"].as_array().or(payload["ops"].as_array());
            let names = operations.into_iter().flatten().map(|op| op["op"].as_str().unwrap());
            carried_out.extend(names.map(|name| format!("{} {name}", step["type"].as_str().unwrap())));
        }
    }
    let plan = schema("plan").unwrap();
    let mut missing = Vec::new();
    for (step, list) in [("NODE_TREE", "NodeTreeOp"), ("GN_OPS", "GnOp")] {
        let choices = plan["$defs"][list]["oneOf"].as_array().unwrap();
        assert!(choices.len() > 10, "{list}: only {} operations", choices.len());
        let names = choices
            .iter()
            .map(|op| op["properties"]["op"]["const"].as_str().unwrap());
        missing.extend(
            names
                .map(|name| format!("{step} {name}"))
                .filter(|name| !carried_out.contains(name)),
        );
    }
    assert!(missing.is_empty(), "no folder of tests/plans compiles {missing:?}");
}

#[test]
fn plans_compile_as_expected() {
    let folders = folders();
    let mut wrong = Vec::new();
    for folder in &folders {
        let Ok(found) = std::panic::catch_unwind(|| outcome(folder)) else {
            wrong.push(format!("{}: see above", folder.display()));
            continue;
        };
        let path = folder.join("expected.json");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
        } else if read(&path) != found {
            wrong.push(format!(
                "{}:\n{}",
                folder.display(),
                serde_json::to_string_pretty(&found).unwrap()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ\n{}",
        wrong.len(),
        folders.len(),
        wrong.join("\n")
    );
}
