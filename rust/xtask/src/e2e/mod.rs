//! `cargo xtask e2e`: runs manifests in real Blender, and reports on them.

mod benchmark;
mod drawing;
mod jobs;
mod junit;
mod options;
mod page;
mod records;
mod runner;
mod scratch;
mod visible;

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::blender::Choice;
use crate::env;
use crate::layout::Layout;
use crate::native::Build;
use crate::session::Session;
use crate::tally::{Counts, Printer, results};
use jobs::{Job, Selection};
pub(crate) use options::E2e;
use records::{Head, Outcome, Record, Report, Results};
use runner::{Limits, Runner, Watch};
use scratch::Scratch;
use visible::{one_line, visible};

/// The exit status after Ctrl+C.
const INTERRUPTED: u8 = 130;

/// Runs the manifests; the status is 0 only if all of them pass.
///
/// # Errors
/// When something is missing, or there is no manifest.
pub(crate) fn e2e(layout: &Layout, options: &E2e) -> Result<u8> {
    let folder = options.out.clone().unwrap_or_else(|| layout.target().join("e2e"));
    let _claim = records::claim(&folder)?;
    if options.merge {
        return merge(&folder, &options.manifests);
    }
    if let Some(arm) = options.benchmark {
        return benchmark::run(layout, options, arm, &folder);
    }
    let named = match options.manifests.as_slice() {
        [] => vec![layout.root.join("manifests")],
        named => named.to_vec(),
    };
    let selection = Selection {
        filter: options.filter.clone(),
        repeat: options.repeat,
        shard: options.shard,
    };
    let (jobs, keys) = jobs::select(&layout.root, &named, &selection)?;
    let build = if options.checked {
        Build::Checked
    } else {
        Build::Release
    };
    let session = Session::open(layout, &Choice::read(options.blender.as_deref())?, build)?;
    eprintln!("· {}", session.title);
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("cannot listen for Ctrl+C")?;
    }
    let run = Run {
        session: &session,
        options: Passed::of(options),
        limits: options.limits(),
        workers: options.jobs.map(usize::from),
        reuse: usize::from(options.reuse),
        stop: &stop,
        grouped: true,
    };
    let head = Head {
        geonode_e2e: 1,
        blender: session.title.clone(),
        provider: options.provider.clone(),
        started: now(),
        shard: options.shard,
        keys,
    };
    let (report, last) = run.all(&folder, head, &jobs, &Printer::only())?;
    write(&folder, &report, last.as_ref())?;
    close(&folder, &report);
    Ok(if stop.load(Ordering::Relaxed) {
        INTERRUPTED
    } else {
        u8::from(report.failed() > 0)
    })
}

/// Runs every manifest of the project for the tests: several in one Blender, since each opens a file of its own, and one that crashes is
/// told from the others all the same. Whether one is disturbed by those before it is then tested as well.
///
/// # Errors
/// When there is none, or Blender cannot be started.
pub(crate) fn run_all(layout: &Layout, session: &Session, name: &str, printer: &Printer) -> Result<Counts> {
    let selection = Selection::default();
    let (jobs, keys) = jobs::select(&layout.root, &[layout.root.join("manifests")], &selection)?;
    let run = Run {
        session,
        options: Passed::default(),
        limits: Limits::default(),
        workers: None,
        reuse: jobs.len().div_ceil(2 * processors()),
        stop: &AtomicBool::new(false),
        grouped: false,
    };
    let head = Head {
        geonode_e2e: 1,
        blender: session.title.clone(),
        provider: None,
        started: now(),
        shard: None,
        keys,
    };
    let folder = results(layout)?.join(name);
    let _claim = records::claim(&folder)?;
    let (report, last) = run.all(&folder, head, &jobs, printer)?;
    write(&folder, &report, last.as_ref())?;
    Ok(report
        .manifests
        .iter()
        .map(|record| Counts::of(record.outcome == Outcome::Passed))
        .sum())
}

/// Joins reports, and writes what a run writes.
fn merge(folder: &Path, parts: &[PathBuf]) -> Result<u8> {
    if parts.is_empty() {
        bail!("name the reports to merge, or the folders that they are in.");
    }
    let mut reports = Vec::new();
    for path in parts {
        let mut report = Report::read(path)?;
        let from = if path.is_dir() {
            path.as_path()
        } else {
            path.parent().unwrap_or(Path::new("."))
        };
        bring_pictures(&mut report, from, folder)?;
        reports.push(report);
    }
    let (report, notes) = records::merge(reports)?;
    for note in notes {
        eprintln!("· {}", one_line(&note));
    }
    std::fs::create_dir_all(folder)?;
    let last = Report::read(&folder.join(records::LAST)).ok();
    write(folder, &report, last.as_ref())?;
    close(folder, &report);
    Ok(u8::from(report.failed() > 0))
}

/// Copies the pictures of a part beside the joined report.
fn bring_pictures(report: &mut Report, from: &Path, to: &Path) -> Result<()> {
    for record in &mut report.manifests {
        let Some(picture) = &record.picture else { continue };
        let (source, target) = (from.join(picture), to.join(picture));
        // Only files that a report may name: beside it.
        let inside = Path::new(picture)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside || !source.is_file() {
            record.picture = None;
        } else if source != target {
            std::fs::create_dir_all(target.parent().unwrap_or(to))?;
            std::fs::copy(&source, &target).with_context(|| format!("cannot copy {}", source.display()))?;
        }
    }
    Ok(())
}

/// Writes report.json, junit.xml and report.html.
fn write(folder: &Path, report: &Report, last: Option<&Report>) -> Result<()> {
    env::replace(&folder.join(records::REPORT), &serde_json::to_string_pretty(report)?)?;
    env::replace(&folder.join(records::JUNIT), &junit::of(report)?)?;
    env::replace(&folder.join(records::PAGE), &visible(&page::of(report, last, folder)?))
}

/// The last lines.
fn close(folder: &Path, report: &Report) {
    let passed = report.count(Outcome::Passed);
    let missing = report.count(Outcome::NotRun);
    let more = if missing > 0 {
        format!(", {missing} not run")
    } else {
        String::new()
    };
    println!("{passed} passed, {} failed{more}", report.failed() - missing);
    println!("{}", folder.join(records::PAGE).display());
}

/// Options that are passed on to the add-on.
#[derive(Debug, Default)]
struct Passed {
    arguments: Vec<String>,
    pictures: bool,
}

impl Passed {
    fn of(options: &E2e) -> Self {
        let timeout = options.timeout.map(|seconds| seconds.to_string());
        let arguments = [
            ("--provider", &options.provider),
            ("--model", &options.model),
            ("--base-url", &options.base_url),
            ("--key-variable", &options.key_variable),
            ("--timeout", &timeout),
        ];
        let kept = options.keep_pictures.then(|| "--keep-pictures".to_owned());
        Self {
            arguments: arguments
                .into_iter()
                .filter_map(|(option, value)| Some(format!("{option}={}", value.as_ref()?)))
                .chain(kept)
                .collect(),
            pictures: !options.no_pictures,
        }
    }
}

/// How manifests are run.
struct Run<'a> {
    session: &'a Session,
    options: Passed,
    limits: Limits,
    workers: Option<usize>,
    reuse: usize,
    stop: &'a AtomicBool,
    grouped: bool,
}

impl Run<'_> {
    /// Runs them all; the report has what was interrupted as not run. Also what the run before found.
    fn all(&self, folder: &Path, head: Head, jobs: &[Job], printer: &Printer) -> Result<(Report, Option<Report>)> {
        let started = Instant::now();
        Scratch::sweep(&std::env::temp_dir());
        let results = Results::begin(folder, &head)?;
        let keeper = Keeper {
            state: Mutex::new((results, Vec::new())),
            running: Mutex::new(BTreeSet::new()),
            total: jobs.len(),
            terminal: std::io::stderr().is_terminal(),
            printer,
        };
        let launch = |jobs: &[Job], folder: &Path| self.command(jobs, folder);
        let runner = Runner {
            launch: &launch,
            limits: self.limits,
            stop: self.stop,
            grouped: self.grouped,
            watch: &keeper,
        };
        let shares: Vec<&[Job]> = jobs.chunks(self.reuse.max(1)).collect();
        let next = AtomicUsize::new(0);
        let work = || -> Result<()> {
            while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
                runner.run(share)?;
            }
            Ok(())
        };
        let workers = self.workers.unwrap_or_else(processors).min(shares.len());
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            running.into_iter().try_for_each(|worker| {
                worker
                    .join()
                    .map_err(|_| anyhow::anyhow!("running a manifest failed"))?
            })
        })?;
        keeper.clear();
        let (results, manifests) = keeper.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut report = Report {
            head,
            seconds: started.elapsed().as_secs_f64(),
            complete: manifests.len() == jobs.len(),
            notes: Vec::new(),
            manifests,
        };
        let planned: Vec<String> = jobs.iter().map(|job| job.key.clone()).collect();
        report.fill(&planned);
        Ok((report, results.last))
    }

    /// The command that runs these one after the other.
    fn command(&self, jobs: &[Job], folder: &Path) -> Result<Command> {
        let mut command = self.session.assistant()?;
        command.arg("e2e").arg("--with-input").args(&self.options.arguments);
        command.arg("--progress").arg(folder.join(runner::PROGRESS));
        command.arg("--debug").arg(folder.join(runner::LOG));
        if self.options.pictures {
            command.arg("--pictures").arg(folder.join(runner::PICTURES));
        }
        command.arg("--").args(jobs.iter().map(|job| &job.file));
        Ok(command)
    }
}

/// Keeps each result as it comes, and shows it.
struct Keeper<'a> {
    state: Mutex<(Results, Vec<Record>)>,
    running: Mutex<BTreeSet<String>>,
    total: usize,
    /// Whether a line may show what is running.
    terminal: bool,
    printer: &'a Printer,
}

impl Keeper<'_> {
    fn show(&self, done: usize) {
        if self.terminal {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            let names: Vec<&str> = running.iter().map(String::as_str).collect();
            let text: String = one_line(&format!("{done}/{}: {} …", self.total, names.join(", ")))
                .chars()
                .take(78)
                .collect();
            eprint!("\r\x1b[2K{text}");
            let _ = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.terminal {
            eprint!("\r\x1b[2K");
            let _ = std::io::stderr().flush();
        }
    }
}

impl Watch for Keeper<'_> {
    fn begins(&self, job: &Job) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(job.key.clone());
        self.show(state.1.len());
    }

    fn ended(&self, mut record: Record, picture: Option<&Path>) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (results, records) = &mut *state;
        if let Some(picture) = picture {
            let name = format!("{}/{}.jpg", records::PICTURES, file_name(&record.key));
            let target = results.folder.join(&name);
            std::fs::create_dir_all(results.folder.join(records::PICTURES))?;
            std::fs::copy(picture, &target).with_context(|| format!("cannot write {}", target.display()))?;
            record.picture = Some(name);
        }
        results.add(&record)?;
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&record.key);
        self.clear();
        // One call, so that the lines of two workers do not mix.
        self.printer.line(&line(&record, records.len() + 1, self.total));
        records.push(record);
        self.show(records.len());
        Ok(())
    }
}

/// What is shown of a manifest: a line, and of one that failed why.
fn line(record: &Record, number: usize, total: usize) -> String {
    let word = record.outcome.word();
    let mut lines = vec![format!(
        "[{number}/{total}] {}: {word} ({:.1} s)",
        one_line(&record.name()),
        record.seconds
    )];
    if record.outcome != Outcome::Passed {
        lines.extend(record.cause.iter().map(|cause| one_line(&format!("  {cause}"))));
        for check in page::failed_checks(record) {
            let said = format!("  {}: {}, expected {}", check.name, check.actual, check.expected);
            lines.push(one_line(&said));
        }
        for message in page::messages(record)
            .iter()
            .filter(|message| message.severity != "info")
        {
            let said = format!("  {} [{}]: {}", message.severity, message.code, message.text);
            lines.push(one_line(&said));
        }
        lines.extend(record.printed.lines().map(|line| format!("  | {}", one_line(line))));
    }
    lines.join("\n")
}

/// A key as the name of a file.
fn file_name(key: &str) -> String {
    let plain = |c: char| match c {
        '/' => '~',
        '-' | '_' => c,
        c if c.is_alphanumeric() => c,
        _ => '+',
    };
    key.chars().map(plain).collect()
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\u{1b}[31mred\u{202e}\0\r";

    fn hostile() -> Record {
        Record {
            printed: format!("first {HOSTILE}\nsecond"),
            report: serde_json::json!({
                "name": format!("two\nlines {HOSTILE}"),
                "prompts": [HOSTILE],
                "checks": [{"name": HOSTILE, "ok": false, "expected": HOSTILE, "actual": [HOSTILE]}],
                "run": {"messages": [{"severity": "error", "code": HOSTILE, "text": HOSTILE}]},
            }),
            ..Record::stopped(HOSTILE, Outcome::Failed, 1.0, HOSTILE.to_owned())
        }
    }

    #[test]
    fn no_text_of_a_manifest_is_a_command_to_the_terminal() {
        let shown = line(&hostile(), 1, 1);
        assert!(
            shown.chars().all(|c| c == '\n' || !c.is_control()) && !shown.contains('\u{202e}'),
            "{shown:?}"
        );
        assert_eq!(shown.lines().count(), 6, "{shown:?}");
    }

    #[test]
    fn no_text_of_a_manifest_is_a_command_to_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let report = Report {
            head: records::tests::head(&["a"]),
            seconds: 1.0,
            complete: true,
            notes: Vec::new(),
            manifests: vec![hostile()],
        };
        write(folder.path(), &report, None).unwrap();
        let page = std::fs::read_to_string(folder.path().join(records::PAGE)).unwrap();
        assert!(page.contains("[31mred"));
        let invisible = |c: &char| c.is_control() && *c != '\n' || *c == '\u{202e}';
        assert_eq!(page.chars().find(invisible), None);
    }
}
