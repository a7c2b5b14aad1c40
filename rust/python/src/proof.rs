//! Shows that a script can be bounded on this machine before the first one runs in safe mode: nothing is hoped for.
//!
//! How a running loop is interrupted depends on the system and on the Python, and not every combination could be tried by those who made
//! this. So a loop of our own is stopped by the same watchdog, with the same handler, and the hooks that stop what Python does in C
//! are looked at. What was shown holds for the process; after a failure it is tried again.

use std::sync::atomic::{AtomicU32, Ordering};

use geonode_protocol::Code;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::allocation::Bounded;
use crate::errors::CoreError;
use crate::interruption::Interruptible;
use crate::memory;
use crate::watchdog::{self, Handler, Watch};

/// A loop that ends by itself when nobody stops it, after far more time than a busy machine needs; it leaves the processor to the watchdog.
const LOOP: &std::ffi::CStr =
    c"from time import monotonic, sleep\nend = monotonic() + 5\nwhile monotonic() < end: sleep(0.002)\n";
/// Megabytes by which the process may grow meanwhile.
const ROOM: u64 = 1 << 20;

/// The process in which it was shown; a forked one has another watchdog.
static SHOWN: AtomicU32 = AtomicU32::new(0);

/// Raises `PolicyError` (`script_unbounded`) where a script that never ends, or takes all memory, could not be stopped.
pub(crate) fn require(py: Python<'_>) -> PyResult<()> {
    let process = std::process::id();
    if SHOWN.load(Ordering::Acquire) == process {
        return Ok(());
    }
    if let Some(what) = lacking(py)? {
        let text = format!("No script runs in safe mode: on this system, {what}.");
        return Err(CoreError::policy(Code::ScriptUnbounded, text, Vec::new()).into());
    }
    SHOWN.store(process, Ordering::Release);
    Ok(())
}

/// What cannot be bounded here.
fn lacking(py: Python<'_>) -> PyResult<Option<&'static str>> {
    Ok(if memory::resident().is_none() {
        Some("the memory in use cannot be read")
    } else if Bounded::new(py, usize::MAX).is_none() {
        Some("the size of a single value cannot be limited")
    } else if !Interruptible::new(py).is_complete() {
        Some("long comparisons cannot be stopped")
    } else if !is_loop_stopped(py)? {
        Some("a script that does not end cannot be stopped")
    } else {
        None
    })
}

fn is_loop_stopped(py: Python<'_>) -> PyResult<bool> {
    let handler = Handler::install(py)?;
    let stopped = match Watch::start(0, ROOM) {
        Ok(watch) => {
            let outcome = py.run(LOOP, Some(&PyDict::new(py)), None);
            watch.end();
            watchdog::was_stopped(false) && outcome.is_err()
        }
        Err(_) => false,
    };
    handler.remove(py)?;
    Ok(stopped)
}
