//! Plans against documents: each folder of `tests/plans` holds `case.json` (Blender versions, document), `plan.json` and
//! `expected.json` (findings, deltas, words). `UPDATE=1` writes what is found; read the difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use geonode_graph::{Document, compile};
use geonode_protocol::{Limits, parse_plan};
use serde_json::{Value, json};

use crate::catalogue;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap_or_else(|_| panic!("{} is missing", path.display()))).unwrap()
}

/// What compiling a case gives, as JSON.
fn outcome(folder: &Path) -> Value {
    let case = read(&folder.join("case.json"));
    let document: Document = serde_json::from_value(case["document"].clone()).unwrap();
    let text = fs::read_to_string(folder.join("plan.json")).unwrap();
    let parsed = parse_plan(&text, &Limits::default());
    let plan = parsed
        .plan
        .unwrap_or_else(|| panic!("{}: {:?}", folder.display(), parsed.findings));
    let mut by_version = serde_json::Map::new();
    for version in case["blender"].as_array().unwrap() {
        let version = version.as_str().unwrap();
        let catalogue = catalogue(version);
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
            (json!(compiled.steps), json!(compiled.diff))
        } else {
            (json!([]), json!([]))
        };
        let found = json!({"findings": compiled.findings, "deltas": deltas, "words": words});
        by_version.insert(version.to_owned(), found);
    }
    Value::Object(by_version)
}

#[test]
fn plans_compile_as_expected() {
    let mut folders: Vec<PathBuf> = fs::read_dir(here().join("tests/plans"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    assert!(folders.len() >= 10, "the fixtures are missing");
    let mut wrong = Vec::new();
    for folder in &folders {
        let found = outcome(folder);
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
