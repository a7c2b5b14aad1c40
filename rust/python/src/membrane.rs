//! The guards of a checked script: each of its accesses to attributes and items, and each of its calls, passes one of these.
//!
//! What a guard allows depends on the type of the object, or for classes and modules on their identity. `scripting.membrane` decides once
//! for each type and name of a script; the answer is cached here, so that a guard costs little more than the access itself. The functions
//! are native, since a guard written in Python could be inspected and changed by the script; the script cannot reach the function that decides.
//!
//! What Blender refuses although it is allowed, a script may mean as another Blender had it: the handler is asked again, with `AGAIN` added to
//! the kind, and answers `NotImplemented` where that is not so.
//!
//! Answers: 5 left to the handler once for each data-block; 1 allowed, 2 left to the handler of this kind of access (bounds by size), 3 and 4 the same for this one object only; plus 8
//! for objects that the script has created, which are forgotten before the next script; plus 16 where C may not call the script back (`enclosure`).
//! With 2 for a type may come the function that `x.name(…)` calls with `x`, so that the handler is only asked where `x.name` is read alone.
#![expect(
    unsafe_code,
    reason = "functions of C that Python calls, and a table that the GIL guards"
)]

use std::cell::UnsafeCell;
use std::ffi::c_char;
use std::ptr;

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyString, PyTuple};

use crate::{class_names, elements, enclosure, kinds, methods, references};

type Object = *mut ffi::PyObject;

/// Kinds of access, as `scripting.membrane` numbers them.
const LOAD: u8 = 0;
const STORE: u8 = 1;
const DELETE: u8 = 2;
const ITEM: u8 = 3;
const STORE_ITEM: u8 = 4;
const DELETE_ITEM: u8 = 5;
const CALL: u8 = 6;
/// A factor of a product of matrices.
const FACTOR: u8 = 7;
/// The making of an object by a class, wherever the class came from.
const MAKE: u8 = 8;
/// Added to the kind of an access that has failed.
const AGAIN: u8 = 16;

const PLAIN: u8 = 1;
const HANDLED: u8 = 2;
const ALONE_PLAIN: u8 = 3;
const ALONE_HANDLED: u8 = 4;
/// Left to the handler until it has done this once for the data-block (`references_grown`).
const ONCE: u8 = 5;
const FOR_THIS_SCRIPT: u8 = 8;
const ENCLOSED: u8 = 16;
/// Marks an answer about one object, since a class is both an object and the type of others.
const OF_OBJECT: u8 = 0x80;

const PLACES: usize = 1 << 12;

/// An answer: for a type or an object, a name and a kind of access. Both are owned, so that nothing else can have their addresses.
#[derive(Clone, Copy)]
struct Answer {
    of: Object,
    name: Object,
    kind: u8,
    verdict: u8,
    /// Concerns an object that the script has created: the next script asks again.
    passing: bool,
    /// What a call in one step calls with the object; null if the handler has to be asked.
    function: Object,
}

const NONE: Answer = Answer {
    of: ptr::null_mut(),
    name: ptr::null_mut(),
    kind: 0,
    verdict: 0,
    passing: false,
    function: ptr::null_mut(),
};

struct State {
    answers: [Answer; PLACES],
    decide: Object,
    handle: Object,
}

/// Only accessed with the GIL held, and never across a call of Python.
struct Shared(UnsafeCell<State>);

// SAFETY: every function below runs with the GIL held.
unsafe impl Sync for Shared {}

static STATE: Shared = Shared(UnsafeCell::new(State {
    answers: [NONE; PLACES],
    decide: ptr::null_mut(),
    handle: ptr::null_mut(),
}));

fn place(of: Object, name: Object, kind: u8) -> usize {
    let mixed = (of as usize >> 4).wrapping_mul(0x9E37_79B9) ^ (name as usize >> 4).wrapping_mul(0x85EB_CA6B);
    (mixed ^ (mixed >> 15) ^ usize::from(kind).wrapping_mul(0x51)) & (PLACES - 1)
}

/// The cached answer, or 0.
unsafe fn known(of: Object, name: Object, kind: u8) -> u8 {
    // SAFETY: the GIL is held, and the place is within the table.
    unsafe {
        let answers = &raw const (*STATE.0.get()).answers;
        let found = answers.cast::<Answer>().add(place(of, name, kind)).read();
        if found.of == of && found.name == name && found.kind == kind {
            found.verdict
        } else {
            0
        }
    }
}

/// What a call in one step calls for objects of this type instead of asking the handler, borrowed from the table; or null.
unsafe fn function_of(class: Object, name: Object) -> Object {
    // SAFETY: as in `known`.
    unsafe {
        let answers = &raw const (*STATE.0.get()).answers;
        let found = answers.cast::<Answer>().add(place(class, name, LOAD)).read();
        if found.of == class && found.name == name && found.kind == LOAD {
            found.function
        } else {
            ptr::null_mut()
        }
    }
}

/// Stores an answer; `function` may be null.
unsafe fn keep(of: Object, name: Object, kind: u8, verdict: u8, passing: bool, function: Object) {
    // SAFETY: as in `known`; the old answer is released after the new one is stored, since releasing may run code.
    unsafe {
        ffi::Py_IncRef(of);
        ffi::Py_IncRef(name);
        ffi::Py_IncRef(function);
        let answers = (&raw mut (*STATE.0.get()).answers).cast::<Answer>();
        let old = answers.add(place(of, name, kind)).replace(Answer {
            of,
            name,
            kind,
            verdict,
            passing,
            function,
        });
        ffi::Py_DecRef(old.of);
        ffi::Py_DecRef(old.name);
        ffi::Py_DecRef(old.function);
    }
}

/// `PLAIN` or `HANDLED`, perhaps with `ENCLOSED`; 0 with an exception set if it is refused.
unsafe fn allowed(object: Object, name: Object, kind: u8) -> u8 {
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
unsafe fn decided(object: Object, class: Object, name: Object, kind: u8) -> u8 {
    // SAFETY: as in `allowed`; `decide` is a function of Python that is never released.
    unsafe {
        let decide = (*STATE.0.get()).decide;
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
unsafe fn handled(kind: u8, object: Object, name: Object, value: Object) -> Object {
    // SAFETY: as in `decided`.
    unsafe {
        let handle = (*STATE.0.get()).handle;
        let number = ffi::PyLong_FromLong(i64::from(kind) as _);
        let found =
            ffi::PyObject_CallFunctionObjArgs(handle, number, object, name, value, ptr::null_mut::<ffi::PyObject>());
        ffi::Py_DecRef(number);
        found
    }
}

/// What an access gave; if it failed as accesses of Blender's data do, what the handler makes of it.
unsafe fn or_again(found: Object, kind: u8, object: Object, name: Object, value: Object) -> Object {
    // SAFETY: as in `decided`. A failed access has set an exception.
    unsafe {
        if !found.is_null() || (*STATE.0.get()).handle.is_null() {
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

unsafe fn loaded(object: Object, name: Object) -> Object {
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
unsafe fn stored(object: Object, name: Object, value: Object) -> i32 {
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

unsafe fn stored_as(answer: u8, object: Object, name: Object, value: Object) -> i32 {
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

unsafe fn done(found: Object) -> i32 {
    if found.is_null() {
        return -1;
    }
    // SAFETY: the result of a Python call, which we own.
    unsafe { ffi::Py_DecRef(found) };
    0
}

unsafe fn item(object: Object, key: Object) -> Object {
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

unsafe fn item_as(answer: u8, object: Object, key: Object) -> Object {
    // SAFETY: as in `allowed`.
    unsafe {
        match answer {
            PLAIN => or_again(ffi::PyObject_GetItem(object, key), ITEM, object, key, ffi::Py_None()),
            HANDLED => handled(ITEM, object, key, ffi::Py_None()),
            _ => ptr::null_mut(),
        }
    }
}

unsafe fn set_item(object: Object, key: Object, value: Object) -> i32 {
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
unsafe fn is_part_of_list(object: Object, key: Object, value: Object) -> bool {
    // SAFETY: types are compared.
    unsafe {
        ffi::PyList_Check(object) != 0
            && ffi::Py_TYPE(key) == &raw mut ffi::PySlice_Type
            && ffi::PyList_CheckExact(value) == 0
            && ffi::PyTuple_CheckExact(value) == 0
    }
}

/// Sets a part of a list to items that are asked for before.
unsafe fn set_part(answer: u8, object: Object, key: Object, value: Object) -> i32 {
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

unsafe fn set_item_as(answer: u8, object: Object, key: Object, value: Object) -> i32 {
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

unsafe extern "C" fn load(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: Python passes as many arguments as it states.
    unsafe {
        if count != 2 {
            return wrong();
        }
        loaded(*args, *args.add(1))
    }
}

unsafe extern "C" fn load_item(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 2 {
            return wrong();
        }
        item(*args, *args.add(1))
    }
}

/// `store(value, object, name)`: in the order in which Python evaluates them.
unsafe extern "C" fn store(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 3 {
            return wrong();
        }
        none(stored(*args.add(1), *args.add(2), *args))
    }
}

unsafe extern "C" fn store_item(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `load`.
    unsafe {
        if count != 3 {
            return wrong();
        }
        none(set_item(*args.add(1), *args.add(2), *args))
    }
}

/// The function itself, or its replacement.
unsafe extern "C" fn called(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
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
unsafe extern "C" fn send(_: Object, args: *const Object, count: ffi::Py_ssize_t, names: Object) -> Object {
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
unsafe extern "C" fn product(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
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

unsafe fn wrong() -> Object {
    // SAFETY: sets an exception with the GIL held.
    unsafe {
        ffi::PyErr_SetString(
            ffi::PyExc_TypeError,
            c"a guard was called in an unexpected way".as_ptr(),
        );
    };
    ptr::null_mut()
}

unsafe fn none(result: i32) -> Object {
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

/// Represents the attributes of an object where Python assigns to any target (`for x.a in …`, `a, x.b = …`, `x.c += 1`).
#[pyclass(frozen, module = "geonode_core")]
struct At(Py<PyAny>);

#[pymethods]
impl At {
    fn __getitem__(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
        // SAFETY: both are objects of Python; the result is a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(py, loaded(self.0.as_ptr(), name.as_ptr())) }.map(Bound::unbind)
    }

    fn __setitem__(&self, py: Python<'_>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: as above.
        result(py, unsafe { stored(self.0.as_ptr(), name.as_ptr(), value.as_ptr()) })
    }

    fn __delitem__(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<()> {
        // SAFETY: as above; a null value deletes.
        result(py, unsafe {
            match allowed(self.0.as_ptr(), name.as_ptr(), DELETE) {
                0 => -1,
                _ => ffi::PyObject_SetAttr(self.0.as_ptr(), name.as_ptr(), ptr::null_mut()),
            }
        })
    }
}

/// Represents the items of an object as such targets.
#[pyclass(frozen, module = "geonode_core")]
struct In(Py<PyAny>);

#[pymethods]
impl In {
    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        // SAFETY: as in `At`.
        unsafe { Bound::from_owned_ptr_or_err(py, item(self.0.as_ptr(), key.as_ptr())) }.map(Bound::unbind)
    }

    fn __setitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: as in `At`.
        result(py, unsafe { set_item(self.0.as_ptr(), key.as_ptr(), value.as_ptr()) })
    }

    fn __delitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: as in `At`.
        result(py, unsafe {
            match allowed(self.0.as_ptr(), ffi::Py_None(), DELETE_ITEM) {
                0 => -1,
                HANDLED => done(handled(DELETE_ITEM, self.0.as_ptr(), key.as_ptr(), ffi::Py_None())),
                _ => ffi::PyObject_DelItem(self.0.as_ptr(), key.as_ptr()),
            }
        })
    }
}

fn result(py: Python<'_>, done: i32) -> PyResult<()> {
    if done == 0 {
        return Ok(());
    }
    Err(PyErr::take(py).unwrap_or_else(|| PyRuntimeError::new_err("refused without a reason")))
}

fn at(py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, At(args.get_item(0)?.unbind()))?.into_any())
}

fn inside(py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, In(args.get_item(0)?.unbind()))?.into_any())
}

/// Takes other functions that decide and handle, which it owns from now on, and releases the former ones and the answers that `ends`.
fn exchange(_gil: Python<'_>, [decide, handle]: [Object; 2], ends: impl Fn(&Answer) -> bool) {
    // SAFETY: the GIL is held; objects are released after they were removed from here.
    let old = unsafe {
        let state = STATE.0.get();
        let before = [
            (&raw mut (*state).decide).replace(decide),
            (&raw mut (*state).handle).replace(handle),
        ];
        let answers = (&raw mut (*state).answers).cast::<Answer>();
        let kept = (0..PLACES).flat_map(|at| {
            let place = answers.add(at);
            let one = if ends(&*place) { place.replace(NONE) } else { NONE };
            [one.of, one.name, one.function]
        });
        kept.chain(before).filter(|one| !one.is_null()).collect::<Vec<_>>()
    };
    for one in old {
        // SAFETY: each was owned by the table.
        unsafe { ffi::Py_DecRef(one) };
    }
}

/// Releases everything here before the interpreter ends, which knows nothing of these references: what they keep alive would keep the
/// module `bpy` alive, and Blender as a module ends with that module.
fn forget_at_exit(py: Python<'_>) -> PyResult<()> {
    static REGISTERED: PyOnceLock<()> = PyOnceLock::new();
    REGISTERED
        .get_or_try_init(py, || {
            let forget = PyCFunction::new_closure(py, None, None, |args, _| {
                exchange(args.py(), [ptr::null_mut(); 2], |_| true);
            })?;
            py.import("atexit")?.call_method1("register", (forget,)).map(|_| ())
        })
        .copied()
}

/// A C function, with a description that lives as long as the process.
fn function(py: Python<'_>, name: &'static std::ffi::CStr, fast: ffi::PyCFunctionFast) -> PyResult<Py<PyAny>> {
    described(
        py,
        name,
        ffi::PyMethodDefPointer { PyCFunctionFast: fast },
        ffi::METH_FASTCALL,
    )
}

fn described(
    py: Python<'_>,
    name: &'static std::ffi::CStr,
    pointer: ffi::PyMethodDefPointer,
    flags: i32,
) -> PyResult<Py<PyAny>> {
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name.as_ptr().cast::<c_char>(),
        ml_meth: pointer,
        ml_flags: flags,
        ml_doc: ptr::null(),
    }));
    // SAFETY: the description is never freed; the result is a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyCFunction_NewEx(method, ptr::null_mut(), ptr::null_mut())) }
        .map(Bound::unbind)
}

/// The guards for one script, by name: `load(x, name)`, `item(x, key)`, `store(value, x, name)`, `store_item(value, x, key)`, `call(f)`,
/// `at(x)[name]`, `inside(x)[key]`, `begin(builtins, classes)` with those of the script and the classes about which `decide` is asked whoever makes objects by them, `send(name, x, …)` for `x.name(…)`, `product(a, b)`; `isinstance` and `issubclass` for the script. `decide(kind, x, name)` returns the answer or raises, `handle(kind, x, name, value)` carries out accesses
/// with the answer 2. Forgets the answers about objects that the previous script created. Not possible while a script runs.
#[pyfunction]
pub(crate) fn membrane<'py>(decide: &Bound<'py, PyAny>, handle: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = decide.py();
    if crate::alarm::is_watched() {
        return Err(PyTypeError::new_err("the guards of a script are made before it runs"));
    }
    forget_at_exit(py)?;
    methods::find(py);
    enclosure::find(py);
    enclosure::begin(ptr::null_mut());
    exchange(py, [decide.clone().into_ptr(), handle.clone().into_ptr()], |answer| {
        answer.passing
    });
    let guards = PyDict::new(py);
    guards.set_item("load", function(py, c"load", load)?)?;
    guards.set_item("item", function(py, c"item", load_item)?)?;
    guards.set_item("store", function(py, c"store", store)?)?;
    guards.set_item("store_item", function(py, c"store_item", store_item)?)?;
    let sending = ffi::PyMethodDefPointer {
        PyCFunctionFastWithKeywords: send,
    };
    let flags = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;
    guards.set_item("send", described(py, c"send", sending, flags)?)?;
    guards.set_item("product", function(py, c"product", product)?)?;
    guards.set_item("call", function(py, c"call", called)?)?;
    guards.set_item("isinstance", function(py, c"isinstance", kinds::is_instance)?)?;
    guards.set_item("issubclass", function(py, c"issubclass", kinds::is_subclass)?)?;
    guards.set_item(
        "begin",
        PyCFunction::new_closure(py, None, None, |args: &Bound<'_, PyTuple>, _| {
            let table = args.get_item(0)?;
            let classes: Vec<_> = args.get_item(1)?.try_iter()?.collect::<PyResult<_>>()?;
            crate::asked::ask_always(&classes)?;
            enclosure::begin(table.as_ptr());
            PyResult::Ok(())
        })?,
    )?;
    guards.set_item(
        "at",
        PyCFunction::new_closure(py, None, None, |args, _| at(args.py(), args))?,
    )?;
    guards.set_item(
        "inside",
        PyCFunction::new_closure(py, None, None, |args, _| inside(args.py(), args))?,
    )?;
    Ok(guards)
}
