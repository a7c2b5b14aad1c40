//! The tests in Rust as programs of Windows, run by Wine: what of Windows can be tried without it.
//!
//! Wine is not Windows: a test that passes shows that the program's own side is right. It has no Python of Windows, so the native module and
//! the add-on are not part of this.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::cargo;
use crate::cross::{Cross, STANDARD, TARGET};
use crate::layout::Layout;
use crate::process;
use crate::tally::{GroupResult, Printer};

/// What touches files, clocks, threads, the network or other processes, and what these are built on.
const CRATES: [&str; 8] = [
    "geonode-agents",
    "geonode-protocol",
    "geonode-provider",
    "geonode-run",
    "geonode-script",
    "geonode-seal",
    "geonode-store",
    "geonode-tools",
];

/// A library of Windows programs that Debian's Wine needs and does not bring.
const ZLIB: &str = "usr/x86_64-w64-mingw32/lib/zlib1.dll";

/// Compiles and runs the tests.
///
/// # Errors
/// When this is not Debian, something cannot be downloaded, or cargo does not finish.
pub(super) fn run(layout: &Layout, printer: &Printer) -> Result<GroupResult> {
    let cross = Cross::prepare(layout, true).context("the tests for Windows cannot be set up")?;
    let prefix = layout.target().join("cross/wine");
    let system = prefix.join("drive_c/windows/system32");
    fs::create_dir_all(&system).with_context(|| format!("cannot make {}", system.display()))?;
    fs::copy(cross.root().join(ZLIB), system.join("zlib1.dll")).context("cannot give Wine its zlib")?;
    let variables = variables(&prefix);
    let mut boot = cross.command(layout, &variables)?;
    process::quiet(boot.args(["wine64-stable", "wineboot", "--init"]), "setting up Wine")?;
    let mut command = cross.command(layout, &variables)?;
    command.args([
        "cargo",
        "test",
        "--locked",
        "--offline",
        "--no-fail-fast",
        STANDARD,
        "--target",
        TARGET,
    ]);
    command
        .args(CRATES.iter().flat_map(|one| ["--package", one]))
        .args(["--tests", "--", "--quiet"]);
    cargo::counted(&mut command, printer)
}

fn variables(prefix: &Path) -> Vec<(&'static str, String)> {
    vec![
        ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine64-stable".to_owned()),
        ("WINEPREFIX", prefix.display().to_string()),
        // Its remarks about itself.
        ("WINEDEBUG", "-all".to_owned()),
        // Neither a browser, .NET nor a menu.
        ("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=".to_owned()),
        // Debug information doubles what is linked.
        ("CARGO_PROFILE_DEV_DEBUG", "0".to_owned()),
        ("CARGO_INCREMENTAL", "0".to_owned()),
    ]
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
