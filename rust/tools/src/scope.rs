//! The interface for a tool of the core during one call.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use geonode_protocol::Code;
use serde_json::Value;
use tempfile::TempDir;

use crate::error::ToolError;
use crate::spec::Spec;

/// A message from a thread.
#[derive(Debug)]
pub(crate) enum News {
    Progress {
        index: usize,
        percent: u8,
    },
    Done {
        index: usize,
        result: Result<Value, ToolError>,
    },
}

/// A running call: its limits, and its channel for progress.
#[derive(Debug)]
pub struct Scope {
    correlation: String,
    deadline: Instant,
    withdrawn: Arc<AtomicBool>,
    spec: Arc<Spec>,
    index: usize,
    news: Sender<News>,
    folder: Mutex<Option<TempDir>>,
}

impl Scope {
    pub(crate) fn new(
        correlation: String,
        spec: Arc<Spec>,
        index: usize,
        withdrawn: Arc<AtomicBool>,
        news: Sender<News>,
    ) -> Self {
        Self {
            correlation,
            deadline: Instant::now() + spec.timeout,
            withdrawn,
            spec,
            index,
            news,
            folder: Mutex::new(None),
        }
    }

    /// Identifies the call in metrics and logs.
    pub fn correlation_id(&self) -> &str {
        &self.correlation
    }

    /// Whether to continue; long work checks this regularly.
    ///
    /// # Errors
    /// `tool_timeout` or `cancelled`, to be returned.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.withdrawn.load(Ordering::Relaxed) {
            return Err(ToolError::cancelled());
        }
        if Instant::now() >= self.deadline {
            return Err(late(&self.spec));
        }
        Ok(())
    }

    /// Reports the progress of the call, in percent.
    pub fn progress(&self, percent: u8) {
        // Nobody receives reports of an abandoned call.
        let _ = self.news.send(News::Progress {
            index: self.index,
            percent: percent.min(100),
        });
    }

    /// A private folder that exists until the call is over.
    ///
    /// # Errors
    /// `disk_full` or `permission_denied` when it cannot be created.
    pub fn folder(&self) -> Result<PathBuf, ToolError> {
        let mut slot = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = slot.as_ref() {
            return Ok(folder.path().to_owned());
        }
        let made = tempfile::Builder::new()
            .prefix("geonode-tool-")
            .tempdir()
            .map_err(|error| {
                let code = match error.kind() {
                    std::io::ErrorKind::StorageFull => Code::DiskFull,
                    std::io::ErrorKind::PermissionDenied => Code::PermissionDenied,
                    _ => Code::InternalError,
                };
                ToolError::new(code, format!("No temporary folder can be created: {error}."))
            })?;
        let path = made.path().to_owned();
        *slot = Some(made);
        Ok(path)
    }

    /// Whether the tool may send data to this host. A tool must ask before each connection.
    ///
    /// # Errors
    /// `egress_denied` for a host that its contract does not name.
    pub fn egress(&self, host: &str) -> Result<(), ToolError> {
        if self
            .spec
            .egress
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(host))
        {
            return Ok(());
        }
        let text = format!(
            "The tool {} may not send to {host:?}: its contract does not name this host.",
            self.spec.id
        );
        Err(ToolError::new(Code::EgressDenied, text))
    }
}

/// The call took too long.
pub(crate) fn late(spec: &Spec) -> ToolError {
    let seconds = spec.timeout.as_secs_f64();
    let text = format!(
        "The tool {} did not answer within {seconds} s. Ask for less, or continue without it.",
        spec.id
    );
    ToolError::new(Code::ToolTimeout, text)
}
