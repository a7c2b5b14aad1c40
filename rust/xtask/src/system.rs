//! The system libraries that Blender needs and a minimal container lacks.

use anyhow::{Context, Result, bail};

use crate::process;

/// What to do when a system library is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Name the packages that contain it.
    Name,
    /// Install the packages if this process may (root, apt); else name them.
    Install,
}

/// Debian's packages: what `bpy` links to, and the drivers with which Workbench renders without a display.
const PACKAGES: [&str; 15] = [
    "libegl-mesa0",
    "libegl1",
    "libgl1",
    "libgl1-mesa-dri",
    "libgomp1",
    "libice6",
    "libsm6",
    "libx11-6",
    "libxext6",
    "libxfixes3",
    "libxi6",
    "libxkbcommon0",
    "libxrender1",
    "libxxf86vm1",
    "zlib1g",
];

/// The shared library that the dynamic loader did not find, if that is what `stderr` says.
pub(crate) fn missing_library(stderr: &str) -> Option<&str> {
    let before = stderr
        .split(": cannot open shared object file")
        .next()
        .filter(|text| text.len() < stderr.len())?;
    before.rsplit([' ', '\n']).next().filter(|name| name.contains(".so"))
}

/// Makes `library` available, or fails with a sentence that says how.
///
/// # Errors
/// When nothing may be installed, or apt fails.
pub(crate) fn provide(library: &str, missing: Missing) -> Result<()> {
    let packages = PACKAGES.join(" ");
    if missing == Missing::Name || !may_install() {
        bail!("Blender needs the system library {library}; on Debian or Ubuntu: `apt-get install {packages}`.");
    }
    eprintln!("· system libraries for Blender: {library} is missing, installing it with its companions by apt-get");
    let mut update = process::command("apt-get");
    process::quiet(update.args(["update", "-q"]), "updating the package lists")?;
    let mut install = process::command("apt-get");
    install
        .args(["install", "-y", "-q", "--no-install-recommends"])
        .args(PACKAGES)
        .env("DEBIAN_FRONTEND", "noninteractive");
    process::quiet(&mut install, "installing the system libraries")
        .map(drop)
        .context(format!("the library {library} is missing"))
}

#[cfg(target_os = "linux")]
fn may_install() -> bool {
    use std::os::unix::fs::MetadataExt;
    let root = std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    root && std::path::Path::new("/usr/bin/apt-get").exists()
}

#[cfg(not(target_os = "linux"))]
fn may_install() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_library_is_read_from_the_loader_error() {
        let complaint = "Traceback (most recent call last):\n  File \"x\", line 1\nImportError: libXi.so.6: cannot open shared object file: No such file or directory\n";
        assert_eq!(missing_library(complaint), Some("libXi.so.6"));
        assert_eq!(missing_library("ImportError: No module named bpy"), None);
        assert_eq!(missing_library(": cannot open shared object file"), None);
    }

    #[test]
    fn without_permission_to_install_the_error_names_the_packages() {
        let message = provide("libXi.so.6", Missing::Name).unwrap_err().to_string();
        assert!(
            message.contains("libXi.so.6") && message.contains("apt-get install") && message.contains(" libxi6 "),
            "{message}"
        );
    }
}
