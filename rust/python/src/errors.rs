//! From Rust errors to the Python exceptions of `errors.py`, exhaustively and without a wildcard.

use std::panic::{AssertUnwindSafe, catch_unwind};

use geonode_engine::EngineError;
use geonode_protocol::Code;
use geonode_provider::{ErrorClass, ProviderError};
use geonode_store::audit::AuditError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// Names of all exception classes; the first is the base.
pub(crate) const CLASSES: [&str; 8] = [
    "CoreError",
    "ProtocolError",
    "PolicyError",
    "PatchError",
    "ProviderError",
    "ScriptTimeout",
    "Cancelled",
    "InternalError",
];

/// An error on its way to Python.
#[derive(Debug)]
pub(crate) struct CoreError {
    class: &'static str,
    code: Code,
    message: String,
    retryable: bool,
    details: Vec<(&'static str, String)>,
}

impl CoreError {
    /// The input does not have the expected form.
    pub(crate) fn protocol(code: Code, message: impl Into<String>) -> Self {
        Self {
            class: "ProtocolError",
            code,
            message: message.into(),
            retryable: false,
            details: Vec::new(),
        }
    }

    /// A script was stopped at its limit.
    pub(crate) fn stopped(code: Code, message: impl Into<String>) -> Self {
        Self {
            class: "ScriptTimeout",
            ..Self::protocol(code, message)
        }
    }

    /// A safety rule forbids it.
    pub(crate) fn policy(code: Code, message: String, details: Vec<(&'static str, String)>) -> Self {
        Self {
            class: "PolicyError",
            code,
            message,
            retryable: false,
            details,
        }
    }

    pub(crate) fn internal(message: String) -> Self {
        Self {
            class: "InternalError",
            code: Code::InternalError,
            message,
            retryable: false,
            details: Vec::new(),
        }
    }
}

impl From<EngineError> for CoreError {
    fn from(error: EngineError) -> Self {
        let class = match &error {
            EngineError::Request(_)
            | EngineError::Catalogue(_)
            | EngineError::Document { .. }
            | EngineError::Tree { .. }
            | EngineError::Preset { .. }
            | EngineError::PromptEmpty
            | EngineError::Saved(_)
            | EngineError::PromptTooLong { .. } => "ProtocolError",
            EngineError::Setting(_) | EngineError::Provider { .. } => "CoreError",
            EngineError::Internal(_) => "InternalError",
        };
        Self {
            class,
            code: error.code(),
            message: error.to_string(),
            retryable: false,
            details: Vec::new(),
        }
    }
}

impl From<AuditError> for CoreError {
    fn from(error: AuditError) -> Self {
        Self {
            class: "PolicyError",
            code: error.code(),
            message: error.to_string(),
            retryable: false,
            details: Vec::new(),
        }
    }
}

impl From<ProviderError> for CoreError {
    fn from(error: ProviderError) -> Self {
        let class = match error.class() {
            ErrorClass::Provider => "ProviderError",
            ErrorClass::Policy => "PolicyError",
            ErrorClass::Protocol => "ProtocolError",
            ErrorClass::Cancelled => "Cancelled",
            ErrorClass::Core => "CoreError",
            ErrorClass::Internal => "InternalError",
        };
        let mut details = Vec::new();
        if let Some(detail) = error.detail() {
            if !detail.endpoint.is_empty() {
                details.push(("endpoint", detail.endpoint.clone()));
            }
            details.extend(detail.status.map(|status| ("status", status.to_string())));
            details.extend(detail.request_id.clone().map(|id| ("request_id", id)));
        }
        Self {
            class,
            code: error.code(),
            message: error.to_string(),
            retryable: error.retryable(),
            details,
        }
    }
}

impl From<CoreError> for PyErr {
    fn from(error: CoreError) -> Self {
        Python::attach(|py| raise(py, error).unwrap_or_else(|failed| failed))
    }
}

fn raise(py: Python<'_>, error: CoreError) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    for (key, value) in error.details {
        details.set_item(key, value)?;
    }
    let class = classes(py)?.as_any().get_item(error.class)?;
    let instance = class.call1((error.code.as_str(), error.message, error.retryable, details))?;
    Ok(PyErr::from_value(instance))
}

/// The names of `errors.py`, run once.
pub(crate) fn classes(py: Python<'_>) -> PyResult<&Bound<'_, PyDict>> {
    static NAMES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    NAMES
        .get_or_try_init(py, || {
            let names = PyDict::new(py);
            // The module that the classes state as their own.
            names.set_item("__name__", "geonode_core")?;
            let source = std::ffi::CString::new(include_str!("errors.py"))?;
            py.run(&source, Some(&names), None)?;
            Ok(names.unbind())
        })
        .map(|names| names.bind(py))
}

/// Runs `work` without the GIL; a panic becomes an `InternalError` and never reaches Python.
pub(crate) fn detached<T: Send, E: Into<CoreError> + Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    py.detach(|| match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.into()),
        Err(panic) => {
            let message = panic
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or(panic.downcast_ref::<String>().cloned());
            Err(CoreError::internal(format!(
                "The core failed: {}.",
                message.unwrap_or_else(|| "no reason given".into())
            )))
        }
    })
    .map_err(PyErr::from)
}
