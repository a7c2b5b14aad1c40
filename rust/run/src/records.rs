//! The public view of a run: its state, and the record of each step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Failure;

/// Public states of a run, derived from the phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Not started.
    Idle,
    /// Reading the scene, asking for a plan.
    Generating,
    /// Checking the plan and reading what it is about.
    RequestingContext,
    /// Waiting for approval, or writing.
    Applying,
    /// Judging the result; keeping or undoing it.
    Verifying,
    /// Completed.
    Done,
    /// Ended without success; the file is as it was.
    Error,
    /// Ended by the artist; the file is as it was.
    Cancelled,
}

/// What the artist sees of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Summary {
    /// Nothing runs.
    Idle,
    /// A plan is being made.
    Planning,
    /// A plan is being checked.
    Validating,
    /// A plan is being carried out.
    Executing,
    /// Completed.
    Done,
    /// Ended without success.
    Error,
    /// Ended by the artist.
    Cancelled,
}

impl RunState {
    /// The artist-facing summary.
    pub fn summary(self) -> Summary {
        match self {
            Self::Idle => Summary::Idle,
            Self::Generating => Summary::Planning,
            Self::RequestingContext => Summary::Validating,
            Self::Applying | Self::Verifying => Summary::Executing,
            Self::Done => Summary::Done,
            Self::Error => Summary::Error,
            Self::Cancelled => Summary::Cancelled,
        }
    }
}

/// Progress of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    Pending,
    /// Being applied.
    Running,
    /// Applied.
    Done,
    /// Could not be applied.
    Failed,
    /// Was applied and undone.
    Restored,
}

/// Record of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// The step's ID in the plan.
    pub step_id: String,
    /// `NODE_TREE`, `GN_OPS` or `PYTHON`.
    pub action_type: String,
    /// Its progress.
    pub status: StepStatus,
    /// Unix time in seconds.
    pub started_at: Option<f64>,
    /// Unix time in seconds.
    pub ended_at: Option<f64>,
    /// What was done.
    pub message: String,
    /// Why it failed.
    pub error: Option<Failure>,
}
