//! What a gate is.

use geonode_protocol::{Code, GateFinding};

use crate::facts::Facts;

/// A gate: its code, and the function that judges.
#[derive(Clone, Copy)]
pub struct Gate {
    /// The gate's code.
    pub code: Code,
    /// Everything that speaks against the result, in a stable order; empty when the gate passes.
    pub check: fn(&Facts<'_>) -> Vec<GateFinding>,
}
