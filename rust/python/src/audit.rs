//! The native class `AuditLog`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use geonode_engine::audit;
use geonode_protocol::Code;
use pyo3::prelude::*;

use crate::errors::{CoreError, detached};
use crate::json::{dumps, to_python};

/// An append-only log whose entries are chained by their hashes. May be used from several threads.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct AuditLog(Mutex<audit::AuditLog>);

#[pymethods]
impl AuditLog {
    /// Opens the log at `path`, or makes it, and verifies the whole chain.
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
