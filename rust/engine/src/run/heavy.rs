//! What is said of a plan that would make very much.

use geonode_cost::Risk;
use geonode_protocol::{Code, Finding, GateFinding, Hint, Severity};

/// Blender numbers the corners of faces with 31 bits, four for most faces. Beyond that it writes where it must not, so that nobody can
/// approve it.
const MOST_ELEMENTS: f64 = 536_870_912.0;

/// Why Blender cannot hold what a plan would make; none where it can, however long it takes.
pub(super) fn impossible(risk: &Risk) -> Option<Finding> {
    (risk.elements > MOST_ELEMENTS && risk.node.is_some()).then(|| {
        let message = format!("{} Blender cannot hold that many.", risk.cause);
        Finding::error(Code::BlowupRisk, "/steps", message).hint(Hint::explain(risk.fix.clone()))
    })
}

/// The finding that asks about a plan.
pub(super) fn questionable(risk: Risk) -> GateFinding {
    GateFinding {
        gate: Code::BlowupRisk,
        code: Code::BlowupRisk,
        severity: Severity::Error,
        node_id: risk.node,
        socket: risk.input,
        cause: risk.cause,
        fix: Some(risk.fix),
    }
}
