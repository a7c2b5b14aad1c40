//! Every script of the corpus gets the verdict that its second line states, and `CORPUS.md` tells the results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use geonode_script::{VERSIONS, check};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scripts of a corpus: each lies in the folder of its family.
fn files(corpus: &str) -> Vec<(PathBuf, String)> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut found: Vec<PathBuf> = entries(&root().join("corpus").join(corpus))
        .iter()
        .flat_map(|family| entries(family))
        .collect();
    assert!(
        found.iter().all(|path| path.extension().is_some_and(|end| end == "py")),
        "only scripts"
    );
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

/// The family of a file: its folder.
fn family(path: &Path) -> String {
    let folder = path.parent().unwrap().file_name().unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn every_attack_is_refused_by_the_rule_it_names() {
    let mut wrong = String::new();
    let attacks = files("attacks");
    assert!(attacks.len() >= 150, "only {} attacks", attacks.len());
    for (path, text) in &attacks {
        let expected = text.lines().nth(1).unwrap().strip_prefix("# expect: ").unwrap();
        for version in [VERSIONS[0], VERSIONS[3]] {
            let verdict = check(text, version);
            let rules: BTreeSet<&str> = verdict.findings.iter().map(|one| one.rule).collect();
            if verdict.ok || !rules.contains(expected) {
                writeln!(
                    wrong,
                    "{version} {}: expected {expected}, got {rules:?}\n{}",
                    path.display(),
                    text.chars().take(200).collect::<String>()
                )
                .unwrap();
                break;
            }
            for finding in &verdict.findings {
                assert!(!finding.text.is_empty() && !finding.hint.is_empty(), "{finding:?}");
                assert!(finding.line >= 1 && finding.column >= 1, "{finding:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_ordinary_script_passes_in_every_version() {
    let mut wrong = String::new();
    let scripts = files("scripts");
    assert!(scripts.len() >= 60, "only {} scripts", scripts.len());
    for (path, text) in &scripts {
        let expected = text.lines().nth(1).unwrap().strip_prefix("# expect: ok").unwrap();
        let versions: Vec<&str> = match expected.strip_prefix(" in ") {
            Some(list) => list.split(' ').collect(),
            None => VERSIONS.to_vec(),
        };
        for version in versions {
            for finding in &check(text, version).findings {
                writeln!(
                    wrong,
                    "{version} {}:{}:{}: {} {} {}",
                    path.display(),
                    finding.line,
                    finding.column,
                    finding.rule,
                    finding.text,
                    finding.hint
                )
                .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_corpus_page_is_current() {
    let mut rows: BTreeMap<(&str, String), (usize, usize)> = BTreeMap::new();
    for (folder, refused) in [("attacks", true), ("scripts", false)] {
        for (path, text) in files(folder) {
            let row = rows.entry((folder, family(&path))).or_default();
            row.0 += 1;
            row.1 += usize::from(check(&text, "5.2").ok != refused);
        }
    }
    // A family of one file says no more than the file does.
    assert!(rows.values().all(|(all, _)| *all > 1), "{rows:?}");
    let mut table = String::from(
        "# Corpus of the safe-mode filter\n\n\
         Written from principles for this project, a folder for each subject; the second line of a file states the verdict that it must get, in all supported versions of\n\
         Blender. Generated: `UPDATE=1 cargo test -p geonode-script --test it corpus`.\n\n\
         `attacks` must be refused and `scripts` must pass. A third folder, `contained`, holds attempts that are known only while they run: \
         `tests/blender/test_script_corpus.py` runs them and\n\
         expects that they do no harm.\n\n\
         | corpus | family | files | as expected |\n| --- | --- | --- | --- |\n",
    );
    let (mut files, mut right) = (0, 0);
    for ((folder, family), (all, fine)) in &rows {
        writeln!(table, "| {folder} | {family} | {all} | {fine} |").unwrap();
        files += all;
        right += fine;
    }
    writeln!(table, "| all | | {files} | {right} |").unwrap();
    let path = root().join("CORPUS.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        table,
        "run with UPDATE=1"
    );
}
