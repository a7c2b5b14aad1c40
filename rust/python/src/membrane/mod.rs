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

mod accesses;
mod answers;
mod guards;
mod places;

use std::ffi::c_char;
use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use self::answers::{exchange, forget};
pub(crate) use self::guards::made;
use self::guards::{called, load, load_item, product, send, store, store_item};
use self::places::{at, inside};
use crate::{enclosure, kinds, methods};

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
/// with the answer 2; `forget()`: what may be read is asked again. Forgets the answers about objects that the previous script created. Not possible while a script runs.
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
        "forget",
        PyCFunction::new_closure(py, None, None, |args: &Bound<'_, PyTuple>, _| forget(args.py()))?,
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
