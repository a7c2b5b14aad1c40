//! What `GN_OPS` makes sure of before it edits: the target, and one Group Input and Group Output.

use geonode_protocol::EnsureTarget;
use petgraph::Direction;

use super::operation::{Before, Mention, Operation};
use super::work::Work;
use crate::ir::{Node, Tree};
use crate::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};

impl<'p> Operation<'p> for &'p EnsureTarget {
    /// Does nothing: resolving the target created the modifier, or refused it without permission.
    fn carry_out(&self, work: &mut Work<'_>) {
        debug_assert!(self.allow_create_modifier || !work.target.new_modifier);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let words = if self.allow_create_modifier {
            "Add the modifier if it does not exist"
        } else {
            "Check that the modifier exists"
        };
        words.to_owned()
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        Vec::new()
    }
}

/// Creates a missing Group Input or Output and keeps one Group Output.
pub(super) struct EnsureSingleGroupIo;

impl<'p> Operation<'p> for EnsureSingleGroupIo {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.ensure_group_io();
    }

    fn words(&self, _: &Before<'_>) -> String {
        "Make sure that there is exactly one Group Input and one Group Output".to_owned()
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        Vec::new()
    }
}

impl Work<'_> {
    fn ensure_group_io(&mut self) {
        self.ensure_group_node(GROUP_INPUT_TYPE);
        self.ensure_group_node(GROUP_OUTPUT_TYPE);
        let is_linked = |node: &&Node| self.model.edges(&node.id, Direction::Incoming).next().is_some();
        let ends: Vec<&Node> = self
            .model
            .nodes()
            .filter(|node| node.kind == GROUP_OUTPUT_TYPE)
            .collect();
        let linked = ends.iter().copied().filter(is_linked).collect::<Vec<_>>();
        let kept = match linked.as_slice() {
            [only] => Some(only.id.clone()),
            _ => self.group_node(GROUP_OUTPUT_TYPE),
        };
        let Some(kept) = kept else { return };
        let surplus: Vec<String> = self
            .model
            .nodes()
            .filter(|node| node.kind == GROUP_OUTPUT_TYPE && node.id != kept)
            .map(|node| node.id.clone())
            .collect();
        for id in surplus {
            self.model.remove(&id);
            self.unsaid.removed.push(id);
        }
    }

    fn ensure_group_node(&mut self, kind: &str) {
        if !self.model.nodes().any(|node| node.kind == kind) {
            self.make_group_node(kind);
        }
    }
}
