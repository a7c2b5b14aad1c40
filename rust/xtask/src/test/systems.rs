//! Everything in Rust compiled for the other systems of artists, without their computers: what shows that the sources fit their
//! libraries, types and options.
//!
//! Nothing is linked and nothing runs. The standard library comes from its sources, and C within other people's crates is compiled as well.

use anyhow::{Context, Result};

use crate::cross::{Cross, STANDARD};
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::process;
use crate::tally::{Counts, Printer};
use crate::wheels::Platform;

/// The systems, and zig's name of each for which Debian has no compiler of C.
const SYSTEMS: [(Platform, Option<&str>); 3] = [
    (Platform::MacosArm64, Some("aarch64-macos")),
    (Platform::MacosX64, Some("x86_64-macos")),
    (Platform::WindowsX64, None),
];

/// The environment with zig.
pub(super) fn tools() -> Wanted {
    Wanted::tools().with("portable")
}

/// Compiles all of the workspace with its tests, this tool too; each system counts as a test.
///
/// # Errors
/// When this is not Debian, or something cannot be downloaded.
pub(super) fn run(layout: &Layout, printer: &Printer) -> Result<Counts> {
    let zig = env::prepare(layout, &tools())?.packages()?.join("ziglang");
    let cross = Cross::prepare(layout, false).context("compiling for other systems cannot be set up")?;
    SYSTEMS
        .into_iter()
        .map(|(platform, c)| {
            let target = platform.target();
            let mut variables = vec![
                // As for a wheel, without asking a Python of this system.
                ("PYO3_NO_PYTHON", "1".to_owned()),
                // A warning here would be seen by nobody else.
                ("CARGO_BUILD_WARNINGS", "deny".to_owned()),
                // Debug information is never looked at.
                ("CARGO_PROFILE_DEV_DEBUG", "0".to_owned()),
                ("CARGO_INCREMENTAL", "0".to_owned()),
            ];
            if let Some(c) = c {
                let cache = layout.target().join("cross/zig").display().to_string();
                variables.extend([
                    ("PATH", format!("{}:/usr/bin", zig.display())),
                    ("TARGET_CC", format!("zig cc -target {c}")),
                    ("TARGET_AR", "zig ar".to_owned()),
                    // zig has other names for the targets than clang, whose options are meant.
                    ("CRATE_CC_NO_DEFAULTS", "1".to_owned()),
                    ("ZIG_GLOBAL_CACHE_DIR", cache.clone()),
                    ("ZIG_LOCAL_CACHE_DIR", cache),
                ]);
            }
            let mut command = cross.command(layout, &variables)?;
            command.args([
                "cargo",
                "check",
                "--locked",
                "--offline",
                "--workspace",
                "--all-targets",
            ]);
            command.args([STANDARD, "--target", target]);
            // However long it takes.
            let done = process::visible(&mut command, &format!("compiling for {target}"));
            printer.line(&match &done {
                Ok(()) => format!("{target}: ok"),
                Err(error) => format!("{target}: FAILED: {error:#}"),
            });
            Ok(Counts::of(done.is_ok()))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_system_but_linux_for_which_there_is_a_wheel_is_compiled_for() {
        for platform in Platform::value_variants() {
            let here = SYSTEMS.iter().any(|(one, _)| one == platform);
            assert_eq!(here, *platform != Platform::LinuxX64, "{platform:?}");
        }
    }
}
