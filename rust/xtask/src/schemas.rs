//! `cargo xtask schemas`: writes the files that are generated from the Rust types and compared in tests.

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::process;

/// Package and filter of the tests that compare a generated file; with `UPDATE` set they write it.
const GENERATED: [(&str, &str); 4] = [
    ("geonode-protocol", "schemas::"),
    ("geonode-graph", "schemas::"),
    ("geonode-graph", "documents::"),
    ("geonode-run", "states::"),
];

/// Writes the generated files.
///
/// # Errors
/// When a crate does not compile, or a test of the generator fails.
pub(crate) fn schemas(layout: &Layout) -> Result<u8> {
    for (package, tests) in GENERATED {
        let mut command = process::cargo();
        command.current_dir(&layout.root).env("UPDATE", "1");
        command.args([
            "test",
            "--quiet",
            "--package",
            package,
            "--test",
            "it",
            tests,
            "--",
            "--quiet",
        ]);
        if !command.status()?.success() {
            bail!("the generated files of {package} ({tests}) could not be written");
        }
    }
    Ok(0)
}
