//! Bounds how deeply numpy computes arrays within arrays.
//!
//! An array of objects may contain an array of objects, and at last itself. Each operation on it, and each comparison, is one on its items:
//! numpy calls itself without looking at the depth, with much of the stack for each level. All of these pass through
//! the functions that numpy calls `ufunc`, so while a script runs each of them counts its depth, and lets the watchdog stop it within others.
#![expect(unsafe_code, reason = "replaces the C function by which objects of numpy are called")]

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Called = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    usize,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Offset of `tp_vectorcall_offset` in `PyTypeObject`, in words; the same in every Python since 3.8.
const VECTORCALL_OFFSET: usize = 7;
/// `Py_TPFLAGS_HAVE_VECTORCALL`.
const HAVE_VECTORCALL: u64 = 1 << 11;
/// The most levels of arrays within arrays.
const DEEPEST: u32 = 20;

static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

unsafe extern "C" fn called(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls this in place of the original, which was stored before.
    unsafe {
        let depth = DEPTH.try_with(Cell::get).unwrap_or(0);
        if depth >= DEEPEST {
            ffi::PyErr_SetString(
                ffi::PyExc_RecursionError,
                c"arrays within arrays are nested too deeply".as_ptr(),
            );
            return ptr::null_mut();
        }
        if depth > 0 && ffi::PyErr_CheckSignals() != 0 {
            return ptr::null_mut();
        }
        DEPTH.set(depth.saturating_add(1));
        let found = transmute::<*mut c_void, Called>(ORIGINAL.load(Ordering::Acquire))(function, args, count, names);
        DEPTH.set(depth);
        found
    }
}

/// Bounds the depth until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Nested {
    /// Each keeps its function of numpy alive.
    places: Vec<(*mut *mut c_void, Py<PyAny>)>,
    original: *mut c_void,
}

impl Nested {
    /// `None` if numpy is not loaded, or is built otherwise.
    pub(crate) fn new(py: Python<'_>) -> Option<Self> {
        let modules = py.import("sys").ok()?.getattr("modules").ok()?;
        let inner = ["numpy._core._multiarray_umath", "numpy.core._multiarray_umath"];
        let module = inner.iter().find_map(|name| modules.get_item(name).ok())?;
        let kind = modules.get_item("numpy").ok()?.getattr("ufunc").ok()?;
        let size = kind.getattr("__basicsize__").ok()?.extract::<usize>().ok()?;
        let class = kind.as_ptr().cast::<ffi::PyTypeObject>();
        // SAFETY: reads a word of a type and its flags.
        let (offset, flags) = unsafe {
            (
                class.cast::<usize>().add(VECTORCALL_OFFSET).read(),
                u64::from(ffi::PyType_GetFlags(class)),
            )
        };
        if flags & HAVE_VECTORCALL == 0 || offset % align_of::<usize>() != 0 || offset.checked_add(8)? > size {
            return None;
        }
        let mut nested = Self {
            places: Vec::new(),
            original: ptr::null_mut(),
        };
        for (_, one) in module.getattr("__dict__").ok()?.cast::<PyDict>().ok()? {
            if one.get_type_ptr() != class {
                continue;
            }
            // SAFETY: an object of this type has the function by which it is called at that offset.
            unsafe {
                let place = one.as_ptr().byte_add(offset).cast::<*mut c_void>();
                let found = place.read();
                if nested.original.is_null() {
                    nested.original = found;
                }
                if !found.is_null() && found == nested.original && found != called as *mut c_void {
                    nested.places.push((place, one.unbind()));
                }
            }
        }
        ORIGINAL.store(nested.original, Ordering::Release);
        for (place, _) in &nested.places {
            // SAFETY: as above.
            unsafe { place.write(called as *mut c_void) };
        }
        Some(nested)
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        for (place, _) in &self.places {
            // SAFETY: the function of numpy is still there; the word was written before.
            unsafe { place.write(self.original) };
        }
    }
}
