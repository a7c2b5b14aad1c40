//! The native class `AuditLog`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use geonode_protocol::Code;
use geonode_store::audit;
use pyo3::prelude::*;

use crate::errors::{CoreError, detached};
use crate::json::{dumps, to_python};

/// An append-only log whose entries are chained by their hashes. May be used from several threads.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct AuditLog(Mutex<audit::AuditLog>);

#[pymethods]
impl AuditLog {
    /// Opens the log at `path`, or creates it, and verifies the whole chain.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        detached(py, || audit::AuditLog::open(&path).map_err(CoreError::from)).map(|log| Self(Mutex::new(log)))
    }

    /// Adds an entry: `kind` is one word, `detail` is JSON-able. Returns the entry; a broken chain raises `audit_broken`.
    fn append<'py>(&self, py: Python<'py>, kind: &str, detail: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let text = dumps(detail)?;
        let entry = detached(py, || {
            let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let detail = serde_json::from_str(&text)
                .map_err(|error| CoreError::protocol(Code::BodyInvalid, format!("The detail is not JSON: {error}.")))?;
            log.append(kind, detail).map_err(CoreError::from)
        })?;
        to_python(py, &entry)
    }

    /// Verifies the whole chain again: `{"entries", "broken_at", "why"}`.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let verified = detached(py, || {
            let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            log.verify().map_err(CoreError::from)
        })?;
        to_python(py, &verified)
    }
}

/// Starts recording what is sent, asked, allowed and refused into the log at `path`, or at its usual place in the user's
/// configuration folder. Returns the path. A separate thread writes; nothing else waits for it.
#[pyfunction]
#[pyo3(signature = (path=None))]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
pub(crate) fn audit_start(py: Python<'_>, path: Option<PathBuf>) -> PyResult<PathBuf> {
    detached(py, || audit::start(path.as_deref()).map_err(CoreError::from))
}

/// Stops recording.
#[pyfunction]
pub(crate) fn audit_stop() {
    audit::stop();
}

/// Waits until everything recorded is on the disk, at most for this many seconds; returns whether it is.
#[pyfunction]
#[pyo3(signature = (seconds=1.0))]
pub(crate) fn audit_flush(py: Python<'_>, seconds: f64) -> PyResult<bool> {
    let limit = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    detached(py, || Ok::<_, CoreError>(audit::flush(limit)))
}

/// The path of the log and the result of verifying all of it: `{"path", "entries", "broken_at", "why"}`; None when nothing is
/// recorded. Reads the whole log: not for Blender's main thread.
#[pyfunction]
pub(crate) fn audit_state(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let state = detached(py, || audit::state().map_err(CoreError::from))?;
    let state = state.map(|(path, found)| {
        serde_json::json!({
            "path": path, "entries": found.entries, "broken_at": found.broken_at, "why": found.why,
        })
    });
    to_python(py, &state)
}

/// Sets the present log aside, intact or broken, and begins a new one. Returns the new path of the old one; None when there was none.
#[pyfunction]
pub(crate) fn audit_renew(py: Python<'_>) -> PyResult<Option<PathBuf>> {
    detached(py, || audit::renew().map_err(CoreError::from))
}

/// Records that a script is about to run without the rules of safe mode; the log keeps its hash and length.
#[pyfunction]
pub(crate) fn audit_trusted_script(code: &str) {
    audit::trusted_script(code);
}
