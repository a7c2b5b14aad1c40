//! The type of a gate.

use geonode_protocol::{Code, GateFinding};

use crate::facts::Facts;

/// A gate: its code and its check.
#[derive(Clone, Copy)]
pub struct Gate {
    /// The gate's code.
    pub code: Code,
    /// Whether the gate also judges a run that carried out nothing but scripts: without a written tree, most have nothing to compare.
    pub judges_scripts: bool,
    /// All findings against the result, in a stable order; empty when the gate passes.
    pub check: fn(&Facts<'_>) -> Vec<GateFinding>,
}
