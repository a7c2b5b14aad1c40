//! What the model learns of its previous reply.

use geonode_protocol::{Envelope, Finding};
use serde::{Deserialize, Serialize};

/// What the model is told about its previous reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "feedback", rename_all = "snake_case")]
pub enum Feedback {
    /// The plan was refused; nothing was written.
    Refused {
        /// Why.
        findings: Vec<Finding>,
    },
    /// The plan was applied, judged, and everything of this run was taken back.
    GatesFailed {
        /// The verdict.
        envelope: Envelope,
    },
    /// `done: false`: the steps are applied and stay; what the gates say so far.
    Progress {
        /// The verdict.
        envelope: Envelope,
    },
    /// The artist rejected the plan and said what shall be different; nothing of it was written.
    Rejected {
        /// The artist's words.
        words: String,
    },
    /// The context that was asked for is in the request.
    Slices,
    /// The results of the calls are in the request.
    Tools {
        /// No further call is possible: the next reply must be the plan.
        last: bool,
    },
}
