//! A Python that was found.

use std::path::PathBuf;

/// An interpreter that was started and found fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interpreter {
    /// The executable; never a shim or one inside a venv.
    pub(crate) path: PathBuf,
    /// Its full version, as `3.13.0`.
    pub(crate) version: String,
}
