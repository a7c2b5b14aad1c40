//! Ensures that no code of a script runs while C is in the middle of something.
//!
//! Blender, mathutils, bmesh and numpy hold what they were given without owning it: they walk through a list of the script while they ask its items
//! for numbers, sort an array while they ask what is less, write into a vertex while they ask for its coordinates. Code of the script that runs
//! then (a generator, `__len__`, `__lt__`, `__float__`) could clear the list or free the mesh, and C would use memory that belongs to something else.
//!
//! So what the guards call in these libraries is enclosed: iterators, and objects of the script that are sequences, become lists before, and until the
//! call returns, Python hands each frame that it would evaluate to `evaluate`, which refuses those of the script. Frames of libraries pass.
//! Python resumes generators without that where C asks them for an item, so `interruption` asks `refuses` too.
//!
//! The functions of Python's used here are not in the limited interface; they are looked up while running.
#![expect(
    unsafe_code,
    reason = "a function of C that evaluates frames, and calls with arguments in a row"
)]

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::{alarm, allocation, class_names, elements, methods, records, references};

type Object = *mut ffi::PyObject;
/// `_PyFrameEvalFunction`; the frame is looked at as words.
type Evaluate = unsafe extern "C" fn(*mut c_void, *mut *mut c_void, c_int) -> Object;

struct Frames {
    /// `_PyInterpreterState_SetEvalFrameFunc`.
    set: unsafe extern "C" fn(*mut c_void, Evaluate),
    /// `_PyEval_EvalFrameDefault`.
    default: Evaluate,
    /// `PyInterpreterState_Get`.
    interpreter: unsafe extern "C" fn() -> *mut c_void,
}

static FRAMES: PyOnceLock<Option<Frames>> = PyOnceLock::new();
/// The builtins of the script, which only its own frames have; not owned, and only compared.
static BUILTINS: AtomicPtr<ffi::PyObject> = AtomicPtr::new(ptr::null_mut());
/// Whether an enclosed call has not returned yet.
static ENCLOSED: AtomicBool = AtomicBool::new(false);

/// The words of a frame of which one is its builtins: the third in Python 3.11, the fifth since. The second is left out: since 3.12 it is the frame
/// that called this one, which Python sets only when evaluation begins; until then it holds what another frame left there.
const WORDS: [usize; 5] = [0, 2, 3, 4, 5];
/// How deep lists and dictionaries may lie in each other; numpy's arrays have at most 64 dimensions, custom properties 100 groups.
const DEEPEST: usize = 128;
/// The most lists in a list.
const MOST_LISTS: usize = 50_000_000;
/// The most items of a tuple that are looked at one by one.
const FEW: ffi::Py_ssize_t = 16;
/// Types of data that no code of the script can be behind, however they are derived.
const OF_DATA: c_ulong = ffi::Py_TPFLAGS_LONG_SUBCLASS
    | ffi::Py_TPFLAGS_UNICODE_SUBCLASS
    | ffi::Py_TPFLAGS_BYTES_SUBCLASS
    | ffi::Py_TPFLAGS_LIST_SUBCLASS
    | ffi::Py_TPFLAGS_TUPLE_SUBCLASS
    | ffi::Py_TPFLAGS_DICT_SUBCLASS
    | ffi::Py_TPFLAGS_TYPE_SUBCLASS
    | ffi::Py_TPFLAGS_BASE_EXC_SUBCLASS;

/// Looks for Python's functions, before a script runs.
pub(crate) fn find(py: Python<'_>) {
    FRAMES.get_or_init(py, || {
        let set = allocation::address(py, "_PyInterpreterState_SetEvalFrameFunc")?;
        let default = allocation::address(py, "_PyEval_EvalFrameDefault")?;
        let interpreter = allocation::address(py, "PyInterpreterState_Get")?;
        // SAFETY: Python's own functions by their names, with the signatures that they have had since 3.11.
        Some(unsafe {
            Frames {
                set: transmute::<usize, unsafe extern "C" fn(*mut c_void, Evaluate)>(set),
                default: transmute::<usize, Evaluate>(default),
                interpreter: transmute::<usize, unsafe extern "C" fn() -> *mut c_void>(interpreter),
            }
        })
    });
}

fn frames() -> Option<&'static Frames> {
    // SAFETY: the guards, which ask, run with the GIL held.
    FRAMES.get(unsafe { Python::assume_attached() })?.as_ref()
}

/// The builtins of the script that runs next; null after it.
pub(crate) fn begin(builtins: Object) {
    BUILTINS.store(builtins, Ordering::Relaxed);
}

/// Whether these are the builtins of the script that runs.
pub(crate) fn are_of_script(builtins: Object) -> bool {
    !builtins.is_null() && BUILTINS.load(Ordering::Relaxed) == builtins
}

/// Whether the code that is running now is the script's own, or was called by C on its behalf. Holds the GIL.
pub(crate) unsafe fn is_of_script() -> bool {
    let builtins = BUILTINS.load(Ordering::Relaxed);
    // SAFETY: the GIL is held; the result is borrowed and only compared.
    !builtins.is_null() && unsafe { ffi::PyEval_GetBuiltins() } == builtins
}

/// Sets the exception, and returns true, if a generator of the script may not go on now.
pub(crate) unsafe fn refuses(generator: Object) -> bool {
    if !ENCLOSED.load(Ordering::Relaxed) {
        return false;
    }
    // SAFETY: reads attributes of a generator, with the GIL held.
    unsafe {
        let py = Python::assume_attached();
        let generator = Bound::from_borrowed_ptr(py, generator);
        let file = alarm::unheard(|| generator.getattr("gi_code")).and_then(|code| code.getattr("co_filename"));
        let of_script = file.is_ok_and(|file| file.extract::<&str>().is_ok_and(|file| file == "<script>"));
        if of_script {
            refuse();
        }
        of_script
    }
}

unsafe fn refuse() {
    // SAFETY: sets an exception with the GIL held.
    unsafe {
        ffi::PyErr_SetString(
            ffi::PyExc_RuntimeError,
            c"Blender and libraries may not call code of the script while they work: pass plain values, as in [tuple(p) for p in points]."
                .as_ptr(),
        );
    }
}

/// In place of Python's own evaluation of frames during an enclosed call.
unsafe extern "C" fn evaluate(thread: *mut c_void, frame: *mut *mut c_void, thrown: c_int) -> Object {
    // SAFETY: Python passes a frame, which is longer than the words that are read; the original evaluates, and releases, it in any case.
    unsafe {
        let Some(frames) = frames() else {
            return ptr::null_mut();
        };
        let builtins = BUILTINS.load(Ordering::Relaxed).cast::<c_void>();
        let of_script = !builtins.is_null() && WORDS.iter().any(|at| frame.add(*at).read() == builtins);
        if !of_script || !ENCLOSED.load(Ordering::Relaxed) {
            return (frames.default)(thread, frame, thrown);
        }
        if thrown == 0 {
            refuse();
            // As if its first instruction had raised: no handler of the function is in force there.
            return (frames.default)(thread, frame, 1);
        }
        // A generator that is in a `try`: what scripts may catch would run its handler.
        let caught = !ffi::PyErr_Occurred().is_null() && ffi::PyErr_ExceptionMatches(ffi::PyExc_Exception) != 0;
        if caught {
            ffi::PyErr_Clear();
            ffi::PyErr_SetNone(ffi::PyExc_GeneratorExit);
        }
        let found = (frames.default)(thread, frame, thrown);
        if caught && found.is_null() {
            ffi::PyErr_Clear();
            refuse();
        }
        found
    }
}

/// Until it is dropped, no code of the script runs.
struct Enclosed(bool);

impl Enclosed {
    unsafe fn new() -> Self {
        let first = !ENCLOSED.swap(true, Ordering::Relaxed);
        if first && let Some(frames) = frames() {
            // SAFETY: the GIL is held.
            unsafe { (frames.set)((frames.interpreter)(), evaluate) };
        }
        Self(first)
    }
}

impl Drop for Enclosed {
    fn drop(&mut self) {
        if self.0 {
            if let Some(frames) = frames() {
                // SAFETY: as in `new`.
                unsafe { (frames.set)((frames.interpreter)(), frames.default) };
            }
            ENCLOSED.store(false, Ordering::Relaxed);
        }
    }
}

/// Does something during which no code of the script runs.
pub(crate) unsafe fn enclosed<T>(act: impl FnOnce() -> T) -> T {
    // SAFETY: the guards run with the GIL held.
    let _enclosed = unsafe { Enclosed::new() };
    act()
}

/// Whether no code of the script can be behind a value: numbers, texts, short tuples of them.
pub(crate) unsafe fn is_plain(value: Object) -> bool {
    // SAFETY: types are compared, and tuples own what is in them.
    unsafe {
        if is_scalar(value) {
            return true;
        }
        if ffi::Py_TYPE(value) != &raw mut ffi::PyTuple_Type {
            return false;
        }
        let count = ffi::PyTuple_Size(value);
        count <= FEW && (0..count).all(|at| is_scalar(ffi::PyTuple_GetItem(value, at)))
    }
}

unsafe fn is_scalar(value: Object) -> bool {
    // SAFETY: types are compared.
    unsafe {
        let kind = ffi::Py_TYPE(value);
        kind == &raw mut ffi::PyFloat_Type
            || kind == &raw mut ffi::PyLong_Type
            || kind == &raw mut ffi::PyUnicode_Type
            || kind == &raw mut ffi::PyBool_Type
            || value == ffi::Py_None()
    }
}

/// The value as C may have it, as a new reference: an iterator, or an object of the script that is a sequence, as a list, one with keys as a dictionary. Null with an exception,
/// as for a list with iterators in it: C asks them while it holds the list's items, which asking may take out.
pub(crate) unsafe fn settled(value: Object) -> Object {
    // SAFETY: the value is an object of Python, and the GIL is held.
    unsafe {
        let value = if !has_items_of_script(value) {
            ffi::Py_IncRef(value);
            value
        } else if ffi::PyObject_HasAttrString(value, c"keys".as_ptr()) == 0 {
            ffi::PySequence_List(value)
        } else {
            as_dictionary(value)
        };
        if value.is_null() {
            return value;
        }
        let unsettled = holds_iterators(value, DEEPEST, &mut { MOST_LISTS });
        if unsettled && ffi::PyErr_Occurred().is_null() {
            refuse();
        }
        if unsettled || records::may_describe(value) && enclosed(|| records::describes_wrong(value)) {
            ffi::Py_DecRef(value);
            return ptr::null_mut();
        }
        value
    }
}

/// Whether an iterator is in a list or tuple, or in one of those in it. Those that nest deeper, or hold more, count as such; true with an exception for
/// a wrong description of records (`numpy.dtype`).
unsafe fn holds_iterators(value: Object, depth: usize, lists: &mut usize) -> bool {
    // SAFETY: reads what is known of types, and borrows items while nothing else runs.
    unsafe {
        let flags = ffi::PyType_GetFlags(ffi::Py_TYPE(value));
        let (count, item): (_, unsafe extern "C" fn(Object, ffi::Py_ssize_t) -> Object) =
            if flags & ffi::Py_TPFLAGS_LIST_SUBCLASS != 0 {
                (ffi::PyList_Size(value), ffi::PyList_GetItem)
            } else if flags & ffi::Py_TPFLAGS_TUPLE_SUBCLASS != 0 {
                (ffi::PyTuple_Size(value), ffi::PyTuple_GetItem)
            } else if class_names::is_of_numpy(value) {
                return records::is_wrong(value);
            } else {
                return ffi::PyIter_Check(value) != 0
                    || ffi::PyDict_CheckExact(value) != 0 && has_deep_record(value, depth, lists)
                    || says_what_it_consists_of(value);
            };
        if depth == 0 || *lists == 0 {
            return true;
        }
        *lists -= 1;
        (0..count).any(|at| {
            let one = item(value, at);
            !is_scalar(one) && holds_iterators(one, depth - 1, lists)
        })
    }
}

/// Whether a description of records, as a value in a dictionary that describes them too, is within too many others; also
/// where dictionaries nest deeper or hold more than `depth` and `lists` say. True with an exception.
unsafe fn has_deep_record(dictionary: Object, depth: usize, lists: &mut usize) -> bool {
    // SAFETY: the values are borrowed while nothing else runs.
    unsafe {
        if depth == 0 || *lists == 0 {
            refuse_deep();
            return true;
        }
        *lists -= 1;
        let (mut at, mut value) = (0, ptr::null_mut());
        while ffi::PyDict_Next(dictionary, &raw mut at, ptr::null_mut(), &raw mut value) != 0 {
            if !is_scalar(value) && holds_iterators(value, depth - 1, lists) && !ffi::PyErr_Occurred().is_null() {
                return true;
            }
        }
        false
    }
}

unsafe fn refuse_deep() {
    // SAFETY: sets an exception with the GIL held.
    unsafe {
        ffi::PyErr_SetString(
            ffi::PyExc_RuntimeError,
            c"Dictionaries within so many others cannot be given to Blender and libraries.".as_ptr(),
        );
    }
}

/// Whether numpy would ask an object or a class of the script for a description of records, which could be another each time; true with an exception.
unsafe fn says_what_it_consists_of(value: Object) -> bool {
    // SAFETY: reads what is known of types, and asks for an attribute with the GIL held.
    unsafe {
        let kind = ffi::Py_TYPE(value);
        let asked = if ffi::PyType_Check(value) != 0 {
            is_made_by_script(value.cast())
        } else if ffi::PyType_GetFlags(kind) & ffi::Py_TPFLAGS_HEAPTYPE != 0 {
            is_made_by_script(kind) || class_names::is_one_of(kind.cast(), &["SimpleNamespace"])
        } else {
            class_names::is_one_of(kind.cast(), &["function", "method", "module", "types.SimpleNamespace"])
        };
        if !asked || ffi::PyObject_HasAttrString(value, c"dtype".as_ptr()) == 0 {
            return false;
        }
        ffi::PyErr_SetString(
            ffi::PyExc_TypeError,
            c"Give Blender and libraries the dtype itself (x.dtype) instead of something that has one.".as_ptr(),
        );
        true
    }
}

unsafe fn has_items_of_script(value: Object) -> bool {
    // SAFETY: reads what is known of a type.
    unsafe {
        let kind = ffi::Py_TYPE(value);
        let flags = ffi::PyType_GetFlags(kind);
        if flags & OF_DATA != 0 || is_scalar(value) {
            return false;
        }
        if ffi::PyIter_Check(value) != 0 {
            return !class_names::is_of_numpy(value);
        }
        flags & ffi::Py_TPFLAGS_HEAPTYPE != 0
            && (!ffi::PyType_GetSlot(kind, ffi::Py_tp_iter).is_null()
                || !ffi::PyType_GetSlot(kind, ffi::Py_sq_item).is_null())
            && is_made_by_script(kind)
    }
}

/// What an own class with keys holds, as a new dictionary. Null with an exception.
unsafe fn as_dictionary(value: Object) -> Object {
    // SAFETY: the value is an object of Python, and the GIL is held.
    unsafe {
        let made = ffi::PyDict_New();
        if !made.is_null() && ffi::PyDict_Update(made, value) != 0 {
            ffi::Py_DecRef(made);
            return ptr::null_mut();
        }
        made
    }
}

/// Whether a class says that a script has made it; one of another module that says so is no danger.
unsafe fn is_made_by_script(kind: *mut ffi::PyTypeObject) -> bool {
    // SAFETY: the GIL is held; the attribute of a class is read.
    unsafe {
        let py = Python::assume_attached();
        let kind = Bound::from_borrowed_ptr(py, kind.cast());
        kind.getattr("__module__")
            .is_ok_and(|module| module.extract::<&str>().is_ok_and(|module| module == "__main__"))
    }
}

/// Calls a function with arguments in a row, of which the last have the names in `names`, so that no code of the script runs.
pub(crate) unsafe fn called(function: Object, args: *const Object, count: usize, names: Object) -> Object {
    // SAFETY: as in `called_by`.
    unsafe {
        let call = |args: *const Object| match methods::found() {
            Some(methods) => (methods.call)(function, args, count, names),
            None => methods::called(function, args, count, names),
        };
        called_by(call, args, count, names)
    }
}

/// Calls what takes arguments in a row, as `called` does.
pub(crate) unsafe fn called_by(
    call: impl FnOnce(*const Object) -> Object,
    args: *const Object,
    count: usize,
    names: Object,
) -> Object {
    // SAFETY: the caller has as many arguments in a row, followed by one for each name.
    unsafe {
        let all = count.saturating_add(methods::size(names));
        let mut given: Vec<Object> = Vec::with_capacity(all);
        for at in 0..all {
            elements::look(*args.add(at));
            let one = settled(*args.add(at));
            if one.is_null() {
                break;
            }
            given.push(one);
        }
        let found = if given.len() < all {
            ptr::null_mut()
        } else {
            enclosed(|| call(given.as_ptr()))
        };
        for one in given {
            ffi::Py_DecRef(one);
        }
        found
    }
}

/// Makes an object by a class, enclosed, with arguments as `PyObject_Call` has them.
pub(crate) unsafe fn made(
    class: Object,
    args: Object,
    names: Object,
    original: unsafe extern "C" fn(Object, Object, Object) -> Object,
) -> Object {
    // SAFETY: the tuple owns its items; nothing else has the new one yet, which takes the references.
    unsafe {
        let count = ffi::PyTuple_Size(args);
        if names.is_null() && (0..count).all(|at| is_plain(ffi::PyTuple_GetItem(args, at))) {
            return original(class, args, names);
        }
        let given = ffi::PyTuple_New(count);
        if given.is_null() {
            return given;
        }
        for at in 0..count {
            let one = settled(ffi::PyTuple_GetItem(args, at));
            if one.is_null() {
                ffi::Py_DecRef(given);
                return ptr::null_mut();
            }
            ffi::PyTuple_SetItem(given, at, one);
        }
        let found = enclosed(|| original(class, given, names));
        ffi::Py_DecRef(given);
        found
    }
}

unsafe extern "C" fn call(function: Object, args: *const Object, count: ffi::Py_ssize_t, names: Object) -> Object {
    // SAFETY: Python passes as many arguments as it states; `function` is what `wrapped` was given.
    unsafe {
        if ffi::PyCFunction_Check(function) != 0 {
            let of = ffi::PyCFunction_GetSelf(function);
            if !of.is_null() {
                elements::look(of);
            }
        }
        let views = references::Views::new();
        let found = called(function, args, usize::try_from(count).unwrap_or(0), names);
        if let Some(views) = views {
            let py = Python::assume_attached();
            let failure = PyErr::take(py);
            views.settle(py, true);
            if let Some(failure) = failure {
                failure.restore(py);
            }
        }
        found
    }
}

/// A function that calls another, enclosed. The name lives as long as the process.
unsafe fn wrapped_as(method: *mut ffi::PyMethodDef, function: Object) -> Object {
    // SAFETY: the description is never freed; the result keeps the function.
    unsafe { ffi::PyCFunction_NewEx(method, function, ptr::null_mut()) }
}

fn described(name: *const c_char) -> *mut ffi::PyMethodDef {
    Box::into_raw(Box::new(ffi::PyMethodDef {
        ml_name: name,
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: call,
        },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: ptr::null(),
    }))
}

/// A method as the script may keep it; takes the reference.
pub(crate) unsafe fn wrapped(method: Object) -> Object {
    static METHOD: AtomicPtr<ffi::PyMethodDef> = AtomicPtr::new(ptr::null_mut());
    // SAFETY: the GIL is held, so that only one description is made.
    unsafe {
        if method.is_null() || ffi::PyCallable_Check(method) == 0 || ffi::PyType_Check(method) != 0 {
            return method;
        }
        if METHOD.load(Ordering::Acquire).is_null() {
            METHOD.store(described(c"method".as_ptr()), Ordering::Release);
        }
        let found = wrapped_as(METHOD.load(Ordering::Acquire), method);
        ffi::Py_DecRef(method);
        found
    }
}

/// The function of a module as scripts get it: no code of theirs runs during its calls, and it gets lists instead of their iterators.
#[pyfunction]
pub(crate) fn enclosed_function<'py>(function: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    find(function.py());
    methods::find(function.py());
    let name = std::ffi::CString::new(name)?.into_raw();
    // SAFETY: name and description are never freed; the result is a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(function.py(), wrapped_as(described(name), function.as_ptr())) }
}

/// Calls a function so that no code of the script runs until it returns; iterators become lists.
#[pyfunction]
#[pyo3(signature = (function, /, *args, **names))]
pub(crate) fn call_enclosed<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    names: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    // SAFETY: the results are new references, or null with an exception.
    let settled_one = |one: Bound<'py, PyAny>| unsafe {
        elements::look(one.as_ptr());
        Bound::from_owned_ptr_or_err(py, settled(one.as_ptr()))
    };
    let args = args.iter().map(settled_one).collect::<PyResult<Vec<_>>>()?;
    let args = PyTuple::new(py, args)?;
    let names = names
        .map(|names| {
            let given = PyDict::new(py);
            for (name, value) in names {
                given.set_item(name, settled_one(value)?)?;
            }
            PyResult::Ok(given)
        })
        .transpose()?;
    // SAFETY: the GIL is held.
    let views = references::Views::new();
    let found = unsafe { enclosed(|| call_or_fail(function, &args, names.as_ref())) };
    if let Some(views) = views {
        views.settle(py, true);
    }
    found
}

/// Calls a function. Some of Blender's fail without saying why, which `PyObject_Call` lets pass; then it is a `SystemError`, as Python itself raises.
fn call_or_fail<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    names: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let names = names.map_or(ptr::null_mut(), Bound::as_ptr);
    // SAFETY: the GIL is held, and the result is a new reference, or null with an exception.
    unsafe {
        let found = ffi::PyObject_Call(function.as_ptr(), args.as_ptr(), names);
        if found.is_null() && ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_SetString(ffi::PyExc_SystemError, c"it failed without saying why".as_ptr());
        }
        Bound::from_owned_ptr_or_err(py, found)
    }
}
