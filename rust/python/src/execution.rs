//! Executes a script within all bounds: the watchdog of time and memory, single blocks and arrays, and the alarm of the interpreter.

use geonode_protocol::Code;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};

use crate::alarm::Alarmed;
use crate::allocation::Bounded;
use crate::arrays::Arrays;
use crate::borrowed::Borrowed;
use crate::chains;
use crate::errors::CoreError;
use crate::holds::Holds;
use crate::interruption::Interruptible;
use crate::making::Making;
use crate::proof;
use crate::releases;
use crate::ufuncs::Nested;
use crate::watchdog::{self, Handler, Watch};

/// Executes compiled code in `namespace` on the main thread; `ScriptTimeout` (`script_timeout`, `script_memory`) when it took longer than
/// `timeout_ms` or the process grew by more than `memory_mb`. A block of Python's memory, or an array of numpy if that is loaded, may have at
/// most `block_mb`, one of a text or a whole number at most 128; a larger one is a
/// `MemoryError`. With `alarmed`, code that raises an event of the interpreter which no script needs is stopped: `PolicyError`
/// (`script_breach`, `details["event"]`), and where code cannot be stopped at all, none runs (`script_unbounded`). The exceptions of the code pass through.
#[pyfunction]
#[pyo3(signature = (code, namespace, timeout_ms, memory_mb=2048, block_mb=640, alarmed=false))]
pub(crate) fn run_bounded(
    py: Python<'_>,
    code: &Bound<'_, PyAny>,
    namespace: &Bound<'_, PyDict>,
    timeout_ms: u64,
    memory_mb: u64,
    block_mb: usize,
    alarmed: bool,
) -> PyResult<()> {
    let execution = Execution::new(code, namespace)?;
    if alarmed {
        proof::require(py)?;
    }
    releases::flatten(py)?;
    chains::flatten(py)?;
    let handler = Handler::install(py)?;
    let watch = Watch::start(timeout_ms, memory_mb);
    let watch = match watch {
        Ok(watch) => watch,
        Err(error) => {
            handler.remove(py)?;
            return Err(CoreError::internal(format!("The time limit cannot be watched: {error}.")).into());
        }
    };
    let bounded = Bounded::new(py, block_mb.saturating_mul(1 << 20));
    let arrays = Arrays::new(py);
    let interruptible = Interruptible::new(py);
    let borrowed = Borrowed::new(py).ok();
    let nested = Nested::new(py);
    let making = Making::new(py);
    let holds = if alarmed { Holds::new(py).map(Some) } else { Ok(None) };
    let alarmed = match holds {
        Ok(Some(holds)) => Alarmed::new(py).map(|alarmed| Some((alarmed, holds))),
        Ok(None) => Ok(None),
        Err(error) => Err(error),
    };
    let (outcome, alarm) = match alarmed {
        Ok(Some((alarmed, _holds))) => (execution.run(), alarmed.end()),
        Ok(None) => (execution.run(), None),
        Err(error) => (Err(error), None),
    };
    drop((making, nested, borrowed, interruptible, arrays, bounded));
    watch.end();
    handler.remove(py)?;
    if let Some(event) = alarm {
        let error = PyErr::from(CoreError::policy(
            Code::ScriptBreach,
            format!("The script did something that safe mode forbids ({event}) and was stopped."),
            vec![("event", event)],
        ));
        error.set_context(py, outcome.err());
        return Err(error);
    }
    if watchdog::was_stopped(outcome.is_err()) {
        // The script was stopped, even if it caught the exception.
        let stopped = if watchdog::was_too_large() {
            CoreError::stopped(
                Code::ScriptMemory,
                format!("The script took more than {memory_mb} MB of memory and was stopped."),
            )
        } else {
            CoreError::stopped(
                Code::ScriptTimeout,
                format!("The script took longer than {timeout_ms} ms and was stopped."),
            )
        };
        let error = PyErr::from(stopped);
        if let Err(cause) = outcome {
            error.set_context(py, Some(cause));
        }
        return Err(error);
    }
    outcome
}

/// Compiled code and its namespace. Python's own `exec` would raise an event.
struct Execution<'py> {
    code: Bound<'py, PyAny>,
    namespace: Bound<'py, PyDict>,
}

impl<'py> Execution<'py> {
    fn new(code: &Bound<'py, PyAny>, namespace: &Bound<'py, PyDict>) -> PyResult<Self> {
        let py = code.py();
        if !code.is_exact_instance(&py.import("types")?.getattr("CodeType")?) {
            return Err(PyTypeError::new_err("run_bounded() takes compiled code"));
        }
        if !namespace.contains("__builtins__")? {
            namespace.set_item("__builtins__", py.import("builtins")?)?;
        }
        Ok(Self {
            code: code.clone(),
            namespace: namespace.clone(),
        })
    }

    #[expect(unsafe_code, reason = "PyEval_EvalCode has no safe form")]
    fn run(&self) -> PyResult<()> {
        let (code, namespace) = (self.code.as_ptr(), self.namespace.as_ptr());
        // SAFETY: `new` has made sure that these are code and a dict with builtins; the result is a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(self.code.py(), pyo3::ffi::PyEval_EvalCode(code, namespace, namespace)) }
            .map(|_| ())
    }
}
