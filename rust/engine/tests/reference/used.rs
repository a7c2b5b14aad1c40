//! Every setting is read by the program and set by a test, every tool is called by one: what nobody reads would be taken and do nothing.

use std::path::Path;

use geonode_engine::Settings;

use geonode_testing::project;

/// The table of settings.
const TABLE: &str = "rust/engine/src/settings.rs";

/// A setting is set within so many lines below the word `settings`.
const NEAR: usize = 6;

/// Sources below a folder of the project, with their paths from its top.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![project(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(ending, Some("rs" | "py")) {
                let name = path
                    .strip_prefix(project(""))
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files
}

/// The core without its tests, and all tests.
fn said() -> (Vec<(String, String)>, Vec<String>) {
    let (mut product, mut tests) = (Vec::new(), Vec::new());
    for (path, text) in sources("rust").into_iter().chain(sources("tests")) {
        let parts: Vec<&str> = Path::new(&path).iter().filter_map(|part| part.to_str()).collect();
        if parts.contains(&"xtask") {
            continue;
        }
        if parts.contains(&"tests") {
            tests.push(text);
        } else {
            let (code, below) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&text, ""));
            if path != TABLE {
                tests.push(below.to_owned());
            }
            product.push((path, code.to_owned()));
        }
    }
    assert!(product.len() > 150 && tests.len() > 100);
    (product, tests)
}

/// The places at which a name stands as a word: what comes before and behind.
fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(name)
        .map(|(at, name)| (&text[..at], &text[at + name.len()..]))
        .filter(move |(before, behind)| !part(before.chars().next_back()) && !part(behind.chars().next()))
}

/// Whether the code reads the setting: `settings.NAME`, in the table itself `self.NAME`.
fn is_read(path: &str, code: &str, name: &str) -> bool {
    places(code, name).any(|(before, _)| {
        let Some(owner) = before.trim_end().strip_suffix('.') else {
            return false;
        };
        let owner = owner.trim_end().trim_end_matches("()");
        owner.ends_with("settings") || path == TABLE && owner.ends_with("self")
    })
}

/// Whether a test sets the setting: its name in quotes, as a field or as an argument, not far below the word `settings`; or as an argument
/// of a helper that takes any setting.
fn is_set(test: &str, name: &str) -> bool {
    places(test, name).any(|(before, behind)| {
        let named = behind.starts_with(['"', '\'']) || behind.trim_start().starts_with([':', '=']);
        let near: Vec<&str> = before.lines().rev().take(NEAR).collect();
        let passed = behind.starts_with('=') && !behind.starts_with("==") && test.contains("**settings");
        passed || named && near.iter().any(|line| line.to_lowercase().contains("settings"))
    })
}

#[test]
fn every_setting_is_read() {
    let (product, _) = said();
    let silent: Vec<&str> = Settings::describe()
        .iter()
        .map(|setting| setting.name)
        .filter(|name| !product.iter().any(|(path, code)| is_read(path, code, name)))
        .collect();
    assert!(silent.is_empty(), "nothing reads these settings: {silent:?}");
}

#[test]
fn every_setting_is_set_by_a_test() {
    let (_, tests) = said();
    let untested: Vec<&str> = Settings::describe()
        .iter()
        .map(|setting| setting.name)
        .filter(|name| !tests.iter().any(|test| is_set(test, name)))
        .collect();
    assert!(untested.is_empty(), "no test sets these settings: {untested:?}");
}

#[test]
fn the_check_finds_what_nothing_reads_or_sets() {
    assert!(is_read("x.rs", "work.settings\n    .retries", "retries") && is_read(TABLE, "self.retries", "retries"));
    assert!(!is_read("x.rs", "self.retries + settings.retries_left", "retries"));
    assert!(is_set("start(settings={\"retries\": 3})", "retries") && is_set("Settings {\n    retries: 3,", "retries"));
    assert!(!is_set("\"retries\"", "retries") && !is_set("settings\n\n\n\n\n\n\n\"retries\"", "retries"));
}

/// Whether a test calls the tool: its name as the first argument of a call, or before its arguments.
fn is_called(test: &str, name: &str) -> bool {
    test.contains(&format!("(\"{name}\"")) || test.contains(&format!("\"{name}\": {{"))
}

#[test]
fn every_tool_is_called_by_a_test() {
    let page = geonode_engine::reference().unwrap();
    let headings = page
        .lines()
        .filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
    let tools: Vec<&str> = headings.collect();
    assert!(tools.len() > 5, "{tools:?}");
    let tests = ["tests/native/test_tools.py", "tests/blender/test_tools.py"]
        .map(|path| std::fs::read_to_string(project(path)).unwrap());
    let silent: Vec<&str> = tools
        .into_iter()
        .filter(|name| !tests.iter().any(|test| is_called(test, name)))
        .collect();
    assert!(silent.is_empty(), "no test calls these tools: {silent:?}");
}
