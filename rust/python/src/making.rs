//! The classes by which a script may make objects, wherever it has them from.
//!
//! The guard of calls sees only calls that are written as such. A class that C calls (as the function of `map`, the key of a sort, the `__call__` of an own
//! class, a default factory) goes through `type.__call__`, and so does every other; so while a script runs, `type` and the metaclasses that
//! inherit this function from it ask the membrane, if the frame that runs is the script's. Classes with a way around it (`list`, `range`) are
//! harmless, or replaced for scripts.
#![expect(unsafe_code, reason = "replaces a C function in the types of Python")]

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods, PyType};

use crate::{asked, enclosure, membrane};

type Object = *mut ffi::PyObject;
type Call = unsafe extern "C" fn(Object, Object, Object) -> Object;

/// Offset of `tp_call` in `PyTypeObject`, in words; the same in every Python since 3.4.
const CALL: usize = 16;

type Quick = unsafe extern "C" fn(Object, *const Object, usize, Object) -> Object;

/// Offset of `tp_vectorcall_offset` in `PyTypeObject`, in words; the same in every Python since 3.8.
const VECTORCALL_OFFSET: usize = 7;
/// Types of mathutils that are called without `type.__call__` in some Blenders, with the original functions.
static QUICK: [(AtomicPtr<ffi::PyTypeObject>, AtomicPtr<c_void>); 8] =
    [const { (AtomicPtr::new(ptr::null_mut()), AtomicPtr::new(ptr::null_mut())) }; 8];

static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" fn make(class: Object, args: Object, names: Object) -> Object {
    // SAFETY: Python calls this in place of the original, which was stored before.
    unsafe {
        let original = transmute::<*mut c_void, Call>(ORIGINAL.load(Ordering::Acquire));
        let flags = ffi::PyType_GetFlags(class.cast());
        // C makes exceptions and classes by itself.
        let by_itself = ffi::Py_TPFLAGS_BASE_EXC_SUBCLASS | ffi::Py_TPFLAGS_TYPE_SUBCLASS;
        let asked = flags & by_itself == 0 && (enclosure::is_of_script() || asked::is_asked_always(class));
        if !asked || is_of_blender(args) {
            return original(class, args, names);
        }
        membrane::made(class, args, names, original)
    }
}

/// Whether Blender makes a wrapper of its data: it passes an address in a capsule, which no script has.
unsafe fn is_of_blender(args: Object) -> bool {
    // SAFETY: Python passes a tuple.
    unsafe {
        ffi::PyTuple_Size(args) == 1 && ffi::Py_TYPE(ffi::PyTuple_GetItem(args, 0)) == &raw mut ffi::PyCapsule_Type
    }
}

/// In place of the functions by which the types in `QUICK` are called.
unsafe extern "C" fn make_quickly(class: Object, args: *const Object, count: usize, names: Object) -> Object {
    // SAFETY: Python calls this in place of the original, which was stored before, with as many arguments as it states.
    unsafe {
        let found = QUICK
            .iter()
            .find(|(kind, _)| kind.load(Ordering::Relaxed) == class.cast());
        let Some((_, original)) = found else {
            return ptr::null_mut();
        };
        let original = transmute::<*mut c_void, Quick>(original.load(Ordering::Relaxed));
        let number = count & !(1 << (usize::BITS - 1));
        if !enclosure::is_of_script() || names.is_null() && (0..number).all(|at| enclosure::is_plain(*args.add(at))) {
            return original(class, args, count, names);
        }
        enclosure::called_by(|args| original(class, args, number, names), args, number, names)
    }
}

/// Asks the membrane until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Making {
    words: Vec<*mut *mut c_void>,
    quick: Vec<(*mut *mut c_void, *mut c_void)>,
}

impl Making {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        let class = &raw mut ffi::PyType_Type;
        let mut making = Self {
            words: Vec::new(),
            quick: Vec::new(),
        };
        // SAFETY: `type` is longer than the offset, which is used only if it has what Python's own interface returns.
        unsafe {
            let original = ffi::PyType_GetSlot(class, ffi::Py_tp_call);
            if original.is_null() || class.cast::<*mut c_void>().add(CALL).read() != original {
                return Ok(making);
            }
            ORIGINAL.store(original, Ordering::Release);
            let subclasses = py.get_type::<PyType>().getattr("__subclasses__")?;
            let mut waiting = vec![py.get_type::<PyType>().into_any()];
            while let Some(one) = waiting.pop() {
                let word = one.as_ptr().cast::<*mut c_void>().add(CALL);
                if word.read() == original {
                    word.write(make as *mut c_void);
                    making.words.push(word);
                }
                for derived in subclasses.call1((one,))?.try_iter()? {
                    waiting.push(derived?);
                }
            }
        }
        making.take_quick(py);
        Ok(making)
    }

    fn take_quick(&mut self, py: Python<'_>) {
        let Ok(members) = py.import("mathutils").and_then(|module| module.getattr("__dict__")) else {
            return;
        };
        let Ok(members) = members.cast_into::<PyDict>() else {
            return;
        };
        let kinds = members
            .values()
            .into_iter()
            .filter_map(|one| one.cast_into::<PyType>().ok());
        let mut places = QUICK.iter();
        for kind in kinds {
            // SAFETY: `type` says where in a type the function is by which it is called; types of mathutils stay.
            unsafe {
                let offset = (&raw mut ffi::PyType_Type)
                    .cast::<usize>()
                    .add(VECTORCALL_OFFSET)
                    .read();
                let word = kind.as_ptr().byte_add(offset).cast::<*mut c_void>();
                let original = word.read();
                if offset == 0 || original.is_null() || original == make_quickly as *mut c_void {
                    continue;
                }
                let Some((class, function)) = places.next() else { return };
                function.store(original, Ordering::Relaxed);
                class.store(kind.as_type_ptr(), Ordering::Relaxed);
                word.write(make_quickly as *mut c_void);
                self.quick.push((word, original));
            }
        }
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        let original = ORIGINAL.load(Ordering::Acquire);
        for (word, original) in &self.quick {
            // SAFETY: as below.
            unsafe { word.write(*original) };
        }
        for word in &self.words {
            // SAFETY: written before; a metaclass lives as long as the module that has it.
            unsafe { word.write(original) };
        }
    }
}
