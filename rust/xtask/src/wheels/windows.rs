//! The wheel for Windows, on Windows or across from Linux.
//!
//! Where the person has Rust's target and MinGW, these build it. Otherwise Debian's compilers do.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::exact;
use crate::cross::{self, COMPILERS, Cross, TARGET};
use crate::env::{self, Environment, Wanted};
use crate::layout::Layout;
use crate::native::{self, Build};
use crate::process;

/// MinGW's linker writes no time into what it links.
const TIMELESS: &str = "-Wl,--no-insert-timestamp";

/// Builds the wheel into `out`; returns the list of what compiled it, if that was Debian's.
///
/// # Errors
/// When the tools are missing, or the build fails.
pub(super) fn build(layout: &Layout, out: &Path) -> Result<Option<PathBuf>> {
    let tools = env::prepare(layout, &Wanted::tools())?;
    if cfg!(windows) {
        let mut command = native::maturin(layout, Build::Release, &tools, out)?;
        exact::build(layout, command.arg("--interpreter").arg(tools.python()), &["/Brepro"])?;
        return Ok(None);
    }
    if has_target() && COMPILERS.iter().any(|one| runs(one)) {
        let mut command = native::maturin(layout, Build::Release, &tools, out)?;
        exact::build(layout, command.args(["--target", TARGET]), &[TIMELESS])?;
        return Ok(None);
    }
    let cross = Cross::prepare(layout, false).with_context(|| {
        format!(
            "without Debian, install Rust's target (`rustup target add {TARGET}`) and MinGW ({})",
            COMPILERS[0]
        )
    })?;
    across(layout, &tools, &cross, out)?;
    Ok(Some(cross.list()))
}

/// Builds with Debian's compilers.
fn across(layout: &Layout, tools: &Environment, cross: &Cross, out: &Path) -> Result<()> {
    eprintln!("· native core: building for Windows; the first time takes about half an hour of one processor");
    let mut command = cross.command(layout, &exact::variables(layout, &cross::crates_folder()?, &[TIMELESS]))?;
    command
        .arg(tools.programs().join("maturin"))
        .args(["build", "--release", "--locked", "--offline", "--strip"])
        .args(["--compression-level", "9", "--target", TARGET, cross::STANDARD])
        .arg("--out")
        .arg(out);
    process::visible(&mut command, "building the native core for Windows")
}

/// Whether this machine's Rust has the standard library for Windows.
fn has_target() -> bool {
    let mut rustc = process::command("rustc");
    let found = process::quiet(
        rustc.args(["--print", "target-libdir", "--target", TARGET]),
        "asking rustc",
    );
    found.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn runs(program: &str) -> bool {
    process::quiet(process::command(program).arg("--version"), "asking the compiler").is_ok()
}
