//! `isinstance` and `issubclass` of a script. Python looks into nested tuples of classes without end: sixty that each contain the next one
//! twice take two to the power of sixty comparisons, which nothing can stop.
#![expect(unsafe_code, reason = "functions of C that Python calls")]

use std::ptr;

use pyo3::ffi;

type Object = *mut ffi::PyObject;

/// The most classes and tuples of them in one question.
const MOST: usize = 1000;

/// Whether a question about these classes ends soon.
unsafe fn are_few(kinds: Object) -> bool {
    // SAFETY: tuples own what is in them, and no code of Python runs meanwhile.
    unsafe {
        if ffi::PyTuple_Check(kinds) == 0 {
            return true;
        }
        let mut waiting = vec![kinds];
        let mut seen = 0usize;
        while let Some(tuple) = waiting.pop() {
            for at in 0..ffi::PyTuple_Size(tuple) {
                seen = seen.saturating_add(1);
                if seen > MOST {
                    return false;
                }
                let one = ffi::PyTuple_GetItem(tuple, at);
                if ffi::PyTuple_Check(one) != 0 {
                    waiting.push(one);
                }
            }
        }
        true
    }
}

unsafe fn answered(
    args: *mut Object,
    count: ffi::Py_ssize_t,
    ask: unsafe extern "C" fn(Object, Object) -> i32,
) -> Object {
    // SAFETY: Python passes as many arguments as it states.
    unsafe {
        if count != 2 {
            ffi::PyErr_SetString(ffi::PyExc_TypeError, c"expected 2 arguments".as_ptr());
            return ptr::null_mut();
        }
        let (thing, kinds) = (*args, *args.add(1));
        if !are_few(kinds) {
            ffi::PyErr_SetString(
                ffi::PyExc_ValueError,
                c"these tuples of classes are nested too often; use one tuple".as_ptr(),
            );
            return ptr::null_mut();
        }
        match ask(thing, kinds) {
            -1 => ptr::null_mut(),
            found => ffi::PyBool_FromLong(found.into()),
        }
    }
}

pub(crate) unsafe extern "C" fn is_instance(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `answered`.
    unsafe { answered(args, count, ffi::PyObject_IsInstance) }
}

pub(crate) unsafe extern "C" fn is_subclass(_: Object, args: *mut Object, count: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `answered`.
    unsafe { answered(args, count, ffi::PyObject_IsSubclass) }
}
