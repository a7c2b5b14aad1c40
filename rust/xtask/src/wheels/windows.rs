//! The wheel for Windows, on Windows or across from Linux.
//!
//! Where the person has Rust's target and MinGW, these build it. Otherwise Debian's own Rust does, with the sources of its standard
//! library: they are unpacked as for the tests in a window, so nothing is installed. Debian's sid moves, so what was used is
//! written down beside the wheel.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::debian::{Entrance, System};
use crate::env::{self, Environment, Wanted};
use crate::layout::Layout;
use crate::lock::Lock;
use crate::native::{self, Build};
use crate::process;

/// The Rust compiler's name of the platform.
const TARGET: &str = "x86_64-pc-windows-gnu";
/// MinGW's compiler under its usual name, and under Debian's for the kind that Rust links with.
const COMPILERS: [&str; 2] = ["x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-gcc-posix"];
const PACKAGES: [&str; 9] = [
    "bash",
    "cargo",
    "coreutils",
    "dash",
    "gcc",
    "gcc-mingw-w64-x86-64-posix",
    "libc-bin",
    "rust-src",
    "rustc",
];
/// Where Debian has the sources of the standard library.
const STANDARD: &str = "usr/lib/rustlib/src/rust/library/Cargo.toml";

/// Builds the wheel into `out`; returns the list of what compiled it, if that was Debian's.
///
/// # Errors
/// When the tools are missing, or the build fails.
pub(super) fn build(layout: &Layout, out: &Path) -> Result<Option<PathBuf>> {
    let tools = env::prepare(layout, &Wanted::tools())?;
    if cfg!(windows) {
        native::maturin(layout, Build::Release, &tools, out, &[])?;
        return Ok(None);
    }
    if has_target() && COMPILERS.iter().any(|one| runs(one)) {
        native::maturin(layout, Build::Release, &tools, out, &["--target", TARGET])?;
        return Ok(None);
    }
    let system = System {
        folder: layout.target().join("cross").join("sid"),
        suite: "sid",
        title: "the compilers for Windows",
        size: "330 MB",
        packages: &PACKAGES,
    };
    let _lock = Lock::take(&layout.target().join("cross").join(".lock"), "target/cross")?;
    system.prepare().with_context(|| {
        format!(
            "without Debian, install Rust's target (`rustup target add {TARGET}`) and MinGW ({})",
            COMPILERS[0]
        )
    })?;
    across(layout, &tools, &system, out)?;
    Ok(Some(system.list()))
}

/// Builds with Debian's Rust, which has no standard library for Windows but its sources.
fn across(layout: &Layout, tools: &Environment, system: &System, out: &Path) -> Result<()> {
    let root = system.root();
    eprintln!("· native core: building for Windows; the first time takes about ten minutes");
    // Inside there is no network.
    let standard = root.join(STANDARD);
    for project in [layout.root.join("Cargo.toml"), standard] {
        let mut fetch = process::cargo();
        fetch.args(["fetch", "--locked", "--manifest-path"]).arg(project);
        // The manifest of the standard library uses what only its own compiler may.
        fetch.env("RUSTC_BOOTSTRAP", "1");
        process::visible(&mut fetch, "downloading the crates")?;
    }
    let crates = crates_folder()?;
    let mut command = Entrance::find(&root)?.command(&root, &[&layout.root, &crates])?;
    command.arg("--chdir").arg(&layout.root);
    command.args(variables(layout, &crates));
    command
        .arg(tools.programs().join("maturin"))
        .args(["build", "--release", "--locked", "--offline", "--strip"])
        .args(["--compression-level", "9", "--target", TARGET])
        .arg("-Zbuild-std=std,panic_unwind")
        .arg("--out")
        .arg(out);
    process::visible(&mut command, "building the native core for Windows")
}

/// The whole environment of the build, without anything from the caller's.
fn variables(layout: &Layout, crates: &Path) -> Vec<String> {
    let compiler = COMPILERS[1];
    [
        ("PATH", "/usr/bin".to_owned()),
        ("HOME", "/root".to_owned()),
        ("CARGO_HOME", crates.display().to_string()),
        // Not the folder of this machine's own compiler, which would build everything anew.
        (
            "CARGO_TARGET_DIR",
            layout.target().join("cross/build").display().to_string(),
        ),
        ("RUSTC_BOOTSTRAP", "1".to_owned()),
        ("CC", "gcc".to_owned()),
        ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", "gcc".to_owned()),
        ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", compiler.to_owned()),
        ("CC_x86_64_pc_windows_gnu", compiler.to_owned()),
        ("AR_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-ar".to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| format!("{name}={value}"))
    .collect()
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

/// Where cargo keeps the crates that it has downloaded.
fn crates_folder() -> Result<PathBuf> {
    let given = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let found = given.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    match found {
        Some(folder) if folder.is_dir() => Ok(folder),
        _ => bail!("cargo's folder was not found: set CARGO_HOME to it."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_list_is_sorted() {
        assert!(PACKAGES.is_sorted());
    }
}
