//! Bounds of a run.

use serde::{Deserialize, Serialize};

/// What happens to actions that need approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approve {
    /// Refused with `approval_required`.
    #[default]
    None,
    /// The artist is asked.
    Ask,
    /// Granted.
    All,
}

/// Bounds and approval mode of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Further attempts after a refused plan or failed gates.
    pub retries: u32,
    /// Requests to the model other than retries: context requests, tool calls and `done: false` turns.
    pub max_iterations: u32,
    /// What happens to a plan that needs approval.
    pub approve: Approve,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            retries: 2,
            max_iterations: 8,
            approve: Approve::None,
        }
    }
}
