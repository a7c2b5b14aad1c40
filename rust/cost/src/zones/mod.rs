//! Zones: the state of a body after all its iterations.

mod body;
mod for_each;
mod growth;
mod repeat;
mod simulation;

use std::sync::Arc;

use crate::flow::{Content, Flow};
use crate::frame::{Evaluator, Frame};
use crate::prepare::Ready;
use crate::range::Range;

pub(crate) use self::body::{body_cost, overhead};
use self::body::{first_input, results};
use self::for_each::{elements_of, for_each, single};
use self::repeat::repeat;
use self::simulation::simulation;

/// True for the input node of a zone.
pub(crate) fn is_input(ready: &Ready<'_>) -> bool {
    matches!(
        ready.node.kind.as_str(),
        "GeometryNodeRepeatInput" | "GeometryNodeSimulationInput" | "GeometryNodeForeachGeometryElementInput"
    )
}

/// The input node passes the state to the body; that of a for-each zone splits it.
pub(crate) fn enter_zone(frame: &mut Frame<'_>, at: usize) {
    let tree = Arc::clone(&frame.tree);
    let Some(ready) = tree.nodes.get(at) else { return };
    let element = ready.node.kind == "GeometryNodeForeachGeometryElementInput";
    let outputs = ready.outputs.iter();
    let flows = outputs.map(|exit| {
        let slot = ready.inputs.iter().find(|slot| slot.identifier == exit.identifier);
        match (slot, exit.identifier.as_str()) {
            (_, "Iteration" | "Index") => Content::Number(Range::exactly(0.0)).into(),
            (_, "Element") if element => {
                let whole = first_input(frame, ready);
                let (domain, count) = elements_of(&tree.nodes, at, &whole.geometry());
                let one = single(domain, &whole.geometry(), count);
                Flow {
                    content: Content::from(one),
                    ..whole
                }
            }
            (Some(slot), _) => frame.received_one(slot),
            (None, _) => Flow::unknown(),
        }
    });
    let flows = flows.collect();
    frame.put(at, flows);
    // A repeat zone follows the state; a frame of a simulation, and a single element, may contain anything.
    if ready.node.kind != "GeometryNodeRepeatInput" {
        frame.any_kinds(at);
    }
}

/// The output node: runs the zone to its end.
pub(crate) fn finish_zone<'a>(machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, at: usize) {
    let tree = Arc::clone(&frame.tree);
    let Some((ready, zone)) = tree.nodes.get(at).and_then(|ready| Some((ready, ready.zone.as_ref()?))) else {
        return;
    };
    match ready.node.kind.as_str() {
        "GeometryNodeRepeatOutput" => repeat(machine, frame, at, ready, zone),
        "GeometryNodeForeachGeometryElementOutput" => {
            for_each(machine, frame, at, ready, zone);
            frame.any_kinds(at);
        }
        "GeometryNodeSimulationOutput" => {
            simulation(machine, frame, at, ready, zone);
            frame.any_kinds(at);
        }
        _ => {
            let flows = results(frame, ready);
            frame.put(at, flows);
            frame.any_kinds(at);
        }
    }
}
