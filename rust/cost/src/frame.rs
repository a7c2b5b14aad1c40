//! The flows of one tree while it is evaluated, and who evaluates its nodes.

use std::sync::Arc;

use geonode_graph::documents::Scene;

use crate::components::Kinds;
use crate::flow::{Content, Flow};
use crate::inputs::unlinked;
use crate::prepare::{Prepared, Slot};
use crate::range::Range;

/// Evaluates the nodes of a frame: a zone asks for those of its body.
pub(crate) trait Evaluator<'a> {
    /// Evaluates one node.
    fn evaluate(&mut self, frame: &mut Frame<'a>, at: usize);

    /// True when the estimate was given up: it says too little.
    fn exhausted(&self) -> bool;

    /// Objects and collections of the file.
    fn scene(&self) -> &'a Scene;

    /// Elements above which a node is a culprit.
    fn budget(&self) -> f64;
}

/// The flows of one tree while it is evaluated.
pub(crate) struct Frame<'a> {
    pub tree: Arc<Prepared<'a>>,
    pub flows: Vec<Vec<Flow>>,
    /// Node evaluations so far, with those of groups and zones inside.
    pub evaluations: f64,
}

impl Frame<'_> {
    /// What a slot receives: one flow for each link, or its own value.
    pub(crate) fn received(&self, slot: &Slot) -> Vec<Flow> {
        if slot.sources.is_empty() {
            return vec![unlinked(&slot.kind, slot.value.as_ref())];
        }
        let at = |(node, exit): &(usize, usize)| self.flows.get(*node)?.get(*exit).cloned();
        slot.sources
            .iter()
            .map(|source| at(source).map_or_else(Flow::unknown, |flow| converted(flow, &slot.kind)))
            .collect()
    }

    /// The same as one flow.
    pub(crate) fn received_one(&self, slot: &Slot) -> Flow {
        self.received(slot).into_iter().next().unwrap_or_else(Flow::unknown)
    }

    /// Forgets which components the outputs of a node hold: they may change from one evaluation to the next.
    pub(crate) fn any_kinds(&mut self, at: usize) {
        for flow in self.flows.get_mut(at).into_iter().flatten() {
            flow.kinds = Kinds::ANY;
        }
    }

    pub(crate) fn put(&mut self, at: usize, flows: Vec<Flow>) {
        if let Some(place) = self.flows.get_mut(at) {
            *place = flows;
        }
    }
}

/// A flow as a socket of this type receives it.
fn converted(mut flow: Flow, kind: &str) -> Flow {
    flow.content = match (kind, flow.content) {
        ("NodeSocketInt", Content::Number(range)) => Content::Number(range.map(f64::trunc)),
        ("NodeSocketBool", Content::Number(range)) => Content::Number(match range.truth() {
            Some(truth) => Range::exactly(f64::from(truth)),
            None => Range::of([0.0, 1.0]),
        }),
        ("NodeSocketFloat" | "NodeSocketInt", Content::Vector([x, y, z])) => {
            let third = Range::exactly(1.0 / 3.0);
            let sum = x.with(y, |a, b| a + b).with(z, |a, b| a + b);
            Content::Number(sum.times(third))
        }
        ("NodeSocketVector", Content::Number(range)) => Content::Vector([range; 3]),
        (_, content) => content,
    };
    flow
}
