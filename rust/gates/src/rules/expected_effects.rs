//! `EXPECTED_EFFECTS`: the evaluated result has as many elements as the plan says.
//!
//! Measures the expectations in `meta.expects` of the last plan: `count` may be off by a tenth plus one, or by a half where the number of
//! elements is random (points distributed at random); `min` and `max` are exact. Instances count at the top level or, nested, each as often
//! as it appears; either may be meant. `meta.measures` are sizes and places of the evaluated box. The same holds for objects that scripts created. A number in the plan's own words ("200 instances") only gives a warning.

use geonode_cost::{Driver, driver};
use geonode_protocol::{Action, Code, Component, Expectation, GateFinding, Measure, Plan, Severity};

use crate::facts::{Facts, finding};
use crate::gate::Gate;
use geonode_graph::documents::evidence::Evaluated;

pub(crate) const GATE: Gate = Gate {
    code: Code::ExpectedEffects,
    judges_scripts: true,
    check,
};

/// Relative tolerance of a count.
const TOLERANCE: f64 = 0.1;
/// The same for random counts.
const BY_CHANCE: f64 = 0.5;

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let Some(plan) = facts.plans.last() else {
        return Vec::new();
    };
    let mut findings: Vec<GateFinding> = plan
        .meta
        .expects
        .iter()
        .filter_map(|expected| judged(facts, plan, expected))
        .collect();
    findings.extend(
        plan.meta
            .measures
            .iter()
            .filter_map(|wanted| measure(facts, plan, wanted)),
    );
    if findings.is_empty() && plan.meta.expects.is_empty() {
        findings.extend(claimed(facts, plan));
    }
    findings
}

fn judged(facts: &Facts<'_>, plan: &Plan, expected: &Expectation) -> Option<GateFinding> {
    let (name, noun) = (&expected.object_name, expected.component.noun());
    let Some(object) = facts.object(name) else {
        return Some(unknown(plan, name, noun));
    };
    let counts = measured(&object.evaluated, expected.component);
    let fits = |count: &u64| match expected.count {
        Some(wanted) => near(*count, wanted, tolerance(facts, name)),
        None => expected.min.is_none_or(|min| *count >= min) && expected.max.is_none_or(|max| *count <= max),
    };
    if counts.iter().any(fits) {
        return None;
    }
    Some(mismatch(facts, name, expected, &object.evaluated, &counts))
}

/// Bounds hold but for the rounding of single precision, as a share of the object's size.
const ROUNDING: f64 = 1e-4;

/// A size or place that the plan expects and the result does not have.
fn measure(facts: &Facts<'_>, plan: &Plan, wanted: &Measure) -> Option<GateFinding> {
    let (name, noun) = (&wanted.object_name, wanted.extent.noun());
    let Some(object) = facts.object(name) else {
        return Some(unknown(plan, name, noun));
    };
    let [min, max] = wanted.bounds();
    let expected = format!("{} to {}", short(min), short(max));
    let cause = match object.evaluated.bounds {
        None => format!("The plan expects {expected} as the {noun} of “{name}”; the result has no size."),
        Some(bounds) => {
            let (real, length) = wanted.extent.of(bounds);
            let slack = ROUNDING * length.max(1.0);
            if (min - slack..=max + slack).contains(&real) {
                return None;
            }
            format!(
                "The plan expects {expected} as the {noun} of “{name}”; in the result it is {}.",
                short(real)
            )
        }
    };
    let fix = "Correct the sizes and places in the tree, or the measure; lengths are Blender units in the object's own space.";
    Some(finding(GATE.code, Code::SizeMismatch, cause, fix))
}

/// A length with four digits behind the point at most.
fn short(length: f64) -> f64 {
    (length * 1e4).round() / 1e4
}

/// The plan expects something of an object that was not measured.
fn unknown(plan: &Plan, name: &str, noun: &str) -> GateFinding {
    // A script may work on any object, so the objects in its plan's expectations are measured.
    let (why, fix) = if scripted(plan) {
        (
            "there is no such object after its script",
            "Create the object in the script, or name one that exists.",
        )
    } else {
        (
            "no step works on that object",
            "Expect something of an object that a step works on.",
        )
    };
    finding(
        GATE.code,
        Code::UnknownObject,
        format!("The plan expects {noun} of “{name}”, but {why}."),
        fix,
    )
}

fn scripted(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step.action, Action::Python(_)))
}

fn mismatch(
    facts: &Facts<'_>,
    object: &str,
    expected: &Expectation,
    evaluated: &Evaluated,
    counts: &[u64],
) -> GateFinding {
    let noun = expected.component.noun();
    let wanted = match (expected.count, expected.min, expected.max) {
        (Some(count), ..) => format!("about {count}"),
        (None, Some(min), Some(max)) => format!("{min} to {max}"),
        (None, Some(min), None) => format!("at least {min}"),
        (None, None, max) => format!("at most {}", max.unwrap_or_default()),
    };
    let real = counts.first().copied().unwrap_or_default();
    let realised = expected.component == Component::Instances && real == 0 && !evaluated.is_empty();
    let cause = format!("The plan expects {wanted} {noun} on “{object}”; the result has {real}.");
    let driver = facts
        .now
        .zip(facts.catalogue)
        .and_then(|(now, catalogue)| driver(now, catalogue, object));
    let fix = if realised {
        "The result has no instances: they were realized, or never created. Count something that exists instead, for example vertices.".to_owned()
    } else {
        driver.as_ref().map_or_else(
            || "Correct the counts in the tree, or the expectation.".to_owned(),
            |driver| lever(driver),
        )
    };
    GateFinding {
        path: None,
        node_id: driver.as_ref().map(|driver| driver.node.clone()),
        socket: driver.map(|driver| driver.lever.input.clone()),
        ..finding(GATE.code, Code::CountMismatch, cause, fix)
    }
}

/// The input that decides the count, and where its value comes from.
fn lever(driver: &Driver) -> String {
    let source = driver
        .lever
        .source
        .as_ref()
        .map(|name| format!(", from the modifier's input “{name}”"));
    format!(
        "“{}” of {} decides how many there are (now {}{}): correct it, or correct the expectation.",
        driver.lever.input,
        driver.label,
        driver.lever.value,
        source.unwrap_or_default()
    )
}

/// The counts of a component; several if more than one may be meant.
fn measured(evaluated: &Evaluated, component: Component) -> Vec<u64> {
    let mesh = evaluated.mesh.unwrap_or_default();
    let curves = evaluated.curves.unwrap_or_default();
    match component {
        Component::Instances => {
            let instances = evaluated.instances.unwrap_or_default();
            vec![instances.count, instances.nested.max(instances.count)]
        }
        Component::Points => vec![evaluated.pointcloud.unwrap_or_default().points],
        Component::Vertices => vec![mesh.vertices],
        Component::Edges => vec![mesh.edges],
        Component::Faces => vec![mesh.faces],
        Component::Splines => vec![curves.curves],
        Component::CurvePoints => vec![curves.points],
        Component::Grids => vec![evaluated.volume.unwrap_or_default().grids],
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn near(count: u64, wanted: u64, tolerance: f64) -> bool {
    count.abs_diff(wanted) as f64 <= wanted as f64 * tolerance + 1.0
}

fn tolerance(facts: &Facts<'_>, object: &str) -> f64 {
    if by_chance(facts, object) { BY_CHANCE } else { TOLERANCE }
}

/// Whether some node on the object creates a random number of elements.
fn by_chance(facts: &Facts<'_>, object: &str) -> bool {
    let trees = facts.now.map_or(&facts.evidence.trees, |now| &now.trees);
    let modifiers = facts.object(object).into_iter().flat_map(|object| &object.modifiers);
    let mut todo: Vec<&str> = modifiers
        .filter_map(|modifier| modifier.node_group.as_deref())
        .collect();
    let mut seen = Vec::new();
    while let Some(name) = todo.pop() {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        for node in trees.get(name).iter().flat_map(|tree| &tree.nodes) {
            let chance = node.kind.starts_with("GeometryNodeDistributePoints")
                || node.kind == "FunctionNodeRandomValue"
                    && node.props.get("data_type").is_some_and(|kind| kind == "BOOLEAN");
            if chance {
                return true;
            }
            todo.extend(node.group());
        }
    }
    false
}

/// Numbers that stand directly before the name of a component in the plan's words to the artist, where only one object can be meant.
fn claimed(facts: &Facts<'_>, plan: &Plan) -> Vec<GateFinding> {
    let targets = facts.targets();
    let [target] = targets.as_slice() else {
        return Vec::new();
    };
    let Some(object) = facts.object(target.object) else {
        return Vec::new();
    };
    let claims = claims(&plan.final_message);
    claims
        .iter()
        .filter(|(_, component)| claims.iter().filter(|(_, other)| other == component).count() == 1)
        .filter_map(|(number, component)| {
            let mut counts = measured(&object.evaluated, *component);
            if *component == Component::Points {
                counts.extend(measured(&object.evaluated, Component::CurvePoints));
                counts.extend(measured(&object.evaluated, Component::Instances));
            }
            let tolerance = tolerance(facts, target.object);
            if counts.iter().any(|count| near(*count, *number, tolerance)) {
                return None;
            }
            let real = counts.first().copied().unwrap_or_default();
            let noun = component.noun();
            Some(GateFinding {
                path: None,
                severity: Severity::Warning,
                ..finding(
                    GATE.code,
                    Code::CountMismatch,
                    format!(
                        "The plan mentions {number} {noun}; the result on “{}” has {real}.",
                        target.object
                    ),
                    "Check the numbers, or state the expected counts in `meta.expects`.",
                )
            })
        })
        .collect()
}

/// Words before a number that make it an inexact claim.
const VAGUE: &[&str] = &[
    "to", "than", "most", "least", "over", "under", "below", "above", "from", "every", "each", "between", "and", "or",
    "max", "min", "maximum", "minimum",
];

/// Words after the noun that limit the number to a part of the elements.
const PARTLY: &[&str] = &["per", "each", "every", "apart", "for", "around", "along", "in", "of"];

/// Claims of a text: a whole number directly before a component.
fn claims(text: &str) -> Vec<(u64, Component)> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let at = |index: Option<usize>| index.and_then(|index| words.get(index)).map_or("", String::as_str);
    words
        .iter()
        .enumerate()
        .filter_map(|(index, word)| {
            let number: u64 = word.replace(',', "").parse().ok()?;
            let component = match at(index.checked_add(1)) {
                "instances" | "instance" => Component::Instances,
                "vertices" => Component::Vertices,
                "edges" => Component::Edges,
                "faces" => Component::Faces,
                "points" => Component::Points,
                "splines" => Component::Splines,
                _ => return None,
            };
            let vague = VAGUE.contains(&at(index.checked_sub(1))) || PARTLY.contains(&at(index.checked_add(2)));
            (!vague).then_some((number, component))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_before_a_component_are_expectations() {
        let cases: &[(&str, &[(u64, Component)])] = &[
            ("Scattered 200 instances on the plane.", &[(200, Component::Instances)]),
            ("A grid of 1,024 vertices.", &[(1024, Component::Vertices)]),
            ("Up to 200 instances.", &[]),
            ("12 points per edge.", &[]),
            ("Scattered 200 cubes.", &[]),
            ("Between 3 and 5 faces.", &[]),
            ("0.5 points", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(claims(text), *expected, "{text}");
        }
    }

    #[test]
    fn counts_may_be_off_by_a_tenth_and_one() {
        assert!(near(180, 200, TOLERANCE) && near(221, 200, TOLERANCE) && !near(178, 200, TOLERANCE));
        assert!(near(1, 0, TOLERANCE) && near(2, 1, TOLERANCE) && !near(2, 0, TOLERANCE));
    }
}
