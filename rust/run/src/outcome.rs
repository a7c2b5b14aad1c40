//! How a run ends, and what follows when its changes are undone.

use geonode_protocol::Code;
use serde::{Deserialize, Serialize};

/// What follows a restore.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aftermath {
    /// The model gets another chance.
    Retry,
    /// The run ends with this outcome.
    Stop(Outcome),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Completed.
    Done,
    /// Without success.
    Error,
    /// By the artist.
    Cancelled,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The status.
    pub status: Status,
    /// The reason, unless the run is done.
    pub code: Option<Code>,
    /// A sentence for the artist.
    pub message: String,
}

impl Outcome {
    /// The artist stopped the run.
    pub(crate) fn cancelled() -> Self {
        Self {
            status: Status::Cancelled,
            code: Some(Code::Cancelled),
            message: "Cancelled; the file is as it was.".into(),
        }
    }
}
