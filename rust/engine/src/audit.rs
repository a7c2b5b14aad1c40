//! The audit log (POL-2): what was sent where, asked, allowed and refused, so that nobody can quietly change it afterwards.
//!
//! One line of JSON per entry. Each carries the SHA-256 of itself with the hash of the entry before, so that a line that is
//! changed, left out, added or moved breaks the chain from there on. The whole chain is verified when the log is opened, what
//! others appended and the last known line before each append. A broken log takes no further entries and says where it broke.
//! Two Blenders may write to the same log: a lock of the operating system orders them.
//!
//! What the chain cannot show: that its end was cut off while nobody had it open, or that all of it was written anew.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use geonode_protocol::Code;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Most bytes of an entry's line.
pub const MAX_ENTRY: usize = 64 << 10;
/// Most bytes of a log.
pub const MAX_LOG: u64 = 256 << 20;

/// What the first entry has as the hash of the one before.
const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Why a log cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// Somebody or something changed it.
    #[error(
        "The audit log {path} is broken at line {line}: {why} Nothing is added to it any more; keep it and start a new one."
    )]
    Broken {
        /// Where it lies.
        path: String,
        /// First line that does not fit, from 1.
        line: u64,
        /// What is wrong there.
        why: String,
    },
    /// The operating system refuses.
    #[error("The audit log {path} cannot be used: {cause}.")]
    System {
        /// Where it lies.
        path: String,
        /// The system's words.
        cause: String,
    },
    /// The entry, or the log with it, would be too large.
    #[error("The audit log {path} takes no entry of this size: {what} may have {limit} bytes.")]
    TooLarge {
        /// Where it lies.
        path: String,
        /// Which of the two.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
}

impl AuditError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Broken { .. } => Code::AuditBroken,
            Self::System { .. } => Code::AuditUnwritable,
            Self::TooLarge { .. } => Code::AuditFull,
        }
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Number, from 1.
    pub n: u64,
    /// Unix time in seconds.
    pub at: f64,
    /// What happened, in one word such as `approval`.
    pub kind: String,
    /// More about it; never a secret.
    pub detail: Value,
    /// Hash of the entry before.
    pub previous: String,
    /// Hash of all of the above.
    pub hash: String,
}

impl Entry {
    fn sealed(n: u64, kind: &str, detail: Value, previous: &str) -> Self {
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64());
        let mut entry = Self {
            n,
            at,
            kind: kind.to_owned(),
            detail,
            previous: previous.to_owned(),
            hash: String::new(),
        };
        entry.hash = entry.digest();
        entry
    }

    fn digest(&self) -> String {
        let body = (&self.n, &self.at, &self.kind, &self.detail, &self.previous);
        let text = serde_json::to_string(&body).unwrap_or_default();
        let mut out = String::with_capacity(64);
        for byte in Sha256::digest(text.as_bytes()) {
            for half in [byte >> 4, byte & 15] {
                out.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
            }
        }
        out
    }
}

/// How far the log is known and verified.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tail {
    entries: u64,
    hash: String,
    /// Where the last known line begins, and where it ends.
    line: u64,
    end: u64,
}

/// What a log holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Entries that fit.
    pub entries: u64,
    /// First line that does not fit.
    pub broken_at: Option<u64>,
    /// What is wrong there.
    pub why: Option<String>,
}

/// An open audit log.
#[derive(Debug)]
pub struct AuditLog {
    path: PathBuf,
    file: File,
    tail: Tail,
    broken: Option<AuditError>,
}

impl AuditLog {
    /// Opens a log, or makes an empty one that only its owner can read, and verifies all of it. A broken one opens too: it can be
    /// asked, but takes no entry.
    ///
    /// # Errors
    /// [`AuditError::System`].
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| system(path, &error))?;
        let mut log = Self {
            path: path.to_owned(),
            file,
            tail: Tail {
                entries: 0,
                hash: BEGINNING.to_owned(),
                line: 0,
                end: 0,
            },
            broken: None,
        };
        log.locked(Self::catch_up).or_else(|error| match error {
            AuditError::Broken { .. } => Ok(()),
            other => Err(other),
        })?;
        Ok(log)
    }

    /// Adds an entry and brings it to the disk.
    ///
    /// # Errors
    /// [`AuditError::Broken`] from the moment on at which the chain was found broken; the other two leave the log as it was.
    pub fn append(&mut self, kind: &str, detail: Value) -> Result<Entry, AuditError> {
        self.locked(|log| {
            log.check_tail()?;
            log.catch_up()?;
            let entry = Entry::sealed(log.tail.entries + 1, kind, detail, &log.tail.hash);
            let mut line = serde_json::to_string(&entry).map_err(|error| system(&log.path, &error))?;
            line.push('\n');
            let length = line.len() as u64;
            let path = || log.path.display().to_string();
            if line.len() > MAX_ENTRY {
                let (what, limit) = ("an entry", MAX_ENTRY as u64);
                return Err(AuditError::TooLarge {
                    path: path(),
                    what,
                    limit,
                });
            }
            if log.tail.end + length > MAX_LOG {
                let (what, limit) = ("the log", MAX_LOG);
                return Err(AuditError::TooLarge {
                    path: path(),
                    what,
                    limit,
                });
            }
            let written = log.file.write_all(line.as_bytes()).and_then(|()| log.file.sync_data());
            if let Err(error) = written {
                // Half a line would break the chain.
                let _ = log.file.set_len(log.tail.end);
                return Err(system(&log.path, &error));
            }
            log.tail = Tail {
                entries: entry.n,
                hash: entry.hash.clone(),
                line: log.tail.end,
                end: log.tail.end + length,
            };
            Ok(entry)
        })
    }

    /// Verifies the whole chain again, from the file.
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

    /// Why nothing can be added any more.
    pub fn broken(&self) -> Option<&AuditError> {
        self.broken.as_ref()
    }

    /// Does something while nobody else writes; a breakage is remembered.
    fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, AuditError>) -> Result<T, AuditError> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        self.file.lock().map_err(|error| system(&self.path, &error))?;
        let result = work(self);
        let unlocked = self.file.unlock();
        if let Err(error @ AuditError::Broken { .. }) = &result {
            self.broken = Some(error.clone());
        }
        let result = result?;
        unlocked.map_err(|error| system(&self.path, &error))?;
        Ok(result)
    }

    /// The last known line is still what it was.
    fn check_tail(&mut self) -> Result<(), AuditError> {
        if self.tail.entries == 0 {
            return Ok(());
        }
        let length = usize::try_from(self.tail.end - self.tail.line).unwrap_or(MAX_ENTRY);
        let mut line = vec![0; length.min(MAX_ENTRY)];
        let read = self
            .file
            .seek(SeekFrom::Start(self.tail.line))
            .and_then(|_| self.file.read_exact(&mut line));
        match read {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(self.breakage(self.tail.entries, "Its end is gone."));
            }
            Err(error) => return Err(system(&self.path, &error)),
        }
        let hash = std::str::from_utf8(&line)
            .ok()
            .and_then(|line| serde_json::from_str::<Entry>(line).ok())
            .filter(|entry| entry.digest() == self.tail.hash);
        match hash {
            Some(_) => Ok(()),
            None => Err(self.breakage(self.tail.entries, "It was changed.")),
        }
    }

    /// Reads and verifies what is new since the tail.
    fn catch_up(&mut self) -> Result<(), AuditError> {
        self.file
            .seek(SeekFrom::Start(self.tail.end))
            .map_err(|error| system(&self.path, &error))?;
        let mut reader = BufReader::new(&self.file);
        let mut tail = self.tail.clone();
        let mut found = Ok(());
        let mut line = Vec::new();
        loop {
            line.clear();
            let limit = MAX_ENTRY as u64 + 1;
            let read = (&mut reader).take(limit).read_until(b'\n', &mut line);
            let length = read.map_err(|error| system(&self.path, &error))? as u64;
            if length == 0 {
                break;
            }
            match next(&line, &tail) {
                Ok(hash) => {
                    tail = Tail {
                        entries: tail.entries + 1,
                        hash,
                        line: tail.end,
                        end: tail.end + length,
                    };
                }
                Err(why) => {
                    found = Err(why);
                    break;
                }
            }
        }
        self.tail = tail;
        found.map_err(|why| self.breakage(self.tail.entries + 1, why))
    }

    fn breakage(&self, line: u64, why: &str) -> AuditError {
        AuditError::Broken {
            path: self.path.display().to_string(),
            line,
            why: why.to_owned(),
        }
    }
}

/// The hash of a line that follows the tail, or why it does not follow.
fn next(line: &[u8], tail: &Tail) -> Result<String, &'static str> {
    let Some(line) = line.strip_suffix(b"\n") else {
        return Err("It is incomplete.");
    };
    let text = std::str::from_utf8(line).map_err(|_| "It is no text.")?;
    let entry: Entry = serde_json::from_str(text).map_err(|_| "It is no entry.")?;
    if entry.n != tail.entries + 1 || entry.previous != tail.hash {
        return Err("It does not follow the entry before.");
    }
    let same = serde_json::to_string(&entry).is_ok_and(|again| again == text);
    if !same || entry.digest() != entry.hash {
        return Err("It was changed.");
    }
    Ok(entry.hash)
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

    use serde_json::json;

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
    fn whatever_is_changed_breaks_the_chain_there() {
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
    fn what_changes_while_it_is_open_is_noticed_too() {
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
    fn two_writers_take_turns() {
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

    #[test]
    fn limits_hold_and_leave_the_log_as_it_was() {
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
