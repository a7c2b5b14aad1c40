//! Removing nodes that lead to no output.

use std::collections::HashSet;

use petgraph::Direction;

use super::operation::{Before, Mention, Operation};
use super::work::Work;
use crate::ir::Tree;
use crate::sockets::{FRAME, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, acts_alone};

/// Removes nodes that lead to no output.
pub(super) struct CleanupUnused;

impl<'p> Operation<'p> for CleanupUnused {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.cleanup_unused();
    }

    fn words(&self, _: &Before<'_>) -> String {
        "Remove the nodes that lead to no output".to_owned()
    }

    fn destroys(&self, _: &Tree) -> bool {
        true
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::UnusedNodes]
    }
}

impl Work<'_> {
    /// Keeps Group Inputs and Outputs, viewers, gizmos, frames, everything that feeds them, and both ends of a zone of which one is kept.
    fn cleanup_unused(&mut self) {
        let mut kept: HashSet<String> = HashSet::new();
        let mut open: Vec<String> = Vec::new();
        let mut pair_of: std::collections::HashMap<&str, &str> = std::collections::HashMap::new();
        for node in self.model.nodes() {
            if let Some(output) = node.pair.as_deref() {
                pair_of.insert(node.id.as_str(), output);
                pair_of.insert(output, node.id.as_str());
            }
            let viewer = self.scope.node_type(node).is_some_and(|kind| kind.is("viewer"));
            if viewer
                || acts_alone(&node.kind)
                || matches!(node.kind.as_str(), GROUP_OUTPUT_TYPE | GROUP_INPUT_TYPE | FRAME)
            {
                open.push(node.id.clone());
            }
        }
        while let Some(id) = open.pop() {
            if !kept.insert(id.clone()) {
                continue;
            }
            open.extend(
                self.model
                    .edges(&id, Direction::Incoming)
                    .map(|(_, _, from)| from.to_owned()),
            );
            if let Some(other) = pair_of.get(id.as_str()) {
                open.push((*other).to_owned());
            }
        }
        let unused: Vec<String> = self
            .model
            .nodes()
            .filter(|node| !kept.contains(&node.id))
            .map(|node| node.id.clone())
            .collect();
        for id in unused {
            self.model.remove(&id);
            self.unsaid.removed.push(id);
        }
    }
}
