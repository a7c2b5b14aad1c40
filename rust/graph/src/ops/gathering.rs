//! Nodes that a plan works on and then moves into a group that it makes: the same plan again finds them there.

use geonode_protocol::{Code, Finding, GroupNodes, Plan};

use super::grouping::grouping;
use super::operation::{Mention, Operation};
use super::operations_of;
use super::work::Work;
use crate::sockets::group_tree;

/// A `group_nodes` of a plan.
pub(crate) struct Gathering<'p> {
    step: usize,
    operation: usize,
    moves: &'p GroupNodes,
}

/// Those of a plan, in order.
pub(crate) fn gatherings(plan: &Plan) -> Vec<Gathering<'_>> {
    let steps = plan.steps.iter().enumerate();
    let all = steps.flat_map(|(step, one)| {
        let operations = 0..operations_of(&one.action).count();
        operations.filter_map(move |operation| {
            let moves = grouping(&one.action, operation)?;
            Some(Gathering { step, operation, moves })
        })
    });
    all.collect()
}

impl Gathering<'_> {
    fn has(&self, id: &str) -> bool {
        self.moves.node_ids.iter().any(|one| one == id)
    }
}

impl Work<'_> {
    /// Whether an operation is about nodes that an earlier run of the plan moved into the group where they are now. What the plan says
    /// of them before it moves them was done there.
    pub(crate) fn is_done_inside(
        &mut self,
        all: &[Gathering<'_>],
        place: (usize, usize),
        operation: &dyn Operation<'_>,
    ) -> bool {
        if all.is_empty() {
            return false;
        }
        let mut later = all.iter().filter(|one| (one.step, one.operation) > place);
        let mut mentions = operation.mentions();
        // What it makes comes first: that is said.
        mentions.sort_by_key(|mention| !matches!(mention, Mention::NewNode(_) | Mention::NewZone(_)));
        let found = later.find_map(|one| {
            let mut all = mentions.iter();
            let mention = all.find(|mention| match mention {
                Mention::NewNode(id) | Mention::Node(id) => one.has(id) && self.is_inside(one.moves, id),
                Mention::NewZone(id) | Mention::Zone(id) => {
                    let end = format!("{id}.out");
                    one.has(&end) && self.is_inside(one.moves, &end)
                }
                _ => false,
            })?;
            Some((one.moves, mention))
        });
        let Some((moves, mention)) = found else { return false };
        if let Mention::NewNode(id) | Mention::NewZone(id) = mention {
            let message = format!(
                "“{id}” is in the group “{}” already, where this plan moved it; it stays as it is",
                moves.node_group_name
            );
            let path = self.sink.at("");
            self.sink.push(Finding::info(Code::LeftUnchanged, path, message));
        }
        true
    }

    /// Whether a node is in the group that the operation fills, which runs have made.
    fn is_inside(&self, moves: &GroupNodes, id: &str) -> bool {
        let name = &moves.node_group_name;
        let stands = self.model.node(&moves.id).and_then(group_tree) == Some(name);
        let info = self.document.tree_info.get(name);
        let tree = self.scope.trees.get(name);
        stands
            && self.model.node(id).is_none()
            && info.is_some_and(|info| info.made.is_some())
            && tree.is_some_and(|tree| tree.nodes.iter().any(|node| node.id == id))
    }
}
