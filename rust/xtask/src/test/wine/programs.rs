//! The tests in Rust as programs of Windows.

use anyhow::Result;

use super::Wine;
use crate::cross::{STANDARD, TARGET};
use crate::layout::Layout;
use crate::process;
use crate::tally::{GroupResult, Printer};
use crate::test::cargo;

/// What touches files, clocks, threads, the network or other processes, and what these are built on.
const CRATES: [&str; 9] = [
    "geonode-agents",
    "geonode-files",
    "geonode-protocol",
    "geonode-provider",
    "geonode-run",
    "geonode-script",
    "geonode-seal",
    "geonode-store",
    "geonode-tools",
];

/// Compiles and runs the tests.
///
/// # Errors
/// When they cannot be set up, or cargo does not finish.
pub(in crate::test) fn run(layout: &Layout, printer: &Printer) -> Result<GroupResult> {
    let wine = Wine::prepare(layout)?;
    let tests = || {
        let mut command = wine.command(layout, &[])?;
        command.args(["cargo", "test", "--locked", "--offline", "--no-fail-fast", STANDARD]);
        command.args(["--target", TARGET, "--tests"]);
        command.args(CRATES.iter().flat_map(|one| ["--package", one]));
        anyhow::Ok(command)
    };
    // However long it takes.
    process::visible(tests()?.arg("--no-run"), "compiling the tests for Windows")?;
    cargo::counted(tests()?.args(["--", "--quiet"]), printer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_exists() {
        let root = Layout::find().root;
        assert!(CRATES.is_sorted());
        for one in CRATES {
            let folder = one.trim_start_matches("geonode-");
            assert!(root.join("rust").join(folder).join("Cargo.toml").exists(), "{one}");
        }
    }
}
