//! Feedback to the model about its previous reply.

use geonode_protocol::{Envelope, Finding};
use serde::{Deserialize, Serialize};

/// The outcome of the previous reply, for the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "feedback", rename_all = "snake_case")]
pub enum Feedback {
    /// The plan was refused; nothing was written.
    Refused {
        /// Why.
        findings: Vec<Finding>,
    },
    /// The plan was applied and judged, and the whole run was undone.
    GatesFailed {
        /// The verdict.
        envelope: Envelope,
    },
    /// `done: false`: the steps are applied and stay; with the gates' verdict so far.
    Progress {
        /// The verdict.
        envelope: Envelope,
    },
    /// The artist rejected the plan and said what should be different; none of it was written.
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
