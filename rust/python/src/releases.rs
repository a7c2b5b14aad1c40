//! Releases values that are nested deeply without using up the stack of C.
//!
//! Python releases a list in a list in a list one after the other, but not a deque in a deque, a generator that holds another, or an iterator
//! over an iterator over an iterator: each of these releases what it holds within its own release, and 500,000 of them end Blender. So the
//! functions by which such types release an object count how deeply they are nested on this thread; what lies deeper waits until the outermost has ended.
//!
//! What a script leaves behind may be released at any time, so these functions stay, from the first script on.
//! A type is changed as in `interruption`: only where the offset contains what Python's own interface returns.
#![expect(unsafe_code, reason = "replaces C functions in the types of Python")]

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

type Release = unsafe extern "C" fn(*mut ffi::PyObject);

/// Offset of `tp_dealloc` in `PyTypeObject`, in words; the same in every Python since 3.4.
const DEALLOC: usize = 6;
/// The most releases within each other.
const DEEPEST: u32 = 50;
/// Modules of the types whose objects hold others.
const MODULES: [&str; 12] = [
    "_collections",
    "_functools",
    "_operator",
    "array",
    "builtins",
    "collections",
    "functools",
    "itertools",
    "operator",
    "re",
    "types",
    "typing",
];
/// Types that are released in special ways, or never in numbers.
const OTHERS: [&str; 8] = [
    "type",
    "frame",
    "code",
    "module",
    "function",
    "cell",
    "traceback",
    "builtin_function_or_method",
];
/// Types of numpy whose objects hold others; Python's collector does not know them.
const OF_NUMPY: [&str; 5] = ["ndarray", "flatiter", "void", "nditer", "broadcast"];

/// How many types have a function of their own in `slots`; any further ones share `release_any`, which has to look for the original.
const SLOTS: usize = 128;

/// The type that has the function with a number, and its original, stored before the function is used. A type keeps its number.
static KINDS: [AtomicPtr<ffi::PyTypeObject>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];
static RELEASES: [AtomicPtr<c_void>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];
/// The original functions by type, never freed: another table replaces it when numpy has been loaded.
static ORIGINALS: AtomicPtr<HashMap<usize, Release>> = AtomicPtr::new(ptr::null_mut());

/// What this thread is releasing.
struct Nesting {
    depth: Cell<u32>,
    /// Whether there is anything in `WAITING`.
    waiting: Cell<bool>,
}

thread_local! {
    static NESTING: Nesting = const { Nesting { depth: Cell::new(0), waiting: Cell::new(false) } };
    /// Objects that nothing refers to any more, and whether the collector knew them.
    static WAITING: RefCell<Vec<(*mut ffi::PyObject, bool)>> = const { RefCell::new(Vec::new()) };
}

/// The original function for objects of a type, and whether it is the type's own: one derived from it has its own release around this one.
unsafe fn original(kind: *mut ffi::PyTypeObject) -> Option<(Release, bool)> {
    // SAFETY: the table is complete before a type is changed; the bases of a type are types.
    unsafe {
        let table = ORIGINALS.load(Ordering::Acquire).as_ref()?;
        let mut at = kind;
        while !at.is_null() {
            if let Some(found) = table.get(&(at as usize)) {
                return Some((*found, at == kind));
            }
            at = ffi::PyType_GetSlot(at, ffi::Py_tp_base).cast();
        }
        None
    }
}

/// In place of the original of one type, which it knows by its number: objects are released too often to look for it.
unsafe extern "C" fn release<const N: usize>(object: *mut ffi::PyObject) {
    let (Some(kind), Some(original)) = (KINDS.get(N), RELEASES.get(N)) else {
        return;
    };
    // SAFETY: both were stored before this function was.
    unsafe {
        let own = ffi::Py_TYPE(object) == kind.load(Ordering::Relaxed);
        let original = transmute::<*mut c_void, Release>(original.load(Ordering::Relaxed));
        released(object, original, own);
    }
}

/// In place of the originals of all types that have no number.
unsafe extern "C" fn release_any(object: *mut ffi::PyObject) {
    // SAFETY: Python calls this in place of the original, once nothing refers to the object.
    unsafe {
        if let Some((original, own)) = original(ffi::Py_TYPE(object)) {
            released(object, original, own);
        }
    }
}

#[inline]
unsafe fn released(object: *mut ffi::PyObject, original: Release, own: bool) {
    // SAFETY: as in `release_any`.
    let done = NESTING.try_with(|nesting| unsafe {
        let depth = nesting.depth.get();
        if own && depth >= DEEPEST && wait(object) {
            nesting.waiting.set(true);
            return;
        }
        nesting.depth.set(depth.saturating_add(1));
        original(object);
        if depth == 0 && nesting.waiting.replace(false) {
            release_waiting();
        }
        nesting.depth.set(depth);
    });
    if done.is_err() {
        // The thread ends.
        // SAFETY: as above.
        unsafe { original(object) };
    }
}

unsafe fn wait(object: *mut ffi::PyObject) -> bool {
    // SAFETY: the collector may not find an object to which nothing refers.
    WAITING
        .try_with(|waiting| unsafe {
            let tracked = ffi::PyObject_GC_IsTracked(object) != 0;
            if tracked {
                ffi::PyObject_GC_UnTrack(object.cast());
            }
            waiting.borrow_mut().push((object, tracked));
        })
        .is_ok()
}

#[cold]
unsafe fn release_waiting() {
    while let Ok(Some((object, tracked))) = WAITING.try_with(|waiting| waiting.borrow_mut().pop()) {
        // SAFETY: the object waited for exactly this; some originals expect that the collector knows it.
        unsafe {
            if tracked {
                ffi::PyObject_GC_Track(object.cast());
            }
            if let Some((original, _)) = original(ffi::Py_TYPE(object)) {
                original(object);
            }
        }
    }
}

/// Changes the types that need it; those of numpy once it is loaded. Held with the GIL.
pub(crate) fn flatten(py: Python<'_>) -> PyResult<()> {
    static PYTHON: AtomicBool = AtomicBool::new(false);
    static NUMPY: AtomicBool = AtomicBool::new(false);
    let mut kinds = Vec::new();
    if !PYTHON.swap(true, Ordering::AcqRel) {
        kinds.extend(of_python(py)?);
    }
    let modules = py.import("sys")?.getattr("modules")?;
    if let Some(numpy) = modules.cast::<PyDict>()?.get_item("numpy")?
        && !NUMPY.swap(true, Ordering::AcqRel)
    {
        for name in OF_NUMPY {
            kinds.extend(
                numpy
                    .getattr(name)
                    .ok()
                    .and_then(|kind| kind.cast_into::<PyType>().ok()),
            );
        }
    }
    if !kinds.is_empty() {
        change(&kinds);
    }
    Ok(())
}

/// The types of Python whose objects hold others and are not released by a function that already looks at the depth.
fn of_python(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyType>>> {
    let builtins = py.import("builtins")?;
    let own = py.eval(c"type('Own', (), {})", None, None)?;
    let mut flat: HashSet<usize> = ["list", "tuple", "dict", "set", "ValueError"]
        .iter()
        .filter_map(|name| builtins.getattr(name).ok()?.cast_into::<PyType>().ok())
        .map(|kind| released_by(&kind))
        .collect();
    flat.insert(released_by(own.cast::<PyType>()?));
    let subclasses = builtins.getattr("type")?.getattr("__subclasses__")?;
    let mut waiting = vec![builtins.getattr("object")?];
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(one) = waiting.pop() {
        for derived in subclasses.call1((one,))?.try_iter()? {
            let derived = derived?;
            let kind = derived.cast::<PyType>()?;
            if !seen.insert(kind.as_ptr() as usize) {
                continue;
            }
            let module = kind.getattr("__module__").and_then(|module| module.extract::<String>());
            if !module.is_ok_and(|module| MODULES.contains(&module.as_str())) {
                continue;
            }
            let name = kind.name()?.to_string();
            // SAFETY: reads the flags of a type.
            let holds = unsafe { ffi::PyType_GetFlags(kind.as_type_ptr()) } & ffi::Py_TPFLAGS_HAVE_GC != 0;
            let special = OTHERS.contains(&name.as_str()) || name.contains("weak") || name.contains("Weak");
            if holds && !special && !flat.contains(&released_by(kind)) {
                found.push(kind.clone());
            }
            waiting.push(derived);
        }
    }
    Ok(found)
}

fn released_by(kind: &Bound<'_, PyType>) -> usize {
    // SAFETY: reads a slot of a type.
    unsafe { ffi::PyType_GetSlot(kind.as_type_ptr(), ffi::Py_tp_dealloc) as usize }
}

fn change(kinds: &[Bound<'_, PyType>]) {
    // SAFETY: as in `interruption`: nothing is written unless the word is the slot. The table is replaced before, and its predecessor stays,
    // since another thread may be reading it.
    unsafe {
        let before = ORIGINALS.load(Ordering::Acquire).as_ref();
        let mut table = before.cloned().unwrap_or_default();
        let mut words = Vec::new();
        let slots = slots();
        let ours: HashSet<usize> = slots
            .iter()
            .chain([&(release_any as Release)])
            .map(|one| *one as usize)
            .collect();
        for kind in kinds {
            let class = kind.as_type_ptr();
            let word = class.cast::<*mut c_void>().add(DEALLOC);
            let original = ffi::PyType_GetSlot(class, ffi::Py_tp_dealloc);
            if !original.is_null() && !ours.contains(&(original as usize)) && word.read() == original {
                let number = table.len();
                table.insert(class as usize, transmute::<*mut c_void, Release>(original));
                if let (Some(kind), Some(kept)) = (KINDS.get(number), RELEASES.get(number)) {
                    kind.store(class, Ordering::Release);
                    kept.store(original, Ordering::Release);
                }
                words.push((word, slots.get(number).copied().unwrap_or(release_any)));
                // The table keeps the address.
                ffi::Py_IncRef(class.cast());
            }
        }
        ORIGINALS.store(Box::into_raw(Box::new(table)), Ordering::Release);
        for (word, function) in words {
            word.write(function as *mut c_void);
        }
    }
}

/// The functions by number.
fn slots() -> [Release; SLOTS] {
    macro_rules! eight {
        ($($first:literal)*) => {
            [$(
                release::<{ $first }>, release::<{ $first + 1 }>, release::<{ $first + 2 }>, release::<{ $first + 3 }>,
                release::<{ $first + 4 }>, release::<{ $first + 5 }>, release::<{ $first + 6 }>, release::<{ $first + 7 }>,
            )*]
        };
    }
    eight!(0 8 16 24 32 40 48 56 64 72 80 88 96 104 112 120)
}
