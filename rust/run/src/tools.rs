//! Tool calls as far as the machine decides about them: those that wait for the artist, and those that were refused.

use geonode_protocol::Code;
use serde::{Deserialize, Serialize};

use crate::approval::ApprovalRequest;

/// A call that waits for the artist's approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolAsk {
    /// Number of the call within the run.
    pub id: String,
    /// The request, as composed by the driver.
    pub request: ApprovalRequest,
}

/// A call that is not carried out; the model is told why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCall {
    /// Number of the call within the run.
    pub id: String,
    /// `user_rejected`, or `approval_required` where nobody is there to ask.
    pub code: Code,
    /// The artist's words on it, often none.
    #[serde(default)]
    pub words: String,
}
