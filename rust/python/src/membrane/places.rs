//! Targets of any assignment: `for x.a in …`, `a, x[0] = …`, `x.c += 1`.

#![expect(
    unsafe_code,
    reason = "functions of C that Python calls, and a table that the GIL guards"
)]

use std::ptr;

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::accesses::{allowed, done, handled, item, loaded, set_item, stored};
use super::answers::{DELETE, DELETE_ITEM, HANDLED};

/// Represents the attributes of an object where Python assigns to any target (`for x.a in …`, `a, x.b = …`, `x.c += 1`).
#[pyclass(frozen, module = "geonode_core")]
pub(super) struct At(Py<PyAny>);

#[pymethods]
impl At {
    fn __getitem__(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
        // SAFETY: both are objects of Python; the result is a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(py, loaded(self.0.as_ptr(), name.as_ptr())) }.map(Bound::unbind)
    }

    fn __setitem__(&self, py: Python<'_>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: as above.
        result(py, unsafe { stored(self.0.as_ptr(), name.as_ptr(), value.as_ptr()) })
    }

    fn __delitem__(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<()> {
        // SAFETY: as above; a null value deletes.
        result(py, unsafe {
            match allowed(self.0.as_ptr(), name.as_ptr(), DELETE) {
                0 => -1,
                _ => ffi::PyObject_SetAttr(self.0.as_ptr(), name.as_ptr(), ptr::null_mut()),
            }
        })
    }
}

/// Represents the items of an object as such targets.
#[pyclass(frozen, module = "geonode_core")]
pub(super) struct In(Py<PyAny>);

#[pymethods]
impl In {
    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        // SAFETY: as in `At`.
        unsafe { Bound::from_owned_ptr_or_err(py, item(self.0.as_ptr(), key.as_ptr())) }.map(Bound::unbind)
    }

    fn __setitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: as in `At`.
        result(py, unsafe { set_item(self.0.as_ptr(), key.as_ptr(), value.as_ptr()) })
    }

    fn __delitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: as in `At`.
        result(py, unsafe {
            match allowed(self.0.as_ptr(), ffi::Py_None(), DELETE_ITEM) {
                0 => -1,
                HANDLED => done(handled(DELETE_ITEM, self.0.as_ptr(), key.as_ptr(), ffi::Py_None())),
                _ => ffi::PyObject_DelItem(self.0.as_ptr(), key.as_ptr()),
            }
        })
    }
}

pub(super) fn result(py: Python<'_>, done: i32) -> PyResult<()> {
    if done == 0 {
        return Ok(());
    }
    Err(PyErr::take(py).unwrap_or_else(|| PyRuntimeError::new_err("refused without a reason")))
}

pub(super) fn at(py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, At(args.get_item(0)?.unbind()))?.into_any())
}

pub(super) fn inside(py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, In(args.get_item(0)?.unbind()))?.into_any())
}
