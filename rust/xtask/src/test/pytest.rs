//! Tests that pytest runs, and the check of the type stubs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::lint;
use crate::env::{self, Environment};
use crate::layout::Layout;
use crate::native::Core;
use crate::process;
use crate::tally::{Counts, GroupResult, LIMIT, Printer, counted, results};

/// The folders of `tests/` that need Blender as a module.
const IN_BLENDER: [&str; 2] = ["blender", "host"];

/// The folders of `tests/` that drive a Blender from outside; every other one with Python tests needs none.
const FROM_OUTSIDE: [&str; 2] = ["window", PEERS];

/// The folder of `tests/` in which independent clients use the server for other programs.
const PEERS: &str = "peers";

/// Checks that the type stubs match the built module (`mypy.stubtest`).
///
/// # Errors
/// When it cannot be started or hangs.
pub(super) fn stubs(layout: &Layout, core: &Core, printer: &Printer) -> Result<Counts> {
    let tools = env::prepare(layout, &lint::tools())?;
    let allowed = layout.root.join("rust/xtask/src/test/stubtest-allow.txt");
    let mut command = tools.command();
    command
        .args(["-m", "mypy.stubtest", "geonode_core", "--allowlist"])
        .arg(allowed)
        .env("PYTHONPATH", core.site());
    let output = process::bounded(&mut command, LIMIT)?.context("stubtest hung")?;
    if !output.status.success() {
        printer.line(&process::tail(&output, 60));
    }
    let held = output.status.success();
    printer.line(&format!(
        "stubtest geonode_core: {}",
        if held { "ok" } else { "FAILED" }
    ));
    Ok(Counts::of(held))
}

/// The folders below `tests/` that hold Python tests and need Blender, or do not.
///
/// # Errors
/// When there are none.
pub(super) fn folders(layout: &Layout, in_blender: bool) -> Result<Vec<PathBuf>> {
    let tests = layout.root.join("tests");
    let mut found: Vec<PathBuf> = fs::read_dir(&tests)
        .with_context(|| format!("cannot read {}", tests.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !FROM_OUTSIDE.iter().any(|known| path.ends_with(known)) && holds_tests(path))
        .filter(|path| {
            in_blender
                == path
                    .file_name()
                    .is_some_and(|name| IN_BLENDER.iter().any(|known| name == *known))
        })
        .collect();
    found.sort();
    if found.is_empty() {
        bail!(
            "there are no Python tests {} Blender below tests/",
            if in_blender { "inside" } else { "without" }
        );
    }
    Ok(found)
}

fn holds_tests(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let path = entry.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            stem.starts_with("test_") && path.extension().is_some_and(|end| end == "py")
        })
    })
}

/// Runs the tests in `folders`.
///
/// # Errors
/// As for `counted`.
pub(super) fn run(
    layout: &Layout,
    environment: &Environment,
    name: &str,
    folders: &[PathBuf],
    coverage: bool,
    printer: &Printer,
) -> Result<GroupResult> {
    let command = environment.command();
    run_with(layout, command, name, folders, coverage, printer)
}

/// Runs the tests of independent clients, which start `blender`; with `full` also the long ones.
///
/// # Errors
/// As for `counted`.
pub(super) fn peers(
    layout: &Layout,
    environment: &Environment,
    blender: &Environment,
    name: &str,
    full: bool,
    printer: &Printer,
) -> Result<GroupResult> {
    let mut command = environment.command();
    command.env("GEONODE_BLENDER_PYTHON", blender.python());
    if full {
        command.env("GEONODE_FULL", "1");
    }
    let folder = layout.root.join("tests").join(PEERS);
    run_with(layout, command, name, &[folder], false, printer)
}

/// The folder of our plugin, which counts.
///
/// # Errors
/// When it cannot be written.
pub(super) fn plugins(layout: &Layout) -> Result<PathBuf> {
    let folder = results(layout)?.join("plugin");
    fs::create_dir_all(&folder)?;
    env::replace(&folder.join("pytest_counts.py"), include_str!("pytest_counts.py"))?;
    Ok(folder)
}

fn run_with(
    layout: &Layout,
    mut command: Command,
    name: &str,
    folders: &[PathBuf],
    coverage: bool,
    printer: &Printer,
) -> Result<GroupResult> {
    let results = results(layout)?;
    let plugins = plugins(layout)?;
    let file = results.join(format!("{name}.json"));
    env::remove_file(&file)?;
    // Other groups run in parallel, and tests check for left-over files.
    let temporary = tempfile::Builder::new().prefix("tests-").tempdir()?;
    for variable in ["TMPDIR", "TEMP", "TMP"] {
        command.env(variable, temporary.path());
    }
    command
        .current_dir(&layout.root)
        .env("PYTHONPATH", &plugins)
        .env("GEONODE_COUNTS", &file);
    if coverage {
        // Randomised tests use many more samples.
        command.env("GEONODE_FULL", "1");
        // Much faster if Python supports it; otherwise coverage prints a note and uses its own tracer.
        command.env("COVERAGE_CORE", "sysmon");
        let data = results.join(format!("coverage-{name}"));
        command
            .args(["-m", "coverage", "run", "--source=geonode_assistant", "--data-file"])
            .arg(data);
    }
    command
        .args(["-m", "pytest", "-q", "-p", "pytest_counts", "-p", "no:cacheprovider"])
        .args(folders);
    counted(&mut command, &file, LIMIT, printer)
}
