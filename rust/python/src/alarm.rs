//! Listens to the interpreter's audit events (PEP 578) and stops a script at the first event that no script needs.
//!
//! Python raises an event when its own code opens a file, starts a program, opens a socket, loads a library, compiles text or inspects
//! a frame. While a script runs, every event of its thread is an alarm, except the few in `HARMLESS` and those of library functions that
//! `alarm_allow` has registered. An alarm is recorded, raises an exception that `except Exception` does not catch, and keeps raising it
//! until the script has ended, even if code swallows it. Code that outlives a script (a finaliser, a callback, a thread) belongs to the
//! file `CODE`: with that file on the stack every event is an alarm too, on every thread and at any later time; then only the event fails.
//!
//! A hook cannot be removed, so it is added once, with the first script. `PySys_AddAuditHook` is not in the limited interface: it is looked up while
//! running; if it is missing, `sys.addaudithook` receives a native function. Each is tested with an event of our own
//! before it is trusted.
#![expect(unsafe_code, reason = "the hook is a C function that Python calls")]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use geonode_protocol::Code;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::allocation::address;
use crate::errors::{CoreError, classes};
use crate::watchdog;

/// The file name of code of a script in safe mode.
const CODE: &str = "<script>";
/// Harmless events that ordinary scripts raise.
const HARMLESS: [&CStr; 6] = [
    c"builtins.id",
    c"array.__new__",
    c"time.sleep",
    c"sys.excepthook",
    c"sys.unraisablehook",
    c"cpython.PyInterpreterState_Clear",
];
/// Events that are so frequent in Blender that their origin is not checked after a script has ended; they are harmless on their own.
const FREQUENT: [&CStr; 6] = [
    c"builtins.id",
    c"object.__getattr__",
    c"object.__setattr__",
    c"sys._getframe",
    c"code.__new__",
    c"marshal.loads",
];
/// The event that tests a hook.
const PROBE: &CStr = c"geonode.probe";
/// Most frames that are searched for code of a script.
const DEEPEST: usize = 200;

/// Whether the hook exists and works.
static ADDED: AtomicBool = AtomicBool::new(false);
/// Whether a script has run in this process.
static USED: AtomicBool = AtomicBool::new(false);
/// How often the hook received its own event.
static HEARD: AtomicU32 = AtomicU32::new(0);
/// The first event of the present script that was an alarm.
static ALARM: Mutex<Option<String>> = Mutex::new(None);
/// Functions of libraries that may raise an event.
static ALLOWED: Mutex<Vec<Allowed>> = Mutex::new(Vec::new());

/// The code objects are kept.
#[derive(PartialEq)]
struct Allowed {
    event: String,
    code: usize,
    /// A function that must have called it; 0 for any.
    under: usize,
}

thread_local! {
    /// Whether this thread is running a script.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    /// Whether the hook itself is running.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Python calls this at every event of the process.
unsafe extern "C" fn hook(event: *const c_char, _args: *mut ffi::PyObject, _data: *mut c_void) -> c_int {
    if event.is_null() {
        return 0;
    }
    // SAFETY: Python passes the name of the event as a C string.
    c_int::from(!may_proceed(unsafe { CStr::from_ptr(event) })).wrapping_neg()
}

/// Whether an event is allowed; if not, the exception is set. Holds the GIL, as every event does while there is an interpreter.
fn may_proceed(event: &CStr) -> bool {
    let watched = WATCHED.get();
    if !watched && !USED.load(Ordering::Relaxed) {
        return event != PROBE || probed();
    }
    if event == PROBE {
        return probed();
    }
    if HARMLESS.contains(&event) || INSIDE.get() || (!watched && FREQUENT.contains(&event)) {
        return true;
    }
    // SAFETY: only checks whether the interpreter exists.
    if unsafe { ffi::Py_IsInitialized() } == 0 {
        return true;
    }
    INSIDE.set(true);
    let fine = Python::attach(|py| {
        let kept = PyErr::take(py);
        let fine = if watched {
            is_allowed(py, event)
        } else {
            !is_of_script(py)
        };
        if fine && let Some(error) = kept {
            error.restore(py);
        }
        if !fine {
            refuse(py, event, watched);
        }
        fine
    });
    INSIDE.set(false);
    fine
}

fn probed() -> bool {
    HEARD.fetch_add(1, Ordering::Relaxed);
    true
}

/// Marks the alarm and sets the exception.
fn refuse(py: Python<'_>, event: &CStr, watched: bool) {
    let event = event.to_string_lossy().into_owned();
    if !watched {
        PyRuntimeError::new_err(format!("{event} is not allowed in code that a script has left behind.")).restore(py);
        return;
    }
    mark(&event);
    match stopped(py) {
        Ok(error) | Err(error) => error.restore(py),
    }
}

/// An exception that `except Exception` does not catch.
fn stopped(py: Python<'_>) -> PyResult<PyErr> {
    let class = classes(py)?.as_any().get_item("_Stopped")?;
    Ok(PyErr::from_value(class.call0()?))
}

/// Records the first event and makes the watchdog stop the script.
fn mark(event: &str) {
    let mut alarm = ALARM.lock().unwrap_or_else(PoisonError::into_inner);
    if alarm.is_none() {
        *alarm = Some(event.to_owned());
    }
    drop(alarm);
    watchdog::alarmed();
}

/// Whether the innermost Python function is registered for this event.
fn is_allowed(py: Python<'_>, event: &CStr) -> bool {
    let Some(frame) = frame(py) else { return false };
    let Some(innermost) = code(&frame).map(|code| code.as_ptr() as usize) else {
        return false;
    };
    let allowed = ALLOWED.lock().unwrap_or_else(PoisonError::into_inner);
    allowed
        .iter()
        .filter(|one| one.code == innermost && one.event.as_bytes() == event.to_bytes())
        .any(|one| one.under == 0 || is_under(&frame, one.under))
}

/// Whether a function called the innermost one, directly or through a few others.
fn is_under(frame: &Bound<'_, PyAny>, wanted: usize) -> bool {
    let mut next = Some(frame.clone());
    for _ in 0..8 {
        let Some(frame) = next else { return false };
        if code(&frame).is_some_and(|code| code.as_ptr() as usize == wanted) {
            return true;
        }
        next = frame.getattr("f_back").ok().filter(|back| !back.is_none());
    }
    false
}

/// Whether code of a script is on the stack.
fn is_of_script(py: Python<'_>) -> bool {
    let mut next = frame(py);
    for _ in 0..DEEPEST {
        let Some(frame) = next else { return false };
        let file = code(&frame).and_then(|code| code.getattr("co_filename").ok());
        if file.is_some_and(|file| file.extract::<&str>().is_ok_and(|file| file == CODE)) {
            return true;
        }
        next = frame.getattr("f_back").ok().filter(|back| !back.is_none());
    }
    false
}

fn frame(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    // SAFETY: gives a borrowed reference to the frame of this thread, or null.
    unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) }
}

fn code<'py>(frame: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: what `frame` and `f_back` give are frames; the function gives a new reference.
    unsafe { Bound::from_owned_ptr_or_opt(frame.py(), ffi::PyFrame_GetCode(frame.as_ptr().cast()).cast()) }
}

/// Allows a library function to raise an event while a script runs: `code` is its code object, `under` that of a function that must have
/// called it. Not possible while a script runs.
#[pyfunction]
#[pyo3(signature = (event, code, under=None))]
pub(crate) fn alarm_allow(event: &str, code: &Bound<'_, PyAny>, under: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    if WATCHED.get() {
        mark("alarm_allow");
        return Err(stopped(code.py())?);
    }
    for one in std::iter::once(code).chain(under) {
        if one.get_type().name()? != "code" {
            return Err(PyTypeError::new_err("alarm_allow() takes code objects"));
        }
    }
    let known = Allowed {
        event: event.to_owned(),
        code: code.as_ptr() as usize,
        under: under.map_or(0, |under| under.as_ptr() as usize),
    };
    let mut allowed = ALLOWED.lock().unwrap_or_else(PoisonError::into_inner);
    if !allowed.contains(&known) {
        // The arguments are kept alive, so that no other object gets their addresses.
        std::mem::forget((code.clone(), under.cloned()));
        allowed.push(known);
    }
    Ok(())
}

/// Does something that no script has asked for, without listening.
pub(crate) fn unheard<T>(act: impl FnOnce() -> T) -> T {
    let before = INSIDE.replace(true);
    let found = act();
    INSIDE.set(before);
    found
}

/// Whether a script runs on this thread.
pub(crate) fn is_watched() -> bool {
    WATCHED.get()
}

/// Raises the alarm for something that Python does not report: the exception to return.
pub(crate) fn raised(py: Python<'_>, what: &str) -> PyErr {
    mark(what);
    stopped(py).unwrap_or_else(|error| error)
}

/// A function that runs without an alarm: one of ours that a script may call and that inspects frames or reads files. Not possible while a
/// script runs.
#[pyfunction]
pub(crate) fn alarm_free<'py>(py: Python<'py>, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCFunction>> {
    if WATCHED.get() {
        mark("alarm_free");
        return Err(stopped(py)?);
    }
    let function = function.unbind();
    PyCFunction::new_closure(
        py,
        None,
        None,
        move |args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>| {
            let _quiet = Quiet(WATCHED.replace(false), INSIDE.replace(true));
            function.bind(args.py()).call(args, kwargs).map(Bound::unbind)
        },
    )
}

/// Suspends the alarm on this thread until it is dropped.
struct Quiet(bool, bool);

impl Drop for Quiet {
    fn drop(&mut self) {
        WATCHED.set(self.0);
        INSIDE.set(self.1);
    }
}

/// Whether this interpreter has an alarm; adds it if there is none yet. Safe mode is off without it.
#[pyfunction]
pub(crate) fn alarm_ready(py: Python<'_>) -> bool {
    ADDED.load(Ordering::Acquire) || added(py)
}

fn added(py: Python<'_>) -> bool {
    let works = (native(py) && hears(py)) || (by_python(py).is_ok() && hears(py));
    PyErr::take(py);
    ADDED.store(works, Ordering::Release);
    works
}

fn native(py: Python<'_>) -> bool {
    type Add = unsafe extern "C" fn(
        unsafe extern "C" fn(*const c_char, *mut ffi::PyObject, *mut c_void) -> c_int,
        *mut c_void,
    ) -> c_int;
    let Some(found) = address(py, "PySys_AddAuditHook") else {
        return false;
    };
    // SAFETY: the address comes from Python itself, by the name of this function, whose signature has not changed since 3.8.
    unsafe { std::mem::transmute::<usize, Add>(found)(hook, ptr::null_mut()) == 0 }
}

fn by_python(py: Python<'_>) -> PyResult<()> {
    let heard = PyCFunction::new_closure(
        py,
        None,
        None,
        |args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>| -> PyResult<()> {
            let event: std::ffi::CString = std::ffi::CString::new(args.get_item(0)?.extract::<String>()?)?;
            if may_proceed(&event) {
                Ok(())
            } else {
                Err(PyErr::take(args.py()).unwrap_or_else(|| PyRuntimeError::new_err("an alarm")))
            }
        },
    )?;
    py.import("sys")?.call_method1("addaudithook", (heard,)).map(|_| ())
}

/// Whether the hook receives an event; another hook may block it.
fn hears(py: Python<'_>) -> bool {
    let before = HEARD.load(Ordering::Relaxed);
    let told = py
        .import("sys")
        .and_then(|sys| sys.call_method1("audit", (PROBE.to_string_lossy(),)));
    told.is_ok() && HEARD.load(Ordering::Relaxed) > before
}

/// Watches the script on this thread until it is dropped.
pub(crate) struct Alarmed(());

impl Alarmed {
    /// Returns an error if no alarm is possible.
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        if !alarm_ready(py) {
            let text = "This Python cannot report what a script does, so safe mode is off.".to_owned();
            return Err(CoreError::policy(Code::ScriptRefused, text, Vec::new()).into());
        }
        stopped_class(py)?;
        *ALARM.lock().unwrap_or_else(PoisonError::into_inner) = None;
        USED.store(true, Ordering::Relaxed);
        WATCHED.set(true);
        Ok(Self(()))
    }

    /// Ends the script; returns the event that raised the alarm.
    pub(crate) fn end(self) -> Option<String> {
        drop(self);
        ALARM.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Alarmed {
    fn drop(&mut self) {
        WATCHED.set(false);
    }
}

/// Creates the class before it is needed, since creating it compiles text.
fn stopped_class(py: Python<'_>) -> PyResult<()> {
    static MADE: PyOnceLock<()> = PyOnceLock::new();
    MADE.get_or_try_init(py, || stopped(py).map(|_| ())).copied()
}
