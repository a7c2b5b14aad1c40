//! Ends generators that wait for each other (`yield from`) without using up the stack of C.
//!
//! Closing a generator, which Python also does when it finds one that nobody uses, first closes the one that it waits for within it, and so on to the
//! last: 100,000 of them end Blender. So a long chain is closed from its end, where each has nothing more to close.
//!
//! What a script leaves behind may be found at any time, so this stays, from the first script on.
#![expect(unsafe_code, reason = "replaces a C function in a type of Python")]

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

type Finalize = unsafe extern "C" fn(*mut ffi::PyObject);

/// Offset of `tp_finalize` in `PyTypeObject`, in words; the same in every Python since 3.4.
const FINALIZE: usize = 49;
/// The most generators that close each other as Python does it.
const LONGEST: usize = 50;

static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" fn finalize(generator: *mut ffi::PyObject) {
    // SAFETY: Python calls this in place of the original, which was stored before, with the GIL held; an exception that is set stays.
    unsafe {
        let py = Python::assume_attached();
        let failure = PyErr::take(py);
        close_from_the_end(&Bound::from_borrowed_ptr(py, generator));
        if let Some(failure) = failure {
            failure.restore(py);
        }
        transmute::<*mut c_void, Finalize>(ORIGINAL.load(Ordering::Acquire))(generator);
    }
}

/// Closes all that a generator waits for, directly or not, if there are many of them.
fn close_from_the_end(generator: &Bound<'_, PyAny>) {
    let kind = generator.get_type_ptr();
    let inner = |one: &Bound<'_, PyAny>| -> Option<Py<PyAny>> {
        let found = one.getattr("gi_yieldfrom").ok()?;
        (found.get_type_ptr() == kind).then(|| found.unbind())
    };
    let py = generator.py();
    let mut chain = Vec::new();
    let mut next = inner(generator);
    while let Some(one) = next {
        next = inner(one.bind(py));
        chain.push(one);
    }
    if chain.len() > LONGEST {
        while let Some(one) = chain.pop() {
            if let Err(error) = one.bind(py).call_method0("close") {
                error.write_unraisable(py, None);
            }
        }
    }
}

/// Changes the type of generators. Held with the GIL.
pub(crate) fn flatten(py: Python<'_>) -> PyResult<()> {
    let kind = py.import("types")?.getattr("GeneratorType")?;
    // SAFETY: as in `releases`: the word is used only if it contains what Python's own interface returns.
    unsafe {
        let class = kind.as_ptr().cast::<ffi::PyTypeObject>();
        let word = class.cast::<*mut c_void>().add(FINALIZE);
        let original = ffi::PyType_GetSlot(class, ffi::Py_tp_finalize);
        if original.is_null() || original == finalize as *mut c_void || word.read() != original {
            return Ok(());
        }
        ORIGINAL.store(original, Ordering::Release);
        word.write(finalize as *mut c_void);
    }
    Ok(())
}
