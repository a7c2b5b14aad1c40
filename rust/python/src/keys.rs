//! Storage of API keys. A key is never returned.

use geonode_engine::{keep_key as keep, key_place as place, remove_key as remove};
use pyo3::prelude::*;

use crate::errors::{CoreError, detached};
use crate::json::to_python;

/// Where the key of a provider at this address comes from, without reading it: None, `{"place": "environment", "variable"}`,
/// `{"place": "system", "name"}` or `{"place": "file", "path"}`. May wait for the key store: not for Blender's main thread.
#[pyfunction]
#[pyo3(signature = (provider, base_url=None, variable=None))]
pub(crate) fn key_place<'py>(
    py: Python<'py>,
    provider: &str,
    base_url: Option<&str>,
    variable: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = detached(py, || place(provider, base_url, variable).map_err(CoreError::from))?;
    to_python(py, &found)
}

/// Stores a key for a provider at this address: in the system's key store, or in a file that only its owner can read if there is
/// none. Returns the place as `key_place` does, with `set_aside` when a damaged file was moved there. May ask to unlock the key store.
#[pyfunction]
#[pyo3(signature = (provider, key, base_url=None))]
pub(crate) fn keep_key<'py>(
    py: Python<'py>,
    provider: &str,
    key: String,
    base_url: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let kept = detached(py, || keep(provider, base_url, key).map_err(CoreError::from))?;
    to_python(py, &kept)
}

/// Removes the stored key of a provider at this address; returns whether there was one. May ask to unlock the key store.
#[pyfunction]
#[pyo3(signature = (provider, base_url=None))]
pub(crate) fn remove_key(py: Python<'_>, provider: &str, base_url: Option<&str>) -> PyResult<bool> {
    detached(py, || remove(provider, base_url).map_err(CoreError::from))
}
