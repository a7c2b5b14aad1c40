//! Formatting and lints.

use anyhow::Result;

use super::subjects;
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::process;
use crate::tally::{Counts, LIMIT, Printer, streamed};

/// The environment of the Python linters.
pub(super) fn tools() -> Wanted {
    Wanted::tools().with("lint")
}

/// Checks the formatting and lints of the sources.
///
/// # Errors
/// When a linter cannot be started.
pub(super) fn run(layout: &Layout, printer: &Printer) -> Result<Counts> {
    let mut format = process::cargo();
    format.args(["fmt", "--all", "--check"]);
    let mut clippy = process::cargo();
    clippy.args([
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]);
    subjects::warn(layout, printer);
    let tools = env::prepare(layout, &tools())?;
    let mut ruff = process::command(tools.programs().join("ruff"));
    ruff.args(["check", "--quiet", "addon", "tests", "rust"]);
    // `pyproject.toml` defines what is checked, and how strictly.
    let mypy = process::command(tools.programs().join("mypy"));
    [
        ("cargo fmt", format),
        ("cargo clippy", clippy),
        ("ruff", ruff),
        ("mypy", mypy),
    ]
    .into_iter()
    .map(|(name, mut command)| {
        let held = streamed(command.current_dir(&layout.root), LIMIT, printer, |_| {})?.success();
        printer.line(&format!("{name}: {}", if held { "ok" } else { "FAILED" }));
        Ok(Counts::of(held))
    })
    .sum()
}
