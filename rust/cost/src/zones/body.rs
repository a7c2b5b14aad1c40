//! The body of a zone: one evaluation and its cost.

use geonode_graph::sockets::GEOMETRY;
use std::sync::Arc;

use crate::costs::costs;
use crate::flow::{Content, Flow};
use crate::frame::{Evaluator, Frame, Spent, Sum};
use crate::prepare::{Ready, Zone};
use crate::range::Range;
use crate::work::Work;

pub(super) fn first_input(frame: &Frame<'_>, ready: &Ready<'_>) -> Flow {
    let slot = ready.inputs.iter().find(|slot| slot.kind == GEOMETRY);
    slot.map_or_else(Flow::unknown, |slot| frame.received_one(slot))
}

/// The body's value for each output of the output node.
pub(super) fn results(frame: &Frame<'_>, ready: &Ready<'_>) -> Vec<Flow> {
    let outputs = ready.outputs.iter();
    outputs
        .map(|exit| {
            let slot = ready.inputs.iter().find(|slot| slot.identifier == exit.identifier);
            slot.map_or_else(Flow::unknown, |slot| frame.received_one(slot))
        })
        .collect()
}

/// Cost of the last evaluation of a zone's body; from then on its nodes are counted with the zone.
pub(crate) fn body_cost(frame: &mut Frame<'_>, output: usize, zone: &Zone) -> Sum {
    let needed = frame.needed(output, Some(zone.input));
    let sum = frame.sum(zone.body.iter().copied(), &needed);
    for at in &zone.body {
        let chosen = frame.spent.get(*at).and_then(|spent| spent.chosen);
        frame.took(
            *at,
            Spent {
                chosen,
                ..Spent::default()
            },
        );
    }
    sum
}

/// What one iteration costs beside the nodes of its body.
pub(crate) fn overhead(zone: &str) -> Work {
    let iteration = costs().iteration(zone);
    Work {
        seconds: iteration.us * 1e-6,
        kept: iteration.bytes,
        peak: 0.0,
    }
}

/// A zone whose state is passed from one iteration to the next.
pub(super) struct Place<'z, 'a> {
    pub ready: &'z Ready<'a>,
    pub zone: &'z Zone,
    pub input: &'z Ready<'a>,
    /// The modifier's input that says how often it runs, where one does.
    pub source: Option<Arc<str>>,
}

impl<'a> Place<'_, 'a> {
    /// One iteration from `state`, which is ordered as the outputs of the output node are.
    pub(super) fn run(
        &self,
        machine: &mut dyn Evaluator<'a>,
        frame: &mut Frame<'a>,
        state: &[Flow],
        iteration: f64,
    ) -> Vec<Flow> {
        let of = |identifier: &str| {
            let at = self
                .ready
                .outputs
                .iter()
                .position(|exit| exit.identifier == identifier)?;
            state.get(at).cloned()
        };
        let was = frame.flows.get(self.zone.input).cloned().unwrap_or_default();
        let exits = self.input.outputs.iter().zip(was);
        let opened = exits.map(|(exit, was)| match exit.identifier.as_str() {
            "Iteration" => Content::Number(Range::exactly(iteration)).into(),
            identifier => {
                let state = of(identifier).unwrap_or_else(|| was.clone());
                Flow {
                    // Independent of its earlier components: how often the body runs is an estimate.
                    kinds: was.kinds.or(state.kinds),
                    ..state
                }
            }
        });
        let opened = opened.collect();
        frame.put(self.zone.input, opened);
        for at in &self.zone.body {
            machine.evaluate(frame, *at);
        }
        results(frame, self.ready)
    }
}
