//! The classes by which nobody makes objects unasked while a script runs, not even a library.
#![expect(unsafe_code, reason = "compares classes of C")]

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::class_names;

type Object = *mut ffi::PyObject;

/// Classes about which the membrane is asked whoever calls them; not owned, since the guards keep them.
static ALWAYS: [AtomicPtr<ffi::PyObject>; 16] = [const { AtomicPtr::new(ptr::null_mut()) }; 16];

/// Names these classes: a function of a library, which a script may hand them to (`np.vectorize(date)`), would make objects with its values, and
/// libraries do not for themselves.
pub(crate) fn ask_always(classes: &[Bound<'_, PyAny>]) -> PyResult<()> {
    if classes.len() > ALWAYS.len() {
        return Err(PyValueError::new_err("too many classes"));
    }
    let mut given = classes.iter();
    for place in &ALWAYS {
        place.store(given.next().map_or(ptr::null_mut(), Bound::as_ptr), Ordering::Relaxed);
    }
    Ok(())
}

pub(crate) unsafe fn is_asked_always(class: Object) -> bool {
    // SAFETY: the class is one. numpy is loaded only when it is used, and its records keep what a script says is an address.
    ALWAYS.iter().any(|place| place.load(Ordering::Relaxed) == class)
        || unsafe { class_names::is_one_of(class, &["numpy.void", "numpy.record"]) }
}
