//! The nodes of a tree that the plans name and therefore may change.

use std::collections::HashSet;

use geonode_protocol::{Action, GnOp, NodeTreeOp, Plan};

use crate::facts::Facts;

/// What the plans allow in one tree.
#[derive(Debug, Default)]
pub(crate) struct Named<'a> {
    /// Node IDs; zones by their own ID.
    ids: HashSet<&'a str>,
    /// Whether unreachable nodes may be removed.
    pub(crate) cleanup: bool,
}

impl<'a> Named<'a> {
    /// Collects the statements of all applied plans about `tree`.
    pub(crate) fn of(facts: &Facts<'a>, tree: &str) -> Self {
        let mut named = Self::default();
        for plan in facts.plans {
            named.plan(facts, plan, tree);
        }
        named
    }

    /// Whether the node is named, itself or as an end of a named zone.
    pub(crate) fn has(&self, id: &str) -> bool {
        let zone = id.strip_suffix(".in").or_else(|| id.strip_suffix(".out"));
        self.ids.contains(id) || zone.is_some_and(|zone| self.ids.contains(zone))
    }

    fn plan(&mut self, facts: &Facts<'a>, plan: &'a Plan, tree: &str) {
        for step in &plan.steps {
            match &step.action {
                Action::NodeTree(payload) if payload.target.node_group_name == tree => {
                    payload.operations.iter().for_each(|op| self.node_tree_op(op));
                }
                Action::GnOps(payload) => {
                    let object = facts.object(&payload.target.object_name);
                    let runs_tree = object.into_iter().flat_map(|o| &o.modifiers).any(|modifier| {
                        modifier.name == payload.target.modifier_name && modifier.node_group.as_deref() == Some(tree)
                    });
                    if runs_tree {
                        payload.ops.iter().for_each(|op| self.gn_op(op));
                    }
                }
                Action::NodeTree(_) | Action::Python(_) | Action::Added(_) => {}
            }
        }
    }

    fn node_tree_op(&mut self, op: &'a NodeTreeOp) {
        match op {
            NodeTreeOp::CreateNode(op) => self.add(&op.node_id),
            NodeTreeOp::DeleteNode(op) => self.add(&op.node_id),
            NodeTreeOp::SetInputDefault(op) => self.add(&op.node_id),
            NodeTreeOp::SetProperty(op) => self.add(&op.node_id),
            NodeTreeOp::Link(op) | NodeTreeOp::Unlink(op) => {
                self.add(&op.from.node_id);
                self.add(&op.to.node_id);
            }
            NodeTreeOp::SetGroupIo(_) => {}
            NodeTreeOp::AddZone(op) => self.add(&op.id),
            NodeTreeOp::EditZone(op) => self.add(&op.id),
            NodeTreeOp::RemoveZone(op) => self.add(&op.id),
            NodeTreeOp::AddGroup(op) => self.add(&op.id),
            NodeTreeOp::SetItems(op) => self.add(&op.node_id),
        }
    }

    fn gn_op(&mut self, op: &'a GnOp) {
        match op {
            GnOp::AddNode(op) => self.add(&op.id),
            GnOp::RemoveNode(op) => self.add(&op.id),
            GnOp::Link(op) | GnOp::Unlink(op) => {
                self.add(&op.from_node);
                self.add(&op.to_node);
            }
            GnOp::SetInput(op) => self.add(&op.node_id),
            GnOp::SetProperty(op) => self.add(&op.node_id),
            GnOp::AddZone(op) => self.add(&op.id),
            GnOp::EditZone(op) => self.add(&op.id),
            GnOp::RemoveZone(op) => self.add(&op.id),
            GnOp::AddGroup(op) => self.add(&op.id),
            GnOp::SetItems(op) => self.add(&op.node_id),
            GnOp::AddFrame(op) => {
                self.add(&op.id);
                op.node_ids.iter().for_each(|id| self.add(id));
            }
            GnOp::CleanupUnused {} => self.cleanup = true,
            GnOp::EnsureTarget(_) | GnOp::EnsureSingleGroupIo {} | GnOp::SetGroupIo(_) | GnOp::SetModifierInput(_) => {}
        }
    }

    fn add(&mut self, id: &'a str) {
        self.ids.insert(id);
    }
}
