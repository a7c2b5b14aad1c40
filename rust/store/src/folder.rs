//! Files in the add-on's own folder: complete or absent, small, and set aside when damaged.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use geonode_files::{lock, make_folder, patiently, remove, rename, replace};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// How long to wait for the lock of a folder; other processes hold it only briefly.
const LOCK_WAIT: Duration = Duration::from_secs(2);
/// Ending of a file that was set aside.
const DAMAGED: &str = "damaged";
const ENDING: &str = "json";

/// A folder of small JSON files, each named by an identifier.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

/// SHA-256 of a document, in hexadecimal, which detects changes by other programs.
pub fn seal(document: &impl Serialize) -> String {
    let bytes = serde_json::to_vec(document).unwrap_or_default();
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// A file of the folder.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// The time of its last use.
    pub(crate) used: SystemTime,
}

impl Folder {
    /// Creates the folder if it is missing; only its owner can read it.
    pub(crate) fn open(parent: &Path, name: &str) -> io::Result<Self> {
        let path = parent.join(name);
        make_folder(&path)?;
        Ok(Self(path))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.{ENDING}"))
    }

    /// Excludes other processes until the file is dropped. Waits at most two seconds for another process.
    pub(crate) fn lock(&self) -> io::Result<File> {
        let file = File::options().create(true).append(true).open(self.0.join(".lock"))?;
        lock(&file, LOCK_WAIT)?;
        Ok(file)
    }

    /// The file's bytes; `None` when it does not exist. A file longer than `limit` is `InvalidData`.
    pub(crate) fn read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match patiently(|| File::open(self.file(name))) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too long"));
        }
        Ok(Some(bytes))
    }

    /// Writes the file as a whole; a reader sees the old one or the new one.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        replace(&self.file(name), bytes)
    }

    /// Marks the file as used now.
    pub(crate) fn touch(&self, name: &str) -> io::Result<()> {
        patiently(|| File::options().append(true).open(self.file(name)))?.set_modified(SystemTime::now())
    }

    /// Removes the file, if it is there.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        remove(&self.file(name))
    }

    /// Renames a damaged file and returns its new name; one that was set aside under that name before is replaced.
    pub(crate) fn set_aside(&self, name: &str) -> io::Result<String> {
        let aside = format!("{name}.{DAMAGED}");
        rename(&self.file(name), &self.0.join(&aside))?;
        Ok(aside)
    }

    /// All files, the least recently used first.
    pub(crate) fn list(&self) -> io::Result<Vec<Listed>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            // Another process may have removed it by now.
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            if meta.is_file() && path.extension().is_some_and(|ending| ending == ENDING) {
                found.push(Listed {
                    name: name.to_owned(),
                    bytes: meta.len(),
                    used: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                });
            }
        }
        found.sort_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
        Ok(found)
    }

    /// Removes the least recently used files until the rest is within the bounds.
    pub(crate) fn bound(&self, most_files: usize, most_bytes: u64) -> io::Result<()> {
        let files = self.list()?;
        let (mut count, mut bytes) = (files.len(), files.iter().map(|file| file.bytes).sum::<u64>());
        for file in &files {
            if count <= most_files && bytes <= most_bytes {
                break;
            }
            self.remove(&file.name)?;
            count -= 1;
            bytes = bytes.saturating_sub(file.bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(parent: &tempfile::TempDir) -> Folder {
        Folder::open(parent.path(), "kept").unwrap()
    }

    #[test]
    fn a_file_is_complete_or_absent() {
        let parent = tempfile::tempdir().unwrap();
        let folder = folder(&parent);
        assert_eq!(folder.read("a", 10).unwrap(), None);
        folder.replace("a", b"0123456789").unwrap();
        folder.replace("a", b"abcdefghij").unwrap();
        assert_eq!(folder.read("a", 10).unwrap().as_deref(), Some(b"abcdefghij".as_slice()));
        assert_eq!(folder.read("a", 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let names: Vec<_> = fs::read_dir(&folder.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["a.json"], "nothing half written stays");
    }

    #[test]
    fn a_damaged_file_is_renamed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = folder(&parent);
        folder.replace("a", b"{").unwrap();
        assert_eq!(folder.set_aside("a").unwrap(), "a.damaged");
        assert_eq!(folder.read("a", 10).unwrap(), None);
        assert!(folder.0.join("a.damaged").exists());
        assert!(folder.list().unwrap().is_empty());
    }

    #[test]
    fn folder_limits_apply_exactly_and_remove_the_oldest_files() {
        let parent = tempfile::tempdir().unwrap();
        let folder = folder(&parent);
        for (age, name) in ["d", "c", "b", "a"].iter().enumerate() {
            folder.replace(name, b"12345").unwrap();
            let then = SystemTime::now() - Duration::from_secs(100 - age as u64);
            let file = File::options().append(true).open(folder.file(name)).unwrap();
            file.set_modified(then).unwrap();
        }
        let names = || {
            folder
                .list()
                .unwrap()
                .into_iter()
                .map(|file| file.name)
                .collect::<Vec<_>>()
        };
        folder.bound(4, 20).unwrap();
        assert_eq!(names(), ["d", "c", "b", "a"]);
        folder.touch("d").unwrap();
        folder.bound(4, 19).unwrap();
        assert_eq!(names(), ["b", "a", "d"]);
        folder.bound(1, 20).unwrap();
        assert_eq!(names(), ["d"]);
    }

    #[test]
    fn a_folder_lock_waits_for_another_process_for_a_limited_time() {
        let parent = tempfile::tempdir().unwrap();
        let folder = folder(&parent);
        let held = folder.lock().unwrap();
        assert_eq!(folder.lock().unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(held);
        assert!(folder.lock().is_ok());
    }
}
