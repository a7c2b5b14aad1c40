//! The verdict on a plan: what it would cost, what causes it, and what to change.

use std::sync::Arc;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::compile::Compiled;
use geonode_graph::documents::Document;

use crate::geometry::{VOXELS, VOXELS_PER_ELEMENT};
use crate::{Culprit, Estimate, Lever, estimate};

/// A tree that was as heavy before is the artist's own: a plan is asked about only when it adds more than this share.
const GROWTH: f64 = 1.1;

/// A plan that would make more than the budget allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Risk {
    /// Object whose modifiers would make it.
    pub object: String,
    /// Elements that would be made.
    pub elements: f64,
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

/// Compares the state before a plan with the state after it; the heaviest object is named.
pub fn risk(before: &Document, compiled: &Compiled, catalogue: &Catalogue, budget: f64) -> Option<Risk> {
    let risks = compiled.touched_objects.iter().filter_map(|object| {
        let after = estimate(&compiled.after, catalogue, object, budget);
        if after.elements <= budget && !after.incomplete {
            return None;
        }
        let was = estimate(before, catalogue, object, budget);
        let heavier = after.elements > was.elements * GROWTH || after.incomplete && !was.incomplete;
        heavier.then(|| verdict(object, &after, budget))
    });
    risks.max_by(|a, b| a.elements.total_cmp(&b.elements))
}

fn verdict(object: &str, after: &Estimate, budget: f64) -> Risk {
    let Some(culprit) = &after.culprit else {
        return Risk {
            object: object.to_owned(),
            elements: after.elements,
            tree: String::new(),
            node: None,
            input: None,
            cause: format!("The tree of \"{object}\" is too complex to predict its cost."),
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
        tree: culprit.tree.clone(),
        node: Some(culprit.node.clone()),
        input: lever.map(|lever| lever.input.clone()),
        cause: cause(culprit, after.elements),
        fix: fix(culprit, budget),
    }
}

/// "Subdivision Surface at Level 12 makes about 400 million vertices."
fn cause(culprit: &Arc<Culprit>, peak: f64) -> String {
    let by = match (&culprit.lever, &culprit.driver) {
        (Some(lever), _) => format!(" at {}", setting(lever)),
        (None, Some(driver)) => format!(" ({} has {})", driver.label, setting(&driver.lever)),
        (None, None) => String::new(),
    };
    let label = &culprit.label;
    let count = number(culprit.elements * weight(culprit));
    let text = format!("{label}{by} makes about {count} {}.", culprit.noun);
    if peak > culprit.elements * 1.5 {
        return format!("{text} The nodes after it turn them into {} elements.", number(peak));
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

fn fix(culprit: &Culprit, budget: f64) -> String {
    let limit = number(budget * weight(culprit));
    match (&culprit.lever, &culprit.driver) {
        (Some(lever), _) => match lever.remedy {
            Some(remedy) => format!("{} {} stays under {limit}.", lever.input, plain(remedy)),
            None => format!(
                "Give {} less geometry to work on; no value of {} keeps it under {limit}.",
                culprit.label, lever.input
            ),
        },
        (None, Some(driver)) => format!("Lower {} of {}.", driver.lever.input, driver.label),
        (None, None) => format!("Give {} less geometry to work on.", culprit.label),
    }
}

/// "Level 12 (from the input "Detail")".
fn setting(lever: &Lever) -> String {
    let source = lever
        .source
        .as_ref()
        .map(|name| format!(" (from the input \"{name}\")"));
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
    fn numbers_read_as_a_person_writes_them() {
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
        assert_eq!(
            (plain(0.05), plain(12.0), plain(1e6)),
            ("0.05".into(), "12".into(), "1,000,000".into())
        );
    }
}
