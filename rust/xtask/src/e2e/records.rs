//! What is known of the manifests that ran, as files: a line for each as it ends, and the report of all.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jobs::Shard;
use crate::lock::Lock;

/// The lines that are written as manifests end.
pub(crate) const LINES: &str = "results.jsonl";
/// The report of all.
pub(crate) const REPORT: &str = "report.json";
/// The report of the run before.
pub(crate) const LAST: &str = "last.json";
/// The report for continuous integration.
pub(crate) const JUNIT: &str = "junit.xml";
/// The report for people.
pub(crate) const PAGE: &str = "report.html";
/// The folder of the pictures, beside the report.
pub(crate) const PICTURES: &str = "pictures";

/// How a manifest ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Every check holds.
    Passed,
    /// A check does not hold.
    Failed,
    /// It could not be read, or not be measured.
    Error,
    /// Blender ended before it did.
    Crashed,
    /// It was stopped at its limit of time.
    TimedOut,
    /// It was stopped at its limit of memory.
    OutOfMemory,
    /// The run ended before it began.
    NotRun,
}

impl Outcome {
    /// For a terminal.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Passed => "ok",
            Self::Failed => "FAILED",
            Self::Error => "ERROR",
            Self::Crashed => "CRASHED",
            Self::TimedOut => "TIMED OUT",
            Self::OutOfMemory => "OUT OF MEMORY",
            Self::NotRun => "not run",
        }
    }
}

/// One manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// `Job::key`.
    pub(crate) key: String,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// Seconds from the start of its Blender, or from the end of the manifest before it in the same one.
    pub(crate) seconds: f64,
    /// Seconds of these until Blender and the add-on were ready; none where Blender ran already.
    #[serde(default)]
    pub(crate) start_seconds: Option<f64>,
    /// Why it did not come to its end, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<String>,
    /// The end of what Blender printed, where it ended early.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) printed: String,
    /// The picture, relative to the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<String>,
    /// The add-on's report of it.
    #[serde(default)]
    pub(crate) report: Value,
}

impl Record {
    /// A manifest that did not come to its end.
    pub(crate) fn stopped(key: &str, outcome: Outcome, seconds: f64, cause: String) -> Self {
        Self {
            key: key.to_owned(),
            outcome,
            seconds,
            start_seconds: None,
            cause: Some(cause),
            printed: String::new(),
            picture: None,
            report: Value::Null,
        }
    }

    /// Its name for people: what the manifest calls itself, else the end of its path.
    pub(crate) fn name(&self) -> String {
        let own = self.report.get("name").and_then(Value::as_str);
        let file = self.key.rsplit('/').next().unwrap_or(&self.key);
        let round = file.split_once(" #").map(|(_, round)| format!(" #{round}"));
        match own {
            Some(name) => format!("{name}{}", round.unwrap_or_default()),
            None => file.replacen(".json", "", 1),
        }
    }
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// Version of this form.
    pub(crate) geonode_e2e: u32,
    /// The Blender.
    pub(crate) blender: String,
    /// Who planned, if not the manifests' own provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<String>,
    /// Seconds since 1970 at its start.
    pub(crate) started: u64,
    /// Which part of a larger run it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<Shard>,
    /// The keys of all shards together.
    pub(crate) keys: Vec<String>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// What it is about.
    #[serde(flatten)]
    pub(crate) head: Head,
    /// Seconds from its start to its end; of several parts, all together.
    pub(crate) seconds: f64,
    /// Whether it ended by itself.
    pub(crate) complete: bool,
    /// What is worth knowing of how its parts were joined, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    /// Its manifests in their order.
    pub(crate) manifests: Vec<Record>,
}

impl Report {
    /// How many ended so.
    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        self.manifests.iter().filter(|record| record.outcome == outcome).count()
    }

    /// How many did not pass.
    pub(crate) fn failed(&self) -> usize {
        self.manifests.len() - self.count(Outcome::Passed)
    }

    /// Reads a report, or the lines of a run that did not come to write one; of a folder, what is in it.
    ///
    /// # Errors
    /// When there is neither.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        if path.is_dir() {
            let (report, lines) = (path.join(REPORT), path.join(LINES));
            return match (report.is_file(), lines.is_file()) {
                (false, false) => bail!(
                    "{} has no report: neither {REPORT} nor {LINES} is in it",
                    path.display()
                ),
                // What was written line by line is whole where the report was cut off.
                (true, true) => Self::read(&report).or_else(|_| Self::read(&lines)),
                (true, false) => Self::read(&report),
                (false, true) => Self::read(&lines),
            };
        }
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        if path.extension().is_some_and(|end| end == "jsonl") {
            return of_lines(&text).with_context(|| format!("{} has no results", path.display()));
        }
        serde_json::from_str(&text).with_context(|| format!("{} is no report of manifests", path.display()))
    }

    /// Adds those that the run was to have and has not, and brings all into their order.
    pub(crate) fn fill(&mut self, planned: &[String]) {
        for key in planned {
            if !self.manifests.iter().any(|record| record.key == *key) {
                let cause = "The run ended before it began.".to_owned();
                self.manifests.push(Record::stopped(key, Outcome::NotRun, 0.0, cause));
            }
        }
        let place = |record: &Record| self.head.keys.iter().position(|key| *key == record.key);
        let mut placed: Vec<_> = self
            .manifests
            .drain(..)
            .map(|record| (place(&record), record))
            .collect();
        placed.sort_by_key(|(place, _)| place.unwrap_or(usize::MAX));
        self.manifests = placed.into_iter().map(|(_, record)| record).collect();
    }
}

/// The lines of a run. The last one may be cut off.
fn of_lines(text: &str) -> Result<Report> {
    let mut lines = text.lines();
    let head: Head = serde_json::from_str(lines.next().unwrap_or_default())?;
    let manifests: Vec<Record> = lines.map_while(|line| serde_json::from_str(line).ok()).collect();
    Ok(Report {
        head,
        seconds: manifests.iter().map(|record: &Record| record.seconds).sum(),
        complete: false,
        notes: Vec::new(),
        manifests,
    })
}

/// Joins the reports of the parts of one run; what no part has is there as not run. Also what is worth knowing about it.
///
/// # Errors
/// When there is none, or they are not parts of one run.
pub(crate) fn merge(parts: Vec<Report>) -> Result<(Report, Vec<String>)> {
    let mut parts = parts.into_iter();
    let Some(mut whole) = parts.next() else {
        bail!("there is no report to merge.")
    };
    let mut notes = Vec::new();
    let mut blenders = vec![whole.head.blender.clone()];
    let first = std::mem::take(&mut whole.manifests);
    take_in(&mut whole, first, &mut notes);
    for part in parts {
        if part.head.keys != whole.head.keys {
            bail!("these are no parts of one run: their lists of manifests differ.");
        }
        if !blenders.contains(&part.head.blender) {
            blenders.push(part.head.blender.clone());
        }
        whole.seconds += part.seconds;
        whole.complete &= part.complete;
        whole.head.started = whole.head.started.min(part.head.started);
        take_in(&mut whole, part.manifests, &mut notes);
    }
    if blenders.len() > 1 {
        let all = blenders.join(" and ");
        notes.push(format!("The parts ran in different Blenders: {all}."));
        whole.head.blender = all;
    }
    whole.head.shard = None;
    let keys = whole.head.keys.clone();
    whole.fill(&keys);
    let missing = whole.count(Outcome::NotRun);
    if missing > 0 {
        notes.push(format!("{missing} of {} manifests were not run.", keys.len()));
        whole.complete = false;
    }
    whole.notes.extend(notes.iter().cloned());
    Ok((whole, notes))
}

/// Adds records; of one that is there already, the one that ran counts, and of two that ran one that did not pass, in whatever order they are given.
fn take_in(whole: &mut Report, records: Vec<Record>, notes: &mut Vec<String>) {
    for record in records {
        match whole.manifests.iter_mut().find(|known| known.key == record.key) {
            None => whole.manifests.push(record),
            Some(known) if known.outcome == Outcome::NotRun => *known = record,
            Some(_) if record.outcome == Outcome::NotRun => {}
            Some(known) => {
                let (before, after) = (known.outcome, record.outcome);
                if before == Outcome::Passed {
                    *known = record;
                }
                notes.push(if before == after {
                    format!("{} ran twice, with the same result; it counts once.", known.key)
                } else {
                    let (counts, other) = if before == Outcome::Passed {
                        (after, before)
                    } else {
                        (before, after)
                    };
                    format!(
                        "{} ran twice: “{}” counts, not “{}”.",
                        known.key,
                        counts.word(),
                        other.word()
                    )
                });
            }
        }
    }
}

/// The folder of a run's results.
#[derive(Debug)]
pub(crate) struct Results {
    /// The folder.
    pub(crate) folder: PathBuf,
    lines: File,
    /// What the run before it found, to compare with.
    pub(crate) last: Option<Report>,
}

impl Results {
    /// Begins: the report that is there becomes the last one, and everything else of the run before is removed, once the first
    /// line of the new run is written.
    ///
    /// # Errors
    /// When the folder cannot be written; what the run before left is then as it was.
    pub(crate) fn begin(folder: &Path, head: &Head) -> Result<Self> {
        let what = || format!("cannot write into {}", folder.display());
        std::fs::create_dir_all(folder).with_context(what)?;
        let new = folder.join(format!("{LINES}.new"));
        let begun = Self::replace(folder, &new, head);
        if begun.is_err() {
            // On a full disk a part of it.
            let _ = std::fs::remove_file(&new);
        }
        begun.with_context(what)
    }

    fn replace(folder: &Path, new: &Path, head: &Head) -> Result<Self> {
        let lines = File::create(new)?;
        write_line(&lines, head)?;
        let (report, last) = (folder.join(REPORT), folder.join(LAST));
        // One that was interrupted has little to compare with.
        if Report::read(&report).is_ok_and(|report| report.complete) {
            std::fs::rename(&report, &last)?;
        }
        for name in [REPORT, JUNIT, PAGE] {
            crate::env::remove_file(&folder.join(name))?;
        }
        crate::env::remove(&folder.join(PICTURES))?;
        std::fs::rename(new, folder.join(LINES))?;
        Ok(Self {
            folder: folder.to_path_buf(),
            lines,
            last: Report::read(&last).ok(),
        })
    }

    /// Writes a record at once.
    ///
    /// # Errors
    /// When the disk is full.
    pub(crate) fn add(&mut self, record: &Record) -> Result<()> {
        write_line(&self.lines, record).with_context(|| format!("cannot write {}", self.folder.join(LINES).display()))
    }
}

fn write_line(mut file: &File, value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    Ok(file.write_all(text.as_bytes())?)
}

/// The one run that may write into a folder, as long as this lives.
///
/// # Errors
/// When another one does, or the folder cannot be written.
pub(crate) fn claim(folder: &Path) -> Result<Lock> {
    match Lock::try_take(&folder.join(".lock"))? {
        Some(lock) => Ok(lock),
        None => bail!(
            "another run is writing into {}: wait for it, or name another folder with --out.",
            folder.display()
        ),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn head(keys: &[&str]) -> Head {
        Head {
            geonode_e2e: 1,
            blender: "Blender 5.2".into(),
            provider: None,
            started: 1_700_000_000,
            shard: None,
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        }
    }

    pub(crate) fn passed(key: &str) -> Record {
        Record {
            outcome: Outcome::Passed,
            cause: None,
            ..Record::stopped(key, Outcome::Passed, 1.5, String::new())
        }
    }

    fn part(keys: &[&str], ran: &[&str]) -> Report {
        Report {
            head: head(keys),
            seconds: 3.0,
            complete: true,
            notes: Vec::new(),
            manifests: ran.iter().map(|key| passed(key)).collect(),
        }
    }

    fn outcomes(report: &Report) -> Vec<(&str, Outcome)> {
        report
            .manifests
            .iter()
            .map(|record| (record.key.as_str(), record.outcome))
            .collect()
    }

    #[test]
    fn parts_are_joined_in_the_order_of_the_run() {
        let keys = ["a", "b", "c"];
        let (whole, notes) = merge(vec![part(&keys, &["b"]), part(&keys, &["a", "c"])]).unwrap();
        let all = [("a", Outcome::Passed), ("b", Outcome::Passed), ("c", Outcome::Passed)];
        assert_eq!((outcomes(&whole), notes), (all.to_vec(), Vec::new()));
        assert!(whole.complete && whole.failed() == 0);
    }

    #[test]
    fn what_no_part_has_is_not_lost_and_what_two_have_counts_once() {
        let keys = ["a", "b", "c"];
        let (whole, notes) = merge(vec![part(&keys, &["a"]), part(&keys, &["a", "c"])]).unwrap();
        let all = [("a", Outcome::Passed), ("b", Outcome::NotRun), ("c", Outcome::Passed)];
        assert_eq!(outcomes(&whole), all);
        assert_eq!(
            notes,
            [
                "a ran twice, with the same result; it counts once.",
                "1 of 3 manifests were not run."
            ]
        );
        assert!(!whole.complete && whole.failed() == 1);
        // A shard that was interrupted says itself what it did not run; another machine ran it.
        let mut interrupted = part(&keys, &["a"]);
        interrupted.fill(&["a".into(), "b".into()]);
        let (whole, notes) = merge(vec![interrupted, part(&keys, &["b", "c"])]).unwrap();
        assert!(whole.failed() == 0 && notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn a_failure_counts_in_whatever_order_the_parts_are_given() {
        let (good, mut bad) = (part(&["a"], &["a"]), part(&["a"], &["a"]));
        bad.manifests[0].outcome = Outcome::Crashed;
        for parts in [[good.clone(), bad.clone()], [bad, good]] {
            let (whole, notes) = merge(parts.to_vec()).unwrap();
            assert_eq!(outcomes(&whole), [("a", Outcome::Crashed)]);
            assert_eq!(notes, ["a ran twice: “CRASHED” counts, not “ok”."]);
            assert_eq!(whole.notes, notes);
        }
    }

    #[test]
    fn a_joined_report_names_each_blender() {
        let mut older = part(&["a", "b"], &["b"]);
        older.head.blender = "Blender 4.5".into();
        let (whole, notes) = merge(vec![part(&["a", "b"], &["a"]), older]).unwrap();
        assert_eq!(whole.head.blender, "Blender 5.2 and Blender 4.5");
        assert_eq!(
            notes,
            ["The parts ran in different Blenders: Blender 5.2 and Blender 4.5."]
        );
    }

    #[test]
    fn a_report_that_was_cut_off_is_read_from_its_lines_and_an_empty_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = Report::read(folder.path()).unwrap_err().to_string();
        assert!(nothing.contains("has no report"), "{nothing}");
        Results::begin(folder.path(), &head(&["a"]))
            .unwrap()
            .add(&passed("a"))
            .unwrap();
        std::fs::write(folder.path().join(REPORT), "{\"geonode_e2e\": 1, \"blen").unwrap();
        let read = Report::read(folder.path()).unwrap();
        assert_eq!(outcomes(&read), [("a", Outcome::Passed)]);
    }

    #[test]
    fn parts_of_different_runs_are_refused() {
        let error = merge(vec![part(&["a"], &["a"]), part(&["b"], &["b"])])
            .unwrap_err()
            .to_string();
        assert!(error.contains("no parts of one run"), "{error}");
        assert!(merge(Vec::new()).is_err());
    }

    #[test]
    fn a_run_that_was_killed_has_the_results_that_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = Results::begin(folder.path(), &head(&["a", "b"])).unwrap();
        results.add(&passed("a")).unwrap();
        let lines = folder.path().join(LINES);
        let cut = format!("{}{{\"key\": \"b\", \"outc", std::fs::read_to_string(&lines).unwrap());
        std::fs::write(&lines, cut).unwrap();
        let (whole, _) = merge(vec![Report::read(folder.path()).unwrap()]).unwrap();
        assert_eq!(outcomes(&whole), [("a", Outcome::Passed), ("b", Outcome::NotRun)]);
    }

    #[test]
    fn a_complete_report_becomes_the_last_one() {
        let folder = tempfile::tempdir().unwrap();
        let write = |report: &Report| {
            std::fs::write(folder.path().join(REPORT), serde_json::to_string(report).unwrap()).unwrap();
        };
        let last = || Results::begin(folder.path(), &head(&["a"])).unwrap().last;
        assert_eq!(last(), None);
        let mut report = part(&["a"], &["a"]);
        write(&report);
        assert_eq!(last(), Some(report.clone()));
        let complete = report.clone();
        report.complete = false;
        report.seconds = 9.0;
        write(&report);
        assert_eq!(last(), Some(complete), "an interrupted run is no measure");
        assert!(
            !folder.path().join(REPORT).exists(),
            "an old report is not taken for a new one"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_run_that_cannot_begin_leaves_the_reports_of_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        for name in [JUNIT, PAGE] {
            std::fs::write(folder.path().join(name), "old").unwrap();
        }
        let report = serde_json::to_string(&part(&["a"], &["a"])).unwrap();
        std::fs::write(folder.path().join(REPORT), report).unwrap();
        // What stands in the way of the report that becomes the last one.
        std::fs::create_dir(folder.path().join(LAST)).unwrap();
        let before = names();
        assert!(Results::begin(folder.path(), &head(&["a"])).is_err());
        assert_eq!(names(), before);
        std::fs::remove_dir(folder.path().join(LAST)).unwrap();
        assert!(Results::begin(folder.path(), &head(&["a"])).is_ok());
        let begun: Vec<_> = [LAST, LINES].iter().map(std::ffi::OsString::from).collect();
        assert_eq!(names(), begun);
    }

    #[test]
    fn a_second_run_into_the_same_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let first = claim(folder.path()).unwrap();
        let error = claim(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("another run is writing into "), "{error}");
        drop(first);
        // The file of one that is dead blocks nobody.
        assert!(folder.path().join(".lock").exists() && claim(folder.path()).is_ok());
    }

    #[test]
    fn a_record_is_called_what_its_manifest_calls_itself() {
        let mut record = passed("manifests/ring.json #2");
        assert_eq!(record.name(), "ring #2");
        record.report = serde_json::json!({"name": "Ring of cubes"});
        assert_eq!(record.name(), "Ring of cubes #2");
    }
}
