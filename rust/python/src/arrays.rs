//! Bounds the memory of one array of numpy while a script runs.
//!
//! Numpy allocates arrays without Python's hook, and one operation on two small arrays can create a huge one (an outer product).
//! It has its own hook since 1.22 (NEP 49): ours refuses what `allocation` refuses and passes the rest on.
//! An array keeps the hook that it was created with, so the hook is never removed; it refuses nothing when no script runs.
#![expect(unsafe_code, reason = "the hook is a table of C functions of numpy's C interface")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::allocation::refused;

/// `PyDataMemAllocator`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Functions {
    ctx: *mut c_void,
    malloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    calloc: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, *mut c_void, usize),
}

/// `PyDataMem_Handler`, version 1.
#[repr(C)]
struct Handler {
    name: [c_char; 127],
    version: u8,
    functions: Functions,
}

/// Numpy's name for the capsule of a handler.
const CAPSULE: &CStr = c"mem_handler";
/// Indices of `PyDataMem_SetHandler` and `PyDataMem_GetHandler` in the table of numpy's C interface, which never change.
const SET: usize = 304;
const GET: usize = 305;

unsafe extern "C" fn malloc(ctx: *mut c_void, size: usize) -> *mut c_void {
    if refused(size) {
        return ptr::null_mut();
    }
    // SAFETY: `ctx` is the `Functions` that ours replace; they are never freed.
    unsafe {
        let original = &*ctx.cast::<Functions>();
        (original.malloc)(original.ctx, size)
    }
}

unsafe extern "C" fn calloc(ctx: *mut c_void, count: usize, size: usize) -> *mut c_void {
    if refused(count.saturating_mul(size)) {
        return ptr::null_mut();
    }
    // SAFETY: as in `malloc`.
    unsafe {
        let original = &*ctx.cast::<Functions>();
        (original.calloc)(original.ctx, count, size)
    }
}

unsafe extern "C" fn realloc(ctx: *mut c_void, block: *mut c_void, size: usize) -> *mut c_void {
    if refused(size) {
        return ptr::null_mut();
    }
    // SAFETY: as in `malloc`.
    unsafe {
        let original = &*ctx.cast::<Functions>();
        (original.realloc)(original.ctx, block, size)
    }
}

unsafe extern "C" fn free(ctx: *mut c_void, block: *mut c_void, size: usize) {
    // SAFETY: as in `malloc`.
    unsafe {
        let original = &*ctx.cast::<Functions>();
        (original.free)(original.ctx, block, size);
    }
}

/// Bounds arrays until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Arrays {
    set: unsafe extern "C" fn(*mut ffi::PyObject) -> *mut ffi::PyObject,
    before: Py<PyAny>,
}

impl Arrays {
    /// `None` if numpy is not loaded, or has no such hook.
    pub(crate) fn new(py: Python<'_>) -> Option<Self> {
        static OURS: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
        let table = table(py)?;
        // SAFETY: the two entries of the table are these functions since numpy 1.22, which `table` has checked.
        let (set, get) = unsafe {
            (
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut ffi::PyObject) -> *mut ffi::PyObject>(
                    table.add(SET).read(),
                ),
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *mut ffi::PyObject>(table.add(GET).read()),
            )
        };
        let ours = OURS.get_or_init(py, || {
            // SAFETY: the function returns a new reference to the capsule of the active handler, or null.
            let current = unsafe { Bound::from_owned_ptr_or_opt(py, get()) }?;
            around(py, &current)
        });
        let ours = ours.as_ref()?;
        // SAFETY: the function takes a capsule and returns a new reference to the previous one, or null.
        let before = unsafe { Bound::from_owned_ptr_or_opt(py, set(ours.as_ptr())) };
        let Some(before) = before else {
            // If the hook cannot be set, there is none.
            PyErr::take(py);
            return None;
        };
        Some(Self {
            set,
            before: before.unbind(),
        })
    }
}

impl Drop for Arrays {
    fn drop(&mut self) {
        Python::attach(|py| {
            // SAFETY: as in `new`; the returned reference is ours to release.
            let ours = unsafe { Bound::from_owned_ptr_or_opt(py, (self.set)(self.before.as_ptr())) };
            drop(ours);
        });
    }
}

/// Our handler around another one, which is never freed.
fn around(py: Python<'_>, current: &Bound<'_, PyAny>) -> Option<Py<PyAny>> {
    // SAFETY: numpy's capsule of that name contains a handler, which lives as long as the capsule; the capsule is never released.
    unsafe {
        let handler = ffi::PyCapsule_GetPointer(current.as_ptr(), CAPSULE.as_ptr()).cast::<Handler>();
        if handler.is_null() || (*handler).version != 1 {
            PyErr::take(py);
            return None;
        }
        ffi::Py_IncRef(current.as_ptr());
        let mut name = [0; 127];
        for (to, from) in name.iter_mut().zip(c"geonode".to_bytes()) {
            *to = c_char::from_ne_bytes([*from]);
        }
        let original = Box::leak(Box::new((*handler).functions));
        let ours = Box::leak(Box::new(Handler {
            name,
            version: 1,
            functions: Functions {
                ctx: ptr::from_mut(original).cast(),
                malloc,
                calloc,
                realloc,
                free,
            },
        }));
        let capsule = ffi::PyCapsule_New(ptr::from_mut(ours).cast(), CAPSULE.as_ptr(), None);
        Bound::from_owned_ptr_or_opt(py, capsule).map(Bound::unbind)
    }
}

/// The table of numpy's C interface, if numpy is loaded and new enough.
fn table(py: Python<'_>) -> Option<*mut *mut c_void> {
    let modules = py.import("sys").ok()?.getattr("modules").ok()?;
    let inner = ["numpy._core._multiarray_umath", "numpy.core._multiarray_umath"];
    let module = inner.iter().find_map(|name| modules.get_item(name).ok())?;
    // Introduced together with the hook.
    module.getattr("get_handler_name").ok()?;
    let capsule = module.getattr("_ARRAY_API").ok()?;
    // SAFETY: numpy's capsule has no name and holds its table.
    let table = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), ptr::null()) };
    if table.is_null() {
        PyErr::take(py);
        return None;
    }
    Some(table.cast())
}
