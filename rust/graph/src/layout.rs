//! Places for new nodes: layers from left to right, few crossings, no overlaps; what is there stays where it is.
//!
//! A layered drawing (Sugiyama, Tagawa and Toda 1981): layers by longest path to the outputs, order within a layer by the
//! median of the neighbours, places by stacking.

use std::collections::{HashMap, HashSet};

use petgraph::Direction;
use petgraph::algo::toposort;
use petgraph::stable_graph::NodeIndex;

use crate::catalogue::Socket;
use crate::ir::{Node, Side};
use crate::model::TreeModel;
use crate::sockets::{FRAME, REROUTE, Scope};

/// Free space between layers and between nodes of one layer, in editor units.
const GAP_X: f64 = 60.0;
const GAP_Y: f64 = 30.0;
/// Height of a node's header and of one row, as Blender draws them at scale 1.
const HEADER: f64 = 36.0;
const ROW: f64 = 22.0;
/// Passes over the layers; more gains little.
const SWEEPS: usize = 6;

/// Locations for the new nodes that the plan does not place itself.
pub(crate) fn places(model: &TreeModel, scope: Scope<'_>) -> Vec<(String, f64, f64)> {
    let mut out: Vec<(String, f64, f64)> = model
        .nodes()
        .filter(|node| model.placed.contains(&node.id))
        .map(|node| (node.id.clone(), node.location[0], node.location[1]))
        .collect();
    let free: Vec<&Node> = model
        .nodes()
        .filter(|node| model.is_new(&node.id) && !model.placed.contains(&node.id) && node.kind != FRAME)
        .collect();
    if free.is_empty() {
        return out;
    }
    let sizes: HashMap<&str, (f64, f64)> = model
        .nodes()
        .map(|node| (node.id.as_str(), size(model, scope, node)))
        .collect();
    let layers = layers(model, &free);
    let layers = order(model, layers);
    place(model, &sizes, &layers, &mut out);
    out
}

/// Width and estimated height of a node.
fn size(model: &TreeModel, scope: Scope<'_>, node: &Node) -> (f64, f64) {
    if node.kind == REROUTE {
        return (16.0, 16.0);
    }
    let kind = scope.node_type(node);
    let width = node
        .width
        .or_else(|| kind.map(|kind| kind.width))
        .filter(|width| *width > 0.0)
        .unwrap_or(140.0);
    let visible = |side| -> f64 {
        scope
            .sockets(model, node, side)
            .iter()
            .filter(|socket| socket.available)
            .map(|socket| rows(socket, side))
            .sum()
    };
    let shown = kind.map_or(0, |kind| {
        kind.properties
            .values()
            .filter(|p| p.kind == "enum" || p.kind == "pointer")
            .count()
            .min(4)
    });
    #[allow(clippy::cast_precision_loss, reason = "at most 4")]
    let rows = visible(Side::Input) + visible(Side::Output) + shown as f64;
    (width, HEADER + ROW * rows)
}

/// Rows that a socket takes; an unlinked vector shows its three numbers.
fn rows(socket: &Socket, side: Side) -> f64 {
    let vector = matches!(socket.kind.as_str(), "NodeSocketVector" | "NodeSocketRotation");
    if side == Side::Input && vector && !socket.hide_value {
        4.0
    } else {
        1.0
    }
}

/// The free nodes by layer, the outputs first.
fn layers(model: &TreeModel, free: &[&Node]) -> Vec<Vec<String>> {
    let wanted: HashSet<&str> = free.iter().map(|node| node.id.as_str()).collect();
    let mut depth: HashMap<NodeIndex, usize> = HashMap::new();
    // With a cycle (the artist's own) the order is arbitrary but still complete.
    let order = toposort(model.graph(), None).unwrap_or_else(|_| model.graph().node_indices().collect());
    let mut pair_depth: HashMap<&str, usize> = HashMap::new();
    for at in order.iter().rev() {
        let Some(node) = model.graph().node_weight(*at) else {
            continue;
        };
        let mut own = model
            .graph()
            .neighbors_directed(*at, Direction::Outgoing)
            .map(|next| {
                let counts = model
                    .graph()
                    .node_weight(next)
                    .is_some_and(|next| wanted.contains(next.id.as_str()));
                depth.get(&next).copied().unwrap_or(0) + usize::from(counts)
            })
            .max()
            .unwrap_or(0);
        if let Some(output) = node.pair.as_deref().and_then(|output| pair_depth.get(output)) {
            own = own.max(output + 1);
        }
        depth.insert(*at, own);
        pair_depth.insert(&node.id, own);
    }
    let mut layers: Vec<Vec<String>> = Vec::new();
    for node in free {
        let layer = model
            .node_index(&node.id)
            .and_then(|at| depth.get(&at))
            .copied()
            .unwrap_or(0);
        if layers.len() <= layer {
            layers.resize(layer + 1, Vec::new());
        }
        if let Some(list) = layers.get_mut(layer) {
            list.push(node.id.clone());
        }
    }
    layers.retain(|layer| !layer.is_empty());
    layers
}

/// Orders each layer by the mean position of the neighbours, sweeping to and fro.
fn order(model: &TreeModel, mut layers: Vec<Vec<String>>) -> Vec<Vec<String>> {
    for sweep in 0..SWEEPS {
        let mut position: HashMap<String, f64> = HashMap::new();
        for layer in &layers {
            for (index, id) in layer.iter().enumerate() {
                #[allow(clippy::cast_precision_loss, reason = "positions are small")]
                position.insert(id.clone(), index as f64);
            }
        }
        let direction = if sweep % 2 == 0 {
            Direction::Outgoing
        } else {
            Direction::Incoming
        };
        let mut apply = |layer: &mut Vec<String>| {
            let mut keyed: Vec<(f64, String)> = layer
                .drain(..)
                .map(|id| {
                    let mut sum = 0.0;
                    let mut count = 0.0;
                    for (_, _, other) in model.edges(&id, direction) {
                        if let Some(at) = position.get(other) {
                            sum += at;
                            count += 1.0;
                        }
                    }
                    let own = position.get(&id).copied().unwrap_or(0.0);
                    (if count > 0.0 { sum / count } else { own }, id)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (index, (_, id)) in keyed.into_iter().enumerate() {
                #[allow(clippy::cast_precision_loss, reason = "positions are small")]
                position.insert(id.clone(), index as f64);
                layer.push(id);
            }
        };
        if direction == Direction::Outgoing {
            layers.iter_mut().for_each(&mut apply);
        } else {
            layers.iter_mut().rev().for_each(&mut apply);
        }
    }
    layers
}

/// Columns from the right edge leftwards, each centred on its neighbours to the right, clear of what is there.
fn place(
    model: &TreeModel,
    sizes: &HashMap<&str, (f64, f64)>,
    layers: &[Vec<String>],
    out: &mut Vec<(String, f64, f64)>,
) {
    let size = |id: &str| sizes.get(id).copied().unwrap_or((140.0, 100.0));
    let mut at: HashMap<String, (f64, f64)> = HashMap::new();
    let mut taken: Vec<(f64, f64, f64, f64)> = Vec::new();
    for node in model.nodes() {
        if !model.is_new(&node.id) || model.placed.contains(&node.id) {
            let place = absolute(model, node);
            let (width, height) = size(&node.id);
            at.insert(node.id.clone(), place);
            if node.kind != FRAME {
                taken.push((place.0, place.1 - height, place.0 + width, place.1));
            }
        }
    }
    // The right edge: left of the fixed nodes that the new ones feed, else right of everything, else the origin.
    let fed = layers
        .iter()
        .flatten()
        .flat_map(|id| model.edges(id, Direction::Outgoing).map(|(_, _, to)| to))
        .filter_map(|to| at.get(to))
        .map(|place| place.0)
        .min_by(f64::total_cmp);
    let mut right = fed.map_or_else(
        || {
            taken
                .iter()
                .map(|r| r.2)
                .max_by(f64::total_cmp)
                .map_or(0.0, |x| x + 400.0)
        },
        |x| x - GAP_X,
    );
    for layer in layers {
        let width = layer.iter().map(|id| size(id).0).fold(0.0, f64::max);
        let left = right - width;
        let total: f64 = layer.iter().map(|id| size(id).1 + GAP_Y).sum::<f64>() - GAP_Y;
        let targets: Vec<f64> = layer
            .iter()
            .flat_map(|id| model.edges(id, Direction::Outgoing).map(|(_, _, to)| to))
            .filter_map(|to| at.get(to).map(|place| place.1 - size(to).1 / 2.0))
            .collect();
        #[allow(clippy::cast_precision_loss, reason = "a mean")]
        let middle = if targets.is_empty() {
            0.0
        } else {
            targets.iter().sum::<f64>() / targets.len() as f64
        };
        let mut top = middle + total / 2.0;
        for id in layer {
            let (w, h) = size(id);
            top = clear(&taken, left, left + w.max(width), top, h);
            at.insert(id.clone(), (left, top));
            out.push((id.clone(), left.round(), top.round()));
            top -= h + GAP_Y;
        }
        right = left - GAP_X;
    }
}

/// The highest place at or below `top` where a node of height `h` overlaps nothing.
fn clear(taken: &[(f64, f64, f64, f64)], left: f64, right: f64, mut top: f64, h: f64) -> f64 {
    // Each round moves below one obstacle, so there are at most as many rounds as obstacles.
    for _ in 0..=taken.len() {
        let hit = taken
            .iter()
            .find(|r| r.0 < right && left < r.2 && r.1 < top && top - h < r.3);
        match hit {
            Some(obstacle) => top = obstacle.1 - GAP_Y,
            None => break,
        }
    }
    top
}

/// Place in the editor, frames resolved.
fn absolute(model: &TreeModel, node: &Node) -> (f64, f64) {
    let (mut x, mut y) = (node.location[0], node.location[1]);
    let mut parent = node.parent.as_deref();
    for _ in 0..64 {
        let Some(frame) = parent.and_then(|id| model.node(id)) else {
            break;
        };
        x += frame.location[0];
        y += frame.location[1];
        parent = frame.parent.as_deref();
    }
    (x, y)
}
