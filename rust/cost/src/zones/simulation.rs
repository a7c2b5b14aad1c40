//! A simulation is evaluated for the one frame that applying a plan shows, and played on to see how it grows.

use std::sync::Arc;

use crate::flow::{Culprit, Flow};
use crate::frame::{Evaluator, Frame, Spent};
use crate::prepare::{Ready, Zone};
use crate::work::{Work, bytes};

use super::body::{Place, body_cost, overhead, results};
use super::growth::{ENOUGH, FOLLOWED, carried_on, settled, weight};

/// Assumed number of simulated frames: the frame range of a new scene.
const FRAMES: f64 = 250.0;

/// The frame that is shown gives the flows; what grows from frame to frame is judged by the last one, and each frame's state is kept.
pub(super) fn simulation<'a>(
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
    let place = Place {
        ready,
        zone,
        input,
        source: None,
    };
    let shown = results(frame, ready);
    let mut states = vec![shown.clone()];
    let mut sum = body_cost(frame, at, zone);
    while states.len() < FOLLOWED && !settled(&states) && weight(&states) <= ENOUGH && !machine.exhausted() {
        let state = states.last().cloned().unwrap_or_default();
        states.push(place.run(machine, frame, &state, 0.0));
        sum.follow(body_cost(frame, at, zone));
    }
    let almost = carried_on(&states, FRAMES - 1.0);
    let last = place.run(machine, frame, &almost, 0.0);
    let end = body_cost(frame, at, zone);
    let (worst, dearest) = if end.work.weight() > sum.work.weight() {
        (end.work, end.dearest)
    } else {
        (sum.work, sum.dearest)
    };
    let held = |state: &[Flow]| state.iter().map(|flow| bytes(&flow.geometry())).sum::<f64>();
    let work = worst
        + overhead("simulation")
        + Work {
            kept: held(&shown).midpoint(held(&last)) * FRAMES,
            ..Work::default()
        };
    let own = Arc::new(Culprit {
        tree: tree.name.to_owned(),
        node: input.node.id.clone(),
        label: "The simulation zone".to_owned(),
        elements: 0.0,
        noun: "",
        lever: None,
        driver: last.iter().find_map(|flow| flow.peak.driver.clone()),
    });
    let dearest = if work.weight() > 1.5 * worst.weight() {
        Some(own)
    } else {
        dearest
    };
    frame.took(
        at,
        Spent {
            work,
            dearest: dearest.filter(|_| work.weight() > 1e-3),
            chosen: None,
        },
    );
    let flows = shown.into_iter().zip(last).map(|(shown, last)| Flow {
        peak: last.peak.or(&shown.peak),
        ..shown
    });
    let flows = flows.collect();
    frame.put(at, flows);
}
