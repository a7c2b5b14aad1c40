//! Places of keys.

use std::path::PathBuf;

use serde::Serialize;

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum KeyPlace {
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// The system's key store.
    System {
        /// Its common name.
        name: String,
    },
    /// A file that only its owner can read, with the key in plain text.
    File {
        /// Its path.
        path: PathBuf,
    },
}
