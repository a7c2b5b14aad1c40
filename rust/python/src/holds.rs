//! Holds back functions that raise no audit event, although they start programs and threads, change signals, use descriptors, or register
//! with Blender what would be called after the script.
//!
//! While a script runs, each is replaced in its module or class by a function that raises the alarm on the script's thread, and calls the original on
//! every other. Afterwards the originals are put back; what a script put there itself stays, for the comparison of shared modules to find.

use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::alarm;

/// Of `posix` and `nt`, which `os` repeats. Those that Python reports (`open`, `system`, `kill`, …) are not here, nor are `close` and `lstat`:
/// `shutil.rmtree` compares these by identity, and one in another thread would fail when they change under it.
const OF_THE_SYSTEM: &[&str] = &[
    "_exit",
    "abort",
    "access",
    "chmod",
    "chown",
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
    "statvfs",
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
    (
        "sys.monitoring",
        &[
            "register_callback",
            "restart_events",
            "set_events",
            "set_local_events",
            "use_tool_id",
        ],
    ),
    ("pwd", &["getpwall", "getpwnam", "getpwuid"]),
    ("grp", &["getgrall", "getgrgid", "getgrnam"]),
    ("ctypes", &["cast", "memmove", "memset", "string_at", "wstring_at"]),
    ("gc", &["disable", "freeze", "set_debug", "set_threshold"]),
    ("bpy.app.timers", &["register", "unregister"]),
];
/// Functions that register something to be called or drawn later, by the module of Blender that has the class or module with them.
const OF_BLENDER: &[(&str, &str, &[&str])] = &[
    ("bpy", "msgbus", &["clear_by_owner", "publish_rna", "subscribe_rna"]),
    ("bpy.types", "Space", &["draw_handler_add", "draw_handler_remove"]),
    (
        "bpy.types",
        "WindowManager",
        &[
            "draw_cursor_add",
            "draw_cursor_remove",
            "popover",
            "popup_menu",
            "popup_menu_pie",
        ],
    ),
    ("bpy.types", "WorkSpace", &["status_text_set"]),
];

/// A function that was replaced.
struct Held {
    /// A module or a class.
    owner: Py<PyAny>,
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
            let Some(found) = module_of(&loaded, module) else {
                continue;
            };
            let members = found.getattr("__dict__")?;
            for name in *names {
                if let Some(original) = member(&members, name)?.filter(Bound::is_callable) {
                    holds.hold(&found, module, name, original)?;
                }
            }
        }
        for (module, owner, names) in OF_BLENDER {
            let Ok(found) = loaded.get_item(module) else { continue };
            let found = found.getattr(owner)?;
            let members = found.getattr("__dict__")?;
            for name in *names {
                if let Some(original) = member(&members, name)? {
                    holds.hold(&found, owner, name, original)?;
                }
            }
        }
        Ok(holds)
    }

    fn hold(
        &mut self,
        owner: &Bound<'_, PyAny>,
        of: &'static str,
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
                    return Err(alarm::raised(args.py(), &format!("{of}.{name}")));
                }
                called.bind(args.py()).call(args, kwargs).map(Bound::unbind)
            },
        )?;
        owner.setattr(name, &instead)?;
        self.0.push(Held {
            owner: owner.clone().unbind(),
            name,
            original: real,
            instead: instead.into_any().unbind(),
        });
        Ok(())
    }
}

/// A module that is loaded, or one that is only a member of another.
fn module_of<'py>(loaded: &Bound<'py, PyAny>, name: &str) -> Option<Bound<'py, PyAny>> {
    if let Ok(found) = loaded.get_item(name) {
        return Some(found);
    }
    let (outer, member) = name.rsplit_once('.')?;
    loaded.get_item(outer).ok()?.getattr(member).ok()
}

/// What a module or class itself has under a name, as it stores it.
fn member<'py>(members: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    if members.contains(name)? {
        members.get_item(name).map(Some)
    } else {
        Ok(None)
    }
}

impl Drop for Holds {
    fn drop(&mut self) {
        Python::attach(|py| {
            for held in &self.0 {
                let owner = held.owner.bind(py);
                let members = owner.getattr("__dict__");
                let ours = members.and_then(|members| members.get_item(held.name));
                if ours.is_ok_and(|found| found.is(&held.instead)) {
                    // What took the replacement takes the original.
                    let _ = owner.setattr(held.name, held.original.bind(py));
                }
            }
        });
    }
}
