//! The groups of tests: each runs what it names and says how many tests that were.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::audit;
use super::counts::{self, Counts, PytestCounts};
use crate::blender::{Blender, Choice};
use crate::e2e;
use crate::env::{self, Environment, Wanted};
use crate::layout::Layout;
use crate::native;
use crate::process;
use crate::session::Session;
use crate::window::{self, Release};

/// No group takes this long unless something hangs.
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// The folders of `tests/` that need Blender as a module.
const IN_BLENDER: [&str; 2] = ["blender", "host"];

/// The folder of `tests/` that drives a Blender from outside; every other one with Python tests needs none.
const IN_WINDOW: &str = "window";

/// A group of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// Formatting and lints of Rust and Python.
    Lint,
    /// Every Rust test of the workspace.
    Rust,
    /// Licences and origins of the dependencies.
    Audit,
    /// Python tests that need no Blender, and the type stubs of the native module.
    Python,
    /// The provider against independent servers; with everything, also one that takes minutes to build.
    Peers,
    /// Python tests inside this Blender.
    Blender(Blender),
    /// The end-to-end manifests in this Blender.
    Manifests(Blender),
    /// The tests in a window of this Blender.
    Window(Release),
    /// The filter of scripts against as many inputs as `--full` promises; half an hour.
    Fuzz,
}

impl Group {
    /// Its name in the table and for `--only`.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Lint => "lint".into(),
            Self::Rust => "rust".into(),
            Self::Audit => "audit".into(),
            Self::Python => "python".into(),
            Self::Peers => "peers".into(),
            Self::Blender(blender) => format!("blender-{}", blender.version),
            Self::Manifests(blender) => format!("manifests-{}", blender.version),
            Self::Window(release) => format!("window-{}", release.version),
            Self::Fuzz => "fuzz".into(),
        }
    }

    /// The environments that it runs in.
    fn wanted(self) -> Vec<Wanted> {
        match self {
            Self::Lint => vec![lint_tools()],
            Self::Rust | Self::Audit | Self::Peers | Self::Window(_) | Self::Fuzz => Vec::new(),
            Self::Python => vec![Wanted::plain().with("dev"), lint_tools()],
            Self::Blender(blender) => vec![tested(blender)],
            Self::Manifests(blender) => vec![Wanted::blender(blender).installing()],
        }
    }

    /// Sets up what it needs. Downloads go on while other groups keep the processor busy.
    pub(crate) fn prepare(self, layout: &Layout) {
        // A failure is reported by the group itself, when it runs.
        for wanted in self.wanted() {
            let _ = env::prepare(layout, &wanted);
        }
        if let Self::Window(release) = self {
            let _ = window::prepare(layout, release);
        }
    }

    /// Runs it; with `full`, what takes long too, and Python's coverage is measured into data files under `target/test`.
    ///
    /// # Errors
    /// When it could not be run to its end.
    pub(crate) fn run(self, layout: &Layout, full: bool) -> Result<Counts> {
        match self {
            Self::Lint => lint(layout),
            Self::Rust => cargo_test(layout, &["--workspace"], &[]),
            Self::Audit => audit::run(layout),
            Self::Python => {
                let environment = env::prepare(layout, &Wanted::plain().with("dev"))?;
                environment.link(&[layout.addon(), native::prepare(layout)?.site()])?;
                let tests = pytest(layout, &environment, &self.name(), &folders(layout, false)?, full)?;
                Ok([tests, stubs(layout)?].into_iter().sum())
            }
            Self::Peers => {
                let tests = ["--package", "geonode-provider", "--test", "peers"];
                let skipped = if full { &[][..] } else { &["--skip", "llmposter"][..] };
                cargo_test(layout, &tests, &[&["--ignored"], skipped].concat())
            }
            Self::Blender(blender) => {
                let environment = env::prepare(layout, &tested(blender))?;
                environment.link(&[layout.addon(), native::prepare(layout)?.site()])?;
                pytest(layout, &environment, &self.name(), &folders(layout, true)?, full)
            }
            Self::Manifests(blender) => {
                env::prepare(layout, &Wanted::blender(blender).installing())?;
                let session = Session::open(layout, &Choice::Release(blender))?;
                e2e::run_all(layout, &session, &e2e::manifests(layout)?)
            }
            Self::Window(release) => window::run(layout, release, &[]),
            Self::Fuzz => {
                // Optimised, as the filter is delivered: the bound on the time of a verdict is that of the product then.
                let tests = ["--release", "--package", "geonode-script", "--test", "fuzz"];
                cargo_test(layout, &tests, &["--ignored"])
            }
        }
    }
}

fn tested(blender: Blender) -> Wanted {
    Wanted::blender(blender).with("dev").installing()
}

fn lint_tools() -> Wanted {
    Wanted::tools().with("lint")
}

fn lint(layout: &Layout) -> Result<Counts> {
    let mut format = process::cargo();
    format.args(["fmt", "--all", "--check"]);
    let mut clippy = process::cargo();
    clippy.args([
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]);
    let tools = env::prepare(layout, &lint_tools())?;
    let mut ruff = process::command(tools.programs().join("ruff"));
    ruff.args(["check", "--quiet", "addon", "tests", "rust"]);
    [("cargo fmt", format), ("cargo clippy", clippy), ("ruff", ruff)]
        .into_iter()
        .map(|(name, mut command)| {
            let status = command.current_dir(&layout.root).stdin(Stdio::null()).status();
            let held = status.with_context(|| format!("cannot start {name}"))?.success();
            println!("{name}: {}", if held { "ok" } else { "FAILED" });
            Ok(Counts::of(held))
        })
        .sum()
}

/// Runs the tests of the packages that `chosen` names, with these arguments for the test programs.
fn cargo_test(layout: &Layout, chosen: &[&str], arguments: &[&str]) -> Result<Counts> {
    let mut command = process::cargo();
    command
        .current_dir(&layout.root)
        .args(["test", "--locked", "--no-fail-fast"])
        .args(chosen)
        .args(["--", "--quiet"])
        .args(arguments);
    let mut all = Counts::default();
    let status = streamed(&mut command, LIMIT, |line| {
        all = [all, counts::of_cargo_line(line).unwrap_or_default()].into_iter().sum();
    })?;
    if !status.success() && all.failed == 0 {
        bail!("cargo test ended with {status}");
    }
    Ok(all)
}

/// The type stubs say what the built module has (`mypy.stubtest`).
fn stubs(layout: &Layout) -> Result<Counts> {
    let tools = env::prepare(layout, &lint_tools())?;
    let allowed = layout.root.join("rust/xtask/src/test/stubtest-allow.txt");
    let mut command = tools.command();
    command
        .args(["-m", "mypy.stubtest", "geonode_core", "--allowlist"])
        .arg(allowed)
        .env("PYTHONPATH", native::prepare(layout)?.site());
    let output = process::bounded(&mut command, LIMIT)?.context("stubtest hung")?;
    if !output.status.success() {
        println!("{}", process::tail(&output, 60));
    }
    println!(
        "stubtest geonode_core: {}",
        if output.status.success() { "ok" } else { "FAILED" }
    );
    Ok(Counts::of(output.status.success()))
}

/// The folders below `tests/` that hold Python tests and need Blender, or do not.
fn folders(layout: &Layout, in_blender: bool) -> Result<Vec<PathBuf>> {
    let tests = layout.root.join("tests");
    let mut found: Vec<PathBuf> = fs::read_dir(&tests)
        .with_context(|| format!("cannot read {}", tests.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !path.ends_with(IN_WINDOW) && holds_tests(path))
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

/// The folder for what test runs leave behind.
pub(crate) fn results(layout: &Layout) -> Result<PathBuf> {
    let folder = layout.target().join("test");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn pytest(
    layout: &Layout,
    environment: &Environment,
    name: &str,
    folders: &[PathBuf],
    coverage: bool,
) -> Result<Counts> {
    let results = results(layout)?;
    let plugins = results.join("plugin");
    fs::create_dir_all(&plugins)?;
    env::replace(&plugins.join("pytest_counts.py"), include_str!("pytest_counts.py"))?;
    let file = results.join(format!("{name}.json"));
    if file.exists() {
        fs::remove_file(&file)?;
    }
    let mut command = environment.command();
    command
        .current_dir(&layout.root)
        .env("PYTHONPATH", &plugins)
        .env("GEONODE_COUNTS", &file);
    if coverage {
        // Tests that draw at random draw many times more.
        command.env("GEONODE_FULL", "1");
        // Far cheaper where Python offers it; elsewhere coverage says so and takes its own.
        command.env("COVERAGE_CORE", "sysmon");
        let data = results.join(format!("coverage-{name}"));
        command
            .args(["-m", "coverage", "run", "--source=geonode_assistant", "--data-file"])
            .arg(data);
    }
    command
        .args(["-m", "pytest", "-q", "-p", "pytest_counts", "-p", "no:cacheprovider"])
        .args(folders);
    counted(&mut command, &file, LIMIT)
}

/// Runs pytest with our plugin, which writes the counts to `file`.
///
/// # Errors
/// When it did not start, or did not come to its end.
pub(crate) fn counted(command: &mut Command, file: &Path, limit: Duration) -> Result<Counts> {
    let status = streamed(command, limit, |_| {})?;
    let text = fs::read(file).with_context(|| format!("pytest did not start ({status})"))?;
    let (counts, trouble) = serde_json::from_slice::<PytestCounts>(&text)
        .context("unreadable counts")?
        .judge(status);
    if let Some(trouble) = trouble {
        bail!("{trouble}; before that: {counts}");
    }
    Ok(counts)
}

/// Runs a command, shows each line it prints as it comes, and hands it to `line`.
fn streamed(command: &mut Command, limit: Duration, mut line: impl FnMut(&str)) -> Result<std::process::ExitStatus> {
    let program = OsString::from(command.get_program());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let out = child.stdout.take().context("no output")?;
    let (sender, receiver) = std::sync::mpsc::channel::<String>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Not every program prints UTF-8 only.
            for bytes in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                println!("{text}");
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        let status = process::wait(&mut child, limit)?;
        for text in receiver {
            line(&text);
        }
        status.with_context(|| format!("{} was ended after {} minutes", program.display(), limit.as_secs() / 60))
    })
}
