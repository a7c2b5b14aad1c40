//! Extensions of the protocol in this process: operations and step types (`register_op`, `register_executor`).
//!
//! A run uses the extensions that are registered when it starts; later registrations do not change it.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use geonode_protocol::{Expand, ExtensionError, Extensions};
use serde_json::Value;

fn registry() -> &'static RwLock<Arc<Extensions>> {
    static REGISTRY: OnceLock<RwLock<Arc<Extensions>>> = OnceLock::new();
    REGISTRY.get_or_init(RwLock::default)
}

/// The current extensions.
pub fn extensions() -> Arc<Extensions> {
    Arc::clone(&registry().read().unwrap_or_else(PoisonError::into_inner))
}

fn change<T>(change: impl FnOnce(&mut Extensions) -> T) -> T {
    let mut registry = registry().write().unwrap_or_else(PoisonError::into_inner);
    change(Arc::make_mut(&mut registry))
}

/// Adds an operation.
///
/// # Errors
/// When the name or the schema is invalid.
pub fn register_op(name: &str, schema: &Value, expand: Arc<Expand>) -> Result<(), ExtensionError> {
    change(|extensions| extensions.add_op(name, schema, expand))
}

/// Adds a step type.
///
/// # Errors
/// When the name or the schema is invalid.
pub fn register_action(name: &str, schema: &Value, requires_approval: bool) -> Result<(), ExtensionError> {
    change(|extensions| extensions.add_action(name, schema, requires_approval))
}

/// Removes an operation or a step type; returns whether it existed.
pub fn unregister(name: &str) -> bool {
    change(|extensions| extensions.remove(name))
}
