//! The verdict on a plan: its cost, the cause, and what to change.

use std::cmp::Ordering;
use std::sync::Arc;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::compile::Compiled;
use geonode_graph::documents::Document;

use crate::geometry::{VOXELS, VOXELS_PER_ELEMENT};
use crate::remedy::remedy;
use crate::stack::tried;
use crate::{Budget, Culprit, Estimate, Lever, estimate};

/// A tree that was as heavy before is the artist's own: a plan is asked about only when it adds more than this share.
const GROWTH: f64 = 1.1;

/// A plan that would make or take more than the budget allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Risk {
    /// Object whose modifiers would make it.
    pub object: String,
    /// Elements that would be made.
    pub elements: f64,
    /// Time of one evaluation.
    pub seconds: f64,
    /// Memory of one evaluation.
    pub bytes: f64,
    /// What is made most, as the cause says it: vertices, points, …
    pub noun: &'static str,
    /// Tree that holds the node; empty when the estimate was given up.
    pub tree: String,
    /// ID of the node.
    pub node: Option<String>,
    /// The input that causes it.
    pub input: Option<String>,
    /// What would happen, in words.
    pub cause: String,
    /// What to do instead, in words.
    pub fix: String,
}

/// Compares the state before a plan with the state after it; names the most expensive object.
pub fn risk(before: &Document, compiled: &Compiled, catalogue: &Catalogue, budget: Budget) -> Option<Risk> {
    let risks = compiled.touched_objects.iter().filter_map(|object| {
        let after = estimate(&compiled.after, catalogue, object, budget);
        if after.fits(budget) {
            return None;
        }
        let was = estimate(before, catalogue, object, budget);
        let grows = |after: f64, was: f64, limit: f64| after > limit && after > was * GROWTH;
        let heavier = grows(after.elements, was.elements, budget.elements)
            || grows(after.seconds, was.seconds, budget.seconds)
            || grows(after.bytes, was.bytes, budget.bytes)
            || after.incomplete && !was.incomplete;
        heavier.then(|| {
            let culprit = after.culprit.clone().or_else(|| after.dearest.clone());
            let culprit = culprit.map(|culprit| {
                let after = &compiled.after;
                Arc::new(remedy(&culprit, budget, |trial| {
                    tried(after, catalogue, object, budget, Some(trial)).fits(budget)
                }))
            });
            verdict(object, &after, culprit.as_ref(), budget)
        })
    });
    risks.max_by(|a, b| {
        (a.elements, a.seconds)
            .partial_cmp(&(b.elements, b.seconds))
            .unwrap_or(Ordering::Equal)
    })
}

fn verdict(object: &str, after: &Estimate, culprit: Option<&Arc<Culprit>>, budget: Budget) -> Risk {
    let Some(culprit) = culprit else {
        return Risk {
            object: object.to_owned(),
            elements: after.elements,
            seconds: after.seconds,
            bytes: after.bytes,
            noun: "elements",
            tree: String::new(),
            node: None,
            input: None,
            cause: format!("The tree of “{object}” is too complex to predict its cost."),
            fix: "Use fewer nested groups and zones.".to_owned(),
        };
    };
    let lever = culprit
        .lever
        .as_ref()
        .or_else(|| culprit.driver.as_ref().map(|driver| &driver.lever));
    Risk {
        object: object.to_owned(),
        elements: after.elements.max(culprit.elements),
        seconds: after.seconds,
        bytes: after.bytes,
        noun: culprit.noun,
        tree: culprit.tree.clone(),
        node: Some(culprit.node.clone()),
        input: lever.map(|lever| lever.input.clone()),
        cause: cause(culprit, after, budget),
        fix: fix(culprit, after, budget),
    }
}

/// "Subdivision Surface at Level 12 makes about 400 million vertices. It will take about 2 minutes and 3 GB."
fn cause(culprit: &Arc<Culprit>, after: &Estimate, budget: Budget) -> String {
    let by = match (&culprit.lever, &culprit.driver) {
        (Some(lever), _) => format!(" at {}", setting(lever)),
        (None, Some(driver)) => format!(" ({} has {})", driver.label, setting(&driver.lever)),
        (None, None) => String::new(),
    };
    let label = &culprit.label;
    let takes = format!("about {} and {}", duration(after.seconds), memory(after.bytes));
    if after.elements <= budget.elements {
        return format!("{label}{by} will take {takes}, and Blender cannot be stopped meanwhile.");
    }
    let count = number(culprit.elements * weight(culprit));
    let mut text = format!("{label}{by} makes about {count} {}.", culprit.noun);
    if after.elements > culprit.elements * 1.5 {
        text = format!(
            "{text} The nodes after it turn them into {} elements.",
            number(after.elements)
        );
    }
    if after.seconds > budget.seconds || after.bytes > budget.bytes {
        text = format!("{text} That will take {takes}.");
    }
    text
}

/// How many of what the culprit makes are one element.
fn weight(culprit: &Culprit) -> f64 {
    if culprit.noun == VOXELS {
        VOXELS_PER_ELEMENT
    } else {
        1.0
    }
}

fn fix(culprit: &Culprit, after: &Estimate, budget: Budget) -> String {
    let limits = [
        (
            after.elements > budget.elements,
            number(budget.elements * weight(culprit)),
        ),
        (after.seconds > budget.seconds, duration(budget.seconds)),
        (after.bytes > budget.bytes, memory(budget.bytes)),
    ];
    let limits: Vec<String> = limits
        .into_iter()
        .filter(|(over, _)| *over)
        .map(|(_, limit)| limit)
        .collect();
    let limit = match limits.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "the limits".to_owned(),
    };
    match (&culprit.lever, &culprit.driver) {
        (Some(lever), _) => match lever.remedy {
            Some(remedy) => format!("{} {} stays under {limit}.", lever.input, plain(remedy)),
            None => format!(
                "Give {} less geometry to work on; no value of {} keeps it under {limit}.",
                culprit.label, lever.input
            ),
        },
        (None, Some(driver)) => match driver.lever.remedy {
            Some(remedy) => format!(
                "{} {} of {} stays under {limit}.",
                driver.lever.input,
                plain(remedy),
                driver.label
            ),
            None => format!("Lower {} of {}.", driver.lever.input, driver.label),
        },
        (None, None) => format!("Give {} less geometry to work on.", culprit.label),
    }
}

/// "40 seconds", "2 minutes": as a person says how long they wait.
fn duration(seconds: f64) -> String {
    let (count, unit) = match seconds {
        s if s < 1.5 => return "1 second".to_owned(),
        s if s < 90.0 => (s, "second"),
        s if s < 5400.0 => (s / 60.0, "minute"),
        s if s < 129_600.0 => (s / 3600.0, "hour"),
        s if s < 8.64e7 => (s / 86_400.0, "day"),
        _ => return "more than 1,000 days".to_owned(),
    };
    let count = count.round();
    let plural = if count > 1.0 { "s" } else { "" };
    format!("{count:.0} {unit}{plural}")
}

/// "300 MB", "3 GB".
fn memory(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => "1 MB".to_owned(),
        b if b < 9.5e8 => format!("{:.0} MB", b / 1e6),
        b if b < 9.5e9 => format!("{:.1} GB", b / 1e9).replace(".0 ", " "),
        b if b < 1e14 => format!("{} GB", grouped(&format!("{:.0}", b / 1e9))),
        _ => "more memory than there is".to_owned(),
    }
}

/// "Level 12 (from the input "Detail")".
fn setting(lever: &Lever) -> String {
    let source = lever.source.as_ref().map(|name| format!(" (from the input “{name}”)"));
    format!("{} {}{}", lever.input, plain(lever.value), source.unwrap_or_default())
}

/// A value as an artist would type it.
fn plain(value: f64) -> String {
    if value.is_nan() || value.abs() >= 1e15 {
        return number(value);
    }
    if value.abs() >= 1000.0 {
        return grouped(&format!("{value:.0}"));
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `1000000` as `1,000,000`.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    let count = digits.trim_start_matches('-').len();
    for (at, digit) in digits.trim_start_matches('-').chars().enumerate() {
        if at > 0 && (count - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if digits.starts_with('-') {
        format!("-{text}")
    } else {
        text
    }
}

/// A large number in words, to two digits.
fn number(value: f64) -> String {
    if !value.is_finite() || value >= 1e15 {
        return "more than a thousand trillion".to_owned();
    }
    let names = [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
    match names.iter().find(|(unit, _)| value >= *unit) {
        Some((unit, name)) => {
            let count = value / unit;
            let shown = if count < 9.95 {
                format!("{count:.1}")
            } else {
                format!("{count:.0}")
            };
            format!("{} {name}", shown.trim_end_matches(".0"))
        }
        None => grouped(&format!("{value:.0}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_rounded_for_readers() {
        let cases = [
            (950.0, "950"),
            (402_653_186.0, "403 million"),
            (5e6, "5 million"),
            (1.25e9, "1.2 billion"),
            (12_345.0, "12,345"),
            (f64::INFINITY, "more than a thousand trillion"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        let times = [
            (12.4, "12 seconds"),
            (119.0, "2 minutes"),
            (7200.0, "2 hours"),
            (f64::INFINITY, "more than 1,000 days"),
        ];
        for (seconds, text) in times {
            assert_eq!(duration(seconds), text);
        }
        let sizes = [
            (3e8, "300 MB"),
            (2e9, "2 GB"),
            (3.14e9, "3.1 GB"),
            (1.2e13, "12,000 GB"),
        ];
        for (bytes, text) in sizes {
            assert_eq!(memory(bytes), text);
        }
        assert_eq!(
            (plain(0.05), plain(12.0), plain(1e6)),
            ("0.05".into(), "12".into(), "1,000,000".into())
        );
    }
}
