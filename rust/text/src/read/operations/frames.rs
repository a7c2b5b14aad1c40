//! Operations that make frames and put nodes into them.

use geonode_graph::ir::Node;
use geonode_graph::sockets::FRAME;
use geonode_protocol::{AddFrame, GnOp};

use super::Writing;
use crate::read::reader::Reader;

impl Reader<'_, '_, '_> {
    pub(super) fn frames(&mut self, written: &mut Writing<'_>) {
        let mut frames: Vec<(usize, AddFrame, usize)> = Vec::new();
        for made in self.draft.nodes.values().filter(|made| made.node.kind == FRAME) {
            let id = &made.node.id;
            let before = written.before.get(id.as_str());
            let inside = |other: &Node| other.parent.as_deref() == Some(id.as_str());
            let was_inside = |other: &Node| written.before.get(other.id.as_str()).is_some_and(|old| inside(old));
            let members = self
                .draft
                .nodes
                .values()
                .filter(|other| inside(&other.node) && !was_inside(&other.node));
            let node_ids: Vec<String> = members.map(|other| other.node.id.clone()).collect();
            let label = made.node.label.clone().unwrap_or_default();
            if before.is_some_and(|before| before.label.clone().unwrap_or_default() == label) && node_ids.is_empty() {
                continue;
            }
            let mut depth = 0;
            let mut outer = made.node.parent.as_deref();
            while let Some(parent) = outer.filter(|_| depth < geonode_graph::ir::MAX_NESTED) {
                depth += 1;
                outer = self.draft.node(parent).and_then(|parent| parent.parent.as_deref());
            }
            let op = AddFrame {
                id: id.clone(),
                label,
                node_ids,
            };
            frames.push((depth, op, made.at));
        }
        // A frame is there before one is put around it.
        frames.sort_by_key(|(depth, ..)| std::cmp::Reverse(*depth));
        written
            .out
            .later
            .extend(frames.into_iter().map(|(_, op, at)| (GnOp::AddFrame(op), at)));
        let left: Vec<usize> = self
            .draft
            .nodes
            .values()
            .filter(|made| made.node.parent.is_none())
            .filter(|made| {
                let old = written
                    .before
                    .get(made.node.id.as_str())
                    .and_then(|old| old.parent.as_deref());
                old.is_some_and(|frame| self.draft.node(frame).is_some())
            })
            .map(|made| made.at)
            .collect();
        for at in left {
            self.unsaid(at, "that a node leaves its frame");
        }
    }
}
