//! Functions of Python's types that walk, or write, where they do not look, and are replaced while a script runs.
//!
//! *Types in brackets* (`list[list[int]]`): Python asks each one for its parameters, and fills them in, one within the other and without a limit of
//! depth. Scripts make such types in brackets, and so do functions of libraries that look an item up for them.
//!
//! *The text of a type in brackets* (`repr(tuple[[int]])`): since 3.12, Python walks through a list in the brackets while it asks the items for their
//! texts, which may take them out.
//!
//! *`mappingproxy | x`, `mappingproxy == x`*: Python hands `x` the dictionary itself, of which the proxy is to show the items only: a class's, or one in
//! which numpy reads where the fields of a record lie.
//!
//! *`bytearray % x`*: Python reads the format where the bytes were before it asked `x` for its text, which may empty them.
#![expect(unsafe_code, reason = "replaces C functions in three types of Python")]

use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::slots::{ATTRIBUTE, COMPARED, EITHER, REMAINDER, Replaced, SHOWN, SUBSCRIPT, Slot};

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

/// The text of a type in brackets, of copies of its lists that nobody can change.
unsafe extern "C" fn shown(alias: Object) -> Object {
    // SAFETY: Python calls this in place of the original, which has one argument; `copied` returns a new reference.
    unsafe {
        let Some(original) = original(ffi::Py_TYPE(alias), SHOWN) else {
            return ptr::null_mut();
        };
        let py = Python::assume_attached();
        let copy = match copied(&Bound::from_borrowed_ptr(py, alias)) {
            Ok(copy) => copy,
            Err(error) => {
                error.restore(py);
                return ptr::null_mut();
            }
        };
        transmute::<Ask, unsafe extern "C" fn(Object) -> Object>(original)(copy.as_ptr())
    }
}

/// The alias itself, or one like it with lists of its own.
fn copied<'py>(alias: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = alias.py();
    let args = alias.getattr("__args__")?.cast_into::<PyTuple>()?;
    if !args.iter().any(|one| one.is_instance_of::<PyList>()) {
        return Ok(alias.clone());
    }
    let of_its_own = |one: Bound<'py, PyAny>| match one.cast::<PyList>() {
        Ok(list) => list.get_slice(0, list.len()).into_any(),
        Err(_) => one,
    };
    let args = PyTuple::new(py, args.iter().map(of_its_own))?;
    // SAFETY: objects of Python, with the GIL held; the result is a new reference, or null with an exception.
    let copy = unsafe {
        let made = ffi::Py_GenericAlias(alias.getattr("__origin__")?.as_ptr(), args.as_ptr());
        Bound::from_owned_ptr_or_err(py, made)
    }?;
    // `*tuple[…]` is what a starred one gives when it is walked through.
    if alias.getattr("__unpacked__")?.is_truthy()? {
        return copy.try_iter()?.next().unwrap_or(Ok(copy));
    }
    Ok(copy)
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

/// A proxy's items in a dictionary of their own; anything else itself. A new reference, or null with an exception.
unsafe fn without_proxy(value: Object) -> Object {
    // SAFETY: an object of Python; what is made here is released if it is not returned.
    unsafe {
        if ffi::Py_TYPE(value) != &raw mut ffi::PyDictProxy_Type {
            ffi::Py_IncRef(value);
            return value;
        }
        let items = ffi::PyDict_New();
        if !items.is_null() && ffi::PyDict_Update(items, value) != 0 {
            ffi::Py_DecRef(items);
            return ptr::null_mut();
        }
        items
    }
}

/// Does something with two values, neither of which is a proxy any more.
unsafe fn of_items(left: Object, right: Object, act: impl FnOnce(Object, Object) -> Object) -> Object {
    // SAFETY: as in `without_proxy`.
    unsafe {
        let left = without_proxy(left);
        let right = if left.is_null() { left } else { without_proxy(right) };
        let found = if right.is_null() { right } else { act(left, right) };
        for one in [left, right] {
            ffi::Py_DecRef(one);
        }
        found
    }
}

/// `mappingproxy | x` and `x | mappingproxy`.
unsafe extern "C" fn either(left: Object, right: Object) -> Object {
    // SAFETY: Python calls this in place of the original.
    unsafe { of_items(left, right, |left, right| ffi::PyNumber_Or(left, right)) }
}

/// `mappingproxy == x`.
unsafe extern "C" fn compared(left: Object, right: Object, how: c_int) -> Object {
    // SAFETY: Python calls this in place of the original.
    unsafe { of_items(left, right, |left, right| ffi::PyObject_RichCompare(left, right, how)) }
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
            replaced.replace(alias, SHOWN, shown as *mut c_void);
            replaced.replace(&raw mut ffi::PyDictProxy_Type, EITHER, either as *mut c_void);
            replaced.replace(&raw mut ffi::PyDictProxy_Type, COMPARED, compared as *mut c_void);
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
