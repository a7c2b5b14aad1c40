//! Every code of the registry is produced somewhere and named by a test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use geonode_protocol::Code;

/// Sources below a folder, by their ending.
fn read_folder(root: &Path, folder: &str) -> Vec<(PathBuf, String)> {
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
struct Sources {
    product: String,
    tests: String,
    /// Expectations in files beside tests, where codes stand without quotes.
    fixtures: String,
    files: usize,
}

fn read_sources() -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut sources = Sources::default();
    for (path, text) in ["rust", "addon", "tests", "manifests"]
        .iter()
        .flat_map(|folder| read_folder(root, folder))
    {
        let parts: BTreeSet<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        // The registry and what is generated from it name every code.
        if ["schemas", "codes", "xtask"].iter().any(|part| parts.contains(part))
            || path.ends_with("protocol/src/codes.rs")
            || path.ends_with("protocol/tests/it/codes.rs")
        {
            continue;
        }
        sources.files += 1;
        let ending = path.extension().and_then(|end| end.to_str());
        let of_tests = ["tests", "corpus", "manifests"].iter().any(|part| parts.contains(part))
            || path.file_stem().is_some_and(|name| name == "tests");
        if of_tests && ending != Some("rs") && ending != Some("py") {
            sources.fixtures.push_str(&text);
        } else if of_tests {
            sources.tests.push_str(&text);
        } else {
            let (product, tests) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&text, ""));
            sources.product.push_str(product);
            sources.tests.push_str(tests);
        }
    }
    sources
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
    let sources = read_sources();
    assert!(sources.files > 300, "only {} files were examined", sources.files);
    let (product, tests) = (variants(&sources.product), variants(&sources.tests));
    let silent: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !names(&sources.product, &product, **code))
        .map(|code| code.as_str())
        .collect();
    assert!(silent.is_empty(), "nothing produces these codes: {silent:?}");
    let untested: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !names(&sources.tests, &tests, **code) && !is_word_of(&sources.fixtures, **code))
        .map(|code| code.as_str())
        .collect();
    assert!(untested.is_empty(), "no test names these codes: {untested:?}");
}

#[test]
fn every_code_that_sources_name_is_registered() {
    let sources = read_sources();
    let known: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code:?}")).collect();
    let is_variant = |name: &&str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_uppercase()) && letters.next().is_some_and(|c| c.is_ascii_lowercase())
    };
    let named: BTreeSet<&str> = variants(&sources.product)
        .union(&variants(&sources.tests))
        .copied()
        .filter(is_variant)
        .collect();
    assert!(named.len() > 100, "only {} names were examined", named.len());
    let unknown: Vec<&&str> = named.iter().filter(|name| !known.contains(**name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
