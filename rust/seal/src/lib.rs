//! A process that reaches nothing but what it was given: no network, no other program, no file beyond a list, no write outside one folder.
//!
//! The seal has two halves. [`start`] begins a process that is confined to its files before its program is loaded (Landlock, and limits).
//! That process calls [`enter`] once it has loaded what it needs and before it reads anything that others wrote: from then on it may ask
//! the system for the listed calls only (seccomp, over all of its threads), and its memory is bounded. Both halves are for good.
//!
//! Linux only. Elsewhere, and where the kernel lacks a part, every function says [`SealError::Unavailable`]; there is no half a seal.

use std::ffi::OsString;
use std::path::PathBuf;

use geonode_protocol::Code;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::{Sealed, available, enter, start};

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Sealed, available, enter, start};

/// What a sealed process is given.
#[derive(Debug, Clone)]
pub struct Order {
    /// The program, an absolute path. It is the only one that runs.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The one folder that it may write to; its working directory.
    pub folder: PathBuf,
    /// Where its output goes, errors too; the file is made new.
    pub output: PathBuf,
    /// Files, and folders with all that is in them, that it may read besides the libraries of the system. What does not exist is left out.
    pub readable: Vec<PathBuf>,
    /// Its limits.
    pub limits: Limits,
}

/// What a sealed process may use. Memory is bounded by [`enter`], since a program's own libraries take most of its address space.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Seconds of processor time, over all cores.
    pub cpu_seconds: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
}

/// Where a sealed process stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// It is being started; it has no process yet.
    Starting,
    /// It runs under this process ID.
    Running(u32),
    /// It ended by itself, with this exit status.
    Exited(i32),
    /// It was ended by this signal.
    Killed(i32),
    /// It could not be started, and why.
    Failed(String),
}

/// Why there is no seal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The system has no sandbox, or not all of it.
    #[error("This system has no sandbox for scripts: {0}.")]
    Unavailable(String),
    /// The sandbox is there and could not be set up.
    #[error("The sandbox could not be set up: {0}.")]
    Failed(String),
}

impl SealError {
    /// The sandbox could not be set up because of a part of it.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(part: &str, error: impl std::fmt::Display) -> Self {
        Self::Failed(format!("{part}: {error}"))
    }

    /// The stable code.
    pub const fn code(&self) -> Code {
        match self {
            Self::Unavailable(_) | Self::Failed(_) => Code::SandboxUnavailable,
        }
    }
}
