//! The gates' verdict as the model receives it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codes::Code;
use crate::finding::Severity;

/// Verdict of the gates on a run, as it goes into the model's next turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Whether every required gate passed.
    pub success: bool,
    /// The gates that failed, each once, in the order of the gates.
    pub failed_gates: Vec<Code>,
    /// The same in words.
    pub messages: Vec<String>,
    /// One entry for each cause.
    #[serde(default)]
    pub findings: Vec<GateFinding>,
}

impl Envelope {
    /// The verdict when every gate passed.
    pub fn passed() -> Self {
        Self {
            success: true,
            failed_gates: Vec::new(),
            messages: Vec::new(),
            findings: Vec::new(),
        }
    }
}

/// One cause for which a gate failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateFinding {
    /// The gate.
    pub gate: Code,
    /// What exactly was found.
    pub code: Code,
    /// Its severity: only an error fails the gate.
    #[serde(default = "error", skip_serializing_if = "is_error")]
    pub severity: Severity,
    /// JSON Pointer into the plan: the operation that names the node concerned, else the last step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Stable ID of the node concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Socket concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// Why the gate failed.
    pub cause: String,
    /// What would correct it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

fn error() -> Severity {
    Severity::Error
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_error(severity: &Severity) -> bool {
    *severity == Severity::Error
}
