//! Descriptions of numpy's records: C walks through one within the other, and computes with their sizes as whole numbers that wrap.
#![expect(unsafe_code, reason = "looks at objects of C")]

use std::ffi::CStr;
use std::mem::transmute;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::{alarm, class_names};

type Object = *mut ffi::PyObject;
type New = unsafe extern "C" fn(*mut ffi::PyTypeObject, Object, Object) -> Object;

/// The most records of numpy's within each other, through which it walks one within the other.
pub(crate) const MOST: usize = 32;
/// The most bytes of a record that belong to none of its fields: nobody writes them.
const LOOSE: i64 = 15;
/// The digits without which no text tells sizes that wrap.
const DIGITS: usize = 8;

const DEEP: &CStr = c"So many records of numpy within each other would crash Blender.";
const OUTSIDE: &CStr = c"The fields of a record of numpy have to lie within it, one beside the other.";

/// Whether this is a description of records within too many others, or of fields that do not lie within their record; true with an exception.
pub(crate) unsafe fn is_wrong(value: Object) -> bool {
    // SAFETY: the GIL is held; the type of what has fields or parts is numpy's own.
    unsafe {
        let kind = ffi::Py_TYPE(value).cast();
        if !class_names::is_one_of(kind, &["numpy.dtypes.VoidDType", "numpy.dtype[void]"]) {
            return false;
        }
        let py = Python::assume_attached();
        let found = alarm::unheard(|| fault(Bound::from_borrowed_ptr(py, value), MOST)).unwrap_or(Some(OUTSIDE));
        if let Some(fault) = found {
            ffi::PyErr_SetString(ffi::PyExc_ValueError, fault.as_ptr());
        }
        found.is_some()
    }
}

/// Whether numpy would make such a description of what `may_describe` one; true with an exception. No code of the script may run meanwhile.
pub(crate) unsafe fn describes_wrong(value: Object) -> bool {
    // SAFETY: the GIL is held; the new object is released.
    unsafe {
        let py = Python::assume_attached();
        let Some(kind) = dtype(py) else { return false };
        let args = ffi::PyTuple_Pack(1, value);
        if args.is_null() {
            return true;
        }
        // As calling it does, about which the membrane would be asked.
        let new = transmute::<*mut std::ffi::c_void, New>(ffi::PyType_GetSlot(kind, ffi::Py_tp_new));
        let made = alarm::unheard(|| new(kind, args, std::ptr::null_mut()));
        ffi::Py_DecRef(args);
        if made.is_null() {
            ffi::PyErr_Clear(); // no description
            return false;
        }
        let wrong = is_wrong(made);
        ffi::Py_DecRef(made);
        wrong
    }
}

/// `numpy.dtype`, if a script has loaded numpy.
fn dtype(py: Python<'_>) -> Option<*mut ffi::PyTypeObject> {
    static FOUND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = FOUND.get_or_try_init(py, || {
        let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
        let numpy = modules
            .get_item("numpy")?
            .ok_or_else(|| pyo3::exceptions::PyImportError::new_err("numpy"))?;
        PyResult::Ok(numpy.getattr("dtype")?.unbind())
    });
    found.ok().map(|kind| kind.as_ptr().cast())
}

/// Whether numpy could take this list, tuple, dictionary or text for a description of records, and not just for numbers.
pub(crate) unsafe fn may_describe(value: Object) -> bool {
    // SAFETY: types are compared, and what is borrowed from lists and tuples is only looked at.
    unsafe {
        let flags = ffi::PyType_GetFlags(ffi::Py_TYPE(value));
        if flags & ffi::Py_TPFLAGS_DICT_SUBCLASS != 0 {
            return ffi::PyDict_Size(value) > 0;
        }
        if flags & ffi::Py_TPFLAGS_LIST_SUBCLASS != 0 {
            return ffi::PyList_Size(value) > 0 && is_field(ffi::PyList_GetItem(value, 0));
        }
        if flags & ffi::Py_TPFLAGS_TUPLE_SUBCLASS != 0 {
            return ffi::PyTuple_Size(value) == 2
                && !is_text(ffi::PyTuple_GetItem(value, 1))
                && is_kind(ffi::PyTuple_GetItem(value, 0));
        }
        is_text(value) && tells_sizes(value)
    }
}

unsafe fn is_text(value: Object) -> bool {
    // SAFETY: flags of a type.
    let flags = unsafe { ffi::PyType_GetFlags(ffi::Py_TYPE(value)) };
    flags & (ffi::Py_TPFLAGS_UNICODE_SUBCLASS | ffi::Py_TPFLAGS_BYTES_SUBCLASS) != 0
}

/// Whether this may be a field: a tuple that begins with a name.
unsafe fn is_field(value: Object) -> bool {
    // SAFETY: as in `may_describe`.
    unsafe {
        if ffi::PyType_GetFlags(ffi::Py_TYPE(value)) & ffi::Py_TPFLAGS_TUPLE_SUBCLASS == 0
            || ffi::PyTuple_Size(value) < 2
        {
            return false;
        }
        let name = ffi::PyTuple_GetItem(value, 0);
        is_text(name) || ffi::PyType_GetFlags(ffi::Py_TYPE(name)) & ffi::Py_TPFLAGS_TUPLE_SUBCLASS != 0
    }
}

/// Whether this may describe what an array of a shape consists of.
unsafe fn is_kind(value: Object) -> bool {
    // SAFETY: as in `may_describe`.
    unsafe {
        let containers = ffi::Py_TPFLAGS_DICT_SUBCLASS | ffi::Py_TPFLAGS_LIST_SUBCLASS | ffi::Py_TPFLAGS_TUPLE_SUBCLASS;
        let kind = ffi::Py_TYPE(value);
        is_text(value)
            || ffi::PyType_GetFlags(kind) & (containers | ffi::Py_TPFLAGS_TYPE_SUBCLASS) != 0
            || class_names::begins_with(kind.cast(), "numpy.dtype")
    }
}

unsafe fn tells_sizes(text: Object) -> bool {
    // SAFETY: a text or bytes.
    unsafe {
        let text = Bound::from_borrowed_ptr(Python::assume_attached(), text);
        let bytes = match text.extract::<&str>() {
            Ok(text) => text.as_bytes(),
            Err(_) => text.extract::<&[u8]>().unwrap_or_default(),
        };
        bytes.iter().filter(|one| one.is_ascii_digit()).take(DIGITS).count() == DIGITS
            && bytes.iter().any(|one| matches!(one, b',' | b'('))
    }
}

/// What is wrong with a description of records: more than `most` within each other, or fields outside of their record. What is in one several
/// times is looked at once.
fn fault(dtype: Bound<'_, PyAny>, most: usize) -> PyResult<Option<&'static CStr>> {
    let mut level = vec![dtype];
    for _ in 0..most {
        let mut inner = Vec::new();
        for one in &level {
            let size = one.getattr("itemsize")?.extract::<i64>()?;
            if let Ok((part, shape)) = one.getattr("subdtype")?.extract::<(Bound<'_, PyAny>, Vec<i64>)>() {
                let count = shape.iter().try_fold(1_i64, |product, side| product.checked_mul(*side));
                let each = part.getattr("itemsize")?.extract::<i64>()?;
                if size < 0 || each < 0 || count.and_then(|count| count.checked_mul(each)) != Some(size) {
                    return Ok(Some(OUTSIDE));
                }
                inner.push(part);
            }
            let fields = one.getattr("fields")?;
            if !fields.is_none() {
                let mut parts = Vec::new();
                for name in one.getattr("names")?.try_iter()? {
                    let field = fields.get_item(name?)?;
                    let (part, begin) = (field.get_item(0)?, field.get_item(1)?.extract::<i64>()?);
                    parts.push((begin, part.getattr("itemsize")?.extract::<i64>()?));
                    inner.push(part);
                }
                if !lie_within(&mut parts, size) {
                    return Ok(Some(OUTSIDE));
                }
            }
        }
        inner.sort_by_key(|one| one.as_ptr() as usize);
        inner.dedup_by_key(|one| one.as_ptr());
        if inner.is_empty() {
            return Ok(None);
        }
        level = inner;
    }
    Ok(Some(DEEP))
}

/// Whether fields, each with where it begins and its size, lie within a record of this size and leave nothing of it.
fn lie_within(fields: &mut [(i64, i64)], size: i64) -> bool {
    fields.sort_unstable();
    let (mut until, mut loose) = (0_i64, 0_i64);
    for (begin, each) in fields {
        let Some(end) = begin.checked_add(*each) else {
            return false;
        };
        if *begin < 0 || *each < 0 || end > size {
            return false;
        }
        loose = loose.saturating_add((*begin).saturating_sub(until).max(0));
        until = until.max(end);
    }
    size >= 0 && loose.saturating_add(size.saturating_sub(until)) <= LOOSE
}
