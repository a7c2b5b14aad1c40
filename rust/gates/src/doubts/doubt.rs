//! What a doubt says.

use geonode_protocol::{Code, Severity};
use serde_json::Value;

/// One doubt.
pub(super) struct Doubt {
    pub(super) severity: Severity,
    pub(super) code: Code,
    pub(super) node: Option<String>,
    pub(super) socket: Option<String>,
    pub(super) cause: String,
    pub(super) fix: String,
}

/// Whether two values are the same for Blender, which keeps numbers in single precision.
pub(super) fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * a.abs().max(1.0),
            _ => a == b,
        },
    }
}
