//! JSON between Python and Rust. Python's encoder and decoder are written in C, so the main thread only handles strings:
//! parsing into Rust types happens without the GIL, mostly on the worker.

use geonode_protocol::Code;
use pyo3::exceptions::{PyRecursionError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use serde::Serialize;

use crate::errors::CoreError;

/// JSON text of a Python value.
pub(crate) fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    static DUMPS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let dumps = DUMPS.import(py, "json", "dumps")?;
    match dumps.call1((value,)) {
        Ok(text) => text.extract(),
        Err(error) if error.is_instance_of::<PyRecursionError>(py) => {
            Err(CoreError::protocol(Code::TooDeep, "The value is nested too deeply, or contains itself.").into())
        }
        Err(error) if error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py) => {
            let cause = format!("The value is not JSON: {}.", error.value(py));
            Err(CoreError::protocol(Code::BodyInvalid, cause).into())
        }
        Err(error) => Err(error),
    }
}

/// JSON text: a string stays as it is, anything else is encoded.
pub(crate) fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_str().map_err(|_| not_text())?.to_owned()),
        Err(_) => dumps(value),
    }
}

/// The Python value of JSON text.
pub(crate) fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    LOADS.import(py, "json", "loads")?.call1((text,))
}

/// The Python value of a serialisable Rust value.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &(impl Serialize + Sync)) -> PyResult<Bound<'py, PyAny>> {
    let text = crate::errors::detached(py, || {
        serde_json::to_string(value).map_err(|error| geonode_engine::EngineError::Internal(error.to_string()))
    })?;
    loads(py, &text)
}

fn not_text() -> PyErr {
    CoreError::protocol(
        Code::BodyInvalid,
        "The text contains half a character (a lone surrogate).",
    )
    .into()
}
