//! `FINITE_BOUNDS`: no coordinate of the result is infinite or not a number.

use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding, unless_before};
use crate::gate::Gate;

pub(crate) const GATE: Gate = Gate {
    code: Code::FiniteBounds,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    facts
        .evidence
        .objects
        .iter()
        .filter(|object| {
            let finite = object
                .evaluated
                .bounds
                .is_none_or(|box_| box_.iter().flatten().all(|x| x.is_finite()));
            !object.evaluated.finite || !finite
        })
        .map(|object| {
            let was_so = facts.result_before(&object.name).is_some_and(|before| !before.finite);
            let found = finding(
                GATE.code,
                Code::NonFiniteNumber,
                format!(
                    "The evaluated result of “{}” has coordinates that are infinite or not numbers.",
                    object.name
                ),
                "Look for divisions by zero, logarithms or powers of negative numbers, and huge scales.",
            );
            unless_before(was_so, found)
        })
        .collect()
}
