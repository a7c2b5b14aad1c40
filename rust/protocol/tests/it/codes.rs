//! Every code of the registry is produced somewhere and named by a test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use geonode_protocol::Code;

/// Sources below a folder, by their ending.
fn sources(root: &Path, folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some("rs" | "py" | "txt" | "json") = path.extension().and_then(|end| end.to_str())
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                files.push((path.strip_prefix(root).unwrap().to_owned(), text));
            }
        }
    }
    files
}

/// What the product says, and what tests say.
#[derive(Default)]
struct Said {
    product: String,
    tests: String,
    /// Expectations in files beside tests, where codes stand without quotes.
    fixtures: String,
    files: usize,
}

fn said() -> Said {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut said = Said::default();
    for (path, text) in ["rust", "addon", "tests", "manifests"]
        .iter()
        .flat_map(|folder| sources(root, folder))
    {
        let parts: BTreeSet<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        // The registry and what is generated from it name every code.
        if ["schemas", "codes", "xtask"].iter().any(|part| parts.contains(part))
            || path.ends_with("protocol/src/codes.rs")
            || path.ends_with("protocol/tests/it/codes.rs")
        {
            continue;
        }
        said.files += 1;
        let ending = path.extension().and_then(|end| end.to_str());
        let of_tests = ["tests", "corpus", "manifests"].iter().any(|part| parts.contains(part))
            || path.file_stem().is_some_and(|name| name == "tests");
        if of_tests && ending != Some("rs") && ending != Some("py") {
            said.fixtures.push_str(&text);
        } else if of_tests {
            said.tests.push_str(&text);
        } else {
            let (product, tests) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&text, ""));
            said.product.push_str(product);
            said.tests.push_str(tests);
        }
    }
    said
}

/// Whether sources name the code: its variant, or its wire form in quotes.
fn names(text: &str, variants: &BTreeSet<&str>, code: Code) -> bool {
    variants.contains(format!("{code:?}").as_str())
        || ['"', '\'']
            .iter()
            .any(|quote| text.contains(&format!("{quote}{code}{quote}")))
}

/// Every `Code::Variant`.
fn variants(text: &str) -> BTreeSet<&str> {
    let named = text.split("Code::").skip(1);
    named
        .map(|rest| {
            rest.split(|c: char| !c.is_ascii_alphanumeric())
                .next()
                .unwrap_or_default()
        })
        .collect()
}

fn is_word_of(text: &str, code: Code) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(code.as_str())
        .any(|(at, word)| !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next()))
}

#[test]
fn every_code_is_produced_and_named_by_a_test() {
    let said = said();
    assert!(said.files > 300, "only {} files were examined", said.files);
    let (product, tests) = (variants(&said.product), variants(&said.tests));
    let silent: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !names(&said.product, &product, **code))
        .map(|code| code.as_str())
        .collect();
    assert!(silent.is_empty(), "nothing produces these codes: {silent:?}");
    let untested: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !names(&said.tests, &tests, **code) && !is_word_of(&said.fixtures, **code))
        .map(|code| code.as_str())
        .collect();
    assert!(untested.is_empty(), "no test names these codes: {untested:?}");
}

#[test]
fn every_code_that_sources_name_is_registered() {
    let said = said();
    let known: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code:?}")).collect();
    let is_variant = |name: &&str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_uppercase()) && letters.next().is_some_and(|c| c.is_ascii_lowercase())
    };
    let named: BTreeSet<&str> = variants(&said.product)
        .union(&variants(&said.tests))
        .copied()
        .filter(is_variant)
        .collect();
    assert!(named.len() > 100, "only {} names were examined", named.len());
    let unknown: Vec<&&str> = named.iter().filter(|name| !known.contains(**name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
