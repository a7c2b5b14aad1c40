//! The flows of one tree during evaluation, and the evaluator of its nodes.

use std::sync::Arc;

use crate::components::Kinds;
use crate::flow::{Content, Culprit, Flow};
use crate::inputs::{Inputs, unlinked};
use crate::prepare::{Prepared, Ready, Slot};
use crate::range::Range;
use crate::work::{Budget, Work};

/// Evaluates the nodes of a frame: a zone asks for those of its body.
pub(crate) trait Evaluator<'a> {
    /// Evaluates one node.
    fn evaluate(&mut self, frame: &mut Frame<'a>, at: usize);

    /// Whether the estimate was abandoned and is too low.
    fn exhausted(&self) -> bool;

    /// What a node of the frame is given.
    fn inputs<'r>(&self, frame: &Frame<'a>, ready: &'r Ready<'r>) -> Inputs<'r>
    where
        'a: 'r;

    /// What may be made and taken without asking.
    fn budget(&self) -> Budget;
}

/// The flows of one tree while it is evaluated.
pub(crate) struct Frame<'a> {
    pub tree: Arc<Prepared<'a>>,
    pub flows: Vec<Vec<Flow>>,
    /// What each node took.
    pub spent: Vec<Spent>,
}

/// What a node took when it was evaluated last, with groups and zones inside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spent {
    pub work: Work,
    /// The node inside that took most, itself where there is none.
    pub dearest: Option<Arc<Culprit>>,
    /// The one of its inputs that it asked for, where it asked for one only.
    pub chosen: Option<usize>,
}

/// What several nodes took together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sum {
    pub work: Work,
    /// The node that took most.
    pub dearest: Option<Arc<Culprit>>,
    most: f64,
}

impl Sum {
    /// Cost of the most expensive one.
    pub(crate) fn heaviest(&self) -> f64 {
        self.most
    }

    /// Another evaluation of the same nodes: the heavier one tells which node it is.
    pub(crate) fn follow(&mut self, next: Self) {
        if next.most > self.most {
            *self = next;
        }
    }

    pub(crate) fn add(&mut self, spent: &Spent) {
        self.work += spent.work;
        let weight = spent.work.weight();
        if spent.dearest.is_some() && weight > self.most {
            self.most = weight;
            self.dearest.clone_from(&spent.dearest);
        }
    }
}

impl Frame<'_> {
    /// The flows into a slot: one for each link, or its own value.
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

    /// A muted node hands its first input of the same type on to each output.
    pub(crate) fn through(&self, ready: &Ready<'_>) -> Vec<Flow> {
        let outputs = ready.outputs.iter();
        outputs
            .map(|exit| {
                let same = ready.inputs.iter().find(|slot| slot.kind == exit.kind);
                same.map_or_else(Flow::unknown, |slot| joined(&self.received(slot)))
            })
            .collect()
    }

    /// Forgets the components in the outputs of a node, which may change from one evaluation to the next.
    pub(crate) fn any_kinds(&mut self, at: usize) {
        for flow in self.flows.get_mut(at).into_iter().flatten() {
            flow.kinds = Kinds::ANY;
        }
    }

    /// The nodes that Blender evaluates for the inputs of `root`, without branches that are not selected and without anything before `start`.
    pub(crate) fn needed(&self, root: usize, start: Option<usize>) -> Vec<bool> {
        let mut needed = vec![false; self.tree.nodes.len()];
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            let Some(mark) = needed.get_mut(at) else { continue };
            if std::mem::replace(mark, true) || start == Some(at) {
                continue;
            }
            let Some(ready) = self.tree.nodes.get(at) else { continue };
            let chosen = self.spent.get(at).and_then(|spent| spent.chosen);
            let wanted = |slot: usize| slot == 0 || chosen.is_none_or(|chosen| chosen == slot);
            let slots = ready.inputs.iter().enumerate().filter(|(slot, _)| wanted(*slot));
            todo.extend(slots.flat_map(|(_, slot)| slot.sources.iter().map(|(from, _)| *from)));
            todo.extend(ready.zone.iter().map(|zone| zone.input));
        }
        needed
    }

    /// Cost of these nodes, without those that are not needed.
    pub(crate) fn sum(&self, nodes: impl IntoIterator<Item = usize>, needed: &[bool]) -> Sum {
        let mut sum = Sum::default();
        for at in nodes {
            if let (Some(true), Some(spent)) = (needed.get(at), self.spent.get(at)) {
                sum.add(spent);
            }
        }
        sum
    }

    /// Notes what a node took.
    pub(crate) fn took(&mut self, at: usize, spent: Spent) {
        if let Some(place) = self.spent.get_mut(at) {
            *place = spent;
        }
    }

    pub(crate) fn put(&mut self, at: usize, flows: Vec<Flow>) {
        if let Some(place) = self.flows.get_mut(at) {
            *place = flows;
        }
    }
}

/// Merges several links into one flow: geometries are joined; of other values the first one counts.
pub(crate) fn joined(flows: &[Flow]) -> Flow {
    let Some((first, rest)) = flows.split_first() else {
        return Flow::unknown();
    };
    rest.iter().fold(first.clone(), |mut sum, flow| {
        if let (Content::Geometry(a), Content::Geometry(b)) = (&sum.content, &flow.content) {
            sum.content = Content::from(a.joined(b));
        }
        sum.peak = sum.peak.or(&flow.peak);
        sum.kinds = sum.kinds.or(flow.kinds);
        sum
    })
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
