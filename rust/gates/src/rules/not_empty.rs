//! `NOT_EMPTY`: every target object has visible geometry. Mesh, curves, points, instances, volumes and strokes all count.
//!
//! Empty instances do not count; the spaces of a text are such instances, so the gate fails only if all are empty. What showed nothing before the
//! run need not show something after one that made no geometry.

use geonode_protocol::{Code, GateFinding, Severity};

use crate::facts::{Facts, finding, unless_before};
use crate::gate::Gate;
use geonode_graph::documents::evidence::EvaluatedObject;

pub(crate) const GATE: Gate = Gate {
    code: Code::NotEmpty,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    if facts.allow_empty {
        return Vec::new();
    }
    let targets = facts.targets();
    let mut objects: Vec<&str> = targets.iter().map(|target| target.object).collect();
    objects.sort_unstable();
    objects.dedup();
    objects
        .into_iter()
        .filter_map(|name| facts.object(name))
        .filter_map(|object| {
            let found = empty(object)?;
            let was_empty = facts.result_before(&object.name).is_some_and(|before| before.empty);
            let was_so = was_empty && !facts.made_any_geometry() || left_unfinished(facts, &object.name);
            if expects_nothing(facts, &object.name) {
                return Some(GateFinding {
                    path: None,
                    severity: Severity::Warning,
                    cause: format!("{} The plan says so.", found.cause),
                    ..found
                });
            }
            // A doubt that the run did not raise is worth no question.
            let severity = if was_so && found.code == Code::EmptyInstances {
                Severity::Info
            } else if was_so {
                Severity::Warning
            } else {
                found.severity
            };
            Some(GateFinding {
                path: None,
                severity,
                ..unless_before(was_so, found)
            })
        })
        .collect()
}

/// Whether the plan says that there is nothing now: “switched off”, “nothing before frame 20”.
fn expects_nothing(facts: &Facts<'_>, object: &str) -> bool {
    let last = facts.plans.last();
    let mut expects = last.iter().flat_map(|plan| &plan.meta.expects);
    expects.any(|expected| expected.object_name == object && (expected.count == Some(0) || expected.max == Some(0)))
}

/// Whether a tree on the object was unfinished before the run, which had something else to do in it.
fn left_unfinished(facts: &Facts<'_>, object: &str) -> bool {
    let targets = facts.targets();
    let mut on_object = targets.iter().filter(|target| target.object == object);
    on_object.any(|target| {
        let runs = facts
            .modifier(target)
            .and_then(|modifier| modifier.node_group.as_deref());
        runs.is_some_and(|tree| facts.left_unfinished(tree))
    })
}

fn empty(object: &EvaluatedObject) -> Option<GateFinding> {
    let (name, evaluated) = (&object.name, &object.evaluated);
    if evaluated.is_empty() {
        return Some(finding(
            GATE.code,
            Code::NotEmpty,
            format!("The evaluated result of “{name}” is empty: no vertices, points, curves, instances or volumes."),
            "Check that geometry flows from the input (or a primitive) to the output and that counts and densities are above 0. If \
             nothing is to be seen now, expect 0 vertices or instances of it.",
        ));
    }
    let instances = evaluated.instances.filter(|instances| instances.count > 0)?;
    if instances.empty < instances.count {
        return None;
    }
    let alone = evaluated.without_instances().is_empty();
    Some(GateFinding {
        path: None,
        severity: if alone { Severity::Error } else { Severity::Warning },
        ..finding(
            GATE.code,
            Code::EmptyInstances,
            format!("All {} instances on “{name}” are empty.", instances.count),
            "Check what is linked to “Instance” of Instance on Points: it is empty, or, with Pick Instance on, no instances: \
             Geometry to Instance makes the choices. It is right if what is copied is chosen later.",
        )
    })
}
