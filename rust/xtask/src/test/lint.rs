//! Formatting and lints, of the public workflows too. The tests of Rust lint what they compile (`cargo.rs`); without them clippy runs here.

use anyhow::Result;

use super::subjects;
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::process;
use crate::tally::{Counts, LIMIT, Printer, streamed};

/// The environment of the linters other than clippy.
pub(super) fn tools() -> Wanted {
    Wanted::tools().with("lint")
}

/// Checks the formatting and lints of the sources; the lints of Rust only with `clippy`.
///
/// # Errors
/// When a linter cannot be started.
pub(super) fn run(layout: &Layout, clippy: bool, printer: &Printer) -> Result<Counts> {
    let mut format = process::cargo();
    format.args(["fmt", "--all", "--check"]);
    subjects::warn(layout, printer);
    let tools = env::prepare(layout, &tools())?;
    let mut ruff = process::command(tools.programs().join("ruff"));
    ruff.args(["check", "--quiet", "addon", "tests", "rust"]);
    // `pyproject.toml` defines what is checked, and how strictly.
    let mypy = process::command(tools.programs().join("mypy"));
    let mut zizmor = process::command(tools.programs().join("zizmor"));
    zizmor.args(["--offline", "--quiet", "--strict-collection", ".github/workflows"]);
    let clippy = clippy.then(|| {
        let mut clippy = process::cargo();
        clippy.args(["clippy", "--quiet", "--workspace", "--all-targets", "--locked"]);
        clippy.args(["--", "-D", "warnings"]);
        ("cargo clippy", clippy)
    });
    [
        ("cargo fmt", format),
        ("ruff", ruff),
        ("mypy", mypy),
        ("zizmor", zizmor),
    ]
    .into_iter()
    .chain(clippy)
    .map(|(name, mut command)| {
        let held = streamed(command.current_dir(&layout.root), LIMIT, printer, |_| {})?.success();
        printer.line(&format!("{name}: {}", if held { "ok" } else { "FAILED" }));
        Ok(Counts::of(held))
    })
    .sum()
}
