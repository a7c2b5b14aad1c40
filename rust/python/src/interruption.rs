//! Lets the watchdog stop comparisons, hashes and iterations that Python runs in C.
//!
//! Python checks for signals between two instructions, and in C while it formats a value, but not while it compares or
//! hashes. A list that contains another twice, which contains another twice, and so on, takes two to the power of its depth there,
//! and a hundred thousand keys with the same hash take the square of their number. Nor does it while a function in C iterates over a list
//! (a sum of lists, a map of sorted lists). So while a script runs, the functions by which Python's containers and whole numbers
//! compare and hash, and those that return the next item of a container, first look whether the watchdog wants to stop the script, and only
//! then ask Python for its signals, which takes ten times as long; Python's own loops do not call the latter. Texts compare quickly, but a list may contain a million of a million characters. Hashing also counts
//! its depth, as comparing already does, and so do iterators over iterators (`map`, `chain`): the stack of C is finite. An iterator that is
//! in the middle of returning an item returns no other one meanwhile.
//!
//! The functions are stored in the types themselves, at offsets that `abi3` does not define. An offset is used only if it contains what Python's own
//! interface (`PyType_GetSlot`) returns.
#![expect(unsafe_code, reason = "replaces C functions in the types of Python")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::{enclosure, watchdog};

type Compare = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject, c_int) -> *mut ffi::PyObject;
type Hash = unsafe extern "C" fn(*mut ffi::PyObject) -> ffi::Py_hash_t;
type Next = unsafe extern "C" fn(*mut ffi::PyObject) -> *mut ffi::PyObject;

/// Offsets of `tp_hash`, `tp_richcompare` and `tp_iternext` in `PyTypeObject`, in words; the same in every Python since 3.4.
const HASH: usize = 15;
const COMPARE: usize = 25;
const NEXT: usize = 28;

/// The original functions; they stay, since a class that a script derived from a list has inherited ours.
static ORIGINALS: [AtomicPtr<c_void>; PLACES] = [const { AtomicPtr::new(ptr::null_mut()) }; PLACES];
const PLACES: usize = 60;

/// Whether the script ends here, with its exception set.
unsafe fn ends() -> bool {
    // SAFETY: Python calls the functions below with the GIL held.
    watchdog::is_stopping() && unsafe { ffi::PyErr_CheckSignals() } != 0
}

unsafe extern "C" fn compare<const N: usize>(
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
    operation: c_int,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls this in place of the original, which was stored before.
    unsafe {
        if ends() {
            return ptr::null_mut();
        }
        transmute::<*mut c_void, Compare>(original::<N>())(left, right, operation)
    }
}

unsafe extern "C" fn hash<const N: usize>(value: *mut ffi::PyObject) -> ffi::Py_hash_t {
    // SAFETY: as in `compare`.
    unsafe {
        if ends() {
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
        if ends() {
            return ptr::null_mut();
        }
        transmute::<*mut c_void, Next>(original::<N>())(iterator)
    }
}

/// An iterator that is returning an item, on the stack of C, and the one that it does so for.
struct Busy {
    iterator: *mut ffi::PyObject,
    outer: *const Busy,
}

thread_local! {
    /// The innermost iterator that is returning an item.
    static BUSY: Cell<*const Busy> = const { Cell::new(ptr::null()) };
}

/// Whether an iterator is returning an item already.
unsafe fn is_busy(iterator: *mut ffi::PyObject) -> bool {
    let mut one = BUSY.get();
    // SAFETY: each of these is on the stack until it is taken out of the chain.
    while let Some(busy) = unsafe { one.as_ref() } {
        if busy.iterator == iterator {
            return true;
        }
        one = busy.outer;
    }
    false
}

/// The next item of an iterator that asks another one, or a function, for it. Code of the script that runs then must not ask this one too: it holds
/// values that it does not own while it waits.
unsafe extern "C" fn next_within<const N: usize>(iterator: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as in `compare`.
    unsafe {
        if ends() {
            return ptr::null_mut();
        }
        if is_busy(iterator) {
            ffi::PyErr_SetString(ffi::PyExc_ValueError, c"iterator already executing".as_ptr());
            return ptr::null_mut();
        }
        if ffi::Py_EnterRecursiveCall(c" in an iterator".as_ptr()) != 0 {
            return ptr::null_mut();
        }
        let outer = BUSY.get();
        let busy = Busy { iterator, outer };
        BUSY.set(&raw const busy);
        let item = transmute::<*mut c_void, Next>(original::<N>())(iterator);
        BUSY.set(outer);
        ffi::Py_LeaveRecursiveCall();
        item
    }
}

/// What a generator yields next; not where C may not call the script.
unsafe extern "C" fn next_of_generator<const N: usize>(generator: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as in `compare`.
    unsafe {
        if enclosure::refuses(generator) {
            return ptr::null_mut();
        }
        transmute::<*mut c_void, Next>(original::<N>())(generator)
    }
}

fn original<const N: usize>() -> *mut c_void {
    ORIGINALS
        .get(N)
        .map_or(ptr::null_mut(), |original| original.load(Ordering::Acquire))
}

/// Makes comparisons, hashes and iterations stoppable until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Interruptible {
    places: Vec<Place>,
    /// Whether every function that this Python has was where it was expected.
    complete: bool,
}

/// One function of a type, and the original.
struct Place {
    word: *mut *mut c_void,
    original: *mut c_void,
}

impl Interruptible {
    pub(crate) fn new(py: Python<'_>) -> Self {
        let deque = named(py, "collections", "deque");
        let itertools = |name: &str| named(py, "itertools", name);
        let ordered = named(py, "collections", "OrderedDict");
        let empty = |module: &str, name: &str| py.import(module)?.getattr(name)?.call0();
        let forward = |module: &str, name: &str| class_of(empty(module, name).and_then(|value| iterated(&value)));
        let letters = |text: &str| class_of(iterated(PyString::new(py, text).as_any()));
        let backward = |module: &str, name: &str| class_of(empty(module, name).and_then(|value| reversed(&value)));
        let part = |name: &str| {
            let view = empty("builtins", "dict").and_then(|dict| dict.call_method0(name));
            class_of(view.and_then(|view| reversed(&view)))
        };
        let method = named(py, "types", "MethodType");
        let alias = named(py, "types", "GenericAlias");
        let generator = named(py, "types", "GeneratorType");
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
            (&raw mut ffi::PyUnicode_Type, COMPARE, compare::<16> as *mut c_void),
            (&raw mut ffi::PyBytes_Type, COMPARE, compare::<17> as *mut c_void),
            (&raw mut ffi::PyByteArray_Type, COMPARE, compare::<18> as *mut c_void),
            (letters("a"), NEXT, next::<19> as *mut c_void),
            (letters("…"), NEXT, next::<20> as *mut c_void),
            (forward("builtins", "bytes"), NEXT, next::<21> as *mut c_void),
            (forward("builtins", "bytearray"), NEXT, next::<22> as *mut c_void),
            (forward("collections", "deque"), NEXT, next::<23> as *mut c_void),
            (backward("builtins", "list"), NEXT, next::<24> as *mut c_void),
            (backward("collections", "deque"), NEXT, next::<25> as *mut c_void),
            (part("keys"), NEXT, next::<26> as *mut c_void),
            (part("values"), NEXT, next::<27> as *mut c_void),
            (part("items"), NEXT, next::<28> as *mut c_void),
            (&raw mut ffi::PyReversed_Type, NEXT, next_within::<29> as *mut c_void),
            (&raw mut ffi::PySeqIter_Type, NEXT, next_within::<30> as *mut c_void),
            (&raw mut ffi::PyCallIter_Type, NEXT, next_within::<31> as *mut c_void),
            (&raw mut ffi::PyMap_Type, NEXT, next_within::<32> as *mut c_void),
            (&raw mut ffi::PyFilter_Type, NEXT, next_within::<33> as *mut c_void),
            (&raw mut ffi::PyZip_Type, NEXT, next_within::<34> as *mut c_void),
            (&raw mut ffi::PyEnum_Type, NEXT, next_within::<35> as *mut c_void),
            (itertools("accumulate"), NEXT, next_within::<36> as *mut c_void),
            (itertools("batched"), NEXT, next_within::<37> as *mut c_void),
            (itertools("chain"), NEXT, next_within::<38> as *mut c_void),
            (itertools("compress"), NEXT, next_within::<39> as *mut c_void),
            (itertools("dropwhile"), NEXT, next_within::<40> as *mut c_void),
            (itertools("filterfalse"), NEXT, next_within::<41> as *mut c_void),
            (itertools("groupby"), NEXT, next_within::<42> as *mut c_void),
            (itertools("_grouper"), NEXT, next_within::<43> as *mut c_void),
            (itertools("islice"), NEXT, next_within::<44> as *mut c_void),
            (itertools("pairwise"), NEXT, next_within::<45> as *mut c_void),
            (itertools("starmap"), NEXT, next_within::<46> as *mut c_void),
            (itertools("takewhile"), NEXT, next_within::<47> as *mut c_void),
            (itertools("_tee"), NEXT, next_within::<48> as *mut c_void),
            (itertools("zip_longest"), NEXT, next_within::<49> as *mut c_void),
            (ordered, COMPARE, compare::<50> as *mut c_void),
            (forward("collections", "OrderedDict"), NEXT, next::<51> as *mut c_void),
            (&raw mut ffi::PyFloat_Type, COMPARE, compare::<52> as *mut c_void),
            (&raw mut ffi::PyComplex_Type, COMPARE, compare::<53> as *mut c_void),
            (&raw mut ffi::PySlice_Type, COMPARE, compare::<54> as *mut c_void),
            (&raw mut ffi::PySlice_Type, HASH, hash::<55> as *mut c_void),
            (method, COMPARE, compare::<56> as *mut c_void),
            (method, HASH, hash::<57> as *mut c_void),
            (alias, HASH, hash::<58> as *mut c_void),
            (generator, NEXT, next_of_generator::<59> as *mut c_void),
        ];
        let mut ours = Self {
            places: Vec::with_capacity(PLACES),
            complete: true,
        };
        for ((class, word, function), original) in wanted.into_iter().zip(&ORIGINALS) {
            match Place::take(class, word, function, original) {
                Ok(place) => ours.places.extend(place),
                Err(Misplaced) => ours.complete = false,
            }
        }
        ours
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }
}

/// A function of Python is not where every known Python has it.
struct Misplaced;

/// A class of a module; null where this Python has none, as for the other functions below.
fn named(py: Python<'_>, module: &str, name: &str) -> *mut ffi::PyTypeObject {
    let class = py.import(module).and_then(|module| module.getattr(name));
    class.map_or(ptr::null_mut(), |class| class.as_ptr().cast())
}

/// The class of an object, which stays: it belongs to Python.
fn class_of(value: PyResult<Bound<'_, PyAny>>) -> *mut ffi::PyTypeObject {
    value.map_or(ptr::null_mut(), |value| value.get_type_ptr())
}

fn iterated<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Ok(value.try_iter()?.into_any())
}

fn reversed<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    value.py().import("builtins")?.getattr("reversed")?.call1((value,))
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        for place in self.places.iter().rev() {
            // SAFETY: the word was written before, and types of Python stay where they are.
            unsafe { place.word.write(place.original) };
        }
    }
}

impl Place {
    /// Puts our function into its place; `None` where this Python has no such class or function.
    fn take(
        class: *mut ffi::PyTypeObject,
        word: usize,
        ours: *mut c_void,
        kept: &AtomicPtr<c_void>,
    ) -> Result<Option<Self>, Misplaced> {
        if class.is_null() {
            return Ok(None);
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
            if original.is_null() {
                return Ok(None);
            }
            if word.read() != original {
                return Err(Misplaced);
            }
            kept.store(original, Ordering::Release);
            word.write(ours);
            Ok(Some(Self { word, original }))
        }
    }
}
