//! Frames around nodes.

use geonode_protocol::{AddFrame, Code, Properties};

use super::nodes::Claim;
use super::operation::{Before, Mention, Operation};
use super::work::{Work, text};
use crate::ir::Tree;
use crate::sockets::FRAME;

impl<'p> Operation<'p> for &'p AddFrame {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.add_frame(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let name = if self.label.is_empty() { &self.id } else { &self.label };
        match (self.node_ids.len(), self.remove_node_ids.len()) {
            (0, 0) => format!("Make or name the frame “{name}”"),
            (inside, 0) => format!("Put {inside} nodes into the frame “{name}”"),
            (0, out) => format!("Take {out} nodes out of the frame “{name}”"),
            (inside, out) => format!("Put {inside} nodes into the frame “{name}” and take {out} out of it"),
        }
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        let members = self.node_ids.iter().chain(&self.remove_node_ids);
        let members = members.map(|id| Mention::Node(id));
        members.chain([Mention::NewNode(&self.id)]).collect()
    }
}

impl Work<'_> {
    fn add_frame(&mut self, frame: &AddFrame) {
        let id = text(&frame.id, "id");
        let label = Some(frame.label.clone()).filter(|label| !label.is_empty());
        match self.claim(id, FRAME, &Properties::default()) {
            Claim::Taken => return,
            Claim::Present => {
                // Without a title the frame keeps the one that it has.
                if let Some(present) = self.model.node_mut(id.text)
                    && label.is_some()
                {
                    present.label = label;
                }
            }
            Claim::Free => self.insert_node(id.text, FRAME, label),
        }
        self.leave_frame(id.text, &frame.remove_node_ids);
        for (index, member) in frame.node_ids.iter().enumerate() {
            let path = format!("node_ids/{index}");
            let Some(found) = self.find_node(member) else {
                self.no_node(member, &path);
                continue;
            };
            if found == id.text || self.holds(&found, id.text) {
                let hint = self.sink.without("leave it out of node_ids", &path);
                let path = self.sink.at(&path);
                let message = format!("the frame “{}” cannot contain “{found}”, which contains it", id.text);
                self.sink.error(Code::Cycle, path, message, Some(hint));
                continue;
            }
            if let Some(node) = self.model.node_mut(&found) {
                node.parent = Some(id.text.to_owned());
            }
        }
    }

    /// Takes nodes out of the frame. One that lies elsewhere is left there.
    fn leave_frame(&mut self, id: &str, nodes: &[String]) {
        for (index, member) in nodes.iter().enumerate() {
            let path = format!("remove_node_ids/{index}");
            let Some(found) = self.find_node(member) else {
                self.no_node(member, &path);
                continue;
            };
            match self.model.node_mut(&found) {
                Some(node) if node.parent.as_deref() == Some(id) => node.parent = None,
                _ => {
                    let path = self.sink.at(&path);
                    let message = format!("“{found}” is not in the frame “{id}”; nothing was taken out");
                    self.sink.warn(Code::NothingToRemove, path, message);
                }
            }
        }
    }

    /// True when the frame `outer` contains `inner`, at any depth.
    fn holds(&self, outer: &str, inner: &str) -> bool {
        let mut at = self.model.node(inner).and_then(|node| node.parent.as_deref());
        // A chain of parents has at most as many nodes as the tree; the bound prevents an endless loop in a damaged tree.
        for _ in 0..=self.model.graph().node_count() {
            match at {
                None => return false,
                Some(id) if id == outer => return true,
                Some(id) => at = self.model.node(id).and_then(|node| node.parent.as_deref()),
            }
        }
        true
    }
}
