//! The operations of a plan in plain words, one by one, for an artist who accepts or leaves out each of them.

use geonode_protocol::{Action, Step};

use crate::catalogue::Catalogue;
use crate::documents::Document;
use crate::ops::{Before, operations_of};

/// One operation for the artist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationSummary {
    /// What it does.
    pub words: String,
    /// It takes away something that is there before the plan.
    pub destructive: bool,
}

/// The operations of a step, in order; none for a step without operations of its own.
pub fn operations(step: &Step, document: &Document, catalogue: &Catalogue) -> Vec<OperationSummary> {
    let tree = match &step.action {
        Action::NodeTree(payload) => Some(payload.target.node_group_name.as_str()),
        Action::GnOps(payload) => {
            let target = &payload.target;
            let modifiers = document
                .objects
                .get(&target.object_name)
                .map(|object| &object.modifiers);
            let modifier = modifiers.and_then(|all| all.iter().find(|m| m.name == target.modifier_name));
            let own = modifier.and_then(|modifier| modifier.node_group.as_deref());
            target.node_group_name.as_deref().or(own)
        }
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => None,
    };
    let before = Before {
        tree: tree.and_then(|name| document.trees.get(name)),
        catalogue,
    };
    operations_of(&step.action)
        .map(|op| OperationSummary {
            words: op.words(&before),
            destructive: before.tree.is_some_and(|tree| op.destroys(tree)),
        })
        .collect()
}
