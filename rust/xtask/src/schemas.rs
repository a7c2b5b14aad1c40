//! `cargo xtask schemas`: writes the files that are generated from the Rust types and compared in tests.

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::process;

/// Package, program and filters of the tests that compare a generated file; with `UPDATE` set they write it.
const GENERATED: [(&str, &str, &[&str]); 6] = [
    ("geonode-protocol", "it", &["schemas::", "reference::"]),
    ("geonode-graph", "it", &["schemas::", "documents::"]),
    ("geonode-script", "it", &["records::", "reference::"]),
    ("geonode-run", "it", &["states::"]),
    ("geonode-planner", "it", &["library::"]),
    ("geonode-engine", "reference", &[]),
];

/// Writes the generated files.
///
/// # Errors
/// When a crate does not compile, or a test of the generator fails.
pub(crate) fn schemas(layout: &Layout) -> Result<u8> {
    for (package, program, tests) in GENERATED {
        let mut command = process::cargo();
        command.current_dir(&layout.root).env("UPDATE", "1");
        command
            .args(["test", "--quiet", "--package", package, "--test", program, "--"])
            .args(tests);
        if !command.status()?.success() {
            bail!("the generated files of {package} ({program}) could not be written");
        }
    }
    Ok(0)
}
