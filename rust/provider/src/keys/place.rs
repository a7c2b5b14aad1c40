//! Where a key lies.

use std::path::PathBuf;

use serde::Serialize;

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum Place {
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// The system's key store.
    System {
        /// What people call it.
        name: String,
    },
    /// A file that only its owner can read; the key stands in it as it is.
    File {
        /// Where it lies.
        path: PathBuf,
    },
}
