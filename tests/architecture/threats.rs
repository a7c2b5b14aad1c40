//! The tests that the threat model names for each threat exist.

use std::collections::BTreeSet;

use super::root;

const PAGE: &str = "addon/docs/threat-model.md";

/// `path::name` in backticks.
fn named(text: &str) -> BTreeSet<(&str, &str)> {
    text.split('`').filter_map(|part| part.split_once("::")).collect()
}

#[test]
fn every_threat_has_tests_and_they_exist() {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| threat |"))
        .collect();
    assert!(rows.len() > 25, "only {} threats", rows.len());
    for row in &rows {
        assert!(!named(row).is_empty(), "no test shows what holds this:\n{row}");
    }
    let tests = named(&page);
    assert!(tests.len() > 50, "only {} tests", tests.len());
    for (path, name) in tests {
        let source = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let found = source.contains(&format!("fn {name}(")) || source.contains(&format!("def {name}("));
        assert!(found, "{PAGE} names {path}::{name}, which is not there");
    }
}
