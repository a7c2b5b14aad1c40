//! Which tree each step of a plan works on.

use foldhash::{HashMap, HashMapExt};
use geonode_protocol::{Action, Step};

use crate::documents::Document;
use crate::target::uses_group;

/// The trees that the steps of a plan work on, as they are called before it.
pub(crate) struct Edited<'p> {
    document: &'p Document,
    /// The trees of modifiers that the steps so far make.
    runs: HashMap<(&'p str, &'p str), &'p str>,
}

impl<'p> Edited<'p> {
    pub(crate) fn new(document: &'p Document) -> Self {
        Self {
            document,
            runs: HashMap::new(),
        }
    }

    /// The tree that a step works on; for a copy, the one that it is copied from.
    pub(crate) fn tree_of(&mut self, step: &'p Step) -> Option<&'p str> {
        let (target, group, single_user) = match &step.action {
            Action::NodeTree(payload) => (
                (
                    payload.target.object_name.as_str(),
                    payload.target.modifier_name.as_str(),
                ),
                Some(payload.target.node_group_name.as_str()),
                payload.single_user,
            ),
            Action::GnOps(payload) => (
                (
                    payload.target.object_name.as_str(),
                    payload.target.modifier_name.as_str(),
                ),
                payload.target.node_group_name.as_deref(),
                payload.single_user,
            ),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return None,
        };
        let on = self.document.objects.get(target.0);
        let modifier = on.and_then(|on| on.modifiers.iter().find(|one| one.name == target.1));
        let present = modifier.and_then(|one| one.node_group.as_deref());
        let present = present.or_else(|| self.runs.get(&target).copied());
        let tree = match (group, present) {
            (Some(group), Some(_)) if !single_user && self.document.trees.contains_key(group) => group,
            (_, Some(present)) => present,
            (Some(group), None) => group,
            (None, None) => return None,
        };
        if Some(tree) == group && uses_group(present, tree, self.document) {
            return Some(tree);
        }
        self.runs.entry(target).or_insert(tree);
        Some(tree)
    }
}
