//! Lists and groups in custom properties, as Blender gives them.
//!
//! Their objects keep the address of the value, which another value at the same place frees, and numpy takes it as memory of its own. Where a script
//! writes `obj["a"]`, the guards give it something that looks the value up each time (`scripting.properties`). Functions of C that look items up
//! for others (`operator.getitem`, `dict(obj)`, `{**obj}`) give Blender's own; a script has no use of these: until it ends, they raise for it
//! and for libraries that it calls.
#![expect(unsafe_code, reason = "replaces C functions in two types of Blender")]

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::slots::{
    ATTRIBUTE, BUFFER, CONTAINS, ITEM, ITERATE, LENGTH, MAPPED_LENGTH, REPRESENT, Replaced, SET_ITEM, SET_SUBSCRIPT,
    SUBSCRIPT, Slot,
};
use crate::{alarm, enclosure};

type Object = *mut ffi::PyObject;

/// The module that may use them for a script.
const OURS: &str = "geonode_assistant.scripting.properties";
/// Packages whose code a script can call with what it has; the standard library is one too.
const LIBRARIES: [&str; 8] = [
    "geonode_assistant",
    "numpy",
    "mathutils",
    "bmesh",
    "bpy",
    "bpy_extras",
    "bpy_types",
    "_bpy_types",
];
/// The most calls that are looked through.
const DEEPEST: usize = 500;

struct Cell(UnsafeCell<Option<Replaced>>);
// SAFETY: only used while the GIL is held.
unsafe impl Sync for Cell {}
static REPLACED: Cell = Cell(UnsafeCell::new(None));

/// Whether what uses them now is not the script, nor a library that works for it.
fn is_free(py: Python<'_>) -> bool {
    // SAFETY: the GIL is held; the frame is borrowed.
    let innermost = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
    let walked = alarm::unheard(|| -> PyResult<bool> {
        let standard = py.import("sys")?.getattr("stdlib_module_names")?;
        let mut next = innermost;
        for _ in 0..DEEPEST {
            let Some(frame) = next else { return Ok(true) };
            if enclosure::are_of_script(frame.getattr("f_builtins")?.as_ptr()) {
                return Ok(false);
            }
            let globals = frame.getattr("f_globals")?;
            let name = match globals.cast::<PyDict>()?.get_item("__name__")? {
                Some(name) => name.extract::<String>().unwrap_or_default(),
                None => String::new(),
            };
            if name == OURS {
                return Ok(true);
            }
            let package = name.split('.').next().unwrap_or_default();
            if !LIBRARIES.contains(&package) && !standard.contains(package)? {
                return Ok(true);
            }
            next = Some(frame.getattr("f_back")?).filter(|back| !back.is_none());
        }
        Ok(false)
    });
    walked.unwrap_or(false)
}

/// The function of C that was there; `None`, with an exception set, where the script may not use it.
unsafe fn allowed(of: Object, slot: Slot) -> Option<*mut c_void> {
    // SAFETY: called by Python, with the GIL.
    unsafe {
        let py = Python::assume_attached();
        let original = (*REPLACED.0.get())
            .as_ref()
            .and_then(|all| all.original(ffi::Py_TYPE(of), slot));
        if original.is_some() && is_free(py) {
            return original;
        }
        PyTypeError::new_err(
            "a list or group of a custom property is used where it stands: write obj[\"name\"] out, or copy it with .to_list() or .to_dict().",
        )
        .restore(py);
        None
    }
}

/// A function for a slot: its type in C, and what it returns for an error.
macro_rules! guard {
    ($name:ident, $slot:expr, ($($arg:ident: $kind:ty),*) -> $result:ty, $failed:expr) => {
        unsafe extern "C" fn $name(of: Object, $($arg: $kind),*) -> $result {
            // SAFETY: the function that was in this slot has its signature.
            unsafe {
                match allowed(of, $slot) {
                    Some(original) => {
                        let original: unsafe extern "C" fn(Object, $($kind),*) -> $result = transmute(original);
                        original(of, $($arg),*)
                    }
                    None => $failed,
                }
            }
        }
    };
}
guard!(subscript, SUBSCRIPT, (key: Object) -> Object, ptr::null_mut());
guard!(set_subscript, SET_SUBSCRIPT, (key: Object, value: Object) -> c_int, -1);
guard!(item, ITEM, (at: ffi::Py_ssize_t) -> Object, ptr::null_mut());
guard!(set_item, SET_ITEM, (at: ffi::Py_ssize_t, value: Object) -> c_int, -1);
guard!(length, LENGTH, () -> ffi::Py_ssize_t, -1);
guard!(mapped_length, MAPPED_LENGTH, () -> ffi::Py_ssize_t, -1);
guard!(contains, CONTAINS, (key: Object) -> c_int, -1);
guard!(iterate, ITERATE, () -> Object, ptr::null_mut());
guard!(represent, REPRESENT, () -> Object, ptr::null_mut());

unsafe extern "C" fn buffer(of: Object, view: *mut ffi::Py_buffer, flags: c_int) -> c_int {
    // SAFETY: as for the others; who asks for a buffer reads `obj` also when there is none.
    unsafe {
        let Some(original) = allowed(of, BUFFER) else {
            if !view.is_null() {
                (*view).obj = ptr::null_mut();
            }
            return -1;
        };
        let original: unsafe extern "C" fn(Object, *mut ffi::Py_buffer, c_int) -> c_int = transmute(original);
        original(of, view, flags)
    }
}

unsafe extern "C" fn attribute(of: Object, name: Object) -> Object {
    // SAFETY: as for the others.
    unsafe {
        // `isinstance` asks for it.
        if ffi::PyUnicode_CompareWithASCIIString(name, CLASS) == 0 {
            return ffi::PyObject_GenericGetAttr(of, name);
        }
        let Some(original) = allowed(of, ATTRIBUTE) else {
            return ptr::null_mut();
        };
        let original: unsafe extern "C" fn(Object, Object) -> Object = transmute(original);
        original(of, name)
    }
}
const CLASS: *const c_char = c"__class__".as_ptr();

/// Begins a script: from now on it cannot use objects of these types.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
pub(crate) fn properties_begin(types: Vec<Bound<'_, PyType>>) {
    properties_end();
    let mut replaced = Replaced::default();
    // SAFETY: types of Blender's module stay, and the functions have the signatures of the slots.
    unsafe {
        for class in &types {
            let class = class.as_type_ptr();
            replaced.replace(class, SUBSCRIPT, subscript as *mut c_void);
            replaced.replace(class, SET_SUBSCRIPT, set_subscript as *mut c_void);
            replaced.replace(class, ITEM, item as *mut c_void);
            replaced.replace(class, SET_ITEM, set_item as *mut c_void);
            replaced.replace(class, LENGTH, length as *mut c_void);
            replaced.replace(class, MAPPED_LENGTH, mapped_length as *mut c_void);
            replaced.replace(class, CONTAINS, contains as *mut c_void);
            replaced.replace(class, ITERATE, iterate as *mut c_void);
            replaced.replace(class, REPRESENT, represent as *mut c_void);
            replaced.replace(class, BUFFER, buffer as *mut c_void);
            replaced.replace(class, ATTRIBUTE, attribute as *mut c_void);
        }
        *REPLACED.0.get() = Some(replaced);
    }
}

/// Ends what `properties_begin` began.
#[pyfunction]
pub(crate) fn properties_end() {
    // SAFETY: the GIL is held.
    unsafe {
        if let Some(mut replaced) = (*REPLACED.0.get()).take() {
            replaced.put_back();
        }
    }
}
