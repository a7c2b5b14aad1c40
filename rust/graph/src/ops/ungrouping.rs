//! Moving a group's nodes out of it with their links.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use geonode_protocol::{Action, Code, GnOp, Hint, NodeTreeOp, Plan, UngroupNodes};

use super::cables::{Cable, centre, free_name, names_of};
use super::operation::{Before, Mention, Operation};
use super::work::Work;
use crate::ir::{Node, Tree};
use crate::layout::frame_place;
use crate::model::TreeModel;
use crate::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE, group_tree};

impl<'p> Operation<'p> for &'p UngroupNodes {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.ungroup_nodes(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        format!("Replace the group node “{}” by the nodes of its group", self.id)
    }

    fn destroys(&self, before: &Tree) -> bool {
        before.nodes.iter().any(|node| node.id == self.id)
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(&self.id)]
    }
}

/// IDs of the group nodes that a plan makes and then replaces by their nodes.
pub(crate) fn dissolved(plan: &Plan) -> HashSet<&str> {
    let mut made: HashSet<&str> = HashSet::new();
    let mut gone: HashSet<&str> = HashSet::new();
    for step in &plan.steps {
        let (of_tree, small): (&[NodeTreeOp], &[GnOp]) = match &step.action {
            Action::NodeTree(payload) => (&payload.operations, &[]),
            Action::GnOps(payload) => (&[], &payload.ops),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => continue,
        };
        for op in of_tree {
            match op {
                NodeTreeOp::GroupNodes(op) => drop(made.insert(&op.id)),
                NodeTreeOp::UngroupNodes(op) if made.contains(op.id.as_str()) => drop(gone.insert(&op.id)),
                _ => {}
            }
        }
        for op in small {
            match op {
                GnOp::GroupNodes(op) => drop(made.insert(&op.id)),
                GnOp::UngroupNodes(op) if made.contains(op.id.as_str()) => drop(gone.insert(&op.id)),
                _ => {}
            }
        }
    }
    gone
}

impl Work<'_> {
    fn ungroup_nodes(&mut self, op: &UngroupNodes) {
        let Some(id) = self.find_node(&op.id) else {
            let path = self.sink.at("id");
            let message = format!("there is no node “{}”; nothing was moved", op.id);
            self.sink.warn(Code::NothingToRemove, path, message);
            return;
        };
        let found = self.model.node(&id).cloned();
        let name = found.as_ref().and_then(group_tree).map(str::to_owned);
        let edited = self
            .nested
            .iter()
            .find(|group| Some(&group.name) == name.as_ref())
            .cloned();
        let tree = name.as_ref().and_then(|name| self.scope.trees.get(name)).cloned();
        let inner = edited.or_else(|| Some(TreeModel::new(name.as_deref()?, tree?, false)));
        let (Some(node), Some(inner)) = (found, inner) else {
            let message = format!("“{id}” is not a group node with a group");
            let path = self.sink.at("id");
            let hint = Hint::explain("only nodes of the type GeometryNodeGroup are replaced by their nodes");
            self.sink.error(Code::InvalidValue, path, message, Some(hint));
            return;
        };
        self.move_out(&node, &inner);
    }

    fn move_out(&mut self, group: &Node, inner: &TreeModel) {
        let origin = self.sink.op();
        let outer: Vec<Cable> = self.model.wires().iter().map(Cable::of).collect();
        let is_end = |node: &Node| matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
        let members: Vec<&Node> = inner.nodes().filter(|node| !is_end(node)).collect();
        let taken = self.model.nodes().map(|node| node.id.clone()).collect();
        let new_ids = freed_ids(taken, &group.id, members.iter().map(|node| node.id.as_str()));
        let ids: Vec<String> = members.iter().map(|node| node.id.clone()).collect();
        let (left, top) = centre(inner, &ids).unwrap_or_default();
        let (x, y) = frame_place(&self.model, group);
        let (dx, dy) = (group.location[0] + x - left, group.location[1] + y - top);
        self.model.remove(&group.id);
        let moved = self.unsaid.dissolved.entry(group.id.clone()).or_default();
        moved.extend(new_ids.values().cloned());
        let id_of = |id: &str| new_ids.get(id).cloned();
        let mut names = names_of(&self.model);
        for node in members {
            let (fx, fy) = frame_place(inner, node);
            let mut copy = node.clone();
            let Some(id) = id_of(&node.id) else { continue };
            // What is called as its ID stays so.
            let own = if node.name == node.id || node.name.is_empty() {
                &id
            } else {
                &node.name
            };
            copy.name = free_name(&mut names, own);
            copy.location = [node.location[0] + fx + dx, node.location[1] + fy + dy];
            copy.parent = match &node.parent {
                Some(frame) => id_of(frame),
                None => group.parent.clone(),
            };
            copy.pair = node.pair.as_deref().and_then(id_of);
            copy.id.clone_from(&id);
            let carry = self.carry_from(group_tree(group).unwrap_or_default(), &node.id, &id);
            self.model.carried.extend(carry);
            self.model.placed.insert(id.clone());
            self.model.note_origin(inner.origin(&node.id), &id);
            self.unsaid.moved.remove(&id);
            self.model.insert(copy);
        }
        let kind_of = |id: &str| inner.node(id).map(|node| node.kind.as_str());
        let inner_cables: Vec<Cable> = inner.wires().iter().map(Cable::of).collect();
        for cable in &inner_cables {
            // Where the link begins outside: at what feeds the group node's input, or at a node that moved out.
            let source = match kind_of(&cable.from.0) {
                Some(GROUP_INPUT_TYPE) => outer
                    .iter()
                    .find(|one| one.to.0 == group.id && one.to.1 == cable.from.1)
                    .map(|one| (one.from.clone(), one.muted)),
                _ => id_of(&cable.from.0).map(|id| ((id, cable.from.1.clone()), false)),
            };
            if kind_of(&cable.to.0) == Some(GROUP_OUTPUT_TYPE) {
                let targets = outer
                    .iter()
                    .filter(|one| one.from.0 == group.id && one.from.1 == cable.to.1);
                for target in targets {
                    if let Some((from, muted)) = source.clone() {
                        let to = target.to.clone();
                        let muted = muted || cable.muted || target.muted;
                        let sort = target.sort;
                        Cable { from, to, muted, sort }.lay(&mut self.model, origin);
                    }
                }
                continue;
            }
            let Some(to) = id_of(&cable.to.0).map(|id| (id, cable.to.1.clone())) else {
                continue;
            };
            match source {
                Some((from, muted)) => {
                    let muted = muted || cable.muted;
                    let sort = cable.sort;
                    Cable { from, to, muted, sort }.lay(&mut self.model, origin);
                }
                None => self.set_from_group(group, &cable.from.1, &to),
            }
        }
    }

    /// The value of an unlinked input of the group node goes to the inputs that it fed.
    fn set_from_group(&mut self, group: &Node, input: &str, (id, socket): &(String, String)) {
        let default = || {
            let tree = group_tree(group).and_then(|name| self.scope.trees.get(name));
            let mut items = tree.into_iter().flat_map(|tree| &tree.interface);
            items
                .find(|item| item.identifier == input)?
                .props
                .get("default_value")
                .cloned()
        };
        let value = group.inputs.get(input).and_then(|state| state.get("value")).cloned();
        if let (Some(value), Some(node)) = (value.or_else(default), self.model.node_mut(id))
            && node.kind != REROUTE
        {
            let state = node.inputs.entry(socket.clone()).or_default();
            state.insert("value".to_owned(), value);
        }
    }
}

/// IDs for nodes that come out of a group into a tree in which some are taken: their own where they are free, else the next number.
pub fn freed_ids<'n>(
    mut taken: BTreeSet<String>,
    group: &str,
    members: impl Iterator<Item = &'n str>,
) -> BTreeMap<String, String> {
    let (own, renamed): (Vec<&str>, Vec<&str>) = members.partition(|id| !taken.contains(*id));
    taken.extend(own.iter().map(|id| (*id).to_owned()));
    let mut found: BTreeMap<String, String> = own.iter().map(|id| ((*id).to_owned(), (*id).to_owned())).collect();
    for own in renamed {
        let stem = unnumbered(own);
        let mut candidates = (1..=taken.len()).map(|n| format!("{stem}.{n:03}"));
        let free = candidates.find(|id| !taken.contains(id));
        let id = free.unwrap_or_else(|| format!("{group}/{own}"));
        taken.insert(id.clone());
        found.insert(own.to_owned(), id);
    }
    found
}

/// `Vector Math.001` → `Vector Math`, as Blender counts on.
fn unnumbered(id: &str) -> &str {
    match id.rsplit_once('.') {
        Some((stem, number)) if !stem.is_empty() && number.len() >= 3 && number.bytes().all(|c| c.is_ascii_digit()) => {
            stem
        }
        _ => id,
    }
}
