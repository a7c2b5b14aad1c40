//! `NOT_EMPTY`: every target object shows something. Mesh, curves, points, instances, volumes and strokes all count.

use geonode_protocol::{Code, GateFinding};

use crate::Gate;
use crate::facts::{Facts, finding};

pub(crate) const GATE: Gate = Gate {
    code: Code::NotEmpty,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    if facts.allow_empty {
        return Vec::new();
    }
    let targets = facts.targets();
    let mut objects: Vec<&str> = targets.iter().map(|target| target.object).collect();
    objects.dedup();
    objects
        .into_iter()
        .filter(|name| facts.object(name).is_some_and(|object| object.evaluated.is_empty()))
        .map(|name| {
            finding(
                GATE.code,
                Code::NotEmpty,
                format!("The evaluated result of \"{name}\" is empty: no vertices, points, curves, instances or volumes."),
                "Check that geometry flows from the input (or a primitive) to the output and that counts and densities are above 0.",
            )
        })
        .collect()
}
