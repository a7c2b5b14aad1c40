//! What is said of a plan that would make very much.

use geonode_cost::Risk;
use geonode_protocol::{Code, Finding, GateFinding, Hint, Severity};

/// Blender numbers everything with 31 bits, the corners of faces too, four for most faces. Beyond that it writes where it must not, so
/// that nobody can approve it.
const MOST: f64 = 2_147_483_648.0;
const MOST_OF_MESHES: f64 = MOST / 4.0;

/// Why Blender cannot hold what a plan would make; none where it can, however long it takes.
pub(super) fn impossible(risk: &Risk) -> Option<Finding> {
    let most = if ["vertices", "faces", "edges"].contains(&risk.noun) {
        MOST_OF_MESHES
    } else {
        MOST
    };
    (risk.elements > most && risk.node.is_some()).then(|| {
        let message = format!("{} Blender cannot hold that many.", risk.cause);
        Finding::error(Code::BlowupRisk, "/steps", message).hint(Hint::explain(risk.fix.clone()))
    })
}

/// The finding that asks about a plan; `path` is where that says it.
pub(super) fn questionable(risk: Risk, path: Option<String>) -> GateFinding {
    GateFinding {
        path,
        gate: Code::BlowupRisk,
        code: Code::BlowupRisk,
        severity: Severity::Error,
        node_id: risk.node,
        socket: risk.input,
        cause: risk.cause,
        fix: Some(risk.fix),
    }
}
