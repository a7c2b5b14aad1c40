//! Links that are laid anew across the border of a group, and what the border is made of.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::ir::Node;
use crate::layout::frame_place;
use crate::model::{TreeModel, Wire};
use crate::numbering::free;
use crate::sockets::{FRAME, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};

/// A link as its ends and how it is.
pub(super) struct Cable {
    pub(super) from: (String, String),
    pub(super) to: (String, String),
    pub(super) muted: bool,
    pub(super) sort: Option<i64>,
}

impl Cable {
    pub(super) fn of((from, wire, to): &(&str, &Wire, &str)) -> Self {
        Self {
            from: ((*from).to_owned(), wire.from_socket.clone()),
            to: ((*to).to_owned(), wire.to_socket.clone()),
            muted: wire.muted,
            sort: wire.sort,
        }
    }

    pub(super) fn lay(&self, model: &mut TreeModel, origin: usize) {
        let (from, to) = ((&*self.from.0, &*self.from.1), (&*self.to.0, &*self.to.1));
        if model.find(from, to).is_some() {
            return;
        }
        let made = model.connect(from, to, Some(origin));
        if let Some(wire) = made.and_then(|made| model.wire_mut(made)) {
            wire.muted = self.muted;
            wire.sort = self.sort;
        }
    }
}

/// The border of a group: its node outside, its Group Input and Output inside, and what was made for links across it.
pub(super) struct Bridge<'g> {
    pub(super) group: &'g str,
    pub(super) ends: (String, String),
    pub(super) inputs: BTreeMap<(String, String), String>,
    pub(super) outputs: BTreeMap<(String, String), String>,
}

impl Bridge<'_> {
    /// A link from the group node to a node that moves in begins at what feeds that output inside.
    pub(super) fn inwards(&self, inner: &TreeModel, cable: Cable, laid: &mut Vec<(bool, Cable)>) {
        let wires = inner.wires();
        let feeds = |(_, wire, to): &&(&str, &Wire, &str)| *to == self.ends.1 && wire.to_socket == cable.from.1;
        if let Some((from, wire, _)) = wires.iter().find(feeds) {
            let from = ((*from).to_owned(), wire.from_socket.clone());
            laid.push((true, Cable { from, ..cable }));
        }
    }

    /// A link from a node that moves in to the group node ends at what that input feeds inside.
    pub(super) fn outwards(&self, inner: &TreeModel, cable: &Cable, laid: &mut Vec<(bool, Cable)>) {
        for (from, wire, to) in inner.wires() {
            if from == self.ends.0 && wire.from_socket == cable.to.1 {
                laid.push((
                    true,
                    Cable {
                        from: cable.from.clone(),
                        to: (to.to_owned(), wire.to_socket.clone()),
                        muted: cable.muted || wire.muted,
                        sort: wire.sort,
                    },
                ));
            }
        }
    }
}

/// The IDs of a group's Group Input and Output, which are added if it has none.
pub(super) fn inner_ends(inner: &mut TreeModel) -> (String, String) {
    let mut find = |kind: &str, id: &str| {
        let active = |node: &&Node| node.props.get("is_active_output") != Some(&Value::Bool(false));
        let mut all = inner.nodes().filter(|node| node.kind == kind);
        if let Some(node) = all.find(active) {
            return node.id.clone();
        }
        drop(all);
        inner.insert(new_node(id, kind));
        id.to_owned()
    };
    (
        find(GROUP_INPUT_TYPE, "group_input"),
        find(GROUP_OUTPUT_TYPE, "group_output"),
    )
}

pub(super) fn new_node(id: &str, kind: &str) -> Node {
    Node {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: kind.to_owned(),
        ..Node::default()
    }
}

/// Names of a tree's nodes.
pub(super) fn names_of(model: &TreeModel) -> HashSet<String> {
    model.nodes().map(|node| node.name.clone()).collect()
}

/// The name for a node that comes into a tree with these: its own, or the next free one.
pub(super) fn free_name(taken: &mut HashSet<String>, name: &str) -> String {
    let given = if taken.contains(name) {
        free(name, |text| taken.contains(text))
    } else {
        name.to_owned()
    };
    taken.insert(given.clone());
    given
}

/// The middle of some nodes, absolute; none without nodes.
pub(super) fn centre(model: &TreeModel, ids: &[String]) -> Option<(f64, f64)> {
    let nodes: Vec<(f64, f64)> = ids
        .iter()
        .filter_map(|id| model.node(id))
        .filter(|node| node.kind != FRAME)
        .map(|node| {
            let (x, y) = frame_place(model, node);
            (node.location[0] + x, node.location[1] + y)
        })
        .collect();
    let count = f64::from(u32::try_from(nodes.len()).ok().filter(|count| *count > 0)?);
    let (x, y) = nodes
        .iter()
        .fold((0.0, 0.0), |sum, place| (sum.0 + place.0, sum.1 + place.1));
    Some(((x / count).round(), (y / count).round()))
}
