//! The full names by which C knows classes.
#![expect(unsafe_code, reason = "reads a word of a type")]

use std::ffi::{CStr, c_char};

use pyo3::ffi;

type Object = *mut ffi::PyObject;

/// Offset of `tp_name` in `PyTypeObject`, in words.
const NAME: usize = 3;

/// The name of a class as C wrote it: with its module for types of libraries, without for those of scripts.
unsafe fn name<'a>(class: Object) -> &'a [u8] {
    // SAFETY: it is a C string that lives as long as the type; nothing keeps it longer than the caller's question.
    unsafe {
        let name = class.cast::<*const c_char>().add(NAME).read();
        if name.is_null() {
            &[]
        } else {
            CStr::from_ptr(name).to_bytes()
        }
    }
}

/// Whether C knows a class by one of these names.
pub(crate) unsafe fn is_one_of(class: Object, wanted: &[&str]) -> bool {
    // SAFETY: the caller has a class.
    let name = unsafe { name(class) };
    wanted.iter().any(|one| one.as_bytes() == name)
}

/// Whether the name by which C knows a class begins so.
pub(crate) unsafe fn begins_with(class: Object, beginning: &str) -> bool {
    // SAFETY: the caller has a class.
    unsafe { name(class) }.starts_with(beginning.as_bytes())
}

/// Whether an object is numpy's: what is in it may be the script's.
pub(crate) unsafe fn is_of_numpy(value: Object) -> bool {
    // SAFETY: every object has a type.
    unsafe { name(ffi::Py_TYPE(value).cast()).starts_with(b"numpy.") }
}
