//! Everything in Rust compiled for macOS, without an SDK or a Mac: what shows that the sources fit its libraries, types and options.
//!
//! Nothing is linked and nothing runs. The standard library comes from its sources, and C code within other people's crates is left out.

use anyhow::{Context, Result};

use crate::cross::{Cross, STANDARD};
use crate::layout::Layout;
use crate::tally::{Counts, LIMIT, Printer, streamed};

const TARGETS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-apple-darwin"];

/// Compiles all of the workspace with its tests; each kind of Mac counts as a test.
///
/// # Errors
/// When this is not Debian, or something cannot be downloaded.
pub(super) fn run(layout: &Layout, printer: &Printer) -> Result<Counts> {
    let cross = Cross::prepare(layout, false).context("compiling for macOS cannot be set up")?;
    TARGETS
        .into_iter()
        .map(|target| {
            let mut command = cross.command(layout, &variables())?;
            command
                .args([
                    "cargo",
                    "check",
                    "--locked",
                    "--offline",
                    "--workspace",
                    "--all-targets",
                ])
                .args([STANDARD, "--target", target]);
            let held = streamed(&mut command, LIMIT, printer, |_| {})?.success();
            printer.line(&format!("{target}: {}", if held { "ok" } else { "FAILED" }));
            Ok(Counts::of(held))
        })
        .sum()
}

fn variables() -> Vec<(&'static str, String)> {
    [
        // C is not compiled: a program that does nothing, and says so successfully.
        ("TARGET_CC", "true"),
        ("TARGET_AR", "true"),
        // What would otherwise be asked of Apple's tools.
        ("SDKROOT", "/"),
        ("MACOSX_DEPLOYMENT_TARGET", "11.0"),
        ("PYO3_NO_PYTHON", "1"),
        // Debug information is never looked at.
        ("CARGO_PROFILE_DEV_DEBUG", "0"),
        ("CARGO_INCREMENTAL", "0"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}
