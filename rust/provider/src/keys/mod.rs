//! Storage of API keys: in an environment variable, in the system's key store, or, without one, in a file that only its
//! owner can read.
//!
//! A stored key belongs to a provider *and* the origin of its endpoint: it is not sent to another address.
//! Everything here may wait for a person (a key store that asks to be unlocked), so it must not be called on Blender's main thread.

mod file;
mod place;
mod system;

use std::path::PathBuf;

use serde::Serialize;

pub use place::KeyPlace;

use crate::config::Endpoint;
use crate::error::ProviderError;
use crate::providers::Provider;
use crate::secret::ApiKey;

use self::file::KeyFile;
use self::system::{StoreError, SystemStore};

/// Longest key, in bytes. Longer than any provider's; short enough for every key store.
const LONGEST_KEY: usize = 1024;

/// The folder of the user's files of this program, for all versions of Blender; `None` when it is not known.
pub fn folder() -> Option<PathBuf> {
    file::folder()
}

/// The slot of a stored key: a provider at an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot(String);

impl Slot {
    /// The slot of a provider at this address, or at its usual one.
    ///
    /// # Errors
    /// `Config` for a provider without keys, or an address that cannot be used; `InsecureUrl`.
    pub fn new(provider: Provider, base_url: Option<&str>) -> Result<Self, ProviderError> {
        let given = base_url.filter(|url| !url.trim().is_empty());
        let address = match (provider, given.or(provider.base_url())) {
            (Provider::Replay, _) => {
                return Err(ProviderError::Config("The replay provider needs no key.".into()));
            }
            (_, Some(address)) => address,
            (_, None) => {
                return Err(ProviderError::Config(
                    "A key is kept for one server: set the base URL first.".into(),
                ));
            }
        };
        Ok(Self::at(provider, &Endpoint::parse(address)?))
    }

    pub(crate) fn at(provider: Provider, endpoint: &Endpoint) -> Self {
        Self(format!("{} {}", provider.name(), endpoint.origin()))
    }

    /// `PROVIDER ORIGIN`, such as `openai https://api.openai.com`; no secret.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The result of storing a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredKey {
    /// Where the key is stored now.
    #[serde(flatten)]
    pub place: KeyPlace,
    /// The new name of a damaged file that was set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<PathBuf>,
}

/// The key stores of one user.
#[derive(Debug)]
pub struct Keys {
    system: Box<dyn SystemStore>,
    file: Option<KeyFile>,
}

impl Keys {
    /// Those of the user of this process.
    pub fn of_this_user() -> Self {
        Self {
            system: system::of_this_user(),
            file: KeyFile::of_this_user(),
        }
    }

    /// Where the key of this slot would come from; reads no key and never asks a person.
    ///
    /// # Errors
    /// `KeyStore` and `KeyFile` for a store that refuses or cannot be trusted.
    pub fn place(&self, slot: &Slot, variables: &[&str]) -> Result<Option<KeyPlace>, ProviderError> {
        if let Some((variable, _)) = from_environment(variables) {
            return Ok(Some(KeyPlace::Environment { variable }));
        }
        match self.system.has(slot.name()) {
            Ok(true) => return Ok(Some(self.system_place())),
            Ok(false) | Err(StoreError::Unavailable) => {}
            Err(error) => return Err(self.refused(&error)),
        }
        match &self.file {
            Some(file) if file.get(slot.name())?.is_some() => Ok(Some(file.place())),
            _ => Ok(None),
        }
    }

    /// The stored key of this slot. May ask a person to unlock the key store.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn stored(&self, slot: &Slot) -> Result<Option<ApiKey>, ProviderError> {
        match self.system.get(slot.name()) {
            Ok(Some(text)) => return ApiKey::new(text.as_str()).map(Some),
            Ok(None) | Err(StoreError::Unavailable) => {}
            Err(error) => return Err(self.refused(&error)),
        }
        match &self.file {
            Some(file) => file.get(slot.name()),
            None => Ok(None),
        }
    }

    /// Stores a key for a slot: in the system's key store, or in the file if the system has none. An earlier key is replaced.
    ///
    /// # Errors
    /// As [`Self::place`]; `KeyInvalid` for a text that is too long to be a key. If the key store refuses, the file is not used instead.
    pub fn keep(&self, slot: &Slot, key: &ApiKey) -> Result<StoredKey, ProviderError> {
        if key.expose().len() > LONGEST_KEY {
            return Err(ProviderError::KeyInvalid);
        }
        match self.system.set(slot.name(), key.expose()) {
            Ok(()) => {
                // An older key in the file would be used again by the next session without a key store.
                let set_aside = match &self.file {
                    Some(file) if file.exists() => file.change(|keys| drop(keys.remove(slot.name())))?,
                    _ => None,
                };
                return Ok(StoredKey {
                    place: self.system_place(),
                    set_aside,
                });
            }
            Err(StoreError::Unavailable) => {}
            Err(error) => return Err(self.refused(&error)),
        }
        let Some(file) = &self.file else {
            return Err(ProviderError::KeyStore(
                "This system has no key store, and no folder for a file is known. Set an environment variable instead."
                    .into(),
            ));
        };
        let set_aside = file.change(|keys| drop(keys.insert(slot.name().to_owned(), key.clone())))?;
        Ok(StoredKey {
            place: file.place(),
            set_aside,
        })
    }

    /// Removes the stored key of a slot from all stores; returns whether there was one.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn remove(&self, slot: &Slot) -> Result<bool, ProviderError> {
        let mut removed = match self.system.remove(slot.name()) {
            Ok(removed) => removed,
            Err(StoreError::Unavailable) => false,
            Err(error) => return Err(self.refused(&error)),
        };
        if let Some(file) = self.file.as_ref().filter(|file| file.exists()) {
            file.change(|keys| removed |= keys.remove(slot.name()).is_some())?;
        }
        Ok(removed)
    }

    fn system_place(&self) -> KeyPlace {
        KeyPlace::System {
            name: self.system.name().to_owned(),
        }
    }

    fn refused(&self, error: &StoreError) -> ProviderError {
        let name = self.system.name();
        ProviderError::KeyStore(match error {
            StoreError::Locked => format!("{name} is locked. Unlock it and try again, or set an environment variable."),
            StoreError::Refused(why) => format!("{name} refuses: {why}. Set an environment variable instead."),
            StoreError::Unavailable => format!("{name} is not there."),
        })
    }
}

/// The first of these environment variables that is set, with its value; an empty one counts as not set.
pub(crate) fn from_environment(variables: &[&str]) -> Option<(String, String)> {
    let set = |variable: &&str| Some(((*variable).to_owned(), std::env::var(variable).ok()?));
    variables.iter().filter_map(set).find(|(_, key)| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use geonode_protocol::Code;
    use secrecy::zeroize::Zeroizing;

    use super::*;

    /// A key store for tests.
    #[derive(Debug, Default)]
    struct Fake {
        keys: Mutex<BTreeMap<String, String>>,
        fails: Option<StoreError>,
    }

    impl Fake {
        fn answer<T>(&self, value: T) -> Result<T, StoreError> {
            self.fails.clone().map_or(Ok(value), Err)
        }
    }

    impl SystemStore for Fake {
        fn name(&self) -> &'static str {
            "The fake"
        }
        fn has(&self, slot: &str) -> Result<bool, StoreError> {
            self.answer(self.keys.lock().unwrap().contains_key(slot))
        }
        fn get(&self, slot: &str) -> Result<Option<Zeroizing<String>>, StoreError> {
            self.answer(self.keys.lock().unwrap().get(slot).cloned().map(Zeroizing::new))
        }
        fn set(&self, slot: &str, key: &str) -> Result<(), StoreError> {
            self.answer(())?;
            self.keys.lock().unwrap().insert(slot.to_owned(), key.to_owned());
            Ok(())
        }
        fn remove(&self, slot: &str) -> Result<bool, StoreError> {
            self.answer(())?;
            Ok(self.keys.lock().unwrap().remove(slot).is_some())
        }
    }

    fn keys(fails: Option<StoreError>) -> (tempfile::TempDir, Keys) {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys {
            system: Box::new(Fake {
                fails,
                ..Fake::default()
            }),
            file: Some(KeyFile::at(folder.path().join("assistant"))),
        };
        (folder, keys)
    }

    fn slot() -> Slot {
        Slot::new(Provider::OpenAi, None).unwrap()
    }

    fn stored(keys: &Keys, slot: &Slot) -> Option<String> {
        keys.stored(slot).unwrap().map(|key| key.expose().to_owned())
    }

    fn key(text: &str) -> ApiKey {
        ApiKey::new(text).unwrap()
    }

    #[test]
    fn keys_are_stored_by_provider_and_origin() {
        assert_eq!(slot().name(), "openai https://api.openai.com");
        let at = |provider, url| Slot::new(provider, Some(url)).unwrap().name().to_owned();
        let compatible = Provider::OpenAiCompatible;
        assert_eq!(
            at(compatible, "http://LOCALHOST:1/v1?x=1"),
            "openai-compatible http://localhost:1"
        );
        assert_eq!(
            at(compatible, "https://a.b:443/v1"),
            at(compatible, "https://a.b/other")
        );
        assert_ne!(at(compatible, "https://a.b"), at(compatible, "https://a.b:8443"));
        assert_ne!(at(Provider::OpenAi, "https://a.b"), at(compatible, "https://a.b"));
        for (provider, url, code) in [
            (compatible, None, Code::SettingInvalid),
            (Provider::Replay, Some("file.json"), Code::SettingInvalid),
            (compatible, Some("http://a.b"), Code::InsecureUrl),
        ] {
            assert_eq!(Slot::new(provider, url).unwrap_err().code(), code);
        }
    }

    #[test]
    fn the_system_key_store_is_preferred() {
        let (folder, keys) = keys(None);
        assert_eq!(
            (stored(&keys, &slot()), keys.place(&slot(), &[]).unwrap()),
            (None, None)
        );
        let kept = keys.keep(&slot(), &key("sk-one-secret")).unwrap();
        let system = KeyPlace::System {
            name: "The fake".into(),
        };
        assert_eq!((kept.place, kept.set_aside), (system.clone(), None));
        assert_eq!(keys.place(&slot(), &["NO_SUCH_VARIABLE"]).unwrap(), Some(system));
        assert_eq!(stored(&keys, &slot()).as_deref(), Some("sk-one-secret"));
        assert!(
            !folder.path().join("assistant").exists(),
            "nothing is written beside it"
        );
        let elsewhere = Slot::new(Provider::OpenAi, Some("https://elsewhere.example")).unwrap();
        assert_eq!(stored(&keys, &elsewhere), None, "a key stays with its address");
        assert!(keys.remove(&slot()).unwrap());
        assert!(!keys.remove(&slot()).unwrap());
        assert_eq!(stored(&keys, &slot()), None);
    }

    #[test]
    fn the_environment_comes_first() {
        let (_folder, keys) = keys(None);
        keys.keep(&slot(), &key("sk-one-secret")).unwrap();
        // cargo always sets this variable.
        let place = keys.place(&slot(), &["CARGO_MANIFEST_DIR"]).unwrap();
        let variable = "CARGO_MANIFEST_DIR".to_owned();
        assert_eq!(place, Some(KeyPlace::Environment { variable }));
    }

    #[test]
    fn keys_are_stored_in_a_file_without_a_key_store() {
        let (folder, keys) = keys(Some(StoreError::Unavailable));
        let path = folder.path().join("assistant").join("keys.json");
        let kept = keys.keep(&slot(), &key("sk-one-secret")).unwrap();
        assert_eq!(kept.place, KeyPlace::File { path: path.clone() });
        assert_eq!(keys.place(&slot(), &[]).unwrap(), Some(kept.place));
        assert_eq!(stored(&keys, &slot()).as_deref(), Some("sk-one-secret"));
        assert!(keys.remove(&slot()).unwrap());
        assert!(!path.exists(), "an empty file says that there were keys");
    }

    #[test]
    fn no_other_store_is_used_if_the_key_store_refuses() {
        for fails in [StoreError::Locked, StoreError::Refused("no".into())] {
            let (folder, keys) = keys(Some(fails));
            let error = keys.keep(&slot(), &key("sk-one-secret")).unwrap_err();
            assert_eq!(error.code(), Code::KeyStoreRefused);
            assert!(!error.to_string().contains("sk-one"));
            assert!(!folder.path().join("assistant").exists());
            assert_eq!(keys.stored(&slot()).unwrap_err().code(), Code::KeyStoreRefused);
            assert_eq!(keys.remove(&slot()).unwrap_err().code(), Code::KeyStoreRefused);
        }
    }

    #[test]
    fn a_key_that_is_stored_in_the_system_is_removed_from_the_file() {
        let (folder, without) = keys(Some(StoreError::Unavailable));
        without.keep(&slot(), &key("sk-old-secret")).unwrap();
        let with = Keys {
            system: Box::new(Fake::default()),
            file: Some(KeyFile::at(folder.path().join("assistant"))),
        };
        assert_eq!(stored(&with, &slot()).as_deref(), Some("sk-old-secret"));
        with.keep(&slot(), &key("sk-new-secret")).unwrap();
        assert_eq!(stored(&without, &slot()), None);
        assert_eq!(stored(&with, &slot()).as_deref(), Some("sk-new-secret"));
        let long = key(&"x".repeat(LONGEST_KEY + 1));
        assert_eq!(with.keep(&slot(), &long).unwrap_err().code(), Code::KeyInvalid);
    }
}
