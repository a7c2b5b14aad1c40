//! Descriptions of numpy's records, which C walks through one within the other.
#![expect(unsafe_code, reason = "looks at objects of C")]

use pyo3::ffi;
use pyo3::prelude::*;

use crate::{alarm, class_names};

type Object = *mut ffi::PyObject;

/// The most records of numpy's within each other, through which it walks one within the other.
pub(crate) const MOST: usize = 32;

/// Whether this is a description of records within too many others; true with an exception.
pub(crate) unsafe fn is_too_deep(value: Object) -> bool {
    // SAFETY: the GIL is held; the type of what has fields or parts is numpy's own.
    unsafe {
        let kind = ffi::Py_TYPE(value).cast();
        if !class_names::is_one_of(kind, &["numpy.dtypes.VoidDType", "numpy.dtype[void]"]) {
            return false;
        }
        let py = Python::assume_attached();
        let deep = alarm::unheard(|| is_deeper(Bound::from_borrowed_ptr(py, value), MOST)).unwrap_or(true);
        if deep {
            ffi::PyErr_SetString(
                ffi::PyExc_ValueError,
                c"So many records of numpy within each other would crash Blender.".as_ptr(),
            );
        }
        deep
    }
}

/// Whether a description of records has more than `most` within each other; what is in one several times is looked at once.
fn is_deeper(dtype: Bound<'_, PyAny>, most: usize) -> PyResult<bool> {
    let mut level = vec![dtype];
    for _ in 0..most {
        let mut inner = Vec::new();
        for one in &level {
            if let Ok(part) = one.getattr("subdtype")?.get_item(0) {
                inner.push(part);
            }
            let fields = one.getattr("fields")?;
            if !fields.is_none() {
                for field in fields.call_method0("values")?.try_iter()? {
                    inner.push(field?.get_item(0)?);
                }
            }
        }
        inner.sort_by_key(|one| one.as_ptr() as usize);
        inner.dedup_by_key(|one| one.as_ptr());
        if inner.is_empty() {
            return Ok(false);
        }
        level = inner;
    }
    Ok(true)
}
