//! The log file: its lines cannot be changed, left out, added or moved unnoticed.
//!
//! One line of JSON per entry. The whole chain is verified when the log is opened; the last known line and everything after it before each
//! append. A broken log accepts no further entries and reports the broken line.
//! Two Blenders may write to the same log: a lock of the operating system orders them.
//!
//! A log that reaches its limit is renamed to `NAME.old`, replacing the previous one, and the next begins with an entry `continued`, which
//! continues its numbers and hashes.
//!
//! The chain does not reveal that its end was cut off while nobody had it open, that an old part was removed as a whole, or that all of
//! it was rewritten.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use geonode_files::{lock, make_private, open_or_make, rename};
use serde::Serialize;
use serde_json::{Value, json};

use super::chain::{AuditError, CONTINUED, Entry, MAX_ENTRY, Tail, next};

/// Most bytes of a log; its old part may have the same size.
pub const MAX_LOG: u64 = 16 << 20;
/// How long to wait for another process that writes; none needs so long.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// The result of verifying a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Number of valid entries, including those of parts that were replaced.
    pub entries: u64,
    /// The first invalid line.
    pub broken_at: Option<u64>,
    /// The fault in this line.
    pub why: Option<String>,
}

/// An open audit log.
#[derive(Debug)]
pub struct AuditLog {
    path: PathBuf,
    limit: u64,
    tail: Tail,
    broken: Option<AuditError>,
}

impl AuditLog {
    /// Opens a log, or creates an empty one that only its owner can read, and verifies all of it. A broken log can be opened as well: it can be
    /// verified, but accepts no entry.
    ///
    /// # Errors
    /// [`AuditError::System`].
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        Self::open_limited(path, MAX_LOG)
    }

    fn open_limited(path: &Path, limit: u64) -> Result<Self, AuditError> {
        let mut log = Self {
            path: path.to_owned(),
            limit,
            tail: Tail::default(),
            broken: None,
        };
        log.locked(|log| log.known_file().map(drop))
            .or_else(|error| match error {
                AuditError::Broken { .. } => Ok(()),
                other => Err(other),
            })?;
        Ok(log)
    }

    /// Adds an entry and writes it to disk.
    ///
    /// # Errors
    /// [`AuditError::Broken`] once the chain was found broken; the other two errors leave the log unchanged.
    pub fn append(&mut self, kind: &str, detail: Value) -> Result<Entry, AuditError> {
        self.locked(|log| {
            let mut file = log.known_file()?;
            let mut entry = Entry::sealed(log.tail.entries + 1, kind, detail, log.tail.previous());
            let mut line = log.line(&entry)?;
            if log.tail.end > 0 && log.tail.end + line.len() as u64 > log.limit {
                file = log.begin_anew(file)?;
                entry = Entry::sealed(log.tail.entries + 1, kind, entry.detail, log.tail.previous());
                line = log.line(&entry)?;
            }
            log.write(&mut file, &entry, &line)?;
            Ok(entry)
        })
    }

    /// Verifies the whole chain again, from the files.
    ///
    /// # Errors
    /// [`AuditError::System`].
    pub fn verify(&self) -> Result<Verified, AuditError> {
        let fresh = Self::open(&self.path)?;
        let (broken_at, why) = match fresh.broken {
            Some(AuditError::Broken { line, why, .. }) => (Some(line), Some(why)),
            _ => (None, None),
        };
        Ok(Verified {
            entries: fresh.tail.entries,
            broken_at,
            why,
        })
    }

    /// Why the log accepts no further entries.
    pub fn broken(&self) -> Option<&AuditError> {
        self.broken.as_ref()
    }

    /// Runs `work` while no other process writes; remembers that the chain is broken.
    fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, AuditError>) -> Result<T, AuditError> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        let held = open(&beside(&self.path, "lock")).map_err(|error| system(&self.path, &error))?;
        lock(&held, LOCK_WAIT).map_err(|error| system(&self.path, &error))?;
        let result = work(self);
        if let Err(error @ AuditError::Broken { .. }) = &result {
            self.broken = Some(error.clone());
        }
        result
    }

    /// The current file, verified to its end.
    fn known_file(&mut self) -> Result<File, AuditError> {
        let file = open(&self.path).map_err(|error| system(&self.path, &error))?;
        if self.tail.entries == 0 || first_number(&file).is_some_and(|first| first > self.tail.first) {
            // Not read yet, or replaced by another process.
            let old = self.old_part()?;
            if self.tail.entries > 0 && old.as_ref().is_some_and(|old| old.first == self.tail.first) {
                let path = beside(&self.path, "old");
                self.check_tail(&open_there(&path).map_err(|error| system(&path, &error))?)?;
            }
            self.tail = Tail::default();
            self.catch_up(&file, old.as_ref())?;
        } else {
            self.check_tail(&file)?;
            self.catch_up(&file, None)?;
        }
        Ok(file)
    }

    /// The old part, verified; `None` if there is none.
    fn old_part(&self) -> Result<Option<Tail>, AuditError> {
        let path = beside(&self.path, "old");
        let file = match open_there(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(system(&path, &error)),
        };
        let mut old = Self {
            path,
            limit: self.limit,
            tail: Tail::default(),
            broken: None,
        };
        old.catch_up(&file, None)?;
        Ok(Some(old.tail))
    }

    /// Turns the file into the old part and begins the next one, which continues it.
    fn begin_anew(&mut self, file: File) -> Result<File, AuditError> {
        drop(file);
        let old = beside(&self.path, "old");
        rename(&self.path, &old).map_err(|error| system(&self.path, &error))?;
        let mut file = open(&self.path).map_err(|error| system(&self.path, &error))?;
        let name = old.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entry = Entry::sealed(
            self.tail.entries + 1,
            CONTINUED,
            json!({"old_part": name}),
            self.tail.previous(),
        );
        let line = self.line(&entry)?;
        let known = std::mem::take(&mut self.tail);
        if let Err(error) = self.write(&mut file, &entry, &line) {
            self.tail = known;
            drop(file);
            let _ = rename(&old, &self.path);
            return Err(error);
        }
        Ok(file)
    }

    /// An entry as a line of the file.
    fn line(&self, entry: &Entry) -> Result<String, AuditError> {
        let mut line = serde_json::to_string(entry).map_err(|error| system(&self.path, &error))?;
        line.push('\n');
        if line.len() > MAX_ENTRY {
            let path = self.path.display().to_string();
            return Err(AuditError::TooLarge { path });
        }
        Ok(line)
    }

    fn write(&mut self, file: &mut File, entry: &Entry, line: &str) -> Result<(), AuditError> {
        if let Err(error) = file.write_all(line.as_bytes()).and_then(|()| file.sync_data()) {
            // An incomplete line would break the chain.
            let _ = cut(&self.path, self.tail.end);
            return Err(system(&self.path, &error));
        }
        self.tail = self.tail.after(entry.n, entry.hash.clone(), line.len() as u64);
        Ok(())
    }

    /// Whether the last known line is unchanged.
    fn check_tail(&self, mut file: &File) -> Result<(), AuditError> {
        let length = usize::try_from(self.tail.end - self.tail.line).unwrap_or(MAX_ENTRY);
        let mut line = vec![0; length.min(MAX_ENTRY)];
        let read = file
            .seek(SeekFrom::Start(self.tail.line))
            .and_then(|_| file.read_exact(&mut line));
        match read {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(self.breakage(&self.tail, "Its end is missing."));
            }
            Err(error) => return Err(system(&self.path, &error)),
        }
        let same = std::str::from_utf8(&line)
            .ok()
            .and_then(|line| serde_json::from_str::<Entry>(line).ok())
            .is_some_and(|entry| entry.digest() == self.tail.hash);
        if same {
            Ok(())
        } else {
            Err(self.breakage(&self.tail, "It was changed."))
        }
    }

    /// Reads and verifies everything after the tail. `old` is the part that the file must continue.
    fn catch_up(&mut self, mut file: &File, old: Option<&Tail>) -> Result<(), AuditError> {
        file.seek(SeekFrom::Start(self.tail.end))
            .map_err(|error| system(&self.path, &error))?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let limit = MAX_ENTRY as u64 + 1;
            let read = (&mut reader).take(limit).read_until(b'\n', &mut line);
            let length = read.map_err(|error| system(&self.path, &error))? as u64;
            if length == 0 {
                break;
            }
            match next(&line, &self.tail, old) {
                Ok(entry) => self.tail = self.tail.after(entry.n, entry.hash, length),
                Err(why) => {
                    let mut at = self.tail.clone();
                    at.first = at.first.max(1);
                    at.entries = at.entries.max(at.first - 1) + 1;
                    return Err(self.breakage(&at, why));
                }
            }
        }
        if self.tail.entries == 0 && old.is_some() {
            return Err(self.breakage(&Tail::default(), "It is missing, although its older part exists."));
        }
        Ok(())
    }

    fn breakage(&self, at: &Tail, why: &str) -> AuditError {
        AuditError::Broken {
            path: self.path.display().to_string(),
            line: (at.entries + 1).saturating_sub(at.first.max(1)).max(1),
            why: why.to_owned(),
        }
    }
}

/// Opens a file to read and append, or creates one; only its owner can read it. Links are not followed.
fn open(path: &Path) -> std::io::Result<File> {
    let file = open_or_make(path, File::options().read(true).append(true))?;
    make_private(&file)?;
    Ok(file)
}

/// Opens a file to read. Links are not followed, and nothing waits for the other end of a pipe.
fn open_there(path: &Path) -> std::io::Result<File> {
    geonode_files::open(path, File::options().read(true))
}

/// Takes what lies behind this length out of a file. On Windows whoever may only append may not do that.
fn cut(path: &Path, length: u64) -> std::io::Result<()> {
    geonode_files::open(path, File::options().write(true))?.set_len(length)
}

/// The file of this name in the folder of a log.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    PathBuf::from(name)
}

/// Number of the first entry of a file.
fn first_number(mut file: &File) -> Option<u64> {
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut line = String::new();
    BufReader::new(file).take(MAX_ENTRY as u64).read_line(&mut line).ok()?;
    serde_json::from_str::<Entry>(&line).ok().map(|entry| entry.n)
}

fn system(path: &Path, cause: &dyn std::fmt::Display) -> AuditError {
    AuditError::System {
        path: path.display().to_string(),
        cause: cause.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use geonode_protocol::Code;

    use super::*;

    fn filled(entries: u64) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut log = AuditLog::open(&path).unwrap();
        for n in 0..entries {
            let entry = log.append("test", json!({"i": n, "text": "ü\n\"", "x": 0.1})).unwrap();
            assert_eq!(entry.n, n + 1);
        }
        (folder, path)
    }

    #[test]
    fn a_whole_chain_is_verified_and_continued() {
        let (_folder, path) = filled(3);
        let mut log = AuditLog::open(&path).unwrap();
        assert_eq!((log.tail.entries, log.broken()), (3, None));
        assert_eq!(log.append("more", json!(null)).unwrap().n, 4);
        let all = Verified {
            entries: 4,
            broken_at: None,
            why: None,
        };
        assert_eq!(log.verify().unwrap(), all);
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn an_incomplete_line_is_taken_back() {
        let (_folder, path) = filled(2);
        let mut log = AuditLog::open(&path).unwrap();
        let end = log.tail.end;
        // As when the disk is full.
        open(&path).unwrap().write_all(b"{\"n\":3,").unwrap();
        cut(&path, end).unwrap();
        assert_eq!(log.append("after", json!(1)).unwrap().n, 3);
        assert_eq!(log.verify().unwrap().broken_at, None);
    }

    #[test]
    #[cfg(unix)]
    fn a_symbolic_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (target, path) = (folder.path().join("target"), folder.path().join("audit.jsonl"));
        for existing in [false, true] {
            if existing {
                fs::write(&target, "mine\n").unwrap();
            }
            std::os::unix::fs::symlink(&target, &path).unwrap();
            let error = AuditLog::open(&path).unwrap_err();
            assert_eq!(error.code(), Code::AuditUnwritable);
            assert_eq!(
                fs::read_to_string(&target).ok().as_deref(),
                existing.then_some("mine\n")
            );
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_log_that_others_could_read_is_private_again_and_no_pipe_or_link_is_its_old_part() {
        use std::os::unix::fs::PermissionsExt as _;
        let (folder, path) = filled(2);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let mut log = AuditLog::open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        log.append("more", json!(1)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        let old = beside(&path, "old");
        let target = folder.path().join("target");
        fs::copy(&path, &target).unwrap();
        std::os::unix::fs::symlink(&target, &old).unwrap();
        assert_eq!(AuditLog::open(&path).unwrap_err().code(), Code::AuditUnwritable);
        fs::remove_file(&old).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&old).status().unwrap();
        assert!(made.success());
        // It does not wait for somebody who writes.
        assert_eq!(AuditLog::open(&path).unwrap_err().code(), Code::AuditUnwritable);
    }

    #[test]
    fn a_log_that_another_process_holds_is_not_waited_for_without_end() {
        let (_folder, path) = filled(1);
        let held = open(&beside(&path, "lock")).unwrap();
        lock(&held, Duration::ZERO).unwrap();
        let refused = lock(&open(&beside(&path, "lock")).unwrap(), Duration::from_millis(20)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::TimedOut);
        drop(held);
        assert!(AuditLog::open(&path).is_ok());
    }

    #[test]
    fn any_change_breaks_the_chain_at_its_line() {
        let (_folder, path) = filled(4);
        let whole = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        let joined = |lines: &[&str]| lines.join("\n") + "\n";
        let table = [
            (whole.replacen("\"i\":1", "\"i\":7", 1), 2),
            (whole.replacen("\"i\":1", "\"i\": 1", 1), 2),
            (joined(&[lines[0], lines[2], lines[3]]), 2),
            (joined(&[lines[1], lines[2], lines[3]]), 1),
            (joined(&[lines[0], lines[2], lines[1], lines[3]]), 2),
            (joined(&[lines[0], lines[1], lines[1], lines[2]]), 3),
            (whole.trim_end().to_owned(), 4),
            (format!("{whole}\n"), 5),
            (format!("{whole}{{}}\n"), 5),
            (format!("{whole}{}\n", "x".repeat(MAX_ENTRY)), 5),
        ];
        for (text, line) in table {
            fs::write(&path, &text).unwrap();
            let mut log = AuditLog::open(&path).unwrap();
            assert_eq!(log.verify().unwrap().broken_at, Some(line), "{text}");
            let error = log.append("after", json!(1)).unwrap_err();
            assert_eq!(error.code(), Code::AuditBroken);
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "nothing is added");
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let (_folder, path) = filled(2);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert!(AuditLog::open(&path).unwrap().broken().is_some(), "byte {at}");
        }
    }

    #[test]
    fn a_change_to_an_open_log_is_noticed() {
        let (_folder, path) = filled(3);
        let whole = fs::read_to_string(&path).unwrap();
        let mut log = AuditLog::open(&path).unwrap();
        fs::write(&path, whole.replace("\"i\":2", "\"i\":9")).unwrap();
        assert_eq!(log.append("after", json!(1)).unwrap_err().code(), Code::AuditBroken);
        fs::write(&path, &whole).unwrap();
        assert_eq!(
            log.append("after", json!(1)).unwrap_err().code(),
            Code::AuditBroken,
            "it stays broken for whoever saw it"
        );
        let mut log = AuditLog::open(&path).unwrap();
        fs::write(&path, whole.lines().next().unwrap()).unwrap();
        assert_eq!(log.append("after", json!(1)).unwrap_err().code(), Code::AuditBroken);
    }

    #[test]
    fn two_writers_append_to_one_chain() {
        let (_folder, path) = filled(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut log = AuditLog::open(&path).unwrap();
                    for _ in 0..25 {
                        log.append("turn", json!({})).unwrap();
                    }
                });
            }
        });
        let log = AuditLog::open(&path).unwrap();
        assert_eq!((log.tail.entries, log.broken()), (100, None));
    }

    /// A log with a small limit and this many entries.
    fn begun_anew(entries: u64) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut log = AuditLog::open_limited(&path, 1000).unwrap();
        for i in 0..entries {
            log.append("test", json!({"i": i})).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn a_full_log_continues_in_the_next_file() {
        let (folder, path) = begun_anew(100);
        let sizes = [&path, &beside(&path, "old")].map(|path| fs::metadata(path).unwrap().len());
        assert!(sizes.iter().all(|size| (1..=1000).contains(size)), "{sizes:?}");
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 3, "the log, its old part, its lock");
        let log = AuditLog::open(&path).unwrap();
        assert_eq!(log.broken(), None);
        assert!(
            log.verify().unwrap().entries > 100,
            "entries that say that it goes on count as well"
        );
    }

    #[test]
    fn the_log_and_its_old_part_verify_each_other() {
        let (_folder, path) = begun_anew(100);
        let (new, old) = (
            fs::read_to_string(&path).unwrap(),
            fs::read_to_string(beside(&path, "old")).unwrap(),
        );
        let without_first = |text: &str| text.split_once('\n').unwrap().1.to_owned();
        let without_last = |text: &str| {
            let end = text.trim_end().rfind('\n').unwrap() + 1;
            text[..end].to_owned()
        };
        let table = [
            (without_first(&new), old.clone()),
            (String::new(), old.clone()),
            (old.clone(), new.clone()),
            (new.clone(), without_last(&old)),
            (new.clone(), without_first(&old)),
            (new.clone(), old.replacen("\"i\":", "\"i\":1", 1)),
            (new.replacen("\"i\":", "\"i\":1", 1), old.clone()),
        ];
        for (number, (new, old)) in table.into_iter().enumerate() {
            fs::write(&path, new).unwrap();
            fs::write(beside(&path, "old"), old).unwrap();
            let log = AuditLog::open(&path).unwrap();
            assert!(log.broken().is_some(), "change {number}");
            assert!(log.verify().unwrap().broken_at.is_some_and(|line| line >= 1));
        }
        // The old part may be removed as a whole: the chain cannot prevent that.
        fs::write(&path, new).unwrap();
        fs::remove_file(beside(&path, "old")).unwrap();
        assert_eq!(AuditLog::open(&path).unwrap().broken(), None);
    }

    #[test]
    fn a_second_writer_continues_in_the_next_file() {
        let (_folder, path) = begun_anew(1);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut log = AuditLog::open_limited(&path, 1000).unwrap();
                    for _ in 0..25 {
                        log.append("turn", json!({})).unwrap();
                    }
                });
            }
        });
        assert_eq!(AuditLog::open(&path).unwrap().broken(), None);
    }

    #[test]
    fn an_entry_beyond_a_limit_leaves_the_log_unchanged() {
        let (folder, path) = filled(1);
        let mut log = AuditLog::open(&path).unwrap();
        let before = fs::read(&path).unwrap();
        let error = log.append("large", json!("x".repeat(MAX_ENTRY))).unwrap_err();
        assert_eq!(error.code(), Code::AuditFull);
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(log.append("small", json!(1)).unwrap().n, 2);
        let missing = AuditLog::open(&folder.path().join("no/such/folder")).unwrap_err();
        assert_eq!(missing.code(), Code::AuditUnwritable);
    }
}
