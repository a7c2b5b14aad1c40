//! The nodes of a tree that the plans name and therefore may change.

use std::collections::HashSet;

use geonode_graph::ir::Tree;
use geonode_graph::{Mention, mentions};
use geonode_protocol::{Action, Plan};

use crate::facts::Facts;

/// What the plans allow in one tree.
#[derive(Debug, Default)]
pub(crate) struct Named<'a> {
    /// Node IDs; zones by their own ID.
    ids: HashSet<&'a str>,
    /// Zones by the ID of either end.
    zones: HashSet<&'a str>,
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
        if let Some(before) = facts.before.trees.get(tree) {
            named.pair(before);
        }
        named
    }

    /// Whether the node is named, itself or as an end of a named zone.
    pub(crate) fn has(&self, id: &str) -> bool {
        let zone = id.strip_suffix(".in").or_else(|| id.strip_suffix(".out"));
        let is_named = |id: &str| self.ids.contains(id) || self.zones.contains(id);
        is_named(id) || zone.is_some_and(is_named)
    }

    /// Both ends of a zone are named by either.
    fn pair(&mut self, before: &'a Tree) {
        for node in &before.nodes {
            let Some(output) = &node.pair else { continue };
            if self.zones.contains(node.id.as_str()) || self.zones.contains(output.as_str()) {
                self.zones.extend([node.id.as_str(), output.as_str()]);
            }
        }
    }

    fn plan(&mut self, facts: &Facts<'a>, plan: &'a Plan, tree: &str) {
        for step in &plan.steps {
            let is_meant = match &step.action {
                Action::NodeTree(payload) => payload.target.node_group_name == tree,
                Action::GnOps(payload) if payload.target.node_group_name.is_some() => {
                    payload.target.node_group_name.as_deref() == Some(tree)
                }
                Action::GnOps(payload) => {
                    let object = facts.object(&payload.target.object_name);
                    object.into_iter().flat_map(|o| &o.modifiers).any(|modifier| {
                        modifier.name == payload.target.modifier_name && modifier.node_group.as_deref() == Some(tree)
                    })
                }
                Action::TreeText(_) | Action::Python(_) | Action::Added(_) => false,
            };
            if !is_meant {
                continue;
            }
            for mention in mentions(&step.action) {
                match mention {
                    Mention::NewNode(id) | Mention::NewZone(id) | Mention::Node(id) => drop(self.ids.insert(id)),
                    Mention::Zone(id) => drop(self.zones.insert(id)),
                    Mention::UnusedNodes => self.cleanup = true,
                    Mention::Socket(_) | Mention::ModifierInput(_) | Mention::NodeGroup(_) => {}
                }
            }
        }
    }
}
