//! Lets the watchdog stop what Python compares and hashes in C.
//!
//! Python looks for signals between two instructions, and in C where it writes a value out, but not while it compares or
//! hashes. A list that holds another twice, which holds another twice, and so on, takes two to the power of its depth there,
//! and a hundred thousand keys with one hash take the square of their number. So while a script runs, the functions by which
//! Python's containers and whole numbers compare and hash look for a signal first, which costs them a few nanoseconds.
//!
//! The functions stand in the types themselves; `abi3` does not name the places. Each is taken only when it holds what Python's own
//! interface (`PyType_GetSlot`) says that it holds.
#![expect(unsafe_code, reason = "replaces C functions in the types of Python")]

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

type Compare = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject, c_int) -> *mut ffi::PyObject;
type Hash = unsafe extern "C" fn(*mut ffi::PyObject) -> ffi::Py_hash_t;

/// Where `tp_hash` and `tp_richcompare` stand in `PyTypeObject`, in words; the same in every Python since 3.4.
const HASH: usize = 15;
const COMPARE: usize = 25;

/// What the functions below pass on to; kept, for a class that a script made from a list has inherited them.
static ORIGINALS: [AtomicPtr<c_void>; 9] = [const { AtomicPtr::new(ptr::null_mut()) }; 9];

unsafe extern "C" fn compare<const N: usize>(
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
    operation: c_int,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls this as it calls the original, whose place it has; that was stored before.
    unsafe {
        if ffi::PyErr_CheckSignals() != 0 {
            return ptr::null_mut();
        }
        transmute::<*mut c_void, Compare>(original::<N>())(left, right, operation)
    }
}

unsafe extern "C" fn hash<const N: usize>(value: *mut ffi::PyObject) -> ffi::Py_hash_t {
    // SAFETY: as in `compare`.
    unsafe {
        if ffi::PyErr_CheckSignals() != 0 {
            return -1;
        }
        transmute::<*mut c_void, Hash>(original::<N>())(value)
    }
}

fn original<const N: usize>() -> *mut c_void {
    ORIGINALS
        .get(N)
        .map_or(ptr::null_mut(), |original| original.load(Ordering::Acquire))
}

/// Comparisons and hashes that can be stopped, until this is dropped. Held on the main thread with the GIL.
pub(crate) struct Interruptible(Vec<Place>);

/// One function of a type, and what stood there.
struct Place {
    word: *mut *mut c_void,
    original: *mut c_void,
}

impl Interruptible {
    pub(crate) fn new(py: Python<'_>) -> Self {
        let deque = py
            .import("collections")
            .and_then(|module| module.getattr("deque"))
            .map_or(ptr::null_mut(), |class| class.as_ptr().cast::<ffi::PyTypeObject>());
        let wanted: [(*mut ffi::PyTypeObject, usize, *mut c_void); 9] = [
            (&raw mut ffi::PyList_Type, COMPARE, compare::<0> as *mut c_void),
            (&raw mut ffi::PyTuple_Type, COMPARE, compare::<1> as *mut c_void),
            (&raw mut ffi::PyDict_Type, COMPARE, compare::<2> as *mut c_void),
            (&raw mut ffi::PySet_Type, COMPARE, compare::<3> as *mut c_void),
            (&raw mut ffi::PyFrozenSet_Type, COMPARE, compare::<4> as *mut c_void),
            (&raw mut ffi::PyLong_Type, COMPARE, compare::<5> as *mut c_void),
            (deque, COMPARE, compare::<6> as *mut c_void),
            (&raw mut ffi::PyTuple_Type, HASH, hash::<7> as *mut c_void),
            (&raw mut ffi::PyFrozenSet_Type, HASH, hash::<8> as *mut c_void),
        ];
        let places = wanted.into_iter().zip(&ORIGINALS);
        Self(
            places
                .filter_map(|((class, word, ours), original)| Place::take(class, word, ours, original))
                .collect(),
        )
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        for place in &self.0 {
            // SAFETY: the word was written before, and types of Python stay where they are.
            unsafe { place.word.write(place.original) };
        }
    }
}

impl Place {
    fn take(class: *mut ffi::PyTypeObject, word: usize, ours: *mut c_void, kept: &AtomicPtr<c_void>) -> Option<Self> {
        if class.is_null() {
            return None;
        }
        let slot = if word == HASH {
            ffi::Py_tp_hash
        } else {
            ffi::Py_tp_richcompare
        };
        // SAFETY: the class is a type of Python, which is longer than the word's place; nothing is written unless the word is the slot.
        unsafe {
            let word = class.cast::<*mut c_void>().add(word);
            let original = ffi::PyType_GetSlot(class, slot);
            if original.is_null() || word.read() != original {
                return None;
            }
            kept.store(original, Ordering::Release);
            word.write(ours);
            Some(Self { word, original })
        }
    }
}
