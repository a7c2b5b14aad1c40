//! API keys as the host manages them: takes names of providers, returns storage places. A key is never returned.

use geonode_provider::keys::{KeyPlace, Keys, Slot, StoredKey};
use geonode_provider::{ApiKey, Provider, ProviderError};
use geonode_store::audit::{self, Event};

use crate::request::OFFLINE;

/// Where the key of a provider at this address (its usual one when none is given) comes from: `variable` or the provider's usual
/// environment variables, then the key stores. Waits for the key store, but asks nobody.
///
/// # Errors
/// Unknown providers, addresses that cannot be used, key stores that refuse.
pub fn key_place(
    provider: &str,
    base_url: Option<&str>,
    variable: Option<&str>,
) -> Result<Option<KeyPlace>, ProviderError> {
    if provider == OFFLINE {
        return Ok(None);
    }
    let provider = Provider::from_name(provider)?;
    let slot = Slot::new(provider, base_url)?;
    let variables = variable.map_or_else(|| provider.key_variables().to_vec(), |variable| vec![variable]);
    Keys::of_this_user().place(&slot, &variables)
}

/// Stores a key for a provider at this address. May ask a person to unlock the key store.
///
/// # Errors
/// As [`key_place`]; and for texts that cannot be a key.
pub fn keep_key(provider: &str, base_url: Option<&str>, key: String) -> Result<StoredKey, ProviderError> {
    let key = ApiKey::new(key)?;
    let slot = Slot::new(Provider::from_name(provider)?, base_url)?;
    let kept = Keys::of_this_user().keep(&slot, &key)?;
    audit::record(Event::KeyKept {
        slot: slot.name().to_owned(),
        place: kept.place.clone(),
    });
    Ok(kept)
}

/// Removes the stored key of a provider at this address; returns whether there was one.
///
/// # Errors
/// As [`key_place`].
pub fn remove_key(provider: &str, base_url: Option<&str>) -> Result<bool, ProviderError> {
    let slot = Slot::new(Provider::from_name(provider)?, base_url)?;
    let removed = Keys::of_this_user().remove(&slot)?;
    if removed {
        audit::record(Event::KeyRemoved {
            slot: slot.name().to_owned(),
        });
    }
    Ok(removed)
}
