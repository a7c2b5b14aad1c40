//! The functions that a checked script calls for its accesses and calls.

#![expect(
    unsafe_code,
    reason = "functions of C that Python calls, and a table that the GIL guards"
)]

use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;

use super::accesses::{allowed, handled, item, loaded, or_again, set_item, stored};
use super::answers::{CALL, ENCLOSED, FACTOR, HANDLED, LOAD, MAKE, Object, PLAIN, function_of};
use crate::{class_names, elements, enclosure, methods, references};

pub(super) unsafe extern "C" fn load(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: Python passes as many arguments as it states.
    unsafe {
        if count != 2 {
            return wrong();
        }
        loaded(*args, *args.add(1))
    }
}

pub(super) unsafe extern "C" fn load_item(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 2 {
            return wrong();
        }
        item(*args, *args.add(1))
    }
}

/// `store(value, object, name)`: in the order in which Python evaluates them.
pub(super) unsafe extern "C" fn store(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 3 {
            return wrong();
        }
        none(stored(*args.add(1), *args.add(2), *args))
    }
}

pub(super) unsafe extern "C" fn store_item(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 3 {
            return wrong();
        }
        none(set_item(*args.add(1), *args.add(2), *args))
    }
}

/// The function itself, or its replacement.
pub(super) unsafe extern "C" fn called(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 1 {
            return wrong();
        }
        let function = *args;
        match allowed(function, ffi::Py_None(), CALL) & !ENCLOSED {
            PLAIN => {
                ffi::Py_IncRef(function);
                function
            }
            HANDLED => handled(CALL, function, ffi::Py_None(), ffi::Py_None()),
            _ => ptr::null_mut(),
        }
    }
}

/// `send(name, x, …)`: `x.name(…)` without the object that a method of `x` would be. The last arguments have the names in `names`.
pub(super) unsafe extern "C" fn send(_: Object, args: *const Object, count: ffi::Py_ssize_t, names: Object) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        let Some(others) = usize::try_from(count).ok().and_then(|count| count.checked_sub(2)) else {
            return wrong();
        };
        let all = others + 2 + methods::size(names);
        let (name, object) = (*args, *args.add(1));
        elements::look(object);
        let answer = allowed(object, name, LOAD);
        let (method, bound) = match answer & !ENCLOSED {
            PLAIN => match methods::found() {
                Some(methods) => {
                    let mut method = ptr::null_mut();
                    let unbound = (methods.get)(object, name, &raw mut method) == 1;
                    let method = or_again(method, LOAD, object, name, ffi::Py_None());
                    // An attribute may hold anything, a class too.
                    if !unbound && !method.is_null() && allowed(method, ffi::Py_None(), CALL) == 0 {
                        ffi::Py_DecRef(method);
                        return ptr::null_mut();
                    }
                    (method, !unbound)
                }
                None => (ffi::PyObject_GetAttr(object, name), true),
            },
            HANDLED => {
                let function = function_of(ffi::Py_TYPE(object).cast(), name);
                if function.is_null() {
                    (handled(LOAD, object, name, ffi::Py_None()), true)
                } else {
                    ffi::Py_IncRef(function);
                    (function, false)
                }
            }
            _ => return ptr::null_mut(),
        };
        if method.is_null() {
            return ptr::null_mut();
        }
        let (first, number) = if bound { (2, others) } else { (1, others + 1) };
        let called_back = answer & ENCLOSED != 0
            && (class_names::is_of_numpy(object) || (2..all).any(|at| !enclosure::is_plain(*args.add(at))));
        let moves = references::is_of_bmesh(object);
        let views = if moves { references::Views::new() } else { None };
        let found = match methods::found() {
            _ if called_back => enclosure::called(method, args.add(first), number, names),
            Some(methods) => (methods.call)(method, args.add(first), number, names),
            None => methods::called(method, args.add(first), number, names),
        };
        if let Some(views) = views {
            let of_elements = references::is_of_elements(object);
            let py = Python::assume_attached();
            let failure = PyErr::take(py);
            views.settle(py, !of_elements);
            if let Some(failure) = failure {
                failure.restore(py);
            }
        }
        ffi::Py_DecRef(method);
        found
    }
}

/// Makes an object by a class as C does it, if a script may: the class may have come to C by any way, as what `map` or a sort calls.
pub(crate) unsafe fn made(
    class: Object,
    args: Object,
    names: Object,
    original: unsafe extern "C" fn(Object, Object, Object) -> Object,
) -> Object {
    // SAFETY: as in `allowed`; Python passes a tuple, and a dict or null.
    unsafe {
        match allowed(class, ffi::Py_None(), MAKE) {
            0 => ptr::null_mut(),
            PLAIN => original(class, args, names),
            HANDLED => handled(MAKE, class, args, if names.is_null() { ffi::Py_None() } else { names }),
            _ => enclosure::made(class, args, names, original),
        }
    }
}

/// `product(a, b)`: `a @ b`, where neither may be large.
pub(super) unsafe extern "C" fn product(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 2 {
            return wrong();
        }
        let (one, other) = (*args, *args.add(1));
        match (
            allowed(one, ffi::Py_None(), FACTOR),
            allowed(other, ffi::Py_None(), FACTOR),
        ) {
            (0, _) | (_, 0) => ptr::null_mut(),
            // A factor is never enclosed.
            (PLAIN, PLAIN) => ffi::PyNumber_MatrixMultiply(one, other),
            _ => handled(FACTOR, one, ffi::Py_None(), other),
        }
    }
}

pub(super) unsafe fn wrong() -> Object {
    // SAFETY: sets an exception with the GIL held.
    unsafe {
        ffi::PyErr_SetString(
            ffi::PyExc_TypeError,
            c"a guard was called in an unexpected way".as_ptr(),
        );
    };
    ptr::null_mut()
}

pub(super) unsafe fn none(result: i32) -> Object {
    if result != 0 {
        return ptr::null_mut();
    }
    // SAFETY: None lives as long as Python.
    unsafe {
        let none = ffi::Py_None();
        ffi::Py_IncRef(none);
        none
    }
}
