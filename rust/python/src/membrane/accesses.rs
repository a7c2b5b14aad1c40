//! Accesses to attributes and items as an answer allows them.

#![expect(
    unsafe_code,
    reason = "functions of C that Python calls, and a table that the GIL guards"
)]

use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;

use super::answers::{
    AGAIN, ALONE_HANDLED, ALONE_PLAIN, ENCLOSED, FOR_THIS_SCRIPT, HANDLED, ITEM, LOAD, OF_OBJECT, ONCE, Object, PLAIN,
    STORE, STORE_ITEM, decider, handler, keep, known,
};
use crate::{elements, enclosure, references};

/// `PLAIN` or `HANDLED`, perhaps with `ENCLOSED`; 0 with an exception set if it is refused.
pub(super) unsafe fn allowed(object: Object, name: Object, kind: u8) -> u8 {
    // SAFETY: both are objects of Python, and the GIL is held.
    unsafe {
        let class = ffi::Py_TYPE(object).cast::<ffi::PyObject>();
        let answer = known(class, name, kind);
        if answer != 0 {
            return answer;
        }
        let answer = known(object, name, kind | OF_OBJECT);
        if answer != 0 {
            return answer;
        }
        decided(object, class, name, kind)
    }
}

#[cold]
pub(super) unsafe fn decided(object: Object, class: Object, name: Object, kind: u8) -> u8 {
    // SAFETY: as in `allowed`; `decide` is a function of Python that is never released.
    unsafe {
        let decide = decider();
        if decide.is_null() {
            ffi::PyErr_SetString(ffi::PyExc_RuntimeError, c"no script is running".as_ptr());
            return 0;
        }
        let number = ffi::PyLong_FromLong(i64::from(kind) as _);
        let found = ffi::PyObject_CallFunctionObjArgs(decide, number, object, name, ptr::null_mut::<ffi::PyObject>());
        ffi::Py_DecRef(number);
        if found.is_null() {
            return 0;
        }
        // A number, or a pair of it and a function.
        let pair = ffi::PyTuple_Check(found) != 0 && ffi::PyTuple_Size(found) == 2;
        let number = if pair { ffi::PyTuple_GetItem(found, 0) } else { found };
        let function = if pair {
            ffi::PyTuple_GetItem(found, 1)
        } else {
            ptr::null_mut()
        };
        let answer = u8::try_from(ffi::PyLong_AsLong(number)).unwrap_or(0);
        let passing = answer & FOR_THIS_SCRIPT != 0;
        let enclosed = answer & ENCLOSED;
        let verdict = match answer & !(FOR_THIS_SCRIPT | ENCLOSED) {
            verdict @ (PLAIN | HANDLED | ONCE) => {
                keep(class, name, kind, verdict | enclosed, passing, function);
                verdict | enclosed
            }
            alone @ (ALONE_PLAIN | ALONE_HANDLED) => {
                let verdict = enclosed | if alone == ALONE_PLAIN { PLAIN } else { HANDLED };
                keep(object, name, kind | OF_OBJECT, verdict, passing, ptr::null_mut());
                verdict
            }
            _ => {
                if ffi::PyErr_Occurred().is_null() {
                    ffi::PyErr_SetString(ffi::PyExc_AttributeError, c"not allowed in safe mode".as_ptr());
                }
                0
            }
        };
        ffi::Py_DecRef(found);
        verdict
    }
}

/// `handle(kind, object, name, value)`.
pub(super) unsafe fn handled(kind: u8, object: Object, name: Object, value: Object) -> Object {
    // SAFETY: as in `decided`.
    unsafe {
        let handle = handler();
        let number = ffi::PyLong_FromLong(i64::from(kind) as _);
        let found =
            ffi::PyObject_CallFunctionObjArgs(handle, number, object, name, value, ptr::null_mut::<ffi::PyObject>());
        ffi::Py_DecRef(number);
        found
    }
}

/// What an access gave; if it failed as accesses of Blender's data do, what the handler makes of it.
pub(super) unsafe fn or_again(found: Object, kind: u8, object: Object, name: Object, value: Object) -> Object {
    // SAFETY: as in `decided`. A failed access has set an exception.
    unsafe {
        if !found.is_null() || handler().is_null() {
            return found;
        }
        let usual = [
            ffi::PyExc_AttributeError,
            ffi::PyExc_KeyError,
            ffi::PyExc_TypeError,
            ffi::PyExc_ValueError,
        ];
        if usual.iter().all(|one| ffi::PyErr_ExceptionMatches(*one) == 0) {
            return found;
        }
        let py = Python::assume_attached();
        let failure = PyErr::take(py);
        let other = handled(kind | AGAIN, object, name, value);
        if other != ffi::Py_NotImplemented() {
            return other;
        }
        ffi::Py_DecRef(other);
        if let Some(failure) = failure {
            failure.restore(py);
        }
        ptr::null_mut()
    }
}

pub(super) unsafe fn loaded(object: Object, name: Object) -> Object {
    // SAFETY: as in `allowed`.
    unsafe {
        elements::look(object);
        let answer = allowed(object, name, LOAD);
        let found = match answer & !ENCLOSED {
            PLAIN => or_again(ffi::PyObject_GetAttr(object, name), LOAD, object, name, ffi::Py_None()),
            HANDLED => handled(LOAD, object, name, ffi::Py_None()),
            _ => return ptr::null_mut(),
        };
        references::remember(found, object, false);
        if answer & ENCLOSED == 0 {
            found
        } else {
            enclosure::wrapped(found)
        }
    }
}

/// Returns 0 on success.
pub(super) unsafe fn stored(object: Object, name: Object, value: Object) -> i32 {
    // SAFETY: as in `allowed`.
    unsafe {
        let answer = allowed(object, name, STORE);
        if answer & ENCLOSED == 0 || enclosure::is_plain(value) {
            return stored_as(answer & !ENCLOSED, object, name, value);
        }
        let value = enclosure::settled(value);
        if value.is_null() {
            return -1;
        }
        let result = enclosure::enclosed(|| stored_as(answer & !ENCLOSED, object, name, value));
        ffi::Py_DecRef(value);
        result
    }
}

pub(super) unsafe fn stored_as(answer: u8, object: Object, name: Object, value: Object) -> i32 {
    // SAFETY: as in `allowed`.
    unsafe {
        let answer = match answer {
            ONCE if references::has_grown(object, name) => PLAIN,
            ONCE => HANDLED,
            answer => answer,
        };
        match answer {
            PLAIN if ffi::PyObject_SetAttr(object, name, value) == 0 => 0,
            PLAIN => done(or_again(ptr::null_mut(), STORE, object, name, value)),
            HANDLED => done(or_again(
                handled(STORE, object, name, value),
                STORE,
                object,
                name,
                value,
            )),
            _ => -1,
        }
    }
}

pub(super) unsafe fn done(found: Object) -> i32 {
    if found.is_null() {
        return -1;
    }
    // SAFETY: the result of a Python call, which we own.
    unsafe { ffi::Py_DecRef(found) };
    0
}

pub(super) unsafe fn item(object: Object, key: Object) -> Object {
    // SAFETY: as in `allowed`. The name of an item is not used.
    unsafe {
        let answer = allowed(object, ffi::Py_None(), ITEM);
        if answer & ENCLOSED == 0 {
            return item_as(answer, object, key);
        }
        let found = if enclosure::is_plain(key) {
            item_as(answer & !ENCLOSED, object, key)
        } else {
            enclosure::enclosed(|| item_as(answer & !ENCLOSED, object, key))
        };
        if references::is_property(found) {
            let kept = handled(ITEM, object, key, found);
            ffi::Py_DecRef(found);
            return kept;
        }
        references::remember(found, object, true);
        found
    }
}

pub(super) unsafe fn item_as(answer: u8, object: Object, key: Object) -> Object {
    // SAFETY: as in `allowed`.
    unsafe {
        match answer {
            PLAIN => or_again(ffi::PyObject_GetItem(object, key), ITEM, object, key, ffi::Py_None()),
            HANDLED => handled(ITEM, object, key, ffi::Py_None()),
            _ => ptr::null_mut(),
        }
    }
}

pub(super) unsafe fn set_item(object: Object, key: Object, value: Object) -> i32 {
    // SAFETY: as in `item`.
    unsafe {
        let answer = allowed(object, ffi::Py_None(), STORE_ITEM);
        if is_part_of_list(object, key, value) {
            return set_part(answer & !ENCLOSED, object, key, value);
        }
        if answer & ENCLOSED == 0 || enclosure::is_plain(value) && enclosure::is_plain(key) {
            return set_item_as(answer & !ENCLOSED, object, key, value);
        }
        let value = enclosure::settled(value);
        if value.is_null() {
            return -1;
        }
        let result = enclosure::enclosed(|| set_item_as(answer & !ENCLOSED, object, key, value));
        ffi::Py_DecRef(value);
        result
    }
}

/// Whether C would run code of the script for new items of a part of a list, after it has looked how long that is.
pub(super) unsafe fn is_part_of_list(object: Object, key: Object, value: Object) -> bool {
    // SAFETY: types are compared.
    unsafe {
        ffi::PyList_Check(object) != 0
            && ffi::Py_TYPE(key) == &raw mut ffi::PySlice_Type
            && ffi::PyList_CheckExact(value) == 0
            && ffi::PyTuple_CheckExact(value) == 0
    }
}

/// Sets a part of a list to items that are asked for before.
pub(super) unsafe fn set_part(answer: u8, object: Object, key: Object, value: Object) -> i32 {
    // SAFETY: as in `item`; the list is ours.
    unsafe {
        let items = if answer == 0 {
            ptr::null_mut()
        } else {
            ffi::PySequence_List(value)
        };
        if items.is_null() {
            return -1;
        }
        let result = set_item_as(answer, object, key, items);
        ffi::Py_DecRef(items);
        result
    }
}

pub(super) unsafe fn set_item_as(answer: u8, object: Object, key: Object, value: Object) -> i32 {
    // SAFETY: as in `item`.
    unsafe {
        match answer {
            PLAIN => ffi::PyObject_SetItem(object, key, value),
            HANDLED => done(or_again(
                handled(STORE_ITEM, object, key, value),
                STORE_ITEM,
                object,
                key,
                value,
            )),
            _ => -1,
        }
    }
}
