//! Bounds on what a plan may be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most items that a script may create at once: in a range, an array, a mesh.
pub const SCRIPT_ITEMS: f64 = 10_000_000.0;

/// Time limit of a script that states none, in milliseconds.
pub const SCRIPT_MS: u32 = 4000;

/// Most findings of one check that are listed, including the note about the others.
pub const LISTED_FINDINGS: usize = 50;

/// Bounds on what a plan may be; each one is inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Size of the whole text, in bytes of UTF-8.
    pub max_bytes: usize,
    /// Nesting of objects and arrays; never more than [`Limits::DEPTH_CEILING`].
    pub max_depth: usize,
    /// Steps in a plan.
    pub max_steps: usize,
    /// Operations in a plan, over all steps.
    pub max_operations: usize,
    /// Characters of Python in one step.
    pub max_python_chars: usize,
    /// Findings that are reported, including the note about the others.
    pub max_findings: usize,
}

impl Limits {
    /// Deepest nesting that any setting allows: readers recurse, so the stack bounds it.
    pub const DEPTH_CEILING: usize = 128;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 16 * 1024 * 1024,
            max_depth: 64,
            max_steps: 25,
            max_operations: 10_000,
            max_python_chars: 20_000,
            max_findings: LISTED_FINDINGS,
        }
    }
}
