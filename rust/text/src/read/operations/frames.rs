//! Operations that make and change frames: their titles and looks, and which nodes are in them.

use geonode_graph::ir::{MAX_NESTED, Node};
use geonode_graph::sockets::FRAME;
use geonode_protocol::{AddFrame, GnOp, SetProperty};

use super::Writing;
use crate::read::draft::same;
use crate::read::reader::Reader;

impl Reader<'_, '_, '_> {
    pub(super) fn frames(&mut self, written: &mut Writing<'_>) {
        let mut frames: Vec<(usize, Vec<GnOp>, usize)> = Vec::new();
        for made in self.draft.nodes.values().filter(|made| made.node.kind == FRAME) {
            let id = &made.node.id;
            let before = written.before.get(id.as_str()).copied();
            let inside = |other: &Node| other.parent.as_deref() == Some(id.as_str());
            let was_inside = |other: &Node| written.before.get(other.id.as_str()).is_some_and(|old| inside(old));
            let all = || self.draft.nodes.values().map(|other| &other.node);
            let node_ids: Vec<String> = all()
                .filter(|other| inside(other) && !was_inside(other))
                .map(|other| other.id.clone())
                .collect();
            // One that another frame takes leaves this one by that.
            let remove_node_ids: Vec<String> = all()
                .filter(|other| other.parent.is_none() && was_inside(other))
                .map(|other| other.id.clone())
                .collect();
            let label = made.node.label.clone().unwrap_or_default();
            let is_named = before.is_some_and(|before| before.label.clone().unwrap_or_default() == label);
            let mut ops = Vec::new();
            if !is_named || !node_ids.is_empty() || !remove_node_ids.is_empty() {
                ops.push(GnOp::AddFrame(AddFrame {
                    id: id.clone(),
                    label,
                    node_ids,
                    remove_node_ids,
                }));
            }
            ops.extend(self.looks(&made.node, before));
            frames.push((self.depth(&made.node), ops, made.at));
        }
        // A frame is there before one is put around it.
        frames.sort_by_key(|(depth, ..)| std::cmp::Reverse(*depth));
        for (_, ops, at) in frames {
            written.out.later.extend(ops.into_iter().map(|op| (op, at)));
        }
    }

    /// How many frames a node lies in.
    fn depth(&self, node: &Node) -> usize {
        let outer = |id: &&str| self.draft.node(id)?.parent.as_deref();
        std::iter::successors(node.parent.as_deref(), outer)
            .take(MAX_NESTED)
            .count()
    }

    /// The properties of a frame that differ.
    fn looks(&self, node: &Node, before: Option<&Node>) -> Vec<GnOp> {
        let described = self.draft.kind(&node.id);
        let now = node.props.iter();
        let gone = before.into_iter().flat_map(|before| before.props.keys());
        let gone = gone.filter(|name| !node.props.contains_key(*name));
        let reset = gone.filter_map(|name| Some((name, &described?.properties.get(name)?.default)));
        let known = |name: &String| before.and_then(|before| before.props.get(name));
        now.filter(|(name, value)| !known(name).is_some_and(|known| same(known, value)))
            .chain(reset)
            .map(|(property, value)| {
                GnOp::SetProperty(SetProperty {
                    node_id: node.id.clone(),
                    property: property.clone(),
                    value: value.clone(),
                })
            })
            .collect()
    }
}
