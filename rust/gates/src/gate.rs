//! The type of a gate.

use geonode_protocol::{Code, GateFinding};

use crate::facts::Facts;

/// A gate: its code and its check.
#[derive(Clone, Copy)]
pub struct Gate {
    /// The gate's code.
    pub code: Code,
    /// All findings against the result, in a stable order; empty when the gate passes.
    pub check: fn(&Facts<'_>) -> Vec<GateFinding>,
}
