//! Changes of place and display of nodes: one line, since they do not change the result.

use indexmap::IndexMap;

use super::nodes::APPEARANCE;
use super::{Compared, count, title};
use crate::ir::Node;

/// More names than this are only counted.
const NAMED: usize = 5;

impl Compared<'_> {
    /// The frame that contains a node.
    pub(super) fn frames(&self, lines: &mut Vec<String>) {
        let mut into: IndexMap<Option<&str>, Vec<String>> = IndexMap::new();
        for (old, new) in &self.pair.nodes.both {
            if self.reframed(old, new) && !(new.parent.is_none() && self.frame_gone(old)) {
                into.entry(new.parent.as_deref()).or_default().push(title(new));
            }
        }
        for (frame, nodes) in into {
            let who = if nodes.len() > NAMED {
                count(nodes.len(), "node")
            } else {
                nodes.join(", ")
            };
            lines.push(match frame {
                Some(frame) => format!("Put {who} into the frame {}", self.after.node(frame)),
                None => format!("Took {who} out of the frame"),
            });
        }
    }

    fn reframed(&self, old: &Node, new: &Node) -> bool {
        old.parent.as_deref() != new.parent.as_deref().map(|id| self.id_before(id))
    }

    fn frame_gone(&self, old: &Node) -> bool {
        let frame = old.parent.as_deref();
        self.pair
            .nodes
            .removed
            .iter()
            .any(|node| Some(node.id.as_str()) == frame)
    }

    pub(super) fn layout(&self, lines: &mut Vec<String>) {
        let (mut moved, mut resized, mut folded, mut coloured) = (0, 0, 0, 0);
        for (old, new) in &self.pair.nodes.both {
            let differs = |names: &[&str]| names.iter().any(|name| old.props.get(*name) != new.props.get(*name));
            let (fold, colour) = APPEARANCE.split_at(2);
            // Places are relative to the frame: a change of frame has been reported already.
            moved += usize::from(!self.reframed(old, new) && old.place() != new.place());
            resized += usize::from(old.width.map(f64::to_bits) != new.width.map(f64::to_bits));
            folded += usize::from(differs(fold));
            coloured += usize::from(differs(colour));
        }
        let changes: Vec<String> = [
            (moved, "moved"),
            (resized, "resized"),
            (folded, "folded or unfolded"),
            (coloured, "coloured"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, how)| format!("{} {how}", count(number, "node")))
        .collect();
        if !changes.is_empty() {
            lines.push(format!("Layout only: {}", changes.join(", ")));
        }
    }
}
