//! Watches a running script: a native thread that never calls Python. At the limit of time or memory it makes
//! Python's main thread raise an exception that a script cannot catch.
//!
//! The way into the main thread is a signal whose handler is ours for as long as the script runs: on Unix `SIGURG` sent to that
//! thread, which every supported Python receives and which is ignored without a handler, so that a stray one has no effect; on Windows
//! `SIGBREAK` as Python simulates it: Python's own interface marks the signal from any thread, and the main thread sees it between two
//! instructions, or where C asks for signals. Neither way ends a call in C that does not ask; such calls are bounded by what they cost. `proof`
//! stops a loop in the same way before the first script. It is raised again and again until the script has ended, because code between the script and
//! Python can swallow an exception, and `finally` can continue. No stray signal remains: sending happens under a lock that the end of the script takes, and signals that were sent before
//! are delivered before the previous handler is restored.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyAny;

use crate::allocation;
use crate::errors::{CoreError, classes};
use crate::memory;

/// Interval at which memory is checked and a signal is sent again.
const TICK: Duration = Duration::from_millis(20);
const MEGABYTE: u64 = 1 << 20;

/// Whether a script is running; at most one at a time.
static RUNNING: AtomicBool = AtomicBool::new(false);
/// Whether the exception was raised.
static RAISED: AtomicBool = AtomicBool::new(false);
/// Why the script is to stop: one of the constants below.
static REASON: AtomicU8 = AtomicU8::new(NONE);
const NONE: u8 = 0;
const TIME: u8 = 1;
const MEMORY: u8 = 2;
const ALARM: u8 = 3;

/// Whether the last script was stopped: it was told to stop, and received the exception or failed otherwise.
pub(crate) fn was_stopped(failed: bool) -> bool {
    RAISED.load(Ordering::Acquire) || (failed && REASON.load(Ordering::Acquire) != NONE)
}

/// Whether the running script is to stop: its exception is waiting among the signals, or will be at the next tick.
#[inline]
pub(crate) fn is_stopping() -> bool {
    REASON.load(Ordering::Relaxed) != NONE
}

/// Whether the last script was stopped for its use of memory.
pub(crate) fn was_too_large() -> bool {
    REASON.load(Ordering::Acquire) == MEMORY
}

/// Stops the running script, which has raised an alarm.
pub(crate) fn alarmed() {
    REASON.store(ALARM, Ordering::Release);
    system::again();
}

/// Python's handler of our signal: raises while a script is to stop, and does nothing otherwise.
#[pyfunction]
fn on_signal(py: Python<'_>, _signal: i32, _frame: &Bound<'_, PyAny>) -> PyResult<()> {
    if !RUNNING.load(Ordering::Acquire) || REASON.load(Ordering::Acquire) == NONE {
        return Ok(());
    }
    RAISED.store(true, Ordering::Release);
    // Raised again at the next opportunity, so that cleanup code (`finally`, callbacks) is stopped as well.
    system::again();
    let class = classes(py)?.as_any().get_item("_Stopped")?;
    Err(PyErr::from_value(class.call0()?))
}

/// Our handler, in place of the previous one.
pub(crate) struct Handler {
    before: Py<PyAny>,
    action: system::Action,
}

impl Handler {
    pub(crate) fn install(py: Python<'_>) -> PyResult<Self> {
        if RUNNING.swap(true, Ordering::AcqRel) {
            return Err(CoreError::internal("A script is already running.".to_owned()).into());
        }
        let installed = Self::replace(py);
        if installed.is_err() {
            RUNNING.store(false, Ordering::Release);
        }
        installed
    }

    fn replace(py: Python<'_>) -> PyResult<Self> {
        RAISED.store(false, Ordering::Release);
        REASON.store(NONE, Ordering::Release);
        let signal = py.import("signal")?;
        let action = system::action();
        let handler = wrap_pyfunction!(on_signal, py)?;
        let before = signal.call_method1("signal", (system::SIGNAL, handler))?.unbind();
        system::restart_calls();
        Ok(Self { before, action })
    }

    /// Delivers pending signals, which have no effect any more, and restores the previous handler.
    pub(crate) fn remove(self, py: Python<'_>) -> PyResult<()> {
        RUNNING.store(false, Ordering::Release);
        system::deliver();
        let delivered = py.check_signals();
        let signal = py.import("signal")?;
        // None: the handler is not Python's; the action that the system recorded restores it.
        let before = if self.before.is_none(py) {
            signal.getattr("SIG_DFL")?
        } else {
            self.before.into_bound(py)
        };
        signal.call_method1("signal", (system::SIGNAL, before))?;
        system::restore(&self.action);
        delivered
    }
}

/// The script that is being watched, and the one thread that watches it; it waits while no script runs.
#[derive(Default)]
struct Watchdog {
    script: Mutex<Option<Watched>>,
    changed: Condvar,
}

struct Watched {
    main: system::Thread,
    deadline: Instant,
    /// Bytes by which the process may grow.
    allowance: u64,
    /// Most bytes that the process may use, if the system reports its usage.
    largest: Option<u64>,
}

/// The process and its watchdog: a forked process has only one thread.
static WATCHDOG: Mutex<Option<(u32, Arc<Watchdog>)>> = Mutex::new(None);

/// A script that is watched, until `end`.
pub(crate) struct Watch(Arc<Watchdog>);

impl Watch {
    pub(crate) fn start(timeout_ms: u64, memory_mb: u64) -> std::io::Result<Self> {
        let watchdog = Watchdog::get()?;
        let start = Instant::now();
        let allowance = memory_mb.saturating_mul(MEGABYTE);
        let watched = Watched {
            main: system::current(),
            deadline: start
                .checked_add(Duration::from_millis(timeout_ms))
                .unwrap_or_else(|| start + Duration::from_secs(u64::from(u32::MAX))),
            allowance,
            largest: memory::resident().map(|now| now.saturating_add(allowance)),
        };
        *watchdog.script() = Some(watched);
        watchdog.changed.notify_all();
        Ok(Self(watchdog))
    }

    /// Afterwards no signal is sent. The thread finds nothing to watch at its next check; nothing waits for that.
    pub(crate) fn end(self) {
        *self.0.script() = None;
    }
}

impl Watchdog {
    /// The watchdog of this process; it starts with the first script.
    fn get() -> std::io::Result<Arc<Self>> {
        let process = std::process::id();
        let mut current = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, watchdog)) = &*current
            && *of == process
        {
            return Ok(Arc::clone(watchdog));
        }
        let watchdog = Arc::new(Self::default());
        let watching = Arc::clone(&watchdog);
        thread::Builder::new()
            .name("geonode-watchdog".to_owned())
            .spawn(move || watching.watch())?;
        *current = Some((process, Arc::clone(&watchdog)));
        Ok(watchdog)
    }

    fn script(&self) -> MutexGuard<'_, Option<Watched>> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never panics, and never waits for Python.
    fn watch(&self) -> ! {
        let mut script = self.script();
        loop {
            script = if let Some(watched) = &*script {
                let pause = watched.look();
                self.changed
                    .wait_timeout(script, pause)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            } else {
                self.changed.wait(script).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }
}

impl Watched {
    /// Interrupts a script that exceeds its limits; returns the time until the next check.
    fn look(&self) -> Duration {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let beyond = self
            .largest
            .zip(memory::resident())
            .map_or(0, |(largest, now)| now.saturating_sub(largest));
        if left.is_zero() {
            let _ = REASON.compare_exchange(NONE, TIME, Ordering::AcqRel, Ordering::Acquire);
        } else if beyond > 0 {
            let _ = REASON.compare_exchange(NONE, MEMORY, Ordering::AcqRel, Ordering::Acquire);
        }
        if REASON.load(Ordering::Acquire) == NONE {
            return left.min(TICK);
        }
        if beyond > self.allowance {
            allocation::starve();
        }
        system::interrupt(self.main);
        TICK
    }
}

/// Signals on Unix: sent to the main thread, whatever it is doing.
#[cfg(unix)]
#[expect(unsafe_code, reason = "signals are C functions of the system")]
mod system {
    use std::mem::MaybeUninit;
    use std::ptr;

    /// Ignored by default, and not used by Blender: a signal from elsewhere, or one that is late, does no harm.
    pub(super) const SIGNAL: i32 = libc::SIGURG;
    pub(super) type Thread = libc::pthread_t;
    pub(super) type Action = Option<libc::sigaction>;

    pub(super) fn current() -> Thread {
        // SAFETY: has no preconditions.
        unsafe { libc::pthread_self() }
    }

    /// The process's present action for the signal.
    pub(super) fn action() -> Action {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: with no new action the call only fills the structure, and it is read only when it succeeded.
        unsafe { (libc::sigaction(SIGNAL, ptr::null(), action.as_mut_ptr()) == 0).then(|| action.assume_init()) }
    }

    pub(super) fn restore(action: &Action) {
        if let Some(action) = action {
            // SAFETY: the system returned this action.
            unsafe { libc::sigaction(SIGNAL, action, ptr::null_mut()) };
        }
    }

    /// System calls that the signal interrupts are restarted automatically, in Blender's own code too.
    pub(super) fn restart_calls() {
        if let Some(mut ours) = action() {
            ours.sa_flags |= libc::SA_RESTART;
            restore(&Some(ours));
        }
    }

    pub(super) fn interrupt(main: Thread) {
        // SAFETY: this is Python's main thread, which lives as long as the process.
        unsafe { libc::pthread_kill(main, SIGNAL) };
    }

    /// From the main thread, which handles Python's signals: raises again as soon as Python code continues.
    pub(super) fn again() {
        // SAFETY: may be called anywhere.
        unsafe { pyo3::ffi::PyErr_SetInterruptEx(SIGNAL) };
    }

    /// Returns after all signals that were sent to this thread have arrived.
    pub(super) fn deliver() {
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the set is initialised by sigemptyset; POSIX delivers pending unblocked signals before pthread_sigmask returns.
        unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            libc::sigaddset(signals.as_mut_ptr(), SIGNAL);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, signals.as_ptr(), ptr::null_mut());
        }
    }
}

/// Signals on Windows: Python itself simulates one, from any thread.
#[cfg(windows)]
#[expect(unsafe_code, reason = "PyErr_SetInterruptEx has no safe form")]
mod system {
    /// `SIGBREAK`, so that Ctrl+C keeps its meaning.
    pub(super) const SIGNAL: i32 = 21;
    pub(super) type Thread = ();
    pub(super) type Action = ();

    pub(super) fn current() {}
    pub(super) fn action() {}
    pub(super) fn restore((): &Action) {}
    pub(super) fn restart_calls() {}
    pub(super) fn deliver() {}

    pub(super) fn again() {
        interrupt(());
    }

    pub(super) fn interrupt((): Thread) {
        // SAFETY: documented as callable from any thread, without the GIL.
        unsafe { pyo3::ffi::PyErr_SetInterruptEx(SIGNAL) };
    }
}
