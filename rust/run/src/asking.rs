//! What the artist is asked before the first write, and what was answered.

use geonode_protocol::Finding;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::ApprovalRequest;

/// The artist's answer to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may be applied, without what was left out.
    Approved,
    /// It may not.
    Rejected,
    /// The whole run was stopped.
    Cancelled,
}

/// Record of one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRecord {
    /// The request's ID, as the host got it.
    pub id: String,
    /// What was answered.
    pub decision: Decision,
    /// Operations that were left out, as JSON Pointers into the plan.
    pub without: Vec<String>,
    /// What the artist said about a rejection.
    pub words: Option<String>,
    /// Unix time in seconds.
    pub at: f64,
}

/// What the artist agreed to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agreed {
    /// Fingerprint of the scene that the question was about.
    pub(crate) base: Option<String>,
    /// The question.
    pub(crate) request: Box<ApprovalRequest>,
}

/// The question that is open, beyond what the driver composed when it compiled the plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// Number of the task `ask_approval`.
    pub(crate) id: u64,
    /// Operations that the artist left out last.
    pub(crate) without: Vec<String>,
    /// Why the rest does not fit.
    pub(crate) findings: Vec<Finding>,
    /// Why the rest needs approval, where that is another reason than before.
    pub(crate) reason: Option<String>,
    /// What came of a dry run.
    pub(crate) tried: Option<Value>,
    /// Questions about this plan so far.
    pub(crate) times: u32,
}

impl Asking {
    /// The whole request: what the driver composed, and what has come up since.
    pub(crate) fn request(&self, composed: Option<&ApprovalRequest>) -> ApprovalRequest {
        let mut request = composed.cloned().unwrap_or_default();
        if let Some(reason) = &self.reason {
            request.reason.clone_from(reason);
        }
        request.without.clone_from(&self.without);
        request.findings.clone_from(&self.findings);
        if let Some(tried) = &self.tried {
            request.dry_run.get_or_insert_default().result = Some(tried.clone());
        }
        request
    }
}
