//! A repeat zone is followed until the growth of its state is clear (by a sum or a factor), then extrapolated to the last iteration.

use std::sync::Arc;

use crate::components::Kinds;
use crate::flow::{Culprit, Flow, Lever};
use crate::frame::{Evaluator, Frame, Spent, Sum};
use crate::geometry::noun_of;
use crate::prepare::{Ready, Zone};
use crate::work::Work;

use super::body::{Place, body_cost, overhead, results};
use super::growth::{ENOUGH, FOLLOWED, carried_on, elements, over, settled, weight};

/// Runs the zone to its last iteration.
pub(super) fn repeat<'a>(
    machine: &mut dyn Evaluator<'a>,
    frame: &mut Frame<'a>,
    at: usize,
    ready: &Ready<'a>,
    zone: &Zone,
) {
    let tree = Arc::clone(&frame.tree);
    let Some(input) = tree.nodes.get(zone.input) else {
        return;
    };
    let given = machine.inputs(frame, input);
    let iterations = given.count("Iterations", 0.0);
    let source = given.flow("Iterations").and_then(|flow| flow.source.clone());
    let place = Place {
        ready,
        zone,
        input,
        source,
    };
    if iterations < 1.0 {
        // The state bypasses the body.
        let flows = frame.flows.get(zone.input).cloned().unwrap_or_default();
        let opened = |identifier: &str| {
            let at = input.outputs.iter().position(|exit| exit.identifier == identifier)?;
            flows.get(at).cloned()
        };
        let outputs = ready.outputs.iter();
        let state = outputs.map(|exit| opened(&exit.identifier).unwrap_or_else(Flow::unknown));
        let mut state: Vec<Flow> = state.collect();
        place.settle_kinds(machine, frame, &mut state);
        drop(body_cost(frame, at, zone));
        return frame.put(at, state);
    }
    // The body was already evaluated once: that was the first iteration.
    let mut states = vec![results(frame, ready)];
    let mut sum = body_cost(frame, at, zone);
    let mut each_work = vec![sum.work];
    let mut done = 1.0;
    while done < iterations && !settled(&states) {
        let state = states.last().cloned().unwrap_or_default();
        states.push(place.run(machine, frame, &state, done));
        done += 1.0;
        let more = body_cost(frame, at, zone);
        each_work.push(more.work);
        sum.follow(more);
        if states.len() >= FOLLOWED || weight(&states) > ENOUGH || machine.exhausted() {
            break;
        }
    }
    let mut last = states.last().cloned().unwrap_or_default();
    if done < iterations {
        let almost = carried_on(&states, iterations - 1.0);
        last = place.run(machine, frame, &almost, iterations - 1.0);
        let more = body_cost(frame, at, zone);
        each_work.push(more.work);
        sum.follow(more);
    }
    place.settle_kinds(machine, frame, &mut last);
    drop(body_cost(frame, at, zone));
    let work = over(&each_work, iterations) + overhead("repeat").often(iterations);
    place.charge(frame, at, iterations, work, &sum);
    place.blame(
        machine.budget().elements,
        frame.tree.name,
        &states,
        &mut last,
        iterations,
    );
    frame.put(at, last);
}

impl<'a> Place<'_, 'a> {
    /// Says of each output what it may hold after any number of iterations, none included. Where more and more components came up to the
    /// last, the body is evaluated with all of them, so that nothing in it is taken to be without effect.
    fn settle_kinds(&self, machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, state: &mut [Flow]) {
        let opened = |frame: &Frame<'a>, identifier: &str| {
            let at = self
                .input
                .outputs
                .iter()
                .position(|exit| exit.identifier == identifier)?;
            frame.flows.get(self.zone.input)?.get(at).map(|flow| flow.kinds)
        };
        let exits = &self.ready.outputs;
        let results = results(frame, self.ready);
        let grows = exits
            .iter()
            .zip(&results)
            .any(|(exit, flow)| opened(frame, &exit.identifier).is_some_and(|known| known.or(flow.kinds) != known));
        if grows {
            frame.any_kinds(self.zone.input);
            for at in &self.zone.body {
                machine.evaluate(frame, *at);
            }
        }
        for (exit, flow) in exits.iter().zip(state) {
            let kinds = opened(frame, &exit.identifier).unwrap_or(Kinds::ANY);
            flow.kinds = kinds.or(flow.kinds);
        }
    }

    /// Notes what the zone took; where it is dear because it runs often, the iterations are what decides.
    fn charge(&self, frame: &mut Frame<'a>, at: usize, iterations: f64, work: Work, sum: &Sum) {
        let dearest = if work.weight() < 1e-3 {
            None
        } else if iterations > 1.0 && work.weight() > 1.5 * sum.heaviest() {
            Some(Arc::new(Culprit {
                tree: frame.tree.name.to_owned(),
                node: self.input.node.id.clone(),
                label: self.label(),
                elements: 0.0,
                noun: "",
                lever: Some(Lever {
                    input: "Iterations".to_owned(),
                    value: iterations,
                    harmless: 1.0,
                    whole: true,
                    source: self.source.clone(),
                    remedy: None,
                }),
                driver: None,
            }))
        } else {
            sum.dearest.clone()
        };
        frame.took(
            at,
            Spent {
                work,
                dearest,
                chosen: None,
            },
        );
    }

    fn label(&self) -> String {
        let own = self.ready.node.label.clone().filter(|label| !label.is_empty());
        own.unwrap_or_else(|| "The repeat zone".to_owned())
    }

    /// Names the zone if its iterations exceed the budget, not a single one of them.
    fn blame(&self, budget: f64, tree: &str, states: &[Vec<Flow>], last: &mut [Flow], iterations: f64) {
        let over = |state: &[Flow]| state.iter().any(|flow| flow.peak.culprit.is_some());
        let first = states.first().is_some_and(|state| over(state));
        if first || !over(last) {
            return;
        }
        let fits = |n: f64| carried_on(states, n).iter().map(elements).fold(0.0, f64::max) <= budget;
        let within = |state: &Vec<Flow>| !over(state);
        let mut good = f64::from(u32::try_from(states.iter().take_while(|s| within(s)).count()).unwrap_or(u32::MAX));
        if states.iter().all(within) {
            let mut bad = iterations;
            while bad - good > 1.0 {
                let middle = good.midpoint(bad).floor();
                *(if fits(middle) { &mut good } else { &mut bad }) = middle;
            }
        }
        let heaviest = last
            .iter()
            .map(Flow::geometry)
            .max_by(|a, b| a.elements().total_cmp(&b.elements()));
        let made = last.iter().map(|flow| flow.peak.elements).fold(0.0, f64::max);
        let noun = heaviest.map_or("elements", |geometry| noun_of(&geometry));
        let culprit = Arc::new(Culprit {
            tree: tree.to_owned(),
            node: self.input.node.id.clone(),
            label: self.label(),
            elements: made,
            noun,
            lever: Some(Lever {
                input: "Iterations".to_owned(),
                value: iterations,
                harmless: 1.0,
                whole: true,
                source: self.source.clone(),
                remedy: (good >= 1.0 && good < iterations).then_some(good),
            }),
            driver: None,
        });
        for flow in last {
            flow.peak.culprit = Some(Arc::clone(&culprit));
            flow.peak.elements = flow.peak.elements.max(made);
        }
    }
}
