//! Keys in a file, for systems without a key store: readable only by its owner, complete or absent.
//!
//! A file that others can read or that belongs to another user is not used, and links are not followed: whoever could put them
//! there could read the keys or choose them. Processes that write at the same time take turns by a lock of the operating system.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use geonode_files::{exposed_to_others, is_link, make, make_folder, open, open_or_make, remove, rename};
use secrecy::zeroize::Zeroizing;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};

use super::place::KeyPlace;
use crate::error::ProviderError;
use crate::secret::ApiKey;

/// Version of the format.
const VERSION: u64 = 1;
/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// How long another process may take to write.
const PATIENCE: Duration = Duration::from_secs(5);

/// The keys of a file by their slot.
pub(super) type Held = BTreeMap<String, ApiKey>;

/// The content of the file, for reading.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    geonode_keys: u64,
    #[serde(deserialize_with = "held")]
    keys: Held,
}

/// The content of the file, for writing: the only place where keys are serialised.
#[derive(Serialize)]
struct Written<'a> {
    geonode_keys: u64,
    #[serde(serialize_with = "exposed")]
    keys: &'a Held,
}

/// A file of keys.
#[derive(Debug)]
pub(super) struct KeyFile {
    folder: PathBuf,
}

impl KeyFile {
    /// The file in the user's configuration folder; `None` when the folder is not known.
    pub(super) fn of_this_user() -> Option<Self> {
        folder().map(Self::at)
    }

    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn place(&self) -> KeyPlace {
        KeyPlace::File { path: self.path() }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("keys.json")
    }

    /// Whether anything exists at its path, including a link.
    pub(super) fn exists(&self) -> bool {
        fs::symlink_metadata(self.path()).is_ok()
    }

    /// The key of a slot.
    pub(super) fn get(&self, slot: &str) -> Result<Option<ApiKey>, ProviderError> {
        match self.read()? {
            Some(Ok(mut keys)) => Ok(keys.remove(slot)),
            Some(Err(why)) => Err(damaged(&self.path(), &why)),
            None => Ok(None),
        }
    }

    /// Changes the keys under a lock. A damaged file is set aside and its new name returned.
    pub(super) fn change(&self, change: impl FnOnce(&mut Held)) -> Result<Option<PathBuf>, ProviderError> {
        let failed = |error: std::io::Error| unusable(&self.folder, &error);
        make_folder(&self.folder).map_err(failed)?;
        let _turn = self.take_turn()?;
        let (mut keys, set_aside) = match self.read()? {
            Some(Ok(keys)) => (keys, None),
            Some(Err(_)) => (Held::new(), Some(self.set_aside().map_err(failed)?)),
            None => (Held::new(), None),
        };
        change(&mut keys);
        if keys.is_empty() {
            remove(&self.path()).map_err(failed)?;
            return Ok(set_aside);
        }
        self.write(&keys).map_err(failed)?;
        Ok(set_aside)
    }

    /// The content of the file; `None` without a file, an inner error if it is damaged.
    fn read(&self) -> Result<Option<Result<Held, String>>, ProviderError> {
        let path = self.path();
        let mut file = match open(&path, File::options().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if is_link(&path) => {
                drop(error);
                return Err(unsafe_file(&path, "it is a link"));
            }
            Err(error) => return Err(unusable(&path, &error)),
        };
        if let Some(why) = exposed_to_others(&file).map_err(|error| unusable(&path, &error))? {
            return Err(unsafe_file(&path, why));
        }
        let mut text = Zeroizing::new(String::new());
        let limit = MAX_BYTES + 1;
        if let Err(error) = (&mut file).take(limit).read_to_string(&mut text) {
            return match error.kind() {
                ErrorKind::InvalidData => Ok(Some(Err("it is not text".to_owned()))),
                _ => Err(unusable(&path, &error)),
            };
        }
        if text.len() as u64 >= limit {
            return Ok(Some(Err("it is larger than 1 MB".to_owned())));
        }
        Ok(Some(match serde_json::from_str::<Document>(&text) {
            Ok(document) if document.geonode_keys == VERSION => Ok(document.keys),
            Ok(document) => Err(format!("it has version {} of the format", document.geonode_keys)),
            // Only the place: the cause could quote a key.
            Err(error) => Err(format!("line {}, column {}", error.line(), error.column())),
        }))
    }

    /// Writes all keys, completely or not at all. Only while this process has the lock.
    fn write(&self, keys: &Held) -> std::io::Result<()> {
        let document = Written {
            geonode_keys: VERSION,
            keys,
        };
        let text = Zeroizing::new(serde_json::to_string_pretty(&document)?);
        let fresh = self.folder.join("keys.new");
        remove(&fresh)?;
        let mut file = make(&fresh)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        // Windows moves no file that is open.
        drop(file);
        let written = written.and_then(|()| rename(&fresh, &self.path()));
        if written.is_err() {
            let _ = remove(&fresh);
        }
        written
    }

    /// Sets a damaged file aside.
    fn set_aside(&self) -> std::io::Result<PathBuf> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let aside = self.folder.join(format!("keys.damaged-{}.json", now.as_millis()));
        rename(&self.path(), &aside)?;
        Ok(aside)
    }

    /// Waits for the lock, which is held until the returned file is dropped.
    fn take_turn(&self) -> Result<File, ProviderError> {
        let path = self.folder.join("keys.lock");
        let lock =
            open_or_make(&path, File::options().read(true).write(true)).map_err(|error| unusable(&path, &error))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(fs::TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(fs::TryLockError::WouldBlock) => {
                    return Err(ProviderError::KeyStore(format!(
                        "Another process has been writing {} for {} s. Try again.",
                        self.path().display(),
                        PATIENCE.as_secs()
                    )));
                }
                Err(fs::TryLockError::Error(error)) => return Err(unusable(&path, &error)),
            }
        }
    }
}

/// The folder of this program's files: `GEONODE_ASSISTANT_HOME`, else in the configuration folder that the platform has.
pub(super) fn folder() -> Option<PathBuf> {
    variable("GEONODE_ASSISTANT_HOME").or_else(|| Some(configuration()?.join("geonode-assistant")))
}

/// A path in an environment variable.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

fn configuration() -> Option<PathBuf> {
    if let Some(folder) = variable("XDG_CONFIG_HOME") {
        return Some(folder);
    }
    if cfg!(windows) {
        return variable("APPDATA");
    }
    let home = std::env::home_dir().filter(|home| home.is_absolute())?;
    Some(home.join(if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".config"
    }))
}

fn unsafe_file(path: &Path, why: &str) -> ProviderError {
    ProviderError::KeyFileUnsafe {
        path: path.display().to_string(),
        why: why.to_owned(),
    }
}

fn damaged(path: &Path, why: &str) -> ProviderError {
    ProviderError::KeyFileDamaged {
        path: path.display().to_string(),
        why: why.to_owned(),
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> ProviderError {
    ProviderError::KeyStore(format!("{} cannot be used: {error}.", path.display()))
}

fn held<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Held, D::Error> {
    let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
    let read = |(slot, text)| Ok((slot, ApiKey::new(text).map_err(|_| D::Error::custom("no key"))?));
    texts.into_iter().map(read).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn exposed<S: Serializer>(keys: &&Held, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(keys.iter().map(|(slot, key)| (slot, key.expose())))
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::fs::{PermissionsExt, symlink};

    use geonode_protocol::Code;

    use super::*;

    fn file() -> (tempfile::TempDir, KeyFile) {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::at(folder.path().join("deep").join("assistant"));
        (folder, file)
    }

    fn put(file: &KeyFile, slot: &str, key: &str) -> Result<Option<PathBuf>, ProviderError> {
        let key = ApiKey::new(key).unwrap();
        file.change(|keys| drop(keys.insert(slot.to_owned(), key)))
    }

    fn got(file: &KeyFile, slot: &str) -> Option<String> {
        file.get(slot).unwrap().map(|key| key.expose().to_owned())
    }

    fn is_private(path: &Path) -> bool {
        exposed_to_others(&File::open(path).unwrap()).unwrap().is_none()
    }

    #[test]
    fn only_the_owner_can_read_the_key_file() {
        let (_folder, file) = file();
        assert_eq!(got(&file, "a"), None);
        assert!(!file.folder.exists(), "reading writes nothing");
        assert_eq!(put(&file, "a", "sk-secret-a").unwrap(), None);
        put(&file, "b", "sk-secret-b").unwrap();
        assert_eq!(
            (got(&file, "a").as_deref(), got(&file, "b").as_deref()),
            (Some("sk-secret-a"), Some("sk-secret-b"))
        );
        assert!(is_private(&file.path()));
        #[cfg(unix)]
        for (path, wanted) in [(file.path(), 0o600), (file.folder.clone(), 0o700)] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, wanted);
        }
        let names = fs::read_dir(&file.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, ["keys.json", "keys.lock"], "nothing half written stays");
    }

    #[test]
    #[cfg(unix)]
    fn files_that_others_can_reach_are_not_used() {
        let (_folder, file) = file();
        put(&file, "a", "sk-secret-a").unwrap();
        for open in [0o604, 0o640, 0o602, 0o666] {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(open)).unwrap();
            let error = file.get("a").unwrap_err();
            assert_eq!(error.code(), Code::KeyFileUnsafe, "{open:o}");
            assert!(error.to_string().contains("chmod 600"), "{error}");
            assert_eq!(put(&file, "b", "sk-secret-b").unwrap_err().code(), Code::KeyFileUnsafe);
        }
        fs::remove_file(file.path()).unwrap();
        fs::create_dir(file.path()).unwrap();
        assert_eq!(file.get("a").unwrap_err().code(), Code::KeyFileUnsafe);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_neither_read_nor_written() {
        let (folder, file) = file();
        put(&file, "a", "sk-secret-a").unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(file.path(), &elsewhere).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        for target in [elsewhere.clone(), folder.path().join("nowhere")] {
            symlink(&target, file.path()).unwrap();
            assert_eq!(file.get("a").unwrap_err().code(), Code::KeyFileUnsafe);
            assert_eq!(put(&file, "b", "sk-secret-b").unwrap_err().code(), Code::KeyFileUnsafe);
            assert!(is_link(&file.path()), "it is left for its owner to look at");
            fs::remove_file(file.path()).unwrap();
        }
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
        // The files beside it do not give access either.
        symlink(&elsewhere, file.folder.join("keys.new")).unwrap();
        put(&file, "c", "sk-secret-c").unwrap();
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
        fs::remove_file(file.folder.join("keys.lock")).unwrap();
        symlink(&elsewhere, file.folder.join("keys.lock")).unwrap();
        assert_eq!(
            put(&file, "d", "sk-secret-d").unwrap_err().code(),
            Code::KeyStoreRefused
        );
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
    }

    #[test]
    fn a_damaged_file_is_reported_and_set_aside() {
        let (_folder, file) = file();
        for text in [
            &b""[..],
            b"{",
            b"\xff\xfe",
            b"{\"geonode_keys\": 2, \"keys\": {}}",
            b"{\"geonode_keys\": 1, \"keys\": {\"a\": \"line\\nbreak\"}}",
            b"{\"geonode_keys\": 1, \"keys\": {\"a\": 7}, \"sk-secret\": 1}",
            &b" ".repeat((1 << 20) + 1),
        ] {
            put(&file, "a", "sk-secret-a").unwrap();
            fs::write(file.path(), text).unwrap();
            let error = file.get("a").unwrap_err();
            assert_eq!(error.code(), Code::KeyFileDamaged);
            assert!(!error.to_string().contains("secret"), "{error}");
            let aside = put(&file, "b", "sk-secret-b").unwrap().unwrap();
            assert_eq!(fs::read(&aside).unwrap(), text);
            assert!(is_private(&aside));
            assert_eq!(
                (got(&file, "a"), got(&file, "b").as_deref()),
                (None, Some("sk-secret-b"))
            );
            fs::remove_file(aside).unwrap();
        }
    }

    #[test]
    fn concurrent_writers_of_keys_lose_nothing() {
        let (_folder, file) = file();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let file = &file;
                scope.spawn(move || {
                    for n in 0..8 {
                        put(file, &format!("{writer}.{n}"), "sk-secret").unwrap();
                    }
                });
            }
        });
        assert_eq!(file.read().unwrap().unwrap().unwrap().len(), 64);
    }
}
