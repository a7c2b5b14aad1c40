//! What a doubt says.

use geonode_protocol::{Code, Severity};

/// One doubt.
pub(super) struct Doubt {
    pub(super) severity: Severity,
    pub(super) code: Code,
    pub(super) node: Option<String>,
    pub(super) socket: Option<String>,
    pub(super) cause: String,
    pub(super) fix: String,
}
