//! Holds back functions that raise no audit event, although they start programs and threads, change signals or use descriptors.
//!
//! While a script runs, each is replaced in its module by a function that raises the alarm on the script's thread, and calls the original on
//! every other. Afterwards the originals are put back; what a script put there itself stays, for the comparison of shared modules to find.

use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::alarm;

/// Of `posix` and `nt`, which `os` repeats. Those that Python reports (`open`, `system`, `kill`, …) are not here.
const OF_THE_SYSTEM: &[&str] = &[
    "_exit",
    "abort",
    "access",
    "chmod",
    "chown",
    "close",
    "closerange",
    "copy_file_range",
    "dup",
    "dup2",
    "eventfd",
    "eventfd_read",
    "eventfd_write",
    "fchmod",
    "fchown",
    "fdopen",
    "fstat",
    "ftruncate",
    "getlogin",
    "lchown",
    "lseek",
    "lstat",
    "memfd_create",
    "mkfifo",
    "mknod",
    "nice",
    "openpty",
    "pidfd_open",
    "pipe",
    "pipe2",
    "posix_openpt",
    "pread",
    "preadv",
    "pwrite",
    "pwritev",
    "read",
    "readlink",
    "readv",
    "sched_setaffinity",
    "sched_setparam",
    "sched_setscheduler",
    "sendfile",
    "setegid",
    "seteuid",
    "setgid",
    "setgroups",
    "setns",
    "setpgid",
    "setpriority",
    "setregid",
    "setresgid",
    "setresuid",
    "setreuid",
    "setsid",
    "setuid",
    "splice",
    "stat",
    "sync",
    "tcsetpgrp",
    "umask",
    "uname",
    "unshare",
    "wait",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
    "write",
    "writev",
];
/// Of `_signal`, which `signal` repeats.
const OF_SIGNALS: &[&str] = &[
    "alarm",
    "pause",
    "pthread_sigmask",
    "raise_signal",
    "set_wakeup_fd",
    "setitimer",
    "siginterrupt",
    "signal",
    "sigpending",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
];
/// Functions of other modules.
const OTHERS: &[(&str, &[&str])] = &[
    ("_posixsubprocess", &["fork_exec"]),
    ("subprocess", &["_fork_exec"]),
    (
        "_thread",
        &[
            "start_new",
            "start_new_thread",
            "start_joinable_thread",
            "interrupt_main",
        ],
    ),
    ("threading", &["_start_new_thread", "_start_joinable_thread"]),
    ("signal", OF_SIGNALS),
    ("_signal", OF_SIGNALS),
    ("atexit", &["register", "unregister", "_clear", "_run_exitfuncs"]),
    (
        "faulthandler",
        &[
            "cancel_dump_traceback_later",
            "disable",
            "dump_traceback",
            "dump_traceback_later",
            "enable",
            "register",
            "unregister",
            "_sigabrt",
            "_sigfpe",
            "_sigsegv",
            "_read_null",
            "_stack_overflow",
            "_fatal_error_c_thread",
        ],
    ),
    (
        "_imp",
        &[
            "create_builtin",
            "create_dynamic",
            "exec_builtin",
            "exec_dynamic",
            "init_frozen",
        ],
    ),
    (
        "sys",
        &[
            "setrecursionlimit",
            "setswitchinterval",
            "setdlopenflags",
            "set_int_max_str_digits",
        ],
    ),
    ("pwd", &["getpwall", "getpwnam", "getpwuid"]),
    ("grp", &["getgrall", "getgrgid", "getgrnam"]),
    ("ctypes", &["cast", "memmove", "memset", "string_at", "wstring_at"]),
    ("gc", &["disable", "freeze", "set_debug", "set_threshold"]),
];

/// A function that was replaced.
struct Held {
    module: Py<PyDict>,
    name: &'static str,
    original: Py<PyAny>,
    instead: Py<PyAny>,
}

/// All of them, until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Holds(Vec<Held>);

impl Holds {
    /// Replaces the functions of the modules that are loaded.
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        let loaded = py.import("sys")?.getattr("modules")?;
        let mut holds = Self(Vec::new());
        let system = ["posix", "nt", "os"].map(|module| (module, OF_THE_SYSTEM));
        for (module, names) in system.iter().chain(OTHERS) {
            let Ok(found) = loaded.get_item(module) else { continue };
            let members = found.getattr("__dict__")?.cast_into::<PyDict>()?;
            for name in *names {
                if let Some(original) = members.get_item(name)?.filter(Bound::is_callable) {
                    holds.hold(&members, module, name, original)?;
                }
            }
        }
        Ok(holds)
    }

    fn hold(
        &mut self,
        members: &Bound<'_, PyDict>,
        module: &'static str,
        name: &'static str,
        original: Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = original.py();
        let real = original.unbind();
        let called = real.clone_ref(py);
        let instead = PyCFunction::new_closure(
            py,
            None,
            None,
            move |args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>| {
                if alarm::is_watched() {
                    return Err(alarm::raised(args.py(), &format!("{module}.{name}")));
                }
                called.bind(args.py()).call(args, kwargs).map(Bound::unbind)
            },
        )?;
        members.set_item(name, &instead)?;
        self.0.push(Held {
            module: members.clone().unbind(),
            name,
            original: real,
            instead: instead.into_any().unbind(),
        });
        Ok(())
    }
}

impl Drop for Holds {
    fn drop(&mut self) {
        Python::attach(|py| {
            for held in &self.0 {
                let module = held.module.bind(py);
                let ours = module.get_item(held.name).ok().flatten();
                if ours.is_some_and(|found| found.is(&held.instead)) {
                    // A dict that has the key takes a new value.
                    let _ = module.set_item(held.name, held.original.bind(py));
                }
            }
        });
    }
}
