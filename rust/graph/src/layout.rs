//! Places for new nodes: layers from left to right, few crossings, no overlaps; what is there stays where it is.
//!
//! A layered drawing (Sugiyama, Tagawa and Toda 1981): layers by longest path to the outputs, order within a layer by the
//! mean position of the neighbours, places by stacking.

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
/// Where new nodes go that feed nothing there: right of everything.
const ASIDE: f64 = 400.0;
/// Height of a node's header and of one row, as Blender draws them at scale 1.
const HEADER: f64 = 36.0;
const ROW: f64 = 22.0;
/// Passes over the layers; more gains little.
const SWEEPS: usize = 6;

/// What is known of a node while it is placed, by node index.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    free: bool,
    layer: usize,
    /// Position in its layer.
    order: f64,
    size: (f64, f64),
    /// Left and top, once known.
    at: Option<(f64, f64)>,
}

struct Layout<'m> {
    model: &'m TreeModel,
    slots: Vec<Slot>,
}

/// Locations for the new nodes: the plan's own, and one for each that the plan does not place.
pub(crate) fn places(model: &TreeModel, scope: Scope<'_>) -> Vec<(String, f64, f64)> {
    let mut out: Vec<(String, f64, f64)> = model
        .nodes()
        .filter(|node| model.placed.contains(&node.id))
        .map(|node| (node.id.clone(), node.location[0], node.location[1]))
        .collect();
    let mut layout = Layout::new(model, scope);
    let mut layers = layout.layers();
    if layers.is_empty() {
        return out;
    }
    layout.order(&mut layers);
    layout.place(&layers);
    for at in layers.iter().flatten() {
        if let (Some(node), Some((left, top))) = (model.graph().node_weight(*at), layout.slot(*at).at) {
            out.push((node.id.clone(), left.round(), top.round()));
        }
    }
    out
}

impl<'m> Layout<'m> {
    fn new(model: &'m TreeModel, scope: Scope<'_>) -> Self {
        let graph = model.graph();
        let length = graph.node_indices().map(|at| at.index() + 1).max().unwrap_or(0);
        let mut slots = vec![Slot::default(); length];
        let any_free = model.nodes().any(|node| is_free(model, node));
        for at in graph.node_indices().filter(|_| any_free) {
            let (Some(node), Some(slot)) = (graph.node_weight(at), slots.get_mut(at.index())) else {
                continue;
            };
            slot.size = size(model, scope, node);
            slot.free = is_free(model, node);
            slot.at = (!slot.free && node.kind != FRAME).then(|| absolute(model, node));
        }
        Self { model, slots }
    }

    fn slot(&self, at: NodeIndex) -> Slot {
        self.slots.get(at.index()).copied().unwrap_or_default()
    }

    fn neighbours(&self, at: NodeIndex, direction: Direction) -> impl Iterator<Item = NodeIndex> + '_ {
        self.model.graph().neighbors_directed(at, direction)
    }

    /// The free nodes by layer, the outputs first.
    fn layers(&mut self) -> Vec<Vec<NodeIndex>> {
        let graph = self.model.graph();
        // With a cycle (the artist's own) the order is arbitrary but still complete.
        let order = toposort(graph, None).unwrap_or_else(|_| graph.node_indices().collect());
        for at in order.iter().rev() {
            let Some(node) = graph.node_weight(*at) else { continue };
            let below = |next: NodeIndex| {
                let slot = self.slot(next);
                slot.layer + usize::from(slot.free)
            };
            let linked = self.neighbours(*at, Direction::Outgoing).map(below).max().unwrap_or(0);
            // The input of a zone stands left of its output, linked or not.
            let paired = node
                .pair
                .as_deref()
                .and_then(|id| self.model.node_index(id))
                .map_or(0, below);
            if let Some(slot) = self.slots.get_mut(at.index()) {
                slot.layer = linked.max(paired);
            }
        }
        let mut layers: Vec<Vec<NodeIndex>> = Vec::new();
        for at in graph.node_indices() {
            let slot = self.slot(at);
            if !slot.free {
                continue;
            }
            if layers.len() <= slot.layer {
                layers.resize(slot.layer + 1, Vec::new());
            }
            if let Some(layer) = layers.get_mut(slot.layer) {
                self.set_order(at, layer.len());
                layer.push(at);
            }
        }
        layers.retain(|layer| !layer.is_empty());
        layers
    }

    fn set_order(&mut self, at: NodeIndex, position: usize) {
        if let Some(slot) = self.slots.get_mut(at.index()) {
            #[allow(clippy::cast_precision_loss, reason = "positions are small")]
            let order = position as f64;
            slot.order = order;
        }
    }

    /// Orders each layer by the mean position of the neighbours, sweeping to and fro.
    fn order(&mut self, layers: &mut [Vec<NodeIndex>]) {
        for sweep in 0..SWEEPS {
            if sweep % 2 == 0 {
                for layer in layers.iter_mut() {
                    self.sort_layer(layer, Direction::Outgoing);
                }
            } else {
                for layer in layers.iter_mut().rev() {
                    self.sort_layer(layer, Direction::Incoming);
                }
            }
        }
    }

    fn sort_layer(&mut self, layer: &mut [NodeIndex], direction: Direction) {
        if layer.len() < 2 {
            return;
        }
        let mut keyed: Vec<(f64, NodeIndex)> = layer
            .iter()
            .map(|at| {
                let orders = self
                    .neighbours(*at, direction)
                    .map(|next| self.slot(next))
                    .filter(|slot| slot.free);
                let (sum, count) = orders.fold((0.0, 0.0), |(sum, count), slot| (sum + slot.order, count + 1.0));
                (if count > 0.0 { sum / count } else { self.slot(*at).order }, *at)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (position, (place, (_, at))) in layer.iter_mut().zip(keyed).enumerate() {
            *place = at;
            self.set_order(at, position);
        }
    }

    /// Columns from the right edge leftwards, each centred on its neighbours to the right, clear of what is there.
    fn place(&mut self, layers: &[Vec<NodeIndex>]) {
        let taken: Vec<Rect> = self.slots.iter().filter_map(Rect::of).collect();
        let fed = layers
            .iter()
            .flatten()
            .flat_map(|at| self.neighbours(*at, Direction::Outgoing))
            .filter_map(|next| self.slot(next).at)
            .map(|place| place.0)
            .min_by(f64::total_cmp);
        let beyond = taken.iter().map(|rect| rect.right).max_by(f64::total_cmp);
        let mut right = fed.map_or_else(|| beyond.map_or(0.0, |right| right + ASIDE), |left| left - GAP_X);
        for layer in layers {
            let width = layer.iter().map(|at| self.slot(*at).size.0).fold(0.0, f64::max);
            let height = layer.iter().map(|at| self.slot(*at).size.1 + GAP_Y).sum::<f64>() - GAP_Y;
            let left = right - width;
            let mut top = self.middle(layer) + height / 2.0;
            for at in layer {
                let size = self.slot(*at).size;
                top = clear(&taken, left, left + width, top, size.1);
                if let Some(slot) = self.slots.get_mut(at.index()) {
                    slot.at = Some((left, top));
                }
                top -= size.1 + GAP_Y;
            }
            right = left - GAP_X;
        }
    }

    /// Mean height of what a layer feeds.
    fn middle(&self, layer: &[NodeIndex]) -> f64 {
        let centres = layer
            .iter()
            .flat_map(|at| self.neighbours(*at, Direction::Outgoing))
            .map(|next| self.slot(next))
            .filter_map(|slot| slot.at.map(|place| place.1 - slot.size.1 / 2.0));
        let (sum, count) = centres.fold((0.0, 0.0), |(sum, count), y| (sum + y, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// A place that is taken.
struct Rect {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
}

impl Rect {
    fn of(slot: &Slot) -> Option<Self> {
        let (left, top) = slot.at?;
        Some(Self {
            left,
            right: left + slot.size.0,
            bottom: top - slot.size.1,
            top,
        })
    }
}

fn is_free(model: &TreeModel, node: &Node) -> bool {
    model.is_new(&node.id) && !model.placed.contains(&node.id) && node.kind != FRAME
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
        let sockets = scope.sockets(model, node, side);
        sockets
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
    });
    #[allow(clippy::cast_precision_loss, reason = "at most 4")]
    let rows = visible(Side::Input) + visible(Side::Output) + shown.min(4) as f64;
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

/// The highest place at or below `top` where a node of height `height` overlaps nothing.
fn clear(taken: &[Rect], left: f64, right: f64, mut top: f64, height: f64) -> f64 {
    // Each round moves below one obstacle, so there are at most as many rounds as obstacles.
    for _ in 0..=taken.len() {
        let overlaps =
            |rect: &&Rect| rect.left < right && left < rect.right && rect.bottom < top && top - height < rect.top;
        match taken.iter().find(overlaps) {
            Some(obstacle) => top = obstacle.bottom - GAP_Y,
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
