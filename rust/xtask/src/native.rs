//! Builds the native core once per state of its sources, as one abi3 wheel for every Blender.
//!
//! `target/core/<build>-<hash>/` contains the wheel and, in `site/`, its unpacked content, which the environments link to. A
//! folder is moved into place when it is complete, so an existing one is valid.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::clippy;
use crate::env::{self, Environment, Wanted};
use crate::layout::Layout;
use crate::lock::Lock;
use crate::process;
use crate::stamp::Stamp;

/// Promised size of the wheel.
pub(crate) const WHEEL_LIMIT: u64 = 15_000_000;

/// How the core is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Optimised, as it is shipped.
    Release,
    /// With debug assertions and overflow checks, from the libraries that the tests in Rust are compiled with; the other one compiles
    /// every library once more.
    Checked,
}

impl Build {
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Checked => "checked",
        }
    }
}

/// A built core.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    folder: PathBuf,
}

impl Core {
    /// The folder that makes `import geonode_core` work.
    pub(crate) fn site(&self) -> PathBuf {
        self.folder.join("site")
    }

    /// The wheel and its size in bytes.
    ///
    /// # Errors
    /// When it was removed.
    pub(crate) fn wheel(&self) -> Result<(PathBuf, u64)> {
        let wheel = wheel_in(&self.folder)?;
        let size = fs::metadata(&wheel)?.len();
        Ok((wheel, size))
    }
}

/// The hash of everything that goes into the wheel.
///
/// # Errors
/// When sources cannot be read.
pub(crate) fn sources(layout: &Layout) -> Result<String> {
    let mut stamp = Stamp::new("core 1");
    for name in ["Cargo.toml", "Cargo.lock", "pyproject.toml"] {
        stamp.file(&layout.root.join(name))?;
    }
    stamp.text(std::env::consts::ARCH);
    stamp.folder(&layout.root.join("rust"), &not_in_the_wheel)?;
    Ok(stamp.finish())
}

/// True for files below `rust/` that are not part of the wheel: this tool, fuzz targets, tests, documents.
fn not_in_the_wheel(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        ["xtask" | "fuzz"] | [_, "tests" | "examples" | "benches" | "corpus" | "target"] => true,
        // Deeper ones are embedded, such as the prompts.
        [file] | [_, file] => Path::new(file).extension().is_some_and(|end| end == "md"),
        _ => false,
    }
}

fn place(layout: &Layout, build: Build, sources: &str) -> PathBuf {
    let hash = sources.get(..16).unwrap_or(sources);
    layout.target().join("core").join(format!("{}-{hash}", build.name()))
}

/// The core, if it is built from the present sources; starts nothing.
///
/// # Errors
/// When sources cannot be read.
pub(crate) fn ready(layout: &Layout, build: Build) -> Result<Option<Core>> {
    let folder = place(layout, build, &sources(layout)?);
    Ok(folder.is_dir().then_some(Core { folder }))
}

/// The core, built if necessary.
///
/// # Errors
/// When the build fails (its output is shown), or the wheel that is shipped is larger than promised.
pub(crate) fn prepare(layout: &Layout, build: Build) -> Result<Core> {
    if let Some(core) = ready(layout, build)? {
        return Ok(core);
    }
    let tools = env::prepare(layout, &Wanted::tools())?;
    let parent = layout.target().join("core");
    let _lock = Lock::take(&parent.join(".lock"), "target/core")?;
    for _ in 0..3 {
        let before = sources(layout)?;
        let folder = place(layout, build, &before);
        if folder.is_dir() {
            return Ok(Core { folder });
        }
        make(layout, build, &tools, &parent, &folder)?;
        if sources(layout)? == before {
            return Ok(Core { folder });
        }
        // If sources are edited meanwhile, the build may be a mixture.
        fs::remove_dir_all(&folder)?;
    }
    bail!("the sources of the core changed during each of three builds; start again when nobody is editing them.");
}

fn make(layout: &Layout, build: Build, tools: &Environment, parent: &Path, folder: &Path) -> Result<()> {
    eprintln!(
        "· native core: building ({}); the first time takes some minutes",
        build.name()
    );
    let making = parent.join("making");
    env::remove(&making)?;
    build_here(layout, build, tools, &making)?;
    let wheel = wheel_in(&making)?;
    let size = fs::metadata(&wheel)?.len();
    if build == Build::Release {
        check_size(&wheel)?;
    }
    let mut unpack = tools.command();
    unpack.args([
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
    ]);
    process::quiet(unpack.arg(making.join("site")).arg(&wheel), "unpacking the wheel")?;
    fs::rename(&making, folder).with_context(|| format!("cannot move the core to {}", folder.display()))?;
    #[allow(clippy::cast_precision_loss, reason = "a size in megabytes, for people")]
    let megabytes = size as f64 / 1e6;
    eprintln!("· native core: ready, the wheel has {megabytes:.1} MB");
    forget_others(parent, folder);
    Ok(())
}

/// Raises for a wheel that is larger than promised.
pub(crate) fn check_size(wheel: &Path) -> Result<()> {
    let size = fs::metadata(wheel)?.len();
    if size >= WHEEL_LIMIT {
        bail!("{} has {size} bytes; the limit is {WHEEL_LIMIT}.", wheel.display());
    }
    Ok(())
}

/// maturin, about to build the wheel into `out`.
///
/// # Errors
/// When clippy, which compiles the checked core, is not installed.
pub(crate) fn maturin(layout: &Layout, build: Build, tools: &Environment, out: &Path) -> Result<Command> {
    let mut command = process::command(tools.programs().join("maturin"));
    tools.activate(&mut command);
    command.current_dir(&layout.root).arg("build");
    match build {
        Build::Release => {
            command.args(["--release", "--compression-level", "9"]);
        }
        Build::Checked => clippy::compiles(&mut command)?,
    }
    command.args(["--locked", "--strip", "--out"]).arg(out);
    Ok(command)
}

/// Builds the wheel of a Python of this machine into `out`.
fn build_here(layout: &Layout, build: Build, tools: &Environment, out: &Path) -> Result<()> {
    let mut command = maturin(layout, build, tools, out)?;
    process::visible(
        command.arg("--interpreter").arg(tools.python()),
        "building the native core",
    )
}

/// The one wheel in a folder.
///
/// # Errors
/// When there is none.
pub(crate) fn wheel_in(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut wheels = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "whl"));
    wheels
        .next()
        .with_context(|| format!("there is no wheel in {}", folder.display()))
}

/// Keeps the four newest builds: switching branches and back should not build again, and an older one may be in use.
fn forget_others(parent: &Path, newest: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let mut builds: Vec<_> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir() && entry.path() != newest)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    builds.sort();
    for (_, folder) in builds.iter().rev().skip(3) {
        // A build that a running Blender holds open (Windows) is removed next time.
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_sources_of_the_core_change_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout {
            root: folder.path().to_path_buf(),
        };
        for at in [
            "rust/graph/src",
            "rust/graph/tests",
            "rust/xtask/src",
            "rust/prompting/prompts",
            "addon",
        ] {
            fs::create_dir_all(folder.path().join(at)).unwrap();
        }
        fs::write(folder.path().join("Cargo.lock"), "1").unwrap();
        let first = sources(&layout).unwrap();
        for other in [
            "rust/xtask/src/main.rs",
            "rust/graph/tests/plans.rs",
            "rust/graph/FORMATS.md",
            "addon/a.py",
        ] {
            fs::write(folder.path().join(other), "x").unwrap();
            assert_eq!(first, sources(&layout).unwrap(), "{other}");
        }
        for changed in [
            "rust/graph/src/lib.rs",
            "rust/prompting/prompts/system.md",
            "Cargo.lock",
            "pyproject.toml",
        ] {
            let before = sources(&layout).unwrap();
            fs::write(folder.path().join(changed), "changed").unwrap();
            assert_ne!(before, sources(&layout).unwrap(), "{changed}");
        }

        // A complete build is found if its sources are the present ones.
        assert!(ready(&layout, Build::Checked).unwrap().is_none());
        fs::create_dir_all(place(&layout, Build::Checked, &sources(&layout).unwrap())).unwrap();
        assert!(ready(&layout, Build::Checked).unwrap().is_some());
        assert!(ready(&layout, Build::Release).unwrap().is_none());
        fs::write(folder.path().join("Cargo.lock"), "2").unwrap();
        assert!(ready(&layout, Build::Checked).unwrap().is_none());
    }

    #[test]
    fn old_builds_are_removed_and_the_newest_kept() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..7 {
            let build = folder.path().join(number.to_string());
            fs::create_dir(&build).unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + number);
            fs::File::open(&build).unwrap().set_modified(time).unwrap();
        }
        forget_others(folder.path(), &folder.path().join("0"));
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["0", "4", "5", "6"]);
    }
}
