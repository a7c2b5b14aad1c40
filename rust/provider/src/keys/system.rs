//! The system's key store: Secret Service (Linux), Keychain (macOS), Credential Manager (Windows).
//!
//! On Linux the secret crosses the session bus unencrypted: the bus is a socket of the same user, and a program that can listen there can
//! also ask the key store. That avoids a second set of ciphers.

use secrecy::zeroize::Zeroizing;

/// Why a key store fails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    not(any(target_os = "linux", test)),
    allow(
        dead_code,
        reason = "other systems always have a key store that is open while its owner is logged in"
    )
)]
pub(super) enum StoreError {
    /// The system has none, or none is running.
    Unavailable,
    /// It is locked and was not unlocked.
    Locked,
    /// Its own message.
    Refused(String),
}

/// A key store, by slot. All of it may wait; only `get` and `set` may ask a person to unlock it.
pub(super) trait SystemStore: std::fmt::Debug + Send + Sync {
    /// Its common name, capitalised for the beginning of a sentence.
    fn name(&self) -> &'static str;
    /// Whether it has a key for the slot.
    fn has(&self, slot: &str) -> Result<bool, StoreError>;
    /// The key of the slot.
    fn get(&self, slot: &str) -> Result<Option<Zeroizing<String>>, StoreError>;
    /// Stores a key, replacing that of the slot.
    fn set(&self, slot: &str, key: &str) -> Result<(), StoreError>;
    /// Removes the key of the slot; returns whether there was one.
    fn remove(&self, slot: &str) -> Result<bool, StoreError>;
}

/// The key store of this system.
pub(super) fn of_this_user() -> Box<dyn SystemStore> {
    Box::new(platform::Store)
}

/// Name of this program in the key stores.
#[cfg(any(target_os = "linux", target_os = "macos", windows))]
const SERVICE: &str = "GeoNode AI Assistant";

/// The stored entry as text; an entry of another program may be anything.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn text(secret: Vec<u8>) -> Result<Zeroizing<String>, StoreError> {
    String::from_utf8(secret).map(Zeroizing::new).map_err(|error| {
        drop(Zeroizing::new(error.into_bytes()));
        StoreError::Refused("its entry is not text".into())
    })
}

#[cfg(target_os = "linux")]
mod platform {
    use std::collections::HashMap;

    use dbus_secret_service::{EncryptionType, Error, Item, SecretService};

    use super::{SERVICE, StoreError, SystemStore, Zeroizing, text};

    /// How long a person has to unlock the store, in seconds.
    const PROMPT_S: u64 = 60;

    #[derive(Debug)]
    pub(super) struct Store;

    impl SystemStore for Store {
        fn name(&self) -> &'static str {
            "The key store of the desktop"
        }

        fn has(&self, slot: &str) -> Result<bool, StoreError> {
            let service = connect(0)?;
            let found = service.search_items(attributes(slot)).map_err(refused)?;
            Ok(!(found.unlocked.is_empty() && found.locked.is_empty()))
        }

        fn get(&self, slot: &str) -> Result<Option<Zeroizing<String>>, StoreError> {
            let service = connect(PROMPT_S)?;
            let found = service.search_items(attributes(slot)).map_err(refused)?;
            let Some(item) = found.unlocked.first().or(found.locked.first()) else {
                return Ok(None);
            };
            item.ensure_unlocked().map_err(refused)?;
            text(item.get_secret().map_err(refused)?).map(Some)
        }

        fn set(&self, slot: &str, key: &str) -> Result<(), StoreError> {
            let service = connect(PROMPT_S)?;
            let collection = match service.get_default_collection() {
                Err(Error::NoResult) => service.create_collection("Login", "default"),
                found => found,
            };
            let collection = collection.map_err(refused)?;
            collection.ensure_unlocked().map_err(refused)?;
            let label = format!("{SERVICE}: {slot}");
            let made = collection.create_item(&label, attributes(slot), key.as_bytes(), true, "text/plain");
            made.map(drop).map_err(refused)
        }

        fn remove(&self, slot: &str) -> Result<bool, StoreError> {
            let service = connect(PROMPT_S)?;
            let found = service.search_items(attributes(slot)).map_err(refused)?;
            let items: Vec<Item<'_>> = found.unlocked.into_iter().chain(found.locked).collect();
            for item in &items {
                item.ensure_unlocked().and_then(|()| item.delete()).map_err(refused)?;
            }
            Ok(!items.is_empty())
        }
    }

    fn attributes(slot: &str) -> HashMap<&str, &str> {
        HashMap::from([("application", "geonode-assistant"), ("slot", slot)])
    }

    /// A separate connection for each call: calls are rare, and no connection becomes stale.
    fn connect(prompt_s: u64) -> Result<SecretService, StoreError> {
        SecretService::connect_with_max_prompt_timeout(EncryptionType::Plain, prompt_s).map_err(|error| match error {
            Error::Dbus(error) if slow(&error) => StoreError::Refused("it does not answer".into()),
            // No bus, or no key store on it.
            Error::Dbus(_) | Error::Unavailable => StoreError::Unavailable,
            other => refused(other),
        })
    }

    fn slow(error: &dbus::Error) -> bool {
        matches!(
            error.name(),
            Some("org.freedesktop.DBus.Error.NoReply" | "org.freedesktop.DBus.Error.Timeout")
        )
    }

    fn refused(error: Error) -> StoreError {
        match error {
            Error::Locked | Error::Prompt => StoreError::Locked,
            Error::Dbus(error) if slow(&error) => StoreError::Refused("it does not answer".into()),
            other => StoreError::Refused(crate::error::one_line(&other.to_string()).unwrap_or_default()),
        }
    }
}

#[cfg(target_os = "macos")]
mod platform {
    use security_framework::base::Error;
    use security_framework::passwords::{delete_generic_password, get_generic_password, set_generic_password};

    use super::{SERVICE, StoreError, SystemStore, Zeroizing, text};

    /// `errSecItemNotFound`.
    const NOT_FOUND: i32 = -25300;
    /// `errSecInteractionNotAllowed`: the keychain is locked and nobody can be asked, as over ssh.
    const NOT_ALLOWED: i32 = -25308;
    /// `errSecUserCanceled`.
    const CANCELLED: i32 = -128;

    #[derive(Debug)]
    pub(super) struct Store;

    impl SystemStore for Store {
        fn name(&self) -> &'static str {
            "The Keychain"
        }

        fn has(&self, slot: &str) -> Result<bool, StoreError> {
            use security_framework::item::{ItemClass, ItemSearchOptions};
            let mut search = ItemSearchOptions::new();
            // Attributes are readable without unlocking, so the user is not asked.
            search
                .class(ItemClass::generic_password())
                .service(SERVICE)
                .account(slot)
                .load_attributes(true);
            match search.search() {
                Ok(found) => Ok(!found.is_empty()),
                Err(error) if error.code() == NOT_FOUND => Ok(false),
                Err(error) => Err(refused(&error)),
            }
        }

        fn get(&self, slot: &str) -> Result<Option<Zeroizing<String>>, StoreError> {
            match get_generic_password(SERVICE, slot) {
                Ok(secret) => text(secret).map(Some),
                Err(error) if error.code() == NOT_FOUND => Ok(None),
                Err(error) => Err(refused(&error)),
            }
        }

        fn set(&self, slot: &str, key: &str) -> Result<(), StoreError> {
            set_generic_password(SERVICE, slot, key.as_bytes()).map_err(|error| refused(&error))
        }

        fn remove(&self, slot: &str) -> Result<bool, StoreError> {
            match delete_generic_password(SERVICE, slot) {
                Ok(()) => Ok(true),
                Err(error) if error.code() == NOT_FOUND => Ok(false),
                Err(error) => Err(refused(&error)),
            }
        }
    }

    fn refused(error: &Error) -> StoreError {
        match error.code() {
            NOT_ALLOWED | CANCELLED => StoreError::Locked,
            _ => StoreError::Refused(crate::error::one_line(&error.to_string()).unwrap_or_default()),
        }
    }
}

#[cfg(windows)]
mod platform {
    use std::collections::HashMap;

    use keyring_core::api::CredentialStoreApi;
    use keyring_core::{Entry, Error};

    use super::{SERVICE, StoreError, SystemStore, Zeroizing};

    #[derive(Debug)]
    pub(super) struct Store;

    impl SystemStore for Store {
        fn name(&self) -> &'static str {
            "The Windows Credential Manager"
        }

        fn has(&self, slot: &str) -> Result<bool, StoreError> {
            self.get(slot).map(|key| key.is_some())
        }

        fn get(&self, slot: &str) -> Result<Option<Zeroizing<String>>, StoreError> {
            match entry(slot)?.get_password() {
                Ok(key) => Ok(Some(Zeroizing::new(key))),
                Err(Error::NoEntry) => Ok(None),
                Err(error) => Err(refused(&error)),
            }
        }

        fn set(&self, slot: &str, key: &str) -> Result<(), StoreError> {
            entry(slot)?.set_password(key).map_err(|error| refused(&error))
        }

        fn remove(&self, slot: &str) -> Result<bool, StoreError> {
            match entry(slot)?.delete_credential() {
                Ok(()) => Ok(true),
                Err(Error::NoEntry) => Ok(false),
                Err(error) => Err(refused(&error)),
            }
        }
    }

    fn entry(slot: &str) -> Result<Entry, StoreError> {
        // On this computer only: it does not travel with a roaming profile.
        let local = HashMap::from([("persistence", "Local")]);
        windows_native_keyring_store::Store::new()
            .and_then(|store| store.build(SERVICE, slot, Some(&local)))
            .map_err(|error| refused(&error))
    }

    /// Only the kind of the error, since some errors contain the bytes of the secret.
    fn refused(error: &Error) -> StoreError {
        match error {
            Error::NoStorageAccess(_) => StoreError::Locked,
            Error::PlatformFailure(why) => {
                StoreError::Refused(crate::error::one_line(&why.to_string()).unwrap_or_default())
            }
            Error::BadEncoding(_) | Error::BadDataFormat(..) => StoreError::Refused("its entry is not text".into()),
            _ => StoreError::Refused("it cannot store this key".into()),
        }
    }
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn the_credential_manager_keeps_replaces_and_forgets_a_key() {
        let (store, slot) = (of_this_user(), format!("test of process {}", std::process::id()));
        assert_eq!(store.has(&slot), Ok(false));
        assert_eq!(store.get(&slot), Ok(None));
        for key in ["sk-first", "sk-ünïcödé-second"] {
            store.set(&slot, key).unwrap();
            assert_eq!(store.get(&slot).unwrap().as_deref().map(String::as_str), Some(key));
        }
        assert_eq!(store.has(&slot), Ok(true));
        // More than it holds.
        let why = store.set(&slot, &"x".repeat(10_000));
        assert!(matches!(why, Err(StoreError::Refused(_))), "{why:?}");
        assert_eq!(store.remove(&slot), Ok(true));
        assert_eq!(store.remove(&slot), Ok(false));
        assert_eq!(store.get(&slot), Ok(None));
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
mod platform {
    use super::{StoreError, SystemStore, Zeroizing};

    #[derive(Debug)]
    pub(super) struct Store;

    impl SystemStore for Store {
        fn name(&self) -> &'static str {
            "The key store"
        }
        fn has(&self, _: &str) -> Result<bool, StoreError> {
            Err(StoreError::Unavailable)
        }
        fn get(&self, _: &str) -> Result<Option<Zeroizing<String>>, StoreError> {
            Err(StoreError::Unavailable)
        }
        fn set(&self, _: &str, _: &str) -> Result<(), StoreError> {
            Err(StoreError::Unavailable)
        }
        fn remove(&self, _: &str) -> Result<bool, StoreError> {
            Err(StoreError::Unavailable)
        }
    }
}
