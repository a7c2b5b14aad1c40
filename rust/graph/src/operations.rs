//! The operations of a plan in plain words, one by one, for an artist who accepts or leaves out each of them.

use std::collections::{BTreeSet, HashMap};

use geonode_protocol::{Action, Step};

use crate::catalogue::Catalogue;
use crate::documents::Document;
use crate::ops::{AnyOperation, Before, Mention, operations_of};
use crate::target::object_maker;

/// What an operation is about, for an artist who looks at many of them at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// It adds nodes, or sets and links those that the plan adds.
    NewNodes,
    /// Inputs and outputs of the tree, and values of the modifier.
    Interface,
    /// It changes what the tree contains before the plan.
    Changes,
    /// It takes away something that the tree contains before the plan.
    Removals,
}

/// One operation for the artist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationSummary {
    /// What it does.
    pub words: String,
    /// It takes away something that is there before the plan.
    pub destructive: bool,
    /// What it is about.
    pub topic: Topic,
    /// Indices of the operations of the step that add a node which it mentions, or make the object: without them it cannot be carried out.
    pub needs: Vec<usize>,
}

/// The operations of a step, in order; none for a step without operations of its own.
pub fn operations(step: &Step, document: &Document, catalogue: &Catalogue) -> Vec<OperationSummary> {
    let (object, tree) = match &step.action {
        Action::NodeTree(payload) => (
            payload.target.object_name.as_str(),
            Some(payload.target.node_group_name.as_str()),
        ),
        Action::GnOps(payload) => {
            let target = &payload.target;
            let modifiers = document
                .objects
                .get(&target.object_name)
                .map(|object| &object.modifiers);
            let modifier = modifiers.and_then(|all| all.iter().find(|m| m.name == target.modifier_name));
            let own = modifier.and_then(|modifier| modifier.node_group.as_deref());
            let tree = target.node_group_name.as_deref().or(own);
            (target.object_name.as_str(), tree)
        }
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => ("", None),
    };
    let before = Before {
        object,
        tree: tree.and_then(|name| document.trees.get(name)),
        catalogue,
    };
    let all: Vec<_> = operations_of(&step.action).collect();
    let mentions: Vec<_> = all.iter().map(|op| op.mentions()).collect();
    let makers = makers(&mentions);
    let carrier = object_maker(&step.action).filter(|_| !document.objects.contains_key(object));
    all.iter()
        .zip(&mentions)
        .enumerate()
        .map(|(at, (op, own))| OperationSummary {
            words: op.words(&before),
            destructive: destroys(op, &before),
            topic: topic(op, own, &before),
            needs: needs(at, own, &makers, carrier),
        })
        .collect()
}

fn destroys(op: &AnyOperation<'_>, before: &Before<'_>) -> bool {
    before.tree.is_some_and(|tree| op.destroys(tree))
}

fn topic(op: &AnyOperation<'_>, mentions: &[Mention<'_>], before: &Before<'_>) -> Topic {
    let old = |id: &str| before.has_node(id) || before.has_node(&format!("{id}.in"));
    if destroys(op, before) {
        Topic::Removals
    } else if mentions
        .iter()
        .any(|one| matches!(one, Mention::Socket(_) | Mention::ModifierInput(_)))
    {
        Topic::Interface
    } else if mentions.iter().any(|one| match one {
        Mention::Node(id) | Mention::Zone(id) => old(id),
        Mention::UnusedNodes => before.tree.is_some(),
        _ => false,
    }) {
        Topic::Changes
    } else {
        Topic::NewNodes
    }
}

/// The operation that makes each node, by the ID of the node.
fn makers(mentions: &[Vec<Mention<'_>>]) -> HashMap<String, usize> {
    let mut makers = HashMap::new();
    for (at, own) in mentions.iter().enumerate() {
        for one in own {
            match one {
                Mention::NewNode(id) => {
                    makers.entry((*id).to_owned()).or_insert(at);
                }
                Mention::NewZone(id) => {
                    for made in [(*id).to_owned(), format!("{id}.in"), format!("{id}.out")] {
                        makers.entry(made).or_insert(at);
                    }
                }
                _ => {}
            }
        }
    }
    makers
}

/// The operations that make the nodes which this one uses, and the `carrier` of all.
fn needs(at: usize, own: &[Mention<'_>], makers: &HashMap<String, usize>, carrier: Option<usize>) -> Vec<usize> {
    let used = own.iter().filter_map(|one| match one {
        Mention::Node(id) | Mention::Zone(id) => makers.get(*id).copied(),
        _ => None,
    });
    let others: BTreeSet<usize> = used.chain(carrier).filter(|other| *other != at).collect();
    others.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_needs_the_one_that_makes_its_node() {
        let all = [
            vec![Mention::NewNode("a")],
            vec![Mention::NewZone("loop")],
            vec![Mention::Node("a"), Mention::Node("loop.out"), Mention::Node("old")],
            vec![Mention::Zone("loop")],
            vec![Mention::Node("a"), Mention::NewNode("frame")],
        ];
        let makers = makers(&all);
        let found: Vec<_> = all
            .iter()
            .enumerate()
            .map(|(at, own)| needs(at, own, &makers, None))
            .collect();
        assert_eq!(found, [vec![], vec![], vec![0, 1], vec![1], vec![0]]);
        assert_eq!(
            needs(2, &all[2], &makers, Some(3)),
            [0, 1, 3],
            "and the one that makes the object"
        );
    }
}
