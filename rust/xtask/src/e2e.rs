//! `cargo xtask e2e`: runs the manifests, each in its own process, as many at once as there are processors.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::blender::Choice;
use crate::layout::Layout;
use crate::native::Build;
use crate::process;
use crate::session::Session;
use crate::tally::{Counts, Printer, results};

/// Limit for a Blender that hangs; the add-on itself observes the limit of a manifest.
const LIMIT: Duration = Duration::from_secs(300);

/// The options of `e2e`.
#[derive(Debug, Args)]
pub(crate) struct E2e {
    /// The manifests [default: all in manifests/]
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<PathBuf>,
    /// 4.2, 4.5, 5.0, 5.2, a Blender executable, or a Python with bpy [default: the newest whose Python is found]
    #[arg(long, value_name = "VERSION|PATH")]
    blender: Option<String>,
}

/// Runs the manifests; the status is 0 only if all of them pass.
///
/// # Errors
/// When something is missing, or there is no manifest.
pub(crate) fn e2e(layout: &Layout, options: &E2e) -> Result<u8> {
    let session = Session::open(layout, &Choice::read(options.blender.as_deref())?, Build::Release)?;
    eprintln!("· {}", session.title);
    let manifests = if options.manifests.is_empty() {
        manifests(layout)?
    } else {
        options.manifests.clone()
    };
    let counts = run_all(layout, &session, &manifests, &Printer::only())?;
    println!("{counts}");
    Ok(u8::from(counts.failed > 0))
}

/// Every manifest of the project, in the order of their names.
///
/// # Errors
/// When there is none.
pub(crate) fn manifests(layout: &Layout) -> Result<Vec<PathBuf>> {
    let folder = layout.root.join("manifests");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let json = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut found: Vec<PathBuf> = json.collect();
    if found.is_empty() {
        bail!("there is no manifest in {}", folder.display());
    }
    found.sort();
    Ok(found)
}

/// Runs manifests and prints a line for each, with the whole output of those that fail.
///
/// # Errors
/// When Blender cannot be started.
pub(crate) fn run_all(layout: &Layout, session: &Session, manifests: &[PathBuf], printer: &Printer) -> Result<Counts> {
    let reports = results(layout)?.join("e2e");
    std::fs::create_dir_all(&reports)?;
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(manifests.len());
    let work = || -> Result<Vec<Counts>> {
        let mut counts = Vec::new();
        while let Some(manifest) = manifests.get(next.fetch_add(1, Ordering::Relaxed)) {
            counts.push(Counts::of(one(session, manifest, &reports, printer)?));
        }
        Ok(counts)
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::new();
        for worker in running {
            all.extend(
                worker
                    .join()
                    .map_err(|_| anyhow::anyhow!("running a manifest failed"))??,
            );
        }
        Ok(all.into_iter().sum())
    })
}

fn one(session: &Session, manifest: &Path, reports: &Path, printer: &Printer) -> Result<bool> {
    let name = manifest.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut command = session.assistant()?;
    command
        .args(["e2e", "--report"])
        .arg(reports.join(format!("{name}.json")))
        .arg(manifest);
    let output = process::bounded(&mut command, LIMIT)?;
    let held = output.as_ref().is_some_and(|output| output.status.success());
    let seconds = start.elapsed().as_secs_f64();
    // One call, so that the lines of two workers do not mix.
    printer.line(&match output {
        _ if held => format!("{name}: ok ({seconds:.1} s)"),
        Some(output) => format!("{}\n{name}: FAILED ({seconds:.1} s)", all_of(&output)),
        None => format!("{name}: FAILED: ended after {} s", LIMIT.as_secs()),
    });
    Ok(held)
}

fn all_of(output: &Output) -> String {
    process::tail(output, 200)
}
