//! Lets the watchdog stop comparisons, hashes and iterations that Python runs in C.
//!
//! Python checks for signals between two instructions, and in C while it formats a value, but not while it compares or
//! hashes. A list that contains another twice, which contains another twice, and so on, takes two to the power of its depth there,
//! and a hundred thousand keys with the same hash take the square of their number. Nor does it while a function in C iterates over a list
//! (a sum of lists, a map of sorted lists). So while a script runs, the functions by which Python's containers and whole numbers
//! compare and hash, and those that return the next item of a container, check for a signal first, which costs a few nanoseconds;
//! Python's own loops do not call the latter. Hashing also counts its depth, as comparing already does: the stack of C is finite.
//!
//! The functions are stored in the types themselves, at offsets that `abi3` does not define. An offset is used only if it contains what Python's own
//! interface (`PyType_GetSlot`) returns.
#![expect(unsafe_code, reason = "replaces C functions in the types of Python")]

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

type Compare = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject, c_int) -> *mut ffi::PyObject;
type Hash = unsafe extern "C" fn(*mut ffi::PyObject) -> ffi::Py_hash_t;
type Next = unsafe extern "C" fn(*mut ffi::PyObject) -> *mut ffi::PyObject;

/// Offsets of `tp_hash`, `tp_richcompare` and `tp_iternext` in `PyTypeObject`, in words; the same in every Python since 3.4.
const HASH: usize = 15;
const COMPARE: usize = 25;
const NEXT: usize = 28;

/// The original functions; they stay, since a class that a script derived from a list has inherited ours.
static ORIGINALS: [AtomicPtr<c_void>; PLACES] = [const { AtomicPtr::new(ptr::null_mut()) }; PLACES];
const PLACES: usize = 16;

unsafe extern "C" fn compare<const N: usize>(
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
    operation: c_int,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls this in place of the original, which was stored before.
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
        if ffi::Py_EnterRecursiveCall(c" while hashing".as_ptr()) != 0 {
            return -1;
        }
        let hash = transmute::<*mut c_void, Hash>(original::<N>())(value);
        ffi::Py_LeaveRecursiveCall();
        hash
    }
}

unsafe extern "C" fn next<const N: usize>(iterator: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as in `compare`.
    unsafe {
        if ffi::PyErr_CheckSignals() != 0 {
            return ptr::null_mut();
        }
        transmute::<*mut c_void, Next>(original::<N>())(iterator)
    }
}

fn original<const N: usize>() -> *mut c_void {
    ORIGINALS
        .get(N)
        .map_or(ptr::null_mut(), |original| original.load(Ordering::Acquire))
}

/// Makes comparisons, hashes and iterations stoppable until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Interruptible(Vec<Place>);

/// One function of a type, and the original.
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
        let wanted: [(*mut ffi::PyTypeObject, usize, *mut c_void); PLACES] = [
            (&raw mut ffi::PyList_Type, COMPARE, compare::<0> as *mut c_void),
            (&raw mut ffi::PyTuple_Type, COMPARE, compare::<1> as *mut c_void),
            (&raw mut ffi::PyDict_Type, COMPARE, compare::<2> as *mut c_void),
            (&raw mut ffi::PySet_Type, COMPARE, compare::<3> as *mut c_void),
            (&raw mut ffi::PyFrozenSet_Type, COMPARE, compare::<4> as *mut c_void),
            (&raw mut ffi::PyLong_Type, COMPARE, compare::<5> as *mut c_void),
            (deque, COMPARE, compare::<6> as *mut c_void),
            (&raw mut ffi::PyTuple_Type, HASH, hash::<7> as *mut c_void),
            (&raw mut ffi::PyFrozenSet_Type, HASH, hash::<8> as *mut c_void),
            (&raw mut ffi::PyListIter_Type, NEXT, next::<9> as *mut c_void),
            (&raw mut ffi::PyTupleIter_Type, NEXT, next::<10> as *mut c_void),
            (&raw mut ffi::PyRangeIter_Type, NEXT, next::<11> as *mut c_void),
            (&raw mut ffi::PySetIter_Type, NEXT, next::<12> as *mut c_void),
            (&raw mut ffi::PyDictIterKey_Type, NEXT, next::<13> as *mut c_void),
            (&raw mut ffi::PyDictIterValue_Type, NEXT, next::<14> as *mut c_void),
            (&raw mut ffi::PyDictIterItem_Type, NEXT, next::<15> as *mut c_void),
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
        let slot = match word {
            HASH => ffi::Py_tp_hash,
            COMPARE => ffi::Py_tp_richcompare,
            _ => ffi::Py_tp_iternext,
        };
        // SAFETY: the class is a type of Python, which is longer than the offset; nothing is written unless the word is the slot.
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
