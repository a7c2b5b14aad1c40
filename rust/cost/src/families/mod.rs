//! What each family of nodes creates from its inputs. A node without a family passes its first geometry on.

mod curves;
mod instances;
mod mesh;
mod numbers;
mod points;
mod primitives;
mod text;
mod vectors;
mod volumes;

use std::sync::Arc;

use super::flow::{Content, Flow};
use super::inputs::{Inputs, Outcome};

/// What a node creates.
pub(crate) fn outcome(inputs: &Inputs<'_>) -> Outcome {
    let kind = inputs.kind();
    let families = [
        primitives::outcome,
        mesh::outcome,
        curves::outcome,
        points::outcome,
        instances::outcome,
        volumes::outcome,
        text::outcome,
        numbers::outcome,
        vectors::outcome,
    ];
    families
        .iter()
        .find_map(|family| family(kind, inputs))
        .unwrap_or_default()
}

/// Index of the only input that a node evaluates, besides the first, which selects it; `None` if it evaluates all of them or the selection is unknown.
pub(crate) fn input_index_used(inputs: &Inputs<'_>) -> Option<usize> {
    match inputs.kind() {
        "GeometryNodeSwitch" => inputs.position(if inputs.truth("Switch")? { "True" } else { "False" }),
        "GeometryNodeIndexSwitch" => {
            let last = inputs.ready.inputs.len().checked_sub(2)?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to what a switch can have"
            )]
            let index = inputs.exact("Index").constant()?.clamp(0.0, 1e6) as usize;
            Some(1 + index.min(last))
        }
        "GeometryNodeMenuSwitch" => match &inputs.flow("Menu")?.content {
            Content::Choice(item) => inputs.ready.inputs.iter().position(|slot| slot.name == **item),
            _ => None,
        },
        _ => None,
    }
}

/// The output of a node that selects one of its inputs, with the cost so far: the chosen input if that is certain, else the most expensive one.
pub(crate) fn chosen(inputs: &Inputs<'_>) -> Option<Flow> {
    let flow = |name: &str| inputs.flow(name).cloned().unwrap_or_else(Flow::unknown);
    match inputs.kind() {
        "NodeReroute" => inputs.flows.first()?.first().cloned(),
        "GeometryNodeSwitch" => {
            let (no, yes) = (flow("False"), flow("True"));
            Some(match inputs.truth("Switch") {
                Some(true) => yes,
                Some(false) => no,
                None => no.either(&yes),
            })
        }
        "NodeEnableOutput" => (inputs.truth("Enable") != Some(false)).then(|| flow("Value")),
        "GeometryNodeIndexSwitch" => Some(pick(inputs, inputs.exact("Index").constant())),
        "GeometryNodeMenuSwitch" => {
            let item = match inputs.flow("Menu").map(|flow| &flow.content) {
                Some(Content::Choice(item)) => Some(Arc::clone(item)),
                _ => None,
            };
            let named = |item: Arc<str>| inputs.ready.inputs.iter().position(|slot| slot.name == *item);
            let at = item.and_then(named);
            Some(match at.and_then(|at| inputs.flows.get(at)?.first()) {
                Some(flow) => flow.clone(),
                None => pick(inputs, None),
            })
        }
        _ => None,
    }
}

/// The item with this index among the inputs after the first; the most expensive one if the index is not certain.
fn pick(inputs: &Inputs<'_>, index: Option<f64>) -> Flow {
    let items = inputs.ready.inputs.iter().zip(&inputs.flows).skip(1);
    let mut items = items
        .filter(|(slot, _)| slot.kind != "NodeSocketVirtual")
        .filter_map(|(_, flows)| flows.first());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to what a switch can have"
    )]
    match index {
        Some(index) => items.nth(index.clamp(0.0, 1e6) as usize).cloned(),
        None => items
            .next()
            .cloned()
            .map(|first| items.fold(first, |sum, flow| sum.either(flow))),
    }
    .unwrap_or_else(Flow::unknown)
}
