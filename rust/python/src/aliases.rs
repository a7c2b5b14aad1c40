//! Types in brackets within each other (`list[list[int]]`), which Python walks through in C without looking at the depth.
//!
//! It asks each one for its parameters, and fills them in one within the other. Scripts make such types in brackets, and so do functions of
//! libraries that look an item up for them; so the functions by which all of them are asked count their depth while a script runs.
#![expect(unsafe_code, reason = "replaces C functions in a type of Python")]

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;

use crate::slots::{ATTRIBUTE, Replaced, SUBSCRIPT, Slot};

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

unsafe fn counted(slot: Slot, alias: Object, name: Object) -> Object {
    // SAFETY: Python calls this in place of the original, which is kept as long as this is in the type.
    unsafe {
        let original = (*REPLACED.0.get())
            .as_ref()
            .and_then(|replaced| replaced.original(ffi::Py_TYPE(alias), slot));
        let Some(original) = original else {
            ffi::PyErr_SetString(ffi::PyExc_RuntimeError, c"no script is running".as_ptr());
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
        let found = transmute::<*mut c_void, Ask>(original)(alias, name);
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

/// Counts the depth until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Counted;

impl Counted {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        let kind = py.import("types")?.getattr("GenericAlias")?;
        // SAFETY: a type of Python's stays, and the functions have the signatures of their slots.
        unsafe {
            let mut replaced = Replaced::default();
            replaced.replace(kind.as_ptr().cast(), ATTRIBUTE, attribute as *mut c_void);
            replaced.replace(kind.as_ptr().cast(), SUBSCRIPT, subscript as *mut c_void);
            *REPLACED.0.get() = Some(replaced);
        }
        Ok(Self)
    }
}

impl Drop for Counted {
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
