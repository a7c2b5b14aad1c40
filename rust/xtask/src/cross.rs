//! Building for Windows on Debian, whose own Rust has no standard library for it but its sources: unpacked as for the tests in a window,
//! so nothing is installed. Debian's sid moves, so what was used is written down.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::debian::{Entrance, System};
use crate::layout::Layout;
use crate::lock::Lock;
use crate::process;

/// The Rust compiler's name of the platform.
pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";
/// MinGW's compiler under its usual name, and under Debian's for the kind that Rust links with.
pub(crate) const COMPILERS: [&str; 2] = ["x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-gcc-posix"];
/// The option with which cargo builds the standard library as well.
pub(crate) const STANDARD: &str = "-Zbuild-std=std,panic_unwind";
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
/// The same, and what runs programs of Windows.
const PACKAGES_AND_WINE: [&str; 11] = [
    "bash",
    "cargo",
    "coreutils",
    "dash",
    "gcc",
    "gcc-mingw-w64-x86-64-posix",
    "libc-bin",
    "libz-mingw-w64",
    "rust-src",
    "rustc",
    "wine64",
];
/// Where Debian has the sources of the standard library.
const SOURCES: &str = "usr/lib/rustlib/src/rust/library/Cargo.toml";

/// The compilers, ready; nobody else uses them until this is dropped.
#[derive(Debug)]
pub(crate) struct Cross {
    system: System,
    crates: PathBuf,
    _lock: Lock,
}

impl Cross {
    /// The compilers, unpacked if necessary, and the crates; with `wine`, what runs programs of Windows too.
    ///
    /// # Errors
    /// When this is not Debian, or something cannot be downloaded.
    pub(crate) fn prepare(layout: &Layout, wine: bool) -> Result<Self> {
        let folder = layout.target().join("cross");
        let lock = Lock::take(&folder.join(".lock"), "target/cross")?;
        let system = if wine {
            System {
                folder: folder.join("sid-wine"),
                suite: "sid",
                title: "the compilers for Windows and Wine",
                size: "680 MB",
                packages: &PACKAGES_AND_WINE,
            }
        } else {
            System {
                folder: folder.join("sid"),
                suite: "sid",
                title: "the compilers for Windows",
                size: "330 MB",
                packages: &PACKAGES,
            }
        };
        system.prepare()?;
        // Inside there is no network.
        for project in [layout.root.join("Cargo.toml"), system.root().join(SOURCES)] {
            let mut fetch = process::cargo();
            fetch.args(["fetch", "--locked", "--manifest-path"]).arg(project);
            // The manifest of the standard library uses what only its own compiler may.
            fetch.env("RUSTC_BOOTSTRAP", "1");
            process::quiet(&mut fetch, "downloading the crates")?;
        }
        Ok(Self {
            system,
            crates: crates_folder()?,
            _lock: lock,
        })
    }

    /// The list of the packages, each with its hash.
    pub(crate) fn list(&self) -> PathBuf {
        self.system.list()
    }

    /// The unpacked system.
    pub(crate) fn root(&self) -> PathBuf {
        self.system.root()
    }

    /// A command in the checkout inside of the unpacked system, to which the caller adds a program. It has the environment of the build and
    /// `more`, and nothing of the caller's.
    ///
    /// # Errors
    /// When the system cannot be entered.
    pub(crate) fn command(&self, layout: &Layout, more: &[(&str, String)]) -> Result<Command> {
        let root = self.root();
        let mut command = Entrance::find(&root)?.command(&root, &[&layout.root, &self.crates])?;
        command.arg("--chdir").arg(&layout.root);
        let variables = variables(layout, &self.crates);
        command.args(
            variables
                .iter()
                .chain(more)
                .map(|(name, value)| format!("{name}={value}")),
        );
        Ok(command)
    }
}

fn variables(layout: &Layout, crates: &Path) -> Vec<(&'static str, String)> {
    let compiler = COMPILERS[1];
    let mut variables = vec![
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
    ];
    // How many processors a person gives to it.
    let jobs = std::env::var("CARGO_BUILD_JOBS").ok();
    variables.extend(jobs.map(|jobs| ("CARGO_BUILD_JOBS", jobs)));
    variables
}

/// Where cargo keeps the crates that it has downloaded.
///
/// # Errors
/// When it is not where cargo has it by default.
pub(crate) fn crates_folder() -> Result<PathBuf> {
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
    fn the_package_lists_are_sorted_and_one_contains_the_other() {
        assert!(PACKAGES.is_sorted() && PACKAGES_AND_WINE.is_sorted());
        assert!(PACKAGES.iter().all(|one| PACKAGES_AND_WINE.contains(one)));
    }
}
