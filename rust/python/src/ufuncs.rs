//! Bounds what one operation of numpy on arrays computes: how deeply, and how much.
//!
//! An array of objects may contain an array of objects, and at last itself. Each operation on it, and each comparison, is one on its items:
//! numpy calls itself without looking at the depth, with much of the stack for each level. All of these pass through
//! the functions that numpy calls `ufunc`, so while a script runs each of them counts its depth, and lets the watchdog stop it within others.
//!
//! The operators of arrays pass through them too. Most take a few nanoseconds for each item, and memory bounds how many there are. Those that take
//! much longer, and all of them on objects of Python, are refused for more items than they can compute in about a second.
#![expect(unsafe_code, reason = "replaces the C function by which objects of numpy are called")]

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ffi::{c_int, c_ulong, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::enclosure;

type Called = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    usize,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Offset of `tp_vectorcall_offset` in `PyTypeObject`, in words; the same in every Python since 3.8.
const VECTORCALL_OFFSET: usize = 7;
/// `Py_TPFLAGS_HAVE_VECTORCALL`.
const HAVE_VECTORCALL: c_ulong = 1 << 11;
/// The most levels of arrays within arrays.
const DEEPEST: u32 = 20;

/// Functions that take up to 200 nanoseconds for each item.
const SLOW: [&str; 11] = [
    "divmod",
    "float_power",
    "floor_divide",
    "fmod",
    "gcd",
    "hypot",
    "lcm",
    "logaddexp",
    "logaddexp2",
    "power",
    "remainder",
];
/// The most items of such a function, and of any on objects of Python.
const ITEMS: usize = 20_000_000;

/// The beginning of `PyArrayObject` and of `PyArray_Descr`, the same in numpy 1 and 2.
#[repr(C)]
struct Array {
    head: ffi::PyObject,
    data: *mut c_void,
    dimensions: c_int,
    sides: *const isize,
    strides: *const isize,
    base: *mut ffi::PyObject,
    kind: *const Kind,
}
#[repr(C)]
struct Kind {
    head: ffi::PyObject,
    scalar: *mut c_void,
    letter: u8,
}
/// numpy's own bound on dimensions.
const DIMENSIONS: usize = 64;

static ARRAY: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The functions of `SLOW`; those of the thread that runs the script.
    static SLOW_ONES: RefCell<HashSet<usize>> = RefCell::new(HashSet::new());
}

unsafe extern "C" fn called(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls this in place of the original, which was stored before.
    unsafe {
        let depth = DEPTH.try_with(Cell::get).unwrap_or(0);
        if depth >= DEEPEST {
            ffi::PyErr_SetString(
                ffi::PyExc_RecursionError,
                c"arrays within arrays are nested too deeply".as_ptr(),
            );
            return ptr::null_mut();
        }
        if !within(function, args, count & !(1 << (usize::BITS - 1))) {
            ffi::PyErr_SetString(
                ffi::PyExc_ValueError,
                c"this operation on so many items would freeze Blender; use smaller arrays".as_ptr(),
            );
            return ptr::null_mut();
        }
        if depth > 0 && ffi::PyErr_CheckSignals() != 0 {
            return ptr::null_mut();
        }
        DEPTH.set(depth.saturating_add(1));
        let original = transmute::<*mut c_void, Called>(ORIGINAL.load(Ordering::Acquire));
        let found = enclosure::enclosed(|| original(function, args, count, names));
        DEPTH.set(depth);
        clear_what_is_left_out(function, args, count & !(1 << (usize::BITS - 1)), names, found)
    }
}

/// Sets to 0 what `where=` leaves out of a new array, since nobody has written it; takes and returns the result.
unsafe fn clear_what_is_left_out(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
    found: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if found.is_null() || names.is_null() {
        return found;
    }
    // SAFETY: Python passes an argument for each name after the others; the result is ours.
    unsafe {
        let py = Python::assume_attached();
        let keywords = Bound::from_borrowed_ptr(py, names);
        let mut chosen = None;
        for at in 0..usize::try_from(ffi::PyTuple_Size(names)).unwrap_or(0) {
            let Ok(name) = keywords.get_item(at) else { continue };
            let value = Bound::from_borrowed_ptr(py, *args.add(count.saturating_add(at)));
            if name.eq("out").unwrap_or(true) && !value.is_none() {
                return found;
            }
            if name.eq("where").unwrap_or(false) && value.as_ptr() != ffi::Py_True() {
                chosen = Some(value);
            }
        }
        let Some(chosen) = chosen else { return found };
        let function = Bound::from_borrowed_ptr(py, function);
        if function
            .getattr("nin")
            .and_then(|nin| nin.extract::<usize>())
            .is_ok_and(|nin| count > nin)
        {
            return found; // there are arrays for the result
        }
        let found = Bound::from_owned_ptr(py, found);
        match without_what_is_left_out(&found, &chosen) {
            Ok(cleared) => cleared.into_ptr(),
            Err(error) => {
                error.restore(py);
                ptr::null_mut()
            }
        }
    }
}

fn without_what_is_left_out<'py>(found: &Bound<'py, PyAny>, chosen: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = found.py().import("numpy")?;
    if let Ok(several) = found.cast::<PyTuple>() {
        let cleared = several.iter().map(|one| without_what_is_left_out(&one, chosen));
        return Ok(PyTuple::new(found.py(), cleared.collect::<PyResult<Vec<_>>>()?)?.into_any());
    }
    // A single number comes without its array.
    let array = numpy.call_method1("array", (found,))?;
    let left_out = numpy.call_method1("logical_not", (chosen,))?;
    let how = PyDict::new(found.py());
    how.set_item("where", left_out)?;
    numpy.call_method("copyto", (&array, 0), Some(&how))?;
    if found.is_instance(&numpy.getattr("ndarray")?)? {
        Ok(array)
    } else {
        array.get_item(PyTuple::empty(found.py()))
    }
}

/// Whether an operation on these arguments computes few enough items.
unsafe fn within(function: *mut ffi::PyObject, args: *const *mut ffi::PyObject, count: usize) -> bool {
    let mut sides = [1_usize; DIMENSIONS];
    let (mut large, mut objects) = (false, false);
    for at in 0..count {
        // SAFETY: Python passes as many arguments as it states; an object of numpy's type begins as above.
        unsafe {
            let one = *args.add(at);
            if ffi::Py_TYPE(one) != ARRAY.load(Ordering::Relaxed) {
                continue;
            }
            let array = &*one.cast::<Array>();
            let dimensions = usize::try_from(array.dimensions).unwrap_or(0).min(DIMENSIONS);
            for from_end in 1..=dimensions {
                let side = usize::try_from(array.sides.add(dimensions.saturating_sub(from_end)).read()).unwrap_or(0);
                if let Some(most) = sides.get_mut(DIMENSIONS.saturating_sub(from_end)) {
                    *most = side.max(*most);
                }
                large |= side > 1;
            }
            objects |= (*array.kind).letter == b'O';
        }
    }
    // Most operations are on single numbers.
    if !large
        || sides
            .iter()
            .fold(1_usize, |product, side| product.saturating_mul(*side))
            <= ITEMS
    {
        return true;
    }
    !objects && !SLOW_ONES.with(|slow| slow.borrow().contains(&(function as usize)))
}

/// Bounds depth and number until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Nested {
    /// Each keeps its function of numpy alive.
    places: Vec<(*mut *mut c_void, Py<PyAny>)>,
    original: *mut c_void,
}

impl Nested {
    /// `None` if numpy is not loaded, or is built otherwise.
    pub(crate) fn new(py: Python<'_>) -> Option<Self> {
        let modules = py.import("sys").ok()?.getattr("modules").ok()?;
        let inner = ["numpy._core._multiarray_umath", "numpy.core._multiarray_umath"];
        let module = inner.iter().find_map(|name| modules.get_item(name).ok())?;
        let kind = modules.get_item("numpy").ok()?.getattr("ufunc").ok()?;
        let size = kind.getattr("__basicsize__").ok()?.extract::<usize>().ok()?;
        let class = kind.as_ptr().cast::<ffi::PyTypeObject>();
        // SAFETY: reads a word of a type and its flags.
        let (offset, flags) = unsafe {
            (
                class.cast::<usize>().add(VECTORCALL_OFFSET).read(),
                ffi::PyType_GetFlags(class),
            )
        };
        if flags & HAVE_VECTORCALL == 0 || offset % align_of::<usize>() != 0 || offset.checked_add(8)? > size {
            return None;
        }
        let array = modules.get_item("numpy").ok()?.getattr("ndarray").ok()?;
        ARRAY.store(array.as_ptr().cast(), Ordering::Relaxed);
        let slow = SLOW.iter().filter_map(|name| module.getattr(*name).ok());
        SLOW_ONES.set(slow.map(|one| one.as_ptr() as usize).collect());
        let mut nested = Self {
            places: Vec::new(),
            original: ptr::null_mut(),
        };
        for (_, one) in module.getattr("__dict__").ok()?.cast::<PyDict>().ok()? {
            if one.get_type_ptr() != class {
                continue;
            }
            // SAFETY: an object of this type has the function by which it is called at that offset.
            unsafe {
                let place = one.as_ptr().byte_add(offset).cast::<*mut c_void>();
                let found = place.read();
                if nested.original.is_null() {
                    nested.original = found;
                }
                if !found.is_null() && found == nested.original && found != called as *mut c_void {
                    nested.places.push((place, one.unbind()));
                }
            }
        }
        ORIGINAL.store(nested.original, Ordering::Release);
        for (place, _) in &nested.places {
            // SAFETY: as above.
            unsafe { place.write(called as *mut c_void) };
        }
        Some(nested)
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        for (place, _) in &self.places {
            // SAFETY: the function of numpy is still there; the word was written before.
            unsafe { place.write(self.original) };
        }
    }
}
