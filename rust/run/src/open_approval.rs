//! The open approval request, and the artist's answers to requests.

use geonode_protocol::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::ApprovalRequest;

/// The artist's answer to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Approved, without the parts that were left out.
    Approved,
    /// Rejected.
    Rejected,
    /// The whole run was stopped.
    Cancelled,
}

/// Record of one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRecord {
    /// The request's ID, as sent to the host.
    pub id: String,
    /// The answer.
    pub decision: Decision,
    /// Operations that were left out, as JSON Pointers into the plan.
    pub without: Vec<String>,
    /// The artist's words on a rejection.
    pub words: Option<String>,
    /// Unix time in seconds.
    pub at: f64,
}

/// What the artist approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agreed {
    /// Fingerprint of the scene that the question was about.
    pub(crate) base: Option<String>,
    /// The question.
    pub(crate) request: Box<ApprovalRequest>,
}

/// The open request, in addition to what the driver composed when it compiled the plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// Number of the task `ask_approval`.
    pub(crate) id: u64,
    /// Operations that the artist left out last.
    pub(crate) without: Vec<String>,
    /// Why the rest does not fit.
    pub(crate) findings: Vec<Finding>,
    /// Why the rest needs approval, if the reason has changed.
    pub(crate) reason: Option<String>,
    /// The result of a dry run.
    pub(crate) tried: Option<Value>,
    /// Number of requests about this plan so far.
    pub(crate) times: u32,
}

impl OpenRequest {
    /// The complete request: what the driver composed, and what has come up since.
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
