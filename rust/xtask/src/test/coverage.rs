//! Coverage figures for `cargo xtask test --full`.

use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::groups::Group;
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::process;
use crate::tally::{Counts, results};

/// The version that is installed when cargo-tarpaulin is missing.
const TARPAULIN: &str = "0.35.2";

/// Prints the share of lines that the tests of these groups cover, in Python and in Rust. The figures are not required.
///
/// # Errors
/// When one of them cannot be measured.
pub(crate) fn report(layout: &Layout, groups: &[Group]) -> Result<Counts> {
    let mut counts = Counts::default();
    if groups.iter().copied().any(of_python) {
        println!("coverage, Python (geonode_assistant): {}", python(layout)?);
        counts.passed += 1;
    }
    if groups.iter().copied().any(of_rust) {
        println!("coverage, Rust (workspace): {}", rust(layout)?);
        counts.passed += 1;
    }
    Ok(counts)
}

/// Whether lines of Python are counted while a group runs.
pub(crate) fn of_python(group: Group) -> bool {
    matches!(group, Group::Python | Group::Blender(_))
}

/// Whether lines of Rust are counted for a group, in a run of their own.
pub(crate) fn of_rust(group: Group) -> bool {
    group == Group::Rust
}

/// Combines the measurements of the Python groups.
fn python(layout: &Layout) -> Result<String> {
    let results = results(layout)?;
    let environment = env::prepare(layout, &Wanted::plain().with("dev"))?;
    let parts: Vec<_> = std::fs::read_dir(&results)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("coverage-"))
        })
        .collect();
    if parts.is_empty() {
        bail!("no Python group was measured");
    }
    let data = results.join("coverage");
    let mut combine = environment.command();
    combine
        .current_dir(&layout.root)
        .args(["-m", "coverage", "combine", "--keep", "--quiet", "--data-file"])
        .arg(&data)
        .args(parts);
    process::quiet(&mut combine, "combining coverage data")?;
    let mut total = environment.command();
    total
        .current_dir(&layout.root)
        .args([
            "-m",
            "coverage",
            "report",
            "--format=total",
            "--ignore-errors",
            "--data-file",
        ])
        .arg(&data);
    let output = process::quiet(&mut total, "reading coverage data")?;
    Ok(format!("{} %", String::from_utf8_lossy(&output.stdout).trim()))
}

/// Runs cargo-tarpaulin, installed into `target/tools` when the machine has none.
fn rust(layout: &Layout) -> Result<String> {
    let own = layout.target().join("tools");
    let program = own
        .join("bin")
        .join(format!("cargo-tarpaulin{}", std::env::consts::EXE_SUFFIX));
    let on_path = process::cargo()
        .args(["tarpaulin", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let mut command = if on_path.is_ok_and(|status| status.success()) {
        process::cargo()
    } else {
        if !program.is_file() {
            eprintln!("· coverage: installing cargo-tarpaulin {TARPAULIN} into target/tools; this takes some minutes");
            let mut install = process::cargo();
            install
                .args([
                    "install",
                    "--quiet",
                    "--locked",
                    "--version",
                    TARPAULIN,
                    "cargo-tarpaulin",
                    "--root",
                ])
                .arg(&own);
            process::visible(&mut install, "installing cargo-tarpaulin")?;
        }
        process::command(&program)
    };
    let out = results(layout)?;
    command.current_dir(&layout.root).args([
        "tarpaulin",
        "--workspace",
        "--engine",
        "llvm",
        "--skip-clean",
        // A failed test is reported by its own group; the figure is still wanted.
        "--no-fail-fast",
        "--out",
        "Json",
        "--output-dir",
    ]);
    // Its own target folder, since instrumented builds would replace the ordinary ones.
    command
        .arg(&out)
        .arg("--target-dir")
        .arg(layout.target().join("tarpaulin"))
        .args(["--exclude", "xtask"]);
    process::visible(&mut command, "measuring Rust coverage")?;
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("tarpaulin-report.json"))?)?;
    let share = report
        .get("coverage")
        .and_then(serde_json::Value::as_f64)
        .context("tarpaulin reported no figure")?;
    Ok(format!("{share:.0} %"))
}
