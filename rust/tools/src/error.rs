//! Errors of calls.

use geonode_protocol::Code;
use serde::{Deserialize, Serialize};

/// Why a call has no result: a stable code, and a message that the model can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ToolError {
    /// Stable code.
    pub code: Code,
    /// What is wrong and what to do.
    pub message: String,
}

impl ToolError {
    /// An error with this code and sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The call was withdrawn before it had a result.
    pub fn cancelled() -> Self {
        Self::new(Code::Cancelled, "The call was cancelled.")
    }
}
