//! Replies of models, stored on this computer only if the setting `cache` is on: repeating a prompt usually means wanting something
//! else. It serves deliberate repetition: manifests, lessons, work without a network.
//!
//! A reply is identified by request, provider and scene. It is stored only if the whole run ended as `done`: after a refusal, a
//! failure, a refused plan or failed gates the model is asked again.

use std::path::Path;

use geonode_provider::policy::Redactor;
use geonode_provider::{FinishReason, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::folder::{Folder, seal};

const VERSION: u32 = 1;
/// Longest stored reply: as long as a plan may be with its text escaped.
const MAX_ENTRY: u64 = 32 << 20;

/// A stored reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredReply {
    /// The model's text.
    pub text: String,
    /// Tool calls in it.
    pub calls: Vec<ToolCall>,
    /// The reason for its end.
    pub finish: Option<FinishReason>,
    /// The model that answered.
    pub model: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    geonode_cache: u32,
    key: String,
    reply: StoredReply,
    /// SHA-256 of key and reply, which detects changes by other programs.
    sha256: String,
}

impl Entry {
    fn new(key: &str, reply: StoredReply) -> Self {
        let sha256 = digest(key, &reply);
        Self {
            geonode_cache: VERSION,
            key: key.to_owned(),
            reply,
            sha256,
        }
    }
}

fn digest(key: &str, reply: &StoredReply) -> String {
    seal(&(VERSION, key, reply))
}

/// The result of looking up a request.
#[derive(Debug, PartialEq)]
pub enum Found {
    /// An undamaged reply.
    Reply(StoredReply),
    /// Not found.
    Nothing,
    /// The file was damaged and now has this name.
    Damaged(String),
}

/// The stored replies of one add-on folder; several processes may share it.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Folder,
    most_files: usize,
    most_bytes: u64,
}

impl Cache {
    /// The cache below `folder`, with a limit on the number of replies and their bytes.
    ///
    /// # Errors
    /// The system's error about the folder.
    pub fn open(folder: &Path, most_files: usize, most_bytes: u64) -> std::io::Result<Self> {
        Folder::open(folder, "cache").map(|folder| Self {
            folder,
            most_files,
            most_bytes,
        })
    }

    /// The reply to the request with this key. One that is found counts as used.
    ///
    /// # Errors
    /// The system's error about the file.
    pub fn find(&self, key: &str) -> std::io::Result<Found> {
        let bytes = match self.folder.read(key, MAX_ENTRY) {
            Ok(None) => return Ok(Found::Nothing),
            Ok(Some(bytes)) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => return self.set_aside(key),
            Err(error) => return Err(error),
        };
        let sound = |entry: &Entry| {
            entry.geonode_cache == VERSION && entry.key == key && entry.sha256 == digest(key, &entry.reply)
        };
        match serde_json::from_slice::<Entry>(&bytes).ok().filter(sound) {
            Some(entry) => {
                // If it cannot be marked as used, it only expires too early.
                let _ = self.folder.touch(key);
                Ok(Found::Reply(entry.reply))
            }
            None => self.set_aside(key),
        }
    }

    fn set_aside(&self, key: &str) -> std::io::Result<Found> {
        let _lock = self.folder.lock()?;
        self.folder.set_aside(key).map(Found::Damaged)
    }

    /// Stores a reply, within the limits of the cache. One that seems to contain a secret is not stored: redacted, it would be another reply.
    ///
    /// # Errors
    /// The system's error about the file.
    pub fn keep(&self, key: &str, reply: StoredReply, redactor: &Redactor) -> std::io::Result<()> {
        let mut document = serde_json::to_value(&reply).unwrap_or(Value::Null);
        if redactor.json(&mut document) > 0 {
            return Ok(());
        }
        let bytes = serde_json::to_vec(&Entry::new(key, reply)).unwrap_or_default();
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if length > self.most_bytes.min(MAX_ENTRY) || self.most_files == 0 {
            return Ok(());
        }
        let _lock = self.folder.lock()?;
        self.folder.replace(key, &bytes)?;
        self.folder.bound(self.most_files, self.most_bytes)
    }

    /// Removes a reply that turned out to be unusable.
    ///
    /// # Errors
    /// The system's error about the file.
    pub fn forget(&self, key: &str) -> std::io::Result<()> {
        self.folder.remove(key)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const MEGABYTE: u64 = 1 << 20;

    fn cache(parent: &tempfile::TempDir, most_files: usize) -> Cache {
        Cache::open(parent.path(), most_files, MEGABYTE).unwrap()
    }

    fn reply(text: &str) -> StoredReply {
        StoredReply {
            text: text.into(),
            calls: vec![ToolCall {
                id: "1".into(),
                name: "look".into(),
                arguments: serde_json::json!({"a": 1.5}),
            }],
            finish: Some(FinishReason::Done),
            model: Some("m".into()),
        }
    }

    #[test]
    fn a_stored_reply_is_found_unchanged() {
        let parent = tempfile::tempdir().unwrap();
        let cache = cache(&parent, 10);
        assert_eq!(cache.find("k").unwrap(), Found::Nothing);
        cache.keep("k", reply("x"), &Redactor::default()).unwrap();
        assert_eq!(cache.find("k").unwrap(), Found::Reply(reply("x")));
        cache.forget("k").unwrap();
        assert_eq!(cache.find("k").unwrap(), Found::Nothing);
    }

    #[test]
    fn every_damaged_reply_is_set_aside() {
        let parent = tempfile::tempdir().unwrap();
        let cache = cache(&parent, 10);
        cache.keep("k", reply("x"), &Redactor::default()).unwrap();
        let path = parent.path().join("cache/k.json");
        let sound = fs::read(&path).unwrap();
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let found = cache.find("k").unwrap();
            assert!(matches!(found, Found::Damaged(_)), "byte {at}: {found:?}");
            fs::write(&path, &sound[..at]).unwrap();
            assert!(matches!(cache.find("k").unwrap(), Found::Damaged(_)), "cut at {at}");
        }
        fs::write(parent.path().join("cache/other.json"), &sound).unwrap();
        assert!(
            matches!(cache.find("other").unwrap(), Found::Damaged(_)),
            "the reply to something else"
        );
    }

    #[test]
    fn cache_limits_are_enforced() {
        let parent = tempfile::tempdir().unwrap();
        let few = cache(&parent, 2);
        for key in ["a", "b", "c"] {
            few.keep(key, reply("x"), &Redactor::default()).unwrap();
        }
        assert_eq!(few.folder.list().unwrap().len(), 2);
        few.keep("big", reply(&"x".repeat(1 << 20)), &Redactor::default())
            .unwrap();
        assert_eq!(few.find("big").unwrap(), Found::Nothing, "larger than all of it may be");
        few.keep("half", reply(&"x".repeat(600_000)), &Redactor::default())
            .unwrap();
        few.keep("more", reply(&"x".repeat(600_000)), &Redactor::default())
            .unwrap();
        assert_eq!(few.find("half").unwrap(), Found::Nothing);
        assert!(matches!(few.find("more").unwrap(), Found::Reply(_)));
        let none = cache(&parent, 0);
        none.keep("n", reply("x"), &Redactor::default()).unwrap();
        assert_eq!(none.find("n").unwrap(), Found::Nothing);
    }

    #[test]
    fn a_reply_with_a_secret_is_not_stored() {
        let parent = tempfile::tempdir().unwrap();
        let cache = cache(&parent, 10);
        let secret = format!("the key is sk-{}", "a1b2c3d4e5f6g7h8i9j0");
        cache.keep("k", reply(&secret), &Redactor::default()).unwrap();
        assert_eq!(cache.find("k").unwrap(), Found::Nothing);
    }

    #[test]
    fn two_processes_store_and_find_complete_replies() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().to_owned();
        let writers = (0..4).map(|number| {
            let path = path.clone();
            std::thread::spawn(move || {
                let cache = Cache::open(&path, 3, MEGABYTE).unwrap();
                for round in 0..25 {
                    let key = format!("k{}", (number + round) % 5);
                    cache
                        .keep(&key, reply(&key.repeat(1000)), &Redactor::default())
                        .unwrap();
                    match cache.find(&key).unwrap() {
                        Found::Reply(found) => assert_eq!(found, reply(&key.repeat(1000))),
                        Found::Nothing => {}
                        Found::Damaged(name) => panic!("{name}"),
                    }
                }
            })
        });
        writers
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        assert!(cache(&parent, 3).folder.list().unwrap().len() <= 3);
    }
}
