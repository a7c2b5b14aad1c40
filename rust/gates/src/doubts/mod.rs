//! What a run wrote and Blender takes without a word, but that is hardly meant. These doubts never fail a gate.

mod angles;
mod defaults;
mod directions;
mod doubt;
mod inactive;
mod left_over;
mod second;
mod selections;
mod shapes;
mod zone_items;

use geonode_protocol::{Code, GateFinding};

use self::doubt::Doubt;
use crate::facts::{Facts, finding};

/// Everything doubtful, as findings of a gate.
pub(crate) fn doubts(facts: &Facts<'_>, gate: Code) -> Vec<GateFinding> {
    let mut found = angles::check(facts);
    found.extend(defaults::check(facts));
    found.extend(directions::check(facts));
    found.extend(inactive::check(facts));
    found.extend(left_over::check(facts));
    found.extend(selections::check(facts));
    found.extend(shapes::check(facts));
    found.extend(second::check(facts));
    found.extend(zone_items::check(facts));
    let as_finding = |doubt: Doubt| GateFinding {
        path: None,
        severity: doubt.severity,
        node_id: doubt.node,
        socket: doubt.socket,
        ..finding(gate, doubt.code, doubt.cause, doubt.fix)
    };
    found.into_iter().map(as_finding).collect()
}
