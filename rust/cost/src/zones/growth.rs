//! Extrapolates how the state of a zone grows from one iteration to the next.

use std::sync::Arc;

use crate::field::Field;
use crate::flow::{Content, Flow, Format};
use crate::geometry::Geometry;
use crate::range::Range;
use crate::work::Work;

/// Iterations that are followed one by one; irregular growth is then extrapolated by its last factor.
pub(super) const FOLLOWED: usize = 24;
/// Size of a state beyond which the verdict cannot change.
pub(super) const ENOUGH: f64 = 1e15;
/// Largest figure that is extrapolated.
const CEILING: f64 = 1e30;

/// The sum over all iterations, from the first ones and the last.
pub(super) fn over(each: &[Work], iterations: f64) -> Work {
    let known = f64::from(u32::try_from(each.len()).unwrap_or(u32::MAX));
    let sum = each.iter().fold(Work::default(), |sum, work| sum + *work);
    let [.., before, last] = each else {
        return sum;
    };
    let between = (iterations - known).max(0.0);
    if between <= 0.0 {
        return sum;
    }
    let rest = |first: f64, last: f64| {
        let factor = if first > 0.0 {
            (last / first).powf(1.0 / (between + 1.0))
        } else {
            1.0
        };
        // What grows by a factor has most of its sum at the end.
        if factor > 1.05 && factor.is_finite() {
            (last - first * factor) / (factor - 1.0)
        } else {
            between * first.midpoint(last)
        }
    };
    sum + Work {
        seconds: rest(before.seconds, last.seconds),
        kept: rest(before.kept, last.kept),
        peak: 0.0,
    }
}

pub(super) fn elements(flow: &Flow) -> f64 {
    flow.geometry().elements().max(flow.peak.elements)
}

pub(super) fn weight(states: &[Vec<Flow>]) -> f64 {
    let last = states.last().into_iter().flatten();
    last.map(|flow| flow.geometry().realised().elements().max(elements(flow)))
        .fold(0.0, f64::max)
}

/// True when the last four states show how everything grows.
pub(super) fn settled(states: &[Vec<Flow>]) -> bool {
    let [.., a, b, c, d] = states else { return false };
    let rows = [a, b, c, d].map(|state| figures(state));
    let [a, b, c, d] = &rows;
    let plain = |at: usize| {
        let get = |row: &Vec<f64>| row.get(at).copied().unwrap_or_default();
        let [a, b, c, d] = [get(a), get(b), get(c), get(d)];
        even(a, b, c) && even(b, c, d) || steady(a, b, c) && steady(b, c, d)
    };
    (0..d.len()).all(plain)
}

/// Grows by the same difference.
fn even(a: f64, b: f64, c: f64) -> bool {
    let scale = a.abs().max(b.abs()).max(c.abs());
    !scale.is_finite() || ((c - b) - (b - a)).abs() <= 1e-9 * scale
}

/// Grows by the same factor.
fn steady(a: f64, b: f64, c: f64) -> bool {
    a > 0.0 && b > 0.0 && (c / b - b / a).abs() <= 1e-9 * (b / a)
}

/// The state after `n` iterations, from the states after 1, 2, 3 ….
pub(super) fn carried_on(states: &[Vec<Flow>], n: f64) -> Vec<Flow> {
    let known = f64::from(u32::try_from(states.len()).unwrap_or(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the known states"
    )]
    if n <= known {
        return states.get(n.max(1.0) as usize - 1).cloned().unwrap_or_default();
    }
    let rows: Vec<Vec<f64>> = states.iter().rev().take(3).map(|state| figures(state)).collect();
    let last = states.last().cloned().unwrap_or_default();
    let count = rows.first().map_or(0, Vec::len);
    let at = |row: usize, column: usize| rows.get(row).and_then(|row| row.get(column)).copied();
    let grown = (0..count).map(|column| match (at(2, column), at(1, column), at(0, column)) {
        (Some(a), Some(b), Some(c)) => carried(a, b, c, n - known),
        (_, Some(b), Some(c)) => carried(b.midpoint(c), b, c, n - known),
        (_, _, c) => c.unwrap_or_default(),
    });
    refill(&last, &grown.collect::<Vec<f64>>())
}

/// A figure after `more` iterations beyond its last three values.
fn carried(a: f64, b: f64, c: f64, more: f64) -> f64 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return c;
    }
    let value = if even(a, b, c) || b <= 0.0 || c <= 0.0 {
        c + (c - b) * more
    } else {
        c * (c / b).powf(more)
    };
    value.clamp(-CEILING, CEILING)
}

/// The figures of a state that can grow.
fn figures(state: &[Flow]) -> Vec<f64> {
    let of = |flow: &Flow| match &flow.content {
        Content::Geometry(geometry) => geometry.figures(),
        Content::Number(range) => vec![range.low, range.high],
        Content::Vector(parts) => parts.iter().flat_map(|range| [range.low, range.high]).collect(),
        Content::Text { chars, visible, format } => vec![*chars, *visible, format.fields, format.widths],
        Content::Choice(_)
        | Content::Data(_)
        | Content::Nothing
        | Content::FaceArea
        | Content::Index
        | Content::AllButFirst(_)
        | Content::Closure(_)
        | Content::Unknown => Vec::new(),
    };
    let field = |flow: &Flow| flow.field.as_ref().map(|field| field.seconds());
    state
        .iter()
        .flat_map(|flow| of(flow).into_iter().chain(field(flow)))
        .collect()
}

/// The state with other figures.
fn refill(state: &[Flow], figures: &[f64]) -> Vec<Flow> {
    let mut rest = figures.iter().copied();
    let mut next = || rest.next().unwrap_or_default();
    let mut refilled = state.to_vec();
    for flow in &mut refilled {
        flow.content = match &flow.content {
            Content::Geometry(geometry) => {
                let figures: Vec<f64> = geometry.figures().iter().map(|_| next().max(0.0)).collect();
                Content::from(Geometry::from_figures(&figures))
            }
            Content::Number(_) => Content::Number(Range::of([next(), next()])),
            Content::Vector(_) => Content::Vector(std::array::from_fn(|_| Range::of([next(), next()]))),
            Content::Text { .. } => Content::Text {
                chars: next(),
                visible: next(),
                format: Format {
                    fields: next(),
                    widths: next(),
                },
            },
            other => other.clone(),
        };
        if flow.field.is_some() {
            flow.field = Some(Arc::new(Field::new(next().max(0.0), Vec::new())));
        }
    }
    refilled
}
