//! What the machine knows about a plan.

use geonode_protocol::ActionKind;
use serde::{Deserialize, Serialize};

/// What the machine needs to know about an accepted plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanInfo {
    /// Steps in order.
    pub steps: Vec<StepInfo>,
    /// False: "apply, verify, ask me again".
    pub done: bool,
    /// The model's message to the artist.
    pub final_message: String,
    /// Objects that the plan is about (for `inspect`).
    pub objects: Vec<String>,
    /// Trees that the plan is about (for `inspect`).
    pub trees: Vec<String>,
    /// Whether the plan has no steps but requests more context.
    pub wants_context: bool,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepInfo {
    /// The step's ID in the plan.
    pub step_id: String,
    /// `NODE_TREE`, `GN_OPS` or `PYTHON`.
    pub action_type: String,
}

impl PlanInfo {
    /// Whether a step of the plan may change anything in the file, so that all of it must be backed up before the first write.
    pub(crate) fn whole(&self) -> bool {
        self.steps
            .iter()
            .any(|step| ActionKind::of(&step.action_type).writes_anything())
    }
}
