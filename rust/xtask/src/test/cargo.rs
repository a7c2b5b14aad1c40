//! Tests that cargo runs. Clippy compiles them, so that one build is linted and tested.

use std::process::Command;

use anyhow::{Result, bail};

use crate::clippy;
use crate::layout::Layout;
use crate::process;
use crate::tally::{GroupResult, LIMIT, Printer, counts, streamed};

/// Every Rust test; examples are compiled, hence linted, too.
///
/// # Errors
/// When cargo does not finish, or fails without a failed test.
pub(super) fn workspace(layout: &Layout, printer: &Printer) -> Result<GroupResult> {
    let all = ["--workspace", "--tests", "--examples"];
    [&all[..], &["--workspace", "--doc"]]
        .iter()
        .map(|chosen| test(layout, chosen, &[], printer))
        .sum()
}

/// Runs the tests of the packages that `chosen` names, with these arguments for the test programs.
///
/// # Errors
/// As for `workspace`.
pub(super) fn test(layout: &Layout, chosen: &[&str], arguments: &[&str], printer: &Printer) -> Result<GroupResult> {
    let mut command = process::cargo();
    clippy::compiles(&mut command)?;
    command
        .current_dir(&layout.root)
        .args(["test", "--locked", "--no-fail-fast"])
        .args(chosen)
        .args(["--", "--quiet"])
        .args(arguments);
    counted(&mut command, printer)
}

/// Runs a `cargo test` and counts its tests.
///
/// # Errors
/// As for `workspace`.
pub(super) fn counted(command: &mut Command, printer: &Printer) -> Result<GroupResult> {
    let (mut all, mut package, mut program) = (GroupResult::default(), String::new(), String::new());
    let status = streamed(command, LIMIT, printer, |line| {
        if let Some(running) = counts::program_of_cargo_line(line) {
            // Only the name of a package's main test program contains the package; its other tests follow.
            if let Some(name) = running.package {
                package = name;
            }
            program = format!("{package} {}", running.source);
        }
        if let Some((counts, seconds)) = counts::of_cargo_line(line) {
            all.counts = [all.counts, counts].into_iter().sum();
            *all.files.entry(program.clone()).or_default() += seconds;
        }
    })?;
    if !status.success() && all.counts.failed == 0 {
        bail!("cargo test ended with {status}");
    }
    Ok(all)
}
