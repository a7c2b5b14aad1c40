//! `cargo xtask window`: tests in a real Blender with a window, on a virtual screen.
//!
//! The `bpy` modules have no window, so Debian's Blender is used: unpacked under `target/window`, with the X server, the
//! Python and the pytest that fit it. Nothing is installed on this machine, and nothing outlives the command.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::bundle;
use crate::debian::{self, Entrance, System};
use crate::env;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::native::Build;
use crate::tally::{Counts, GroupResult, Printer, counted, results};
use crate::wheels::Wheel;

/// Time limit for all tests together; each test has its own limits.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// The unpacked packages, besides their dependencies: Blender, the imports of its add-ons, software rendering drivers, the X
/// server with its input simulator, and the test runner.
const PACKAGES: [&str; 22] = [
    "bash",
    "blender",
    "coreutils",
    "dash",
    "libc-bin",
    "libegl-mesa0",
    "libegl1",
    "libgl1",
    "libgl1-mesa-dri",
    "libglx-mesa0",
    "mesa-vulkan-drivers",
    "python3",
    "python3-cattr",
    "python3-numpy",
    "python3-pytest",
    "python3-requests",
    "python3-zstandard",
    "x11-xkb-utils",
    "xdotool",
    "xkb-data",
    "xserver-common",
    "xvfb",
];

/// The tests that run in the same Blender without its window.
const ALSO_RUN: [&str; 3] = ["rust/script/corpus", "tests/blender", "tests/native"];

/// The set-up that all Python tests share.
const SET_UP: &str = "tests/conftest.py";

/// The tests that drive this Blender without its window.
const HEADLESS: &str = "/session/tests/test_headless.py";

/// Which of the tests in `tests/window`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All.
    Whole,
    /// Those on a screen, whose measurements other tests would disturb.
    Screen,
    /// Those without a window.
    Headless,
}

impl Part {
    /// The arguments for pytest.
    fn chosen(self) -> Vec<String> {
        let all = "/session/tests".to_owned();
        match self {
            Self::Whole => vec![all],
            Self::Screen => vec![format!("--ignore={HEADLESS}"), all],
            Self::Headless => vec![HEADLESS.to_owned()],
        }
    }

    /// The name of its results.
    fn word(self) -> &'static str {
        match self {
            Self::Whole | Self::Screen => "window",
            Self::Headless => "headless",
        }
    }
}

/// A Blender with a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Release {
    /// The release line of Blender.
    pub(crate) version: &'static str,
    /// Debian's release that packages it.
    suite: &'static str,
    /// Whether `cargo xtask test` requires it.
    pub(crate) required: bool,
}

/// The required one first. Debian's sid changes daily, so it is optional.
pub(crate) const RELEASES: [Release; 2] = [
    Release {
        version: "4.3",
        suite: "trixie",
        required: true,
    },
    Release {
        version: "5.2",
        suite: "sid",
        required: false,
    },
];

/// The options of `window`.
#[derive(Debug, Args)]
pub(crate) struct Window {
    /// 4.3 or 5.2 [default: both; 5.2 only if Debian provides it]
    version: Option<String>,
    /// With the core of the tests, which compiles in a tenth of the time
    #[arg(long)]
    checked: bool,
    /// Arguments for pytest, after `--`
    #[arg(last = true)]
    pytest: Vec<String>,
}

/// Runs the tests; the status is 0 only if all of them pass.
///
/// # Errors
/// When something is missing, or a required or requested Blender cannot be set up.
pub(crate) fn window(layout: &Layout, options: &Window) -> Result<u8> {
    let mut all = Vec::new();
    for release in chosen(options.version.as_deref())? {
        println!("== Blender {} ({})", release.version, release.suite);
        match prepare(layout, release) {
            Ok(()) => all.push(
                run(
                    layout,
                    release,
                    Part::Whole,
                    if options.checked {
                        Build::Checked
                    } else {
                        Build::Release
                    },
                    &options.pytest,
                    &Printer::only(),
                )?
                .counts,
            ),
            Err(error) if !release.required && options.version.is_none() => eprintln!(
                "WARNING: the window tests did NOT run in Blender {}: {error:#}",
                release.version
            ),
            Err(error) => return Err(error),
        }
    }
    let all: Counts = all.into_iter().sum();
    println!("{all}");
    Ok(u8::from(all.failed > 0 || all.passed == 0))
}

fn chosen(version: Option<&str>) -> Result<Vec<Release>> {
    let Some(version) = version else {
        return Ok(RELEASES.to_vec());
    };
    match RELEASES.into_iter().find(|release| release.version == version) {
        Some(release) => Ok(vec![release]),
        None => bail!("there is no Blender {version:?} with a window; choose 4.3 or 5.2."),
    }
}

/// Debian's Blender of this release line.
fn system(layout: &Layout, release: Release) -> System {
    System {
        folder: layout.target().join("window").join(release.version),
        suite: release.suite,
        title: "the Blenders for the tests in a window",
        size: "350 MB",
        packages: &PACKAGES,
    }
}

fn lock(layout: &Layout, release: Release) -> Result<Lock> {
    let name = format!("target/window/{}", release.version);
    Lock::take(
        &layout
            .target()
            .join("window")
            .join(format!(".{}.lock", release.version)),
        &name,
    )
}

/// Unpacks the Blender if necessary.
///
/// # Errors
/// When it is not available here.
pub(crate) fn prepare(layout: &Layout, release: Release) -> Result<()> {
    let _lock = lock(layout, release)?;
    system(layout, release)
        .prepare()
        .with_context(|| format!("Blender {} with a window cannot be set up", release.version))
}

/// Runs this part of the tests in `tests/window`; pictures are left in `target/window/<version>/pictures`.
///
/// # Errors
/// When the run did not finish.
pub(crate) fn run(
    layout: &Layout,
    release: Release,
    part: Part,
    build: Build,
    pytest: &[String],
    printer: &Printer,
) -> Result<GroupResult> {
    prepare(layout, release)?;
    let zip = bundle::make(layout, &[Wheel::Here(build)], &[])?;
    let _lock = lock(layout, release)?;
    let system = system(layout, release);
    let root = system.root();
    let entrance = Entrance::find(&root)?;
    let work = root.join("session");
    stage(layout, &work, &zip)?;

    let mut command = entrance.command(&root, &[])?;
    command.args(environment(release.suite)).args([
        "python3",
        "-m",
        "pytest",
        "-q",
        "-p",
        "pytest_counts",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "--rootdir=/session",
        "--junitxml=/session/junit.xml",
    ]);
    command.args(pytest).args(part.chosen());
    let name = format!("{}-{}", part.word(), release.version);
    let ran = counted(&mut command, &work.join("counts.json"), LIMIT, printer);
    if let Ok(figures) = fs::read_to_string(work.join("figures")) {
        printer.line(figures.trim_end());
    }
    if part != Part::Headless {
        // Pictures are stored even if a test has failed.
        let pictures = system.folder.join("pictures");
        env::remove(&pictures)?;
        fs::rename(work.join("pictures"), &pictures).context("cannot keep the pictures")?;
        printer.line(&format!("pictures: {}", pictures.display()));
    }
    if work.join("junit.xml").exists() {
        fs::copy(work.join("junit.xml"), results(layout)?.join(format!("{name}.xml")))?;
    }
    // The paths of the files outside of the unpacked system.
    ran.map(|GroupResult { counts, files }| GroupResult {
        counts,
        files: files
            .into_iter()
            .map(|(file, seconds)| (file.replacen("tests/", "tests/window/", 1), seconds))
            .collect(),
    })
}

/// Copies the files of the tests into the unpacked system, and removes those of an earlier run.
fn stage(layout: &Layout, work: &Path, zip: &Path) -> Result<()> {
    env::remove(work)?;
    bundle::copy(&layout.root.join("tests/window"), &work.join("tests"))?;
    for part in ALSO_RUN {
        bundle::copy(&layout.root.join(part), &work.join("project").join(part))?;
    }
    fs::copy(layout.root.join(SET_UP), work.join("project").join(SET_UP))
        .context("cannot copy the set-up of the tests")?;
    for folder in ["home", "pictures", "plugin"] {
        fs::create_dir_all(work.join(folder))?;
    }
    fs::copy(zip, work.join("extension.zip")).context("cannot copy the extension")?;
    env::replace(
        &work.join("plugin/pytest_counts.py"),
        include_str!("../test/pytest_counts.py"),
    )
}

/// The whole environment of the tests, as arguments of `env -i`, without anything from the caller's.
fn environment(suite: &str) -> Vec<String> {
    let libraries = ["blas", "lapack", "pulseaudio"].map(|name| format!("{}/{name}", debian::LIBRARIES));
    [
        ("HOME", "/session/home"),
        ("PATH", "/usr/bin:/usr/sbin"),
        ("LC_ALL", "C.UTF-8"),
        ("LD_LIBRARY_PATH", &libraries.join(":")),
        ("PYTHONPATH", "/session/plugin"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("GEONODE_COUNTS", "/session/counts.json"),
        ("GEONODE_WORK", "/session"),
        ("GEONODE_PICTURES", "/session/pictures"),
        ("GEONODE_ZIP", "/session/extension.zip"),
        ("GEONODE_SUITE", suite),
    ]
    .map(|(name, value)| format!("{name}={value}"))
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pinned_release_is_required() {
        let required: Vec<_> = RELEASES.iter().filter(|release| release.required).collect();
        assert_eq!(required.len(), 1);
        assert_ne!(required.first().unwrap().suite, "sid", "sid moves daily");
        assert_eq!(chosen(None).unwrap(), RELEASES);
        assert_eq!(chosen(Some("5.2")).unwrap().first().unwrap().suite, "sid");
        assert!(
            chosen(Some("4.2"))
                .unwrap_err()
                .to_string()
                .contains("choose 4.3 or 5.2")
        );
    }

    #[test]
    fn the_package_list_is_sorted() {
        assert!(PACKAGES.is_sorted());
    }

    #[test]
    fn every_window_test_is_in_one_part() {
        let file = HEADLESS.replacen("/session/tests", "tests/window", 1);
        assert!(Layout::find().root.join(&file).exists(), "{file}");
        assert_eq!(Part::Headless.chosen(), [HEADLESS]);
        let [left_out, all] = <[String; 2]>::try_from(Part::Screen.chosen()).unwrap();
        assert_eq!(left_out, format!("--ignore={HEADLESS}"));
        assert_eq!(Part::Whole.chosen(), [all]);
    }

    #[test]
    fn files_of_an_earlier_run_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        fs::create_dir_all(work.join("home")).unwrap();
        fs::write(work.join("home/left"), "x").unwrap();
        let zip = folder.path().join("x.zip");
        fs::write(&zip, "zip").unwrap();
        stage(&Layout::find(), &work, &zip).unwrap();
        assert!(!work.join("home/left").exists());
        assert!(work.join("tests/conftest.py").exists() && work.join("extension.zip").exists());
        assert!(work.join("project/tests/blender/conftest.py").exists());
        assert!(work.join("project").join(SET_UP).exists());
    }
}
