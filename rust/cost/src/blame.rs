//! Which node is to blame: the first that makes too much, the one that takes most, and what drives it.

use std::sync::Arc;

use crate::flow::{Content, Culprit, Driver, Peak};
use crate::geometry::noun_of;
use crate::inputs::{Inputs, Outcome, label};
use crate::levers;
use crate::work::{Budget, Work};

/// Work below which nobody asks which node it was.
const TRIFLE: f64 = 1e-3;

/// The peak of the node's inputs and outputs; names the node when it is the first above the budget.
pub(crate) fn peak(tree: &str, inputs: &Inputs<'_>, outcome: &Outcome, budget: Budget) -> Peak {
    let before = inputs.flows.iter().flatten();
    let mut peak = before.fold(Peak::default(), |peak, flow| peak.or(&flow.peak));
    let made = outcome.elements();
    let given: f64 = inputs
        .flows
        .iter()
        .flatten()
        .map(|flow| flow.geometry().elements())
        .sum();
    let gain = made / given.max(1.0);
    if gain > peak.driver.as_ref().map_or(1.5, |driver| driver.gain)
        && let Some(lever) = levers::steepest(inputs)
    {
        peak.driver = Some(Arc::new(Driver {
            tree: tree.to_owned(),
            node: inputs.ready.node.id.clone(),
            label: label(inputs.ready).into_owned(),
            lever,
            gain,
        }));
    }
    if made > budget.elements && peak.culprit.is_none() {
        peak.culprit = Some(Arc::new(Culprit {
            tree: tree.to_owned(),
            node: inputs.ready.node.id.clone(),
            label: label(inputs.ready).into_owned(),
            elements: made,
            noun: noun(outcome),
            lever: levers::best(inputs, budget.elements),
            driver: peak.driver.clone(),
        }));
    }
    peak.elements = peak.elements.max(made);
    peak
}

/// Names the node as the most expensive one, if its share is large enough to mention.
pub(crate) fn dearest(
    tree: &str,
    inputs: &Inputs<'_>,
    outcome: &Outcome,
    taken: Work,
    peak: &Peak,
) -> Option<Arc<Culprit>> {
    if taken.weight() < TRIFLE {
        return None;
    }
    Some(Arc::new(Culprit {
        tree: tree.to_owned(),
        node: inputs.ready.node.id.clone(),
        label: label(inputs.ready).into_owned(),
        elements: outcome.elements(),
        noun: noun(outcome),
        lever: levers::steepest(inputs),
        driver: peak.driver.clone(),
    }))
}

/// The kind of most of its elements.
fn noun(outcome: &Outcome) -> &'static str {
    let weight = |content: &Content| match content {
        Content::Geometry(geometry) => Some((geometry.elements(), noun_of(geometry))),
        _ => None,
    };
    let made = outcome.outputs.iter().filter_map(|(_, content)| weight(content));
    let (elements, noun) = made.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "points"));
    if outcome.work > elements { "elements" } else { noun }
}
