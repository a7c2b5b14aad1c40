//! What the tests of several crates share; nothing shipped depends on it.

#![allow(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

pub mod samples;
pub mod typed_dicts;

use std::path::{Path, PathBuf};

/// A file of the project, by its path from the top.
#[must_use]
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Compares a generated file of the project with what it should be; with `UPDATE` set, it is written first.
#[track_caller]
pub fn compare(path: &str, now: &str) {
    let file = project(path);
    let is_current = || std::fs::read_to_string(&file).unwrap_or_default() == now;
    if std::env::var_os("UPDATE").is_some() && !is_current() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, now).unwrap();
    }
    assert!(is_current(), "{path} is out of date: run `cargo xtask schemas`");
}
