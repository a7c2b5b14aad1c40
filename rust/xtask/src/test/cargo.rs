//! Tests that cargo runs. Clippy compiles them, so that one build is linted and tested.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

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
    lint_what_is_compiled(&mut command)?;
    command
        .current_dir(&layout.root)
        .args(["test", "--locked", "--no-fail-fast"])
        .args(chosen)
        .args(["--", "--quiet"])
        .args(arguments);
    let (mut all, mut package, mut program) = (GroupResult::default(), String::new(), String::new());
    let status = streamed(&mut command, LIMIT, printer, |line| {
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

/// Makes clippy the compiler of the workspace's packages, and every warning an error.
///
/// `cargo clippy` does the same, but only checks: with it every dependency would be compiled twice.
fn lint_what_is_compiled(command: &mut Command) -> Result<()> {
    let mut rustc = process::command("rustc");
    let printed = process::quiet(rustc.args(["--print", "sysroot"]), "looking for the Rust toolchain")?;
    let toolchain = String::from_utf8(printed.stdout).context("the path of the Rust toolchain is not text")?;
    let driver = Path::new(toolchain.trim())
        .join("bin")
        .join(format!("clippy-driver{}", std::env::consts::EXE_SUFFIX));
    if !driver.is_file() {
        bail!("clippy is missing: install it with `rustup component add clippy`.");
    }
    // `cargo clippy -- -D warnings` hands its arguments to the driver in this form.
    command
        .env("RUSTC_WORKSPACE_WRAPPER", driver)
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    Ok(())
}
