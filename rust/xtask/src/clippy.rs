//! Clippy as the compiler: what is built for tests is linted on the way.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

/// Makes clippy the compiler of the workspace's packages in this command, and every warning an error.
///
/// `cargo clippy` does the same, but only checks: with it every dependency would be compiled twice.
///
/// # Errors
/// When clippy is not installed.
pub(crate) fn compiles(command: &mut Command) -> Result<()> {
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
