//! Operations that set the values of inputs and outputs.

use geonode_graph::ir::{Node, Side};
use geonode_graph::sockets::held_by_output;
use geonode_protocol::{Code, NodeTreeOp, SetInputDefault};

use super::Writing;
use crate::read::draft::{End, same};
use crate::read::reader::Reader;

impl Reader<'_, '_, '_> {
    /// Sets the values that outputs store: that of a Value node can be said, others cannot.
    fn output_values(&mut self, id: &str, node: &Node, written: &mut Writing<'_>) {
        for (socket, state) in &node.outputs {
            let Some(value) = state.get("value") else { continue };
            let before = written.before.get(id).and_then(|before| before.outputs.get(socket));
            if before
                .and_then(|before| before.get("value"))
                .is_some_and(|before| same(before, value))
            {
                continue;
            }
            let at = self.place_of(id, &format!(">{socket}"));
            if held_by_output(&node.kind).is_some() {
                let op = SetInputDefault {
                    node_id: id.to_owned(),
                    socket: socket.clone(),
                    value: value.clone(),
                };
                written.out.tree.push((NodeTreeOp::SetInputDefault(op), at));
                continue;
            }
            let fix = "Give the value where it is used, or make it an input of the group.";
            self.error(
                Code::TextForm,
                at,
                "A plan cannot set the value of this node's output.",
                fix,
            );
        }
    }

    pub(super) fn values(&mut self, written: &mut Writing<'_>) {
        let ids: Vec<String> = self.draft.nodes.keys().cloned().collect();
        for id in &ids {
            let Some(node) = self.draft.node(id).cloned() else {
                continue;
            };
            self.output_values(id, &node, written);
            let before = written
                .before
                .get(id.as_str())
                .copied()
                .filter(|before| before.kind == node.kind);
            let sockets = self.draft.sockets(id, Side::Input);
            for socket in sockets.iter().filter(|socket| socket.available) {
                let value = |node: &Node| {
                    node.inputs
                        .get(&socket.identifier)
                        .and_then(|state| state.get("value"))
                        .cloned()
                };
                let (old, new) = (before.and_then(value), value(&node));
                // What is linked shows no value, so the page says none.
                let end: End = (id.clone(), socket.identifier.clone());
                if new.is_none() && !self.draft.links_into(&end).is_empty() {
                    continue;
                }
                let wanted = match (old, new) {
                    (Some(old), Some(new)) if same(&old, &new) => continue,
                    (_, Some(new)) => new,
                    (Some(old), None) => match &socket.default {
                        Some(default) if !same(default, &old) => default.clone(),
                        _ => continue,
                    },
                    (None, None) => continue,
                };
                let at = self.place_of(id, &socket.identifier);
                if wanted.is_null() {
                    if before.and_then(value).is_some_and(|old| !old.is_null()) {
                        self.unsaid(at, "an empty data-block in place of another");
                    }
                    continue;
                }
                let op = SetInputDefault {
                    node_id: id.clone(),
                    socket: self.socket_word(&(id.clone(), socket.identifier.clone()), Side::Input),
                    value: wanted,
                };
                written.out.tree.push((NodeTreeOp::SetInputDefault(op), at));
            }
        }
    }
}
