//! Runs manifests in Blenders of their own, and tells how each ended, whatever Blender does.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::jobs::Job;
use super::records::{Outcome, Record};
use super::scratch::Scratch;

/// What Blender and the add-on need to start on a busy machine.
const START: Duration = Duration::from_secs(180);
/// The add-on stops a manifest itself at its limit, and says where; what it cannot stop ends this much later.
const GRACE: Duration = Duration::from_secs(2);
/// What Blender may take to end after its last manifest.
const END: Duration = Duration::from_secs(20);
/// Lines of Blender's output that are kept of a Blender that ended early.
const KEPT: usize = 40;

/// Files that the add-on writes for this process, in a folder that is removed with everything else that it left.
pub(crate) const PROGRESS: &str = "progress.jsonl";
/// The folder of its pictures.
pub(crate) const PICTURES: &str = "pictures";
/// What it and Blender print.
pub(crate) const LOG: &str = "log.txt";

/// Limits for one manifest.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Seconds for everything, instead of the manifest's own.
    pub(crate) seconds: Option<f64>,
    /// Bytes that its Blender may have in memory; obeyed on Linux.
    pub(crate) bytes: Option<u64>,
}

/// Who is told what happens; called from several threads.
pub(crate) trait Watch: Sync {
    /// A manifest begins.
    fn begins(&self, job: &Job);
    /// A manifest has ended; its picture lies there until the call returns.
    ///
    /// # Errors
    /// When the result cannot be kept.
    fn ended(&self, record: Record, picture: Option<&Path>) -> Result<()>;
}

/// Starts Blenders.
pub(crate) struct Runner<'a> {
    /// The command that runs these manifests one after the other and writes into this folder.
    pub(crate) launch: &'a (dyn Fn(&[Job], &Path) -> Result<Command> + Sync),
    /// For each manifest.
    pub(crate) limits: Limits,
    /// Set by Ctrl+C: everything is stopped at once, and nothing more begins.
    pub(crate) stop: &'a AtomicBool,
    /// Whether Ctrl+C is heard by this process alone, which then stops whatever its Blenders started.
    pub(crate) grouped: bool,
    /// Is told of each manifest.
    pub(crate) watch: &'a dyn Watch,
}

impl Runner<'_> {
    /// Runs manifests one after the other in one Blender; when it ends early, the rest in another one.
    ///
    /// # Errors
    /// When Blender cannot be started, or a result not be kept.
    pub(crate) fn run(&self, jobs: &[Job]) -> Result<()> {
        let (unfit, mut fit): (Vec<Job>, Vec<Job>) = jobs.iter().cloned().partition(|job| job.unfit.is_some());
        for job in unfit {
            self.watch.begins(&job);
            let cause = job.unfit.unwrap_or_default();
            self.watch
                .ended(Record::stopped(&job.key, Outcome::Error, 0.0, cause), None)?;
        }
        while !fit.is_empty() && !self.stop.load(Ordering::Relaxed) {
            let ended = self.one_blender(&fit)?;
            fit.drain(..ended.min(fit.len()));
        }
        Ok(())
    }

    /// How many of the manifests ended in it: at least one, unless everything was stopped.
    fn one_blender(&self, jobs: &[Job]) -> Result<usize> {
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let folder = &scratch.folder;
        let temporary = folder.path().join("tmp");
        std::fs::create_dir(&temporary)?;
        let log = File::create(folder.path().join(LOG))?;
        let mut command = (self.launch)(jobs, folder.path())?;
        for variable in ["TMPDIR", "TEMP", "TMP"] {
            command.env(variable, &temporary);
        }
        // What reads it ends with this process, however that ends.
        command.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        #[cfg(unix)]
        if self.grouped {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        #[cfg(windows)]
        if self.grouped {
            // Such a group hears no Ctrl+C. What Blender starts there is in jobs, which end with it.
            const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
            std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NEW_PROCESS_GROUP);
        }
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
        let mut blender = Blender {
            runner: self,
            jobs,
            folder: folder.path(),
            child,
            lines: Lines::of(folder.path().join(PROGRESS)),
            ended: 0,
            begun: false,
            since: Instant::now(),
            start: None,
        };
        let result = blender.watch();
        if result.is_err() {
            blender.kill();
        }
        result?;
        Ok(blender.ended)
    }
}

/// A running Blender.
struct Blender<'a> {
    runner: &'a Runner<'a>,
    jobs: &'a [Job],
    folder: &'a Path,
    child: Child,
    lines: Lines,
    /// How many manifests have ended.
    ended: usize,
    /// Whether the next one has begun.
    begun: bool,
    /// When the last thing happened: a start, or an end.
    since: Instant,
    /// Seconds until the first one began.
    start: Option<f64>,
}

/// What the add-on tells.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Event {
    Finished { finished: usize, report: Value },
    Started { started: usize },
}

impl Blender<'_> {
    /// Until it has ended, and every manifest that began in it.
    fn watch(&mut self) -> Result<()> {
        let mut pause = Duration::from_millis(2);
        loop {
            // First whether it has ended, then what it told: so nothing is missed that it told at its end.
            let status = self.child.try_wait()?;
            if self.listen()? {
                pause = Duration::from_millis(2);
            }
            if let Some(status) = status {
                return self.after_its_end(status);
            }
            if self.runner.stop.load(Ordering::Relaxed) {
                self.kill();
                return Ok(());
            }
            if let Some((outcome, cause)) = self.excess() {
                self.kill();
                // It may have come to its end meanwhile.
                self.listen()?;
                return self.stopped(outcome, cause);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Takes in what the add-on has told; whether it told anything.
    fn listen(&mut self) -> Result<bool> {
        let events = self.lines.read();
        for event in &events {
            // A line that is no event is not for us.
            match serde_json::from_str(event) {
                Ok(Event::Started { started }) if started == self.ended => {
                    if let Some(job) = self.jobs.get(started) {
                        self.begun = true;
                        if started == 0 {
                            self.start = Some(self.since.elapsed().as_secs_f64());
                        }
                        self.runner.watch.begins(job);
                    }
                }
                Ok(Event::Finished { finished, report }) if finished == self.ended => self.finished(report)?,
                _ => {}
            }
        }
        Ok(!events.is_empty())
    }

    fn finished(&mut self, report: Value) -> Result<()> {
        let Some(job) = self.jobs.get(self.ended) else {
            return Ok(());
        };
        let text = |pointer: &str| report.pointer(pointer).and_then(Value::as_str);
        let outcome = match (report.get("ok").and_then(Value::as_bool), text("/error/code")) {
            (Some(true), _) => Outcome::Passed,
            (_, Some("run_timeout")) => Outcome::TimedOut,
            (_, Some(_)) => Outcome::Error,
            _ => Outcome::Failed,
        };
        let picture = text("/picture").filter(|name| !name.is_empty());
        let picture = picture
            .map(|name| self.folder.join(PICTURES).join(name))
            .filter(|file| file.is_file());
        let cause = text("/error/message").map(str::to_owned);
        let record = Record {
            outcome,
            cause,
            start_seconds: self.start.filter(|_| self.ended == 0),
            report,
            ..Record::stopped(&job.key, outcome, self.since_last(), String::new())
        };
        self.runner.watch.ended(record, picture.as_deref())?;
        self.ended += 1;
        self.begun = false;
        self.since = Instant::now();
        Ok(())
    }

    /// Seconds of the present manifest; of the first one, Blender's start included.
    fn since_last(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }

    fn after_its_end(&mut self, status: ExitStatus) -> Result<()> {
        if self.ended == self.jobs.len() {
            return Ok(());
        }
        let cause = died(status, self.begun);
        self.stopped(Outcome::Crashed, cause)
    }

    /// Which limit is passed, with the sentence that says so.
    fn excess(&self) -> Option<(Outcome, String)> {
        let Some(job) = self.jobs.get(self.ended) else {
            // Everything is told already; what hangs now is Blender's end.
            return (self.since.elapsed() > END).then(|| (Outcome::Passed, String::new()));
        };
        if let Some(limit) = self.runner.limits.bytes
            && resident(self.child.id()).is_some_and(|bytes| bytes > limit)
        {
            let cause = format!("Blender used more than {} MB and was stopped.", limit / 1_000_000);
            return Some((Outcome::OutOfMemory, cause));
        }
        let start = Duration::from_secs_f64(self.start.unwrap_or_default());
        let elapsed = self
            .since
            .elapsed()
            .saturating_sub(if self.ended == 0 { start } else { Duration::ZERO });
        if !self.begun {
            let cause = format!("Blender was not ready within {} s.", START.as_secs());
            return (elapsed > START).then_some((Outcome::TimedOut, cause));
        }
        let own = self.runner.limits.seconds.unwrap_or(job.seconds);
        let cause = format!("It took longer than {own:.0} s, and Blender was stopped.");
        (elapsed > Duration::from_secs_f64(own) + GRACE).then_some((Outcome::TimedOut, cause))
    }

    /// Tells that the present manifest ended without a report, with the end of what was printed.
    fn stopped(&mut self, outcome: Outcome, cause: String) -> Result<()> {
        let Some(job) = self.jobs.get(self.ended) else {
            return Ok(());
        };
        let printed = std::fs::read(self.folder.join(LOG)).unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let lines: Vec<&str> = printed.lines().collect();
        let record = Record {
            printed: lines
                .get(lines.len().saturating_sub(KEPT)..)
                .unwrap_or_default()
                .join("\n"),
            start_seconds: self.start.filter(|_| self.ended == 0),
            ..Record::stopped(&job.key, outcome, self.since_last(), cause)
        };
        self.runner.watch.ended(record, None)?;
        self.ended += 1;
        Ok(())
    }

    /// Ends it at once, with what it started. What it leaves lies in the temporary folder.
    fn kill(&mut self) {
        #[cfg(unix)]
        if self.runner.grouped {
            // It is not reaped yet, so the number is still its own.
            let group = rustix::process::Pid::from_child(&self.child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a Blender ended that should not have ended.
fn died(status: ExitStatus, begun: bool) -> String {
    let moment = if begun {
        "during the manifest"
    } else {
        "before the manifest began"
    };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("an unknown signal");
        let perhaps = if name == "SIGKILL" {
            "; perhaps the system had no memory left"
        } else {
            ""
        };
        return format!("Blender crashed {moment}: {name}{perhaps}.");
    }
    format!("Blender ended {moment}: {status}.")
}

/// Bytes of a process in memory, where the system tells: Linux.
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The lines that another process appends to a file.
struct Lines {
    path: PathBuf,
    at: u64,
    rest: Vec<u8>,
}

impl Lines {
    fn of(path: PathBuf) -> Self {
        Self {
            path,
            at: 0,
            rest: Vec::new(),
        }
    }

    /// The whole lines since the last call.
    fn read(&mut self) -> Vec<String> {
        let Ok(mut file) = File::open(&self.path) else {
            return Vec::new();
        };
        let mut new = Vec::new();
        if file.seek(SeekFrom::Start(self.at)).is_err() || file.read_to_end(&mut new).is_err() {
            return Vec::new();
        }
        self.at += new.len() as u64;
        self.rest.extend(new);
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else {
            return Vec::new();
        };
        let whole: Vec<u8> = self.rest.drain(..=end).collect();
        String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::process;

    #[derive(Default)]
    struct Seen(Mutex<Vec<Record>>);

    impl Watch for Seen {
        fn begins(&self, _: &Job) {}

        fn ended(&self, record: Record, picture: Option<&Path>) -> Result<()> {
            assert_eq!(picture.is_some(), record.report.get("picture").is_some());
            self.0.lock().unwrap().push(record);
            Ok(())
        }
    }

    /// Runs three manifests with a shell in Blender's place. `$1` is its folder; `start N` and `end N` tell of a manifest.
    fn run(script: &str, limits: Limits, stop: &AtomicBool) -> Vec<Record> {
        let seen = Seen::default();
        let launch = |jobs: &[Job], folder: &Path| {
            let mut shell = process::command("bash");
            let functions = "cd $1; n=0\n\
                start() { echo \"{\\\"started\\\": $n}\" >> progress.jsonl; }\n\
                end() { echo \"{\\\"finished\\\": $n, \\\"report\\\": {\\\"ok\\\": ${2:-true}}}\" >> progress.jsonl; n=$((n+1)); }\n";
            let keys: Vec<&str> = jobs.iter().map(|job| job.key.as_str()).collect();
            let script = format!("{functions}\nfor name in {}; do\n{script}\ndone", keys.join(" "));
            shell.args(["-c", &script, "bash"]).arg(folder);
            Ok(shell)
        };
        let jobs: Vec<Job> = ["a", "b", "c"]
            .into_iter()
            .map(|key| Job {
                key: key.into(),
                file: key.into(),
                seconds: 60.0,
                unfit: None,
            })
            .collect();
        let runner = Runner {
            launch: &launch,
            limits,
            stop,
            grouped: true,
            watch: &seen,
        };
        runner.run(&jobs).unwrap();
        seen.0.into_inner().unwrap()
    }

    fn ends(records: &[Record]) -> Vec<(&str, Outcome)> {
        records
            .iter()
            .map(|record| (record.key.as_str(), record.outcome))
            .collect()
    }

    #[test]
    fn manifests_share_a_blender_and_each_has_its_result() {
        let records = run("start; end $name", Limits::default(), &AtomicBool::new(false));
        let all = [("a", Outcome::Passed), ("b", Outcome::Passed), ("c", Outcome::Passed)];
        assert_eq!(ends(&records), all);
        assert!(records[0].start_seconds.is_some() && records[1].start_seconds.is_none());
    }

    #[test]
    fn a_crash_fails_one_manifest_and_the_others_go_on_in_another_blender() {
        let script = "start; echo cause; [ $name = b ] && kill -SEGV $$; end $name";
        let records = run(script, Limits::default(), &AtomicBool::new(false));
        assert_eq!(
            ends(&records),
            [("a", Outcome::Passed), ("b", Outcome::Crashed), ("c", Outcome::Passed)]
        );
        assert_eq!(
            records[1].cause.as_deref(),
            Some("Blender crashed during the manifest: SIGSEGV.")
        );
        assert_eq!(records[1].printed, "cause\ncause");
    }

    #[test]
    fn what_no_blender_can_be_given_fails_without_one() {
        let seen = Seen::default();
        let runner = Runner {
            launch: &|_, _| anyhow::bail!("there is nothing to start"),
            limits: Limits::default(),
            stop: &AtomicBool::new(false),
            grouped: true,
            watch: &seen,
        };
        let job = Job {
            key: "a".into(),
            file: "a".into(),
            seconds: 0.0,
            unfit: Some("It is no file.".into()),
        };
        runner.run(&[job]).unwrap();
        let records = seen.0.into_inner().unwrap();
        assert_eq!(ends(&records), [("a", Outcome::Error)]);
        assert_eq!(records[0].cause.as_deref(), Some("It is no file."));
    }

    #[test]
    fn the_standard_input_of_a_blender_is_open_as_long_as_this_process_is_there() {
        let script = "start; read -t 0.3 line; [ $? -gt 128 ]; end $name $([ $? = 0 ] && echo true || echo false)";
        let records = run(script, Limits::default(), &AtomicBool::new(false));
        assert!(
            records.iter().all(|record| record.outcome == Outcome::Passed),
            "{records:?}"
        );
    }

    #[test]
    fn a_blender_that_never_begins_fails_each_manifest_once() {
        let records = run("echo no bpy; exit 3", Limits::default(), &AtomicBool::new(false));
        assert_eq!(
            ends(&records),
            [
                ("a", Outcome::Crashed),
                ("b", Outcome::Crashed),
                ("c", Outcome::Crashed)
            ]
        );
        assert_eq!(
            records[2].cause.as_deref(),
            Some("Blender ended before the manifest began: exit status: 3.")
        );
    }

    #[test]
    fn the_limit_of_time_holds_for_each_manifest_and_stops_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("left");
        let script = format!(
            "start; if [ $name = b ]; then (sleep 4; touch {}) & sleep 60; fi; end $name",
            mark.display()
        );
        let limits = Limits {
            seconds: Some(0.5),
            ..Limits::default()
        };
        let begun = Instant::now();
        let records = run(&script, limits, &AtomicBool::new(false));
        assert_eq!(
            ends(&records),
            [("a", Outcome::Passed), ("b", Outcome::TimedOut), ("c", Outcome::Passed)]
        );
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(4), "{took:?}");
        std::thread::sleep(Duration::from_secs(5).saturating_sub(took));
        assert!(!mark.exists(), "a process that it started went on");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_limit_of_memory_stops_one_manifest() {
        let script = "start; [ $name = b ] && { x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 60; }; end $name";
        let limits = Limits {
            bytes: Some(40_000_000),
            ..Limits::default()
        };
        let records = run(script, limits, &AtomicBool::new(false));
        assert_eq!(
            ends(&records),
            [
                ("a", Outcome::Passed),
                ("b", Outcome::OutOfMemory),
                ("c", Outcome::Passed)
            ]
        );
        assert_eq!(
            records[1].cause.as_deref(),
            Some("Blender used more than 40 MB and was stopped.")
        );
    }

    #[test]
    fn ctrl_c_ends_within_a_second() {
        let stop = AtomicBool::new(false);
        let begun = std::thread::scope(|scope| {
            let running = scope.spawn(|| run("start; [ $name = b ] && sleep 60; end $name", Limits::default(), &stop));
            std::thread::sleep(Duration::from_millis(300));
            let begun = Instant::now();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(ends(&running.join().unwrap()), [("a", Outcome::Passed)]);
            begun
        });
        assert!(begun.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn what_a_manifest_reports_decides_how_it_ended() {
        for (report, outcome) in [
            (r#""ok": false"#, Outcome::Failed),
            (
                r#""ok": false, "error": {"code": "manifest_invalid", "message": "x"}"#,
                Outcome::Error,
            ),
            (
                r#""ok": false, "error": {"code": "run_timeout", "message": "x"}"#,
                Outcome::TimedOut,
            ),
        ] {
            let script = format!(
                "echo '{{\"started\": '$n'}}' >> progress.jsonl; echo '{{\"finished\": '$n', \"report\": {{{report}}}}}' >> progress.jsonl; n=$((n+1))"
            );
            let records = run(&script, Limits::default(), &AtomicBool::new(false));
            assert_eq!(ends(&records), [("a", outcome), ("b", outcome), ("c", outcome)]);
        }
    }

    #[test]
    fn lines_are_read_when_they_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut lines = Lines::of(path.clone());
        assert!(lines.read().is_empty());
        for (text, read) in [
            ("one\ntw", vec!["one"]),
            ("o", vec![]),
            ("\nthree\n", vec!["two", "three"]),
        ] {
            let before = std::fs::read_to_string(&path).unwrap_or_default();
            std::fs::write(&path, before + text).unwrap();
            assert_eq!(lines.read(), read);
        }
    }
}
