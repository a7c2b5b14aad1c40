//! Calls of methods without the object that a bound method is, by functions of Python that its stable interface lacks.
#![expect(unsafe_code, reason = "functions of C, called by their addresses")]

use std::mem::transmute;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::allocation;

type Object = *mut ffi::PyObject;

/// Functions of Python's that `abi3` does not name, although each version has them.
pub(crate) struct Methods {
    /// `_PyObject_GetMethod`: 1 with a function that takes the object as its first argument, 0 with any other attribute, or null.
    pub(crate) get: unsafe extern "C" fn(Object, Object, *mut Object) -> i32,
    /// `PyObject_Vectorcall`.
    pub(crate) call: unsafe extern "C" fn(Object, *const Object, usize, Object) -> Object,
}

static METHODS: PyOnceLock<Option<Methods>> = PyOnceLock::new();

/// None where this Python lacks one of them.
#[inline]
pub(crate) fn found() -> Option<&'static Methods> {
    // SAFETY: the guards, which ask, run with the GIL held.
    METHODS.get(unsafe { Python::assume_attached() })?.as_ref()
}

/// Looks for them, before a script runs.
pub(crate) fn find(py: Python<'_>) {
    METHODS.get_or_init(py, || {
        let get = allocation::address(py, "_PyObject_GetMethod")?;
        let call = allocation::address(py, "PyObject_Vectorcall")?;
        // SAFETY: Python's own functions by their names, with the signatures that they have had since 3.9.
        Some(unsafe {
            Methods {
                get: transmute::<usize, unsafe extern "C" fn(Object, Object, *mut Object) -> i32>(get),
                call: transmute::<usize, unsafe extern "C" fn(Object, *const Object, usize, Object) -> Object>(call),
            }
        })
    });
}

/// How many names are in a tuple that may be null.
pub(crate) unsafe fn size(names: Object) -> usize {
    // SAFETY: the caller gives a tuple, or null.
    unsafe {
        if names.is_null() {
            0
        } else {
            usize::try_from(ffi::PyTuple_Size(names)).unwrap_or(0)
        }
    }
}

/// The call of a function with arguments in a row, followed by one for each of the `names`, which may be null.
pub(crate) unsafe fn called(function: Object, args: *const Object, count: usize, names: Object) -> Object {
    // SAFETY: the caller has as many arguments in a row; the tuple owns its items.
    unsafe {
        let Ok(size) = ffi::Py_ssize_t::try_from(count) else {
            return ptr::null_mut();
        };
        let given = ffi::PyTuple_New(size);
        if given.is_null() {
            return given;
        }
        for at in 0..size {
            let one = *args.offset(at);
            ffi::Py_IncRef(one);
            ffi::PyTuple_SetItem(given, at, one);
        }
        let keywords = keywords(args.add(count), names);
        let found = ffi::PyObject_Call(function, given, keywords);
        ffi::Py_DecRef(given);
        ffi::Py_DecRef(keywords);
        found
    }
}

/// Arguments by their names as a new dict; null where there are none.
unsafe fn keywords(args: *const Object, names: Object) -> Object {
    // SAFETY: as in `called`.
    unsafe {
        if names.is_null() {
            return ptr::null_mut();
        }
        let found = ffi::PyDict_New();
        for at in 0..ffi::PyTuple_Size(names) {
            ffi::PyDict_SetItem(found, ffi::PyTuple_GetItem(names, at), *args.offset(at));
        }
        found
    }
}
