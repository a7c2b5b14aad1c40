//! The wheels of the native core that an extension contains, for this machine and for others.

pub(crate) mod exact;
mod windows;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::cross;
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::native::{self, Build};
use crate::process;

/// A wheel in the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wheel {
    /// The one that is built for this machine.
    Here(Build),
    /// One that is shipped to artists.
    For(Platform),
}

/// The platforms for which one command builds a wheel, by Blender's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Platform {
    /// Every Linux with glibc 2.28 or later (downloads a compiler, 400 MB)
    #[value(name = "linux-x64")]
    LinuxX64,
    /// Windows 10 or later; on Debian with its cross compiler (downloads 330 MB, takes some 20 minutes of one processor)
    #[value(name = "windows-x64")]
    WindowsX64,
    /// Macs with Apple's processors; only on a Mac
    #[value(name = "macos-arm64")]
    MacosArm64,
    /// Macs with Intel's processors; only on a Mac
    #[value(name = "macos-x64")]
    MacosX64,
}

impl Platform {
    /// Blender's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LinuxX64 => "linux-x64",
            Self::WindowsX64 => "windows-x64",
            Self::MacosArm64 => "macos-arm64",
            Self::MacosX64 => "macos-x64",
        }
    }

    /// The Rust compiler's name.
    pub(crate) fn target(self) -> &'static str {
        match self {
            Self::LinuxX64 => "x86_64-unknown-linux-gnu",
            Self::WindowsX64 => cross::TARGET,
            Self::MacosArm64 => "aarch64-apple-darwin",
            Self::MacosX64 => "x86_64-apple-darwin",
        }
    }
}

/// A wheel, and what it was made with if that is not what `Cargo.lock` and this machine's compiler say.
#[derive(Debug)]
pub(crate) struct Made {
    /// The wheel.
    pub(crate) wheel: PathBuf,
    /// A list of the packages of the compiler, each with its hash.
    pub(crate) compiler: Option<PathBuf>,
}

/// Builds a wheel, and checks one that is shipped.
///
/// # Errors
/// When it cannot be built here (one sentence with the fix), or is not as promised.
pub(crate) fn make(layout: &Layout, wanted: Wheel) -> Result<Made> {
    let platform = match wanted {
        Wheel::Here(build) => {
            return Ok(Made {
                wheel: native::prepare(layout, build)?.wheel()?.0,
                compiler: None,
            });
        }
        Wheel::For(platform) => platform,
    };
    let out = layout.target().join("bundle").join("wheels").join(platform.name());
    env::remove(&out)?;
    let compiler = match platform {
        Platform::LinuxX64 if cfg!(target_os = "linux") => {
            let tools = env::prepare(layout, &Wanted::tools().with("portable"))?;
            let mut command = native::maturin(layout, Build::Release, &tools, &out)?;
            command.args(["--zig", "--compatibility", "manylinux_2_28"]);
            command.arg("--interpreter").arg(tools.python());
            exact::build(layout, &mut command, &[])?;
            None
        }
        Platform::WindowsX64 => windows::build(layout, &out)?,
        Platform::MacosArm64 | Platform::MacosX64 if cfg!(target_os = "macos") => {
            let tools = env::prepare(layout, &Wanted::tools())?;
            let mut command = native::maturin(layout, Build::Release, &tools, &out)?;
            // A wheel for another system is made without asking a Python of this one.
            exact::build(layout, command.args(["--target", platform.target()]), &[])?;
            None
        }
        _ => bail!(
            "a wheel for {} is not built on this system: run `cargo xtask bundle --platform {0}` there, and add the wheel from its \
             target/bundle/wheels here with --wheel.",
            platform.name()
        ),
    };
    let wheel = native::wheel_in(&out)?;
    check(layout, &wheel, &layout.root)?;
    Ok(Made { wheel, compiler })
}

/// Raises for a wheel that uses what some system, or some Python from 3.11 on, does not have, or is larger than promised. Takes what is
/// particular to this machine out of it, and puts its list of components (`CycloneDX`) beside it.
fn check(layout: &Layout, wheel: &Path, root: &Path) -> Result<()> {
    let tools = env::prepare(layout, &Wanted::tools().with("wheels"))?;
    let what = format!("checking what {} needs", wheel.display());
    let output = process::quiet(
        exact::script(&tools)
            .arg("wheel")
            .arg(wheel)
            .arg(root)
            .arg(cross::crates_folder()?)
            .arg(exact::TIME)
            .arg(components(wheel)),
        &what,
    )?;
    eprint!("· {}: {}", wheel.display(), String::from_utf8_lossy(&output.stdout));
    native::check_size(wheel)?;
    let mut audit = process::command(tools.programs().join("abi3audit"));
    tools.activate(&mut audit);
    process::quiet(
        audit.args(["--strict", "--assume-minimum-abi3", "3.11"]).arg(wheel),
        "checking what the wheel uses of Python",
    )
    .map(drop)
    .with_context(|| format!("{} would not load in every Blender", wheel.display()))
}

/// The list of the components of a wheel, beside it.
pub(crate) fn components(wheel: &Path) -> PathBuf {
    wheel.with_extension("cdx.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_that_cannot_be_made_here_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout {
            root: folder.path().to_path_buf(),
        };
        let other = if cfg!(target_os = "macos") {
            Platform::LinuxX64
        } else {
            Platform::MacosArm64
        };
        let error = make(&layout, Wheel::For(other)).unwrap_err().to_string();
        assert!(
            error.contains("is not built on this system") && error.contains("--wheel"),
            "{error}"
        );
    }

    #[test]
    fn platforms_are_named_on_the_command_line_as_blender_names_them() {
        for one in Platform::value_variants() {
            assert_eq!(one.to_possible_value().unwrap().get_name(), one.name());
        }
    }
}
