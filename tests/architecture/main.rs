//! The crates depend on each other only in the directions that `rust/ARCHITECTURE.md` allows, and a library that one
//! room names alone is named by no other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod circles;
mod generated;
mod threats;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    /// `lib`, `bin`, `test`, …
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `None` for an ordinary dependency, else `dev` or `build`.
    kind: Option<String>,
    /// Where it lies, for crates of the workspace.
    path: Option<PathBuf>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

fn map() -> String {
    std::fs::read_to_string(root().join("rust/ARCHITECTURE.md")).unwrap()
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        metadata.packages.len() > 5,
        "only {} packages were examined",
        metadata.packages.len()
    );
    metadata.packages
}

fn room(name: &str) -> &str {
    name.strip_prefix("geonode-").unwrap_or(name)
}

/// The lines of the block ```` ```directions ````: a room, an arrow, what it may depend on.
fn allowed(map: &str) -> BTreeMap<String, BTreeSet<String>> {
    let (_, block) = map
        .split_once("```directions\n")
        .expect("the map has no block of directions");
    let (block, _) = block.split_once("```").unwrap();
    let lines = block.lines().map(|line| {
        let (from, to) = line.split_once('→').unwrap_or_else(|| panic!("no arrow in {line:?}"));
        (
            from.trim().to_owned(),
            to.split_whitespace().map(str::to_owned).collect(),
        )
    });
    lines.collect()
}

#[test]
fn crates_depend_only_in_the_allowed_directions() {
    let allowed = allowed(&map());
    let packages = packages();
    let rooms: BTreeSet<&str> = packages.iter().map(|package| room(&package.name)).collect();
    let listed: BTreeSet<&str> = allowed.keys().map(String::as_str).collect();
    assert_eq!(
        rooms, listed,
        "rust/ARCHITECTURE.md and the workspace name different crates"
    );

    let mut examined = 0;
    for package in &packages {
        // Tests may look at their neighbours; what is shipped may not.
        let shipped = package
            .dependencies
            .iter()
            .filter(|one| one.kind.as_deref() != Some("dev") && one.path.is_some());
        for dependency in shipped {
            let (from, to) = (room(&package.name), room(&dependency.name));
            assert!(
                allowed[from].contains(to),
                "{from} → {to} is not among the directions of rust/ARCHITECTURE.md"
            );
            examined += 1;
        }
    }
    assert!(examined > 5, "only {examined} dependencies were examined");
}

#[test]
fn a_crate_has_one_test_program() {
    let mut examined = 0;
    for package in &packages() {
        let programs = package.targets.iter().filter(|one| one.kind == ["test"]);
        let names: Vec<&str> = programs.map(|one| one.name.as_str()).collect();
        assert!(names.len() < 2, "{} has the test programs {names:?}", package.name);
        examined += names.len();
    }
    assert!(examined > 5, "only {examined} test programs were examined");
}

#[test]
fn the_allowed_directions_have_no_cycle() {
    let mut left = allowed(&map());
    while !left.is_empty() {
        let free: Vec<String> = left
            .iter()
            .filter(|(_, to)| to.iter().all(|room| !left.contains_key(room)))
            .map(|(from, _)| from.clone())
            .collect();
        assert!(!free.is_empty(), "a cycle among {:?}", left.keys());
        left.retain(|from, _| !free.contains(from));
    }
}

#[test]
fn a_library_that_one_room_names_alone_is_named_by_no_other() {
    let map = map();
    let packages = packages();
    let mut examined = 0;
    for line in map.lines().filter(|line| line.starts_with("| `rust/")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let owner = cells[1].trim_matches('`').trim_start_matches("rust/");
        for library in cells[3]
            .split(',')
            .map(|name| name.trim().trim_matches('`'))
            .filter(|name| !name.is_empty())
        {
            for package in &packages {
                let names = package
                    .dependencies
                    .iter()
                    .any(|one| one.name == library && one.kind.as_deref() != Some("dev"));
                assert_eq!(
                    names,
                    room(&package.name) == owner,
                    "{library} in {}; its room is {owner}",
                    package.name
                );
            }
            examined += 1;
        }
    }
    assert!(examined >= 3, "only {examined} libraries were examined");
}

/// Python files below `folder`, with their text.
fn python(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "py") {
                files.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files
}

#[test]
fn every_python_file_names_its_licence() {
    let files: Vec<_> = ["addon", "tests", "rust"].into_iter().flat_map(python).collect();
    assert!(files.len() > 10, "only {} files were examined", files.len());
    for (path, text) in files {
        assert!(
            text.lines()
                .any(|line| line == "# SPDX-License-Identifier: GPL-3.0-or-later"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn the_session_and_its_driver_know_no_blender() {
    for name in ["run/session.py", "run/driver.py", "run/report.py"] {
        let text = std::fs::read_to_string(root().join("addon/geonode_assistant").join(name)).unwrap();
        let imports = text
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("import bpy") || line.starts_with("from bpy"));
        assert_eq!(imports.count(), 0, "{name} imports bpy");
    }
}
