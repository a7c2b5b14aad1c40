//! Functions of Python's types that walk, or write, where they do not look, and are replaced while a script runs.
//!
//! *Types in brackets* (`list[list[int]]`): Python asks each one for its parameters, and fills them in, one within the other and without a limit of
//! depth. Scripts make such types in brackets, and so do functions of libraries that look an item up for them.
//!
//! *`bytearray % x`*: Python reads the format where the bytes were before it asked `x` for its text, which may empty them.
#![expect(unsafe_code, reason = "replaces C functions in two types of Python")]

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;

use crate::slots::{ATTRIBUTE, REMAINDER, Replaced, SUBSCRIPT, Slot};

type Object = *mut ffi::PyObject;
type Ask = unsafe extern "C" fn(Object, Object) -> Object;

/// The most types in brackets within each other that Python may walk through.
const DEEPEST: u32 = 200;

struct Shared(UnsafeCell<Option<Replaced>>);
// SAFETY: only used while the GIL is held.
unsafe impl Sync for Shared {}
static REPLACED: Shared = Shared(UnsafeCell::new(None));

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

unsafe fn original(kind: *mut ffi::PyTypeObject, slot: Slot) -> Option<Ask> {
    // SAFETY: Python calls what is in its types with the GIL held; the originals are kept as long as ours are there.
    unsafe {
        let found = (*REPLACED.0.get())
            .as_ref()
            .and_then(|replaced| replaced.original(kind, slot));
        if found.is_none() {
            ffi::PyErr_SetString(ffi::PyExc_RuntimeError, c"no script is running".as_ptr());
        }
        found.map(|original| transmute::<*mut c_void, Ask>(original))
    }
}

unsafe fn counted(slot: Slot, alias: Object, name: Object) -> Object {
    // SAFETY: Python calls this in place of the original.
    unsafe {
        let Some(original) = original(ffi::Py_TYPE(alias), slot) else {
            return ptr::null_mut();
        };
        let depth = DEPTH.get();
        if depth >= DEEPEST {
            ffi::PyErr_SetString(
                ffi::PyExc_RecursionError,
                c"too many types in brackets within each other".as_ptr(),
            );
            return ptr::null_mut();
        }
        DEPTH.set(depth.saturating_add(1));
        let found = original(alias, name);
        DEPTH.set(depth);
        found
    }
}

unsafe extern "C" fn attribute(alias: Object, name: Object) -> Object {
    // SAFETY: as in `counted`.
    unsafe { counted(ATTRIBUTE, alias, name) }
}

unsafe extern "C" fn subscript(alias: Object, key: Object) -> Object {
    // SAFETY: as in `counted`.
    unsafe { counted(SUBSCRIPT, alias, key) }
}

/// `bytearray % x`, of a copy that nobody can change.
unsafe extern "C" fn remainder(left: Object, right: Object) -> Object {
    // SAFETY: Python calls this in place of the original; new references are released.
    unsafe {
        if ffi::PyByteArray_Check(left) == 0 {
            return match original(&raw mut ffi::PyByteArray_Type, REMAINDER) {
                Some(original) => original(left, right),
                None => ptr::null_mut(),
            };
        }
        let format = ffi::PyBytes_FromObject(left);
        if format.is_null() {
            return format;
        }
        let made = ffi::PyNumber_Remainder(format, right);
        ffi::Py_DecRef(format);
        if made.is_null() {
            return made;
        }
        let found = ffi::PyByteArray_FromObject(made);
        ffi::Py_DecRef(made);
        found
    }
}

/// Replaces the functions until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Borrowed;

impl Borrowed {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        let alias = py.import("types")?.getattr("GenericAlias")?;
        let alias = alias.as_ptr().cast();
        // SAFETY: types of Python's stay, and the functions have the signatures of their slots.
        unsafe {
            let mut replaced = Replaced::default();
            replaced.replace(alias, ATTRIBUTE, attribute as *mut c_void);
            replaced.replace(alias, SUBSCRIPT, subscript as *mut c_void);
            replaced.replace(&raw mut ffi::PyByteArray_Type, REMAINDER, remainder as *mut c_void);
            *REPLACED.0.get() = Some(replaced);
        }
        Ok(Self)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        // SAFETY: dropped with the GIL held.
        unsafe {
            if let Some(replaced) = (*REPLACED.0.get()).as_mut() {
                replaced.put_back();
            }
            *REPLACED.0.get() = None;
        }
    }
}
