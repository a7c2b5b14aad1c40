//! The tree as boxes and lines: placed and free nodes, their sizes, the heights of their sockets.
//!
//! In the layout, y grows downwards, so that tops and heights add up; Blender's y grows upwards.

use foldhash::HashMap;

use petgraph::Direction;
use petgraph::visit::{EdgeRef, IntoEdgeReferences};

use super::table::{at, put};
use crate::catalogue::Socket;
use crate::ir::{MAX_NESTED, Node, Side};
use crate::model::TreeModel;
use crate::sockets::{FRAME, REROUTE, Scope};

/// Height of a node's header and of one row, as Blender draws them at scale 1.
const HEADER: f64 = 36.0;
const ROW: f64 = 22.0;
/// Width of a node whose type does not define one.
const WIDTH: f64 = 140.0;
/// Width and height of an empty frame.
const EMPTY_FRAME: (f64, f64) = (150.0, 100.0);
/// Size of a reroute.
const DOT: f64 = 16.0;

/// An occupied rectangle, in editor units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rect {
    pub(super) fn new((left, top): (f64, f64), (width, height): (f64, f64)) -> Self {
        Self {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    }

    pub(super) fn grown(self, side: f64, top: f64, bottom: f64) -> Self {
        Self {
            left: self.left - side,
            top: self.top - top,
            right: self.right + side,
            bottom: self.bottom + bottom,
        }
    }

    pub(super) fn moved(self, x: f64, y: f64) -> Self {
        Self {
            left: self.left + x,
            top: self.top + y,
            right: self.right + x,
            bottom: self.bottom + y,
        }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}

/// A node during the layout.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Thing {
    /// Whether it has to be placed.
    pub free: bool,
    /// A frame that is not empty: it has no place of its own, since Blender draws it around its content.
    pub holder: bool,
    /// Width and height.
    pub size: (f64, f64),
    /// Left and top, once known.
    pub place: Option<(f64, f64)>,
    /// The frame that contains it.
    pub frame: Option<usize>,
}

impl Thing {
    pub(super) fn rect(&self) -> Option<Rect> {
        Some(Rect::new(self.place?, self.size))
    }
}

/// A link between two nodes or boxes; heights are measured from the top of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub from: usize,
    pub to: usize,
    pub from_y: f64,
    pub to_y: f64,
}

/// Nodes and links by number, in tree order.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub things: Vec<Thing>,
    pub lines: Vec<Line>,
    /// Input and output node of each zone.
    pub zones: Vec<(usize, usize)>,
}

impl Scene {
    /// The scene of a tree; empty if nothing has to be placed.
    pub(super) fn new(model: &TreeModel, scope: Scope<'_>) -> Self {
        if !model.nodes().any(|node| is_free(model, node)) {
            return Self::default();
        }
        let numbers: HashMap<&str, usize> = model
            .nodes()
            .enumerate()
            .map(|(i, node)| (node.id.as_str(), i))
            .collect();
        let number = |id: &Option<String>| id.as_deref().and_then(|id| numbers.get(id)).copied();
        let mut things = vec![Thing::default(); numbers.len()];
        for (i, node) in model.nodes().enumerate() {
            let frame = number(&node.parent).filter(|frame| *frame != i);
            if let Some(frame) = frame.and_then(|frame| things.get_mut(frame)) {
                frame.holder = true;
            }
            if let Some(thing) = things.get_mut(i) {
                thing.frame = frame;
            }
        }
        let edges = model.graph().edge_references().map(|edge| edge.id().index() + 1).max();
        let mut heights = vec![(0.0, 0.0); edges.unwrap_or(0)];
        for (i, node) in model.nodes().enumerate() {
            let Some(thing) = things.get_mut(i) else { continue };
            thing.free = is_free(model, node) && !thing.holder;
            thing.size = measure(model, scope, node, &mut heights);
            if !thing.free && !thing.holder {
                let (x, y) = absolute(model, node);
                thing.place = Some((x, -y));
            }
        }
        let zones = model
            .nodes()
            .enumerate()
            .filter_map(|(i, node)| Some((i, number(&node.pair).filter(|output| *output != i)?)));
        let zones = zones.collect();
        Self {
            lines: lines(model, &numbers, &heights),
            things,
            zones,
        }
    }

    pub(super) fn thing(&self, i: usize) -> Thing {
        at(&self.things, i)
    }
}

fn lines(model: &TreeModel, numbers: &HashMap<&str, usize>, heights: &[(f64, f64)]) -> Vec<Line> {
    let graph = model.graph();
    let number = |node| numbers.get(graph.node_weight(node)?.id.as_str()).copied();
    let mut lines: Vec<(u64, Line)> = graph
        .edge_references()
        .filter_map(|edge| {
            let (from, to) = (number(edge.source())?, number(edge.target())?);
            let (from_y, to_y) = at(heights, edge.id().index());
            let line = Line { from, to, from_y, to_y };
            (from != to).then_some((edge.weight().order, line))
        })
        .collect();
    lines.sort_by_key(|(order, _)| *order);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Whether the node is new and the plan gives no location for it.
fn is_free(model: &TreeModel, node: &Node) -> bool {
    model.is_new(&node.id) && !model.placed.contains(&node.id)
}

/// Width and estimated height of a node; records the heights of its linked sockets (output, input) by edge number.
/// Blender draws outputs, then properties, then inputs.
fn measure(model: &TreeModel, scope: Scope<'_>, node: &Node, heights: &mut [(f64, f64)]) -> (f64, f64) {
    if node.kind == REROUTE {
        for direction in [Direction::Incoming, Direction::Outgoing] {
            for (edge, ..) in model.edges(&node.id, direction) {
                note(heights, edge.index(), direction, DOT / 2.0);
            }
        }
        return (DOT, DOT);
    }
    let kind = scope.node_type(node);
    let width = node
        .width
        .or_else(|| kind.map(|kind| kind.width))
        .filter(|width| *width > 0.0);
    if node.kind == FRAME {
        return (width.unwrap_or(EMPTY_FRAME.0), EMPTY_FRAME.1);
    }
    let mut y = column(model, scope, node, Direction::Outgoing, HEADER, heights);
    let shown = kind.map_or(0, |kind| {
        let drawn = kind
            .properties
            .values()
            .filter(|p| p.kind == "enum" || p.kind == "pointer");
        drawn.count().min(4)
    });
    #[allow(clippy::cast_precision_loss, reason = "at most 4")]
    let shown = shown as f64 + widget_rows(node);
    y += shown * ROW;
    y = column(model, scope, node, Direction::Incoming, y, heights);
    (width.unwrap_or(WIDTH), y)
}

/// Rows of elements that are larger than a property: curves and colour ramps.
fn widget_rows(node: &Node) -> f64 {
    match node.kind.as_str() {
        "ShaderNodeFloatCurve" | "ShaderNodeVectorCurve" | "ShaderNodeRGBCurve" => 10.0,
        "ShaderNodeValToRGB" | "FunctionNodeInputColor" | "ShaderNodeRGB" => 7.0,
        _ => 0.0,
    }
}

/// Walks down the sockets of one side from `y`; returns where they end.
fn column(
    model: &TreeModel,
    scope: Scope<'_>,
    node: &Node,
    direction: Direction,
    mut y: f64,
    heights: &mut [(f64, f64)],
) -> f64 {
    let side = if direction == Direction::Incoming {
        Side::Input
    } else {
        Side::Output
    };
    let sockets = scope.sockets(model, node, side);
    let mut wires: Vec<(&str, usize)> = model
        .edges(&node.id, direction)
        .map(|(edge, wire, _)| {
            let socket = if side == Side::Input {
                &wire.to_socket
            } else {
                &wire.from_socket
            };
            (socket.as_str(), edge.index())
        })
        .collect();
    wires.sort_unstable();
    for socket in sockets.iter().filter(|socket| socket.available) {
        let first = wires.partition_point(|(name, _)| *name < socket.identifier.as_str());
        let own = wires
            .iter()
            .skip(first)
            .take_while(|(name, _)| *name == socket.identifier);
        let mut linked = false;
        for (_, edge) in own {
            linked = true;
            note(heights, *edge, direction, y + ROW / 2.0);
        }
        y += ROW * rows(socket, side, linked);
    }
    y
}

fn note(heights: &mut [(f64, f64)], edge: usize, direction: Direction, y: f64) {
    let (from, to) = at(heights, edge);
    put(
        heights,
        edge,
        if direction == Direction::Incoming {
            (from, y)
        } else {
            (y, to)
        },
    );
}

/// Rows that a socket takes; an unlinked vector shows its three numbers.
fn rows(socket: &Socket, side: Side, linked: bool) -> f64 {
    let vector = matches!(socket.kind.as_str(), "NodeSocketVector" | "NodeSocketRotation");
    if side == Side::Input && vector && !socket.hide_value && !linked {
        4.0
    } else {
        1.0
    }
}

/// Place in the editor: a plan's locations are absolute, Blender's are relative to the frame.
pub(super) fn absolute(model: &TreeModel, node: &Node) -> (f64, f64) {
    let (mut x, mut y) = (node.location[0], node.location[1]);
    if model.placed.contains(&node.id) {
        return (x, y);
    }
    let (left, top) = frame_place(model, node);
    x += left;
    y += top;
    (x, y)
}

/// Origin of the coordinates of `node` and its siblings.
pub(crate) fn frame_place(model: &TreeModel, node: &Node) -> (f64, f64) {
    let (mut x, mut y) = (0.0, 0.0);
    let mut parent = node.parent.as_deref();
    for _ in 0..MAX_NESTED {
        let Some(frame) = parent.and_then(|id| model.node(id)) else {
            break;
        };
        x += frame.location[0];
        y += frame.location[1];
        parent = frame.parent.as_deref();
    }
    (x, y)
}
