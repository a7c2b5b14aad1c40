//! The groups of tests: each runs its tests and counts them.

use anyhow::Result;

use super::{audit, cargo, lint, pytest, systems, wine};
use crate::blender::{Blender, Choice, SUPPORTED};
use crate::e2e;
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::native::{self, Build};
use crate::session::Session;
use crate::tally::{GroupResult, Printer};
use crate::window::{self, Part, Release};

/// The Blender in which other programs are served.
const NEWEST: Blender = SUPPORTED[0];

/// A group of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// Formatting and lints of Rust and Python.
    Lint {
        /// Whether clippy runs on its own; the group of Rust tests lints what it compiles.
        clippy: bool,
    },
    /// Every Rust test of the workspace, compiled by clippy.
    Rust,
    /// Licences and origins of the dependencies.
    Audit,
    /// Python tests that need no Blender, and the type stubs of the native module.
    Python,
    /// The provider against independent servers, and the server for other programs with independent clients; with `--full` also peers
    /// that take minutes to build.
    Peers,
    /// Python tests inside this Blender.
    Blender(Blender),
    /// The end-to-end manifests in this Blender.
    Manifests(Blender),
    /// The tests in this Blender, which has a window, without it.
    Headless(Release),
    /// The tests in a window of this Blender.
    Window(Release),
    /// The script filter with the number of inputs that `--full` promises; takes half an hour.
    Fuzz,
    /// The tests in Rust of the crates that the system matters to, compiled for Windows and run by Wine; takes half an hour the first time.
    Wine,
    /// What the add-on asks of Windows, and the native module, in Windows' own Python in Wine.
    WinePython,
    /// Everything in Rust, compiled for macOS and Windows; takes half an hour the first time.
    Systems,
}

impl Group {
    /// Its name in the table and for `--only`.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Lint { .. } => "lint".into(),
            Self::Rust => "rust".into(),
            Self::Audit => "audit".into(),
            Self::Python => "python".into(),
            Self::Peers => "peers".into(),
            Self::Blender(blender) => format!("blender-{}", blender.version),
            Self::Manifests(blender) => format!("manifests-{}", blender.version),
            Self::Headless(release) => format!("headless-{}", release.version),
            Self::Window(release) => format!("window-{}", release.version),
            Self::Fuzz => "fuzz".into(),
            Self::Wine => "wine".into(),
            Self::WinePython => "wine-python".into(),
            Self::Systems => "systems".into(),
        }
    }

    /// The environments that it runs in.
    fn wanted(self) -> Vec<Wanted> {
        match self {
            Self::Lint { .. } => vec![lint::tools()],
            Self::Rust
            | Self::Audit
            | Self::Headless(_)
            | Self::Window(_)
            | Self::Fuzz
            | Self::Wine
            | Self::WinePython => Vec::new(),
            Self::Systems => vec![systems::tools()],
            Self::Python => vec![Wanted::plain().with("dev"), lint::tools()],
            Self::Peers => vec![tested(NEWEST), Wanted::agents().with("dev")],
            Self::Blender(blender) => vec![tested(blender)],
            Self::Manifests(blender) => vec![Wanted::blender(blender).installing()],
        }
    }

    /// Sets up its requirements. Downloads continue while other groups keep the processor busy.
    pub(crate) fn prepare(self, layout: &Layout) {
        // A failure is reported by the group itself, when it runs.
        for wanted in self.wanted() {
            let _ = env::prepare(layout, &wanted);
        }
        if let Self::Headless(release) | Self::Window(release) = self {
            let _ = window::prepare(layout, release);
        }
    }

    /// Whether it keeps every processor busy by itself, or takes measurements that others would disturb.
    pub(crate) fn alone(self) -> bool {
        match self {
            Self::Lint { .. }
            | Self::Manifests(_)
            | Self::Window(_)
            | Self::Fuzz
            | Self::Wine
            | Self::WinePython
            | Self::Systems => true,
            Self::Rust | Self::Audit | Self::Python | Self::Peers | Self::Blender(_) | Self::Headless(_) => false,
        }
    }

    /// Whether it needs the native core.
    pub(crate) fn needs_core(self) -> bool {
        match self {
            Self::Python
            | Self::Peers
            | Self::Blender(_)
            | Self::Headless(_)
            | Self::Manifests(_)
            | Self::Window(_) => true,
            Self::Lint { .. }
            | Self::Rust
            | Self::Audit
            | Self::Fuzz
            | Self::Wine
            | Self::WinePython
            | Self::Systems => false,
        }
    }

    /// Runs it with this build of the core; with `full`, including slow tests, and Python's coverage is measured into data files under
    /// `target/test`.
    ///
    /// # Errors
    /// When it could not be finished.
    pub(crate) fn run(self, layout: &Layout, build: Build, full: bool, printer: &Printer) -> Result<GroupResult> {
        match self {
            Self::Lint { clippy } => lint::run(layout, clippy, printer).map(GroupResult::from),
            Self::Rust => cargo::workspace(layout, printer),
            Self::Audit => audit::run(layout, printer).map(GroupResult::from),
            Self::Python => {
                let environment = env::prepare(layout, &Wanted::plain().with("dev"))?;
                let core = native::prepare(layout, build)?;
                environment.link(&[layout.addon(), core.site()])?;
                let folders = pytest::folders(layout, false)?;
                let tests = pytest::run(layout, &environment, &self.name(), &folders, full, printer)?;
                Ok([tests, pytest::stubs(layout, &core, printer)?.into()].into_iter().sum())
            }
            Self::Peers => {
                // The whole workspace, although only one package has such tests: alone it would be built with other features of its
                // dependencies, hence once more.
                let tests = ["--workspace", "--test", "it"];
                let skipped = if full { &[][..] } else { &["--skip", "llmposter"][..] };
                let providers = cargo::test(layout, &tests, &[&["peers::", "--ignored"], skipped].concat(), printer)?;
                let blender = env::prepare(layout, &tested(NEWEST))?;
                blender.link(&[layout.addon(), native::prepare(layout, build)?.site()])?;
                let environment = env::prepare(layout, &Wanted::agents().with("dev"))?;
                let agents = pytest::peers(layout, &environment, &blender, &self.name(), full, printer)?;
                Ok([providers, agents].into_iter().sum())
            }
            Self::Blender(blender) => {
                let environment = env::prepare(layout, &tested(blender))?;
                environment.link(&[layout.addon(), native::prepare(layout, build)?.site()])?;
                let folders = pytest::folders(layout, true)?;
                pytest::run(layout, &environment, &self.name(), &folders, full, printer)
            }
            Self::Manifests(blender) => {
                env::prepare(layout, &Wanted::blender(blender).installing())?;
                let session = Session::open(layout, &Choice::Release(blender), build)?;
                e2e::run_all(layout, &session, &self.name(), printer).map(GroupResult::from)
            }
            Self::Headless(release) => window::run(layout, release, Part::Headless, build, &[], printer),
            Self::Window(release) => window::run(layout, release, Part::Screen, build, &[], printer),
            Self::Fuzz => {
                // Optimised, as in the product, so that the time limit of a verdict is the product's.
                let tests = ["--release", "--package", "geonode-script", "--test", "it"];
                cargo::test(layout, &tests, &["fuzz::", "--ignored"], printer)
            }
            Self::Wine => wine::programs::run(layout, printer),
            Self::WinePython => wine::python::run(layout, printer),
            Self::Systems => systems::run(layout, printer).map(GroupResult::from),
        }
    }
}

fn tested(blender: Blender) -> Wanted {
    Wanted::blender(blender).with("dev").installing()
}
