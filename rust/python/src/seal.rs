//! Sealed processes: how Python begins one, watches it, and seals itself inside of one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use geonode_seal::{Limits, Order, SealError, Stage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{CoreError, detached};

impl From<SealError> for CoreError {
    fn from(error: SealError) -> Self {
        Self::policy(error.code(), error.to_string(), Vec::new())
    }
}

/// A process that reaches nothing but what it was given; it ends with this one. `start` raises `PolicyError`
/// (`sandbox_unavailable`) where the system has no sandbox.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct Sealed(geonode_seal::Sealed);

#[pymethods]
impl Sealed {
    /// Begins one and returns at once. `command`: the program and its arguments; `environment`: all of it; `folder`: the one that it may
    /// write to, with `output` in it for what it prints; `readable`: what it may read besides the libraries of the system. Paths are absolute.
    #[staticmethod]
    #[pyo3(signature = (command, *, environment, folder, output, readable, cpu_seconds, file_mb))]
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn start(
        py: Python<'_>,
        command: Vec<String>,
        environment: BTreeMap<String, String>,
        folder: PathBuf,
        output: &str,
        readable: Vec<PathBuf>,
        cpu_seconds: u64,
        file_mb: u64,
    ) -> PyResult<Self> {
        let mut words = command.into_iter();
        let program = PathBuf::from(words.next().unwrap_or_default());
        if !program.is_absolute() || !folder.is_absolute() {
            return Err(PyValueError::new_err("the program and the folder are absolute paths"));
        }
        let order = Order {
            program,
            arguments: words.map(Into::into).collect(),
            environment: environment
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            output: folder.join(output),
            folder,
            readable,
            limits: Limits {
                cpu_seconds,
                file_bytes: file_mb.saturating_mul(1 << 20),
            },
        };
        detached(py, || geonode_seal::start(order)).map(Self)
    }

    /// Its process ID while it runs, else None.
    #[getter]
    fn pid(&self) -> Option<u32> {
        match self.0.stage() {
            Stage::Running(id) => Some(id),
            _ => None,
        }
    }

    /// Its exit status once it is over, the negative number of the signal that ended it, None before. `PolicyError`
    /// (`sandbox_unavailable`) when it could not be started.
    fn poll(&self) -> PyResult<Option<i32>> {
        match self.0.stage() {
            Stage::Starting | Stage::Running(_) => Ok(None),
            Stage::Exited(status) => Ok(Some(status)),
            Stage::Killed(signal) => Ok(Some(signal.saturating_neg())),
            Stage::Failed(why) => Err(CoreError::from(SealError::Failed(why)).into()),
        }
    }

    /// Ends it; never waits.
    fn kill(&self) {
        self.0.kill();
    }
}

/// Whether processes can be sealed on this system: None, or why not.
#[pyfunction]
pub(crate) fn sandbox_missing(py: Python<'_>) -> PyResult<Option<String>> {
    detached(py, || {
        Ok::<_, CoreError>(geonode_seal::available().err().map(|error| error.to_string()))
    })
}

/// Seals this process, which `Sealed.start` began, for good and with all of its threads: from here on it opens no socket, starts nothing,
/// signals nobody, and its address space grows by `megabytes` at most. `PolicyError` (`sandbox_unavailable`) when that does not hold.
#[pyfunction]
pub(crate) fn seal_this_process(py: Python<'_>, megabytes: u64) -> PyResult<()> {
    detached(py, || geonode_seal::enter(megabytes))
}
