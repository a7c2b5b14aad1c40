//! Steps with the offsets of what they come from, and where they work.

use geonode_graph::ir::{Side, Tree};
use geonode_graph::{did_you_mean, settled_name};
use geonode_protocol::{
    Action, Code, GnOp, GnOps, MakeMaterial, MakeObject, ModifierTarget, NodeTree, NodeTreeOp, SetModifierInput,
    TreeTarget,
};

use super::fault::Faults;
use super::operations::Written;
use super::page::Apply;
use crate::names::{FORM_VALUES, SocketNames};

/// A step with offsets.
pub(super) struct RawStep {
    pub(super) action: Action,
    pub(super) places: Vec<usize>,
    pub(super) at: usize,
    pub(super) edits: bool,
    pub(super) asks: Vec<String>,
}

impl RawStep {
    /// Puts what the page makes beside trees before all that uses it.
    pub(super) fn make(&mut self, materials: &[(MakeMaterial, usize)]) {
        let made = materials.iter().map(|(made, _)| made.clone());
        match &mut self.action {
            Action::NodeTree(payload) => {
                payload.operations.splice(0..0, made.map(NodeTreeOp::MakeMaterial));
            }
            Action::GnOps(payload) => {
                payload.ops.splice(0..0, made.map(GnOp::MakeMaterial));
            }
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return,
        }
        self.places.splice(0..0, materials.iter().map(|(_, at)| *at));
    }

    /// Whether its target is this object.
    pub(super) fn works_on(&self, object: &str) -> bool {
        match &self.action {
            Action::NodeTree(payload) => payload.target.object_name == object,
            Action::GnOps(payload) => payload.target.object_name == object,
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => false,
        }
    }

    /// Makes the object of its target first.
    pub(super) fn make_object(&mut self, made: &MakeObject, at: usize) {
        match &mut self.action {
            Action::NodeTree(payload) => payload.operations.insert(0, NodeTreeOp::MakeObject(made.clone())),
            Action::GnOps(payload) => payload.ops.insert(0, GnOp::MakeObject(made.clone())),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return,
        }
        self.places.insert(0, at);
    }

    pub(super) fn asking(mut self, asks: &[String]) -> Self {
        self.asks = asks.to_vec();
        self
    }
}

/// A group that was read.
pub(super) struct Done {
    pub(super) name: String,
    pub(super) written: Written,
    pub(super) tree: Tree,
    /// Whether there was a tree of this name that it changes.
    pub(super) edits: bool,
    pub(super) at: usize,
    /// What it does to the artist's work without naming it.
    pub(super) asks: Vec<String>,
}

/// The steps that fill a group which others use.
pub(super) fn fill(child: &Done, on: &Target<'_>, steps: &mut Vec<RawStep>) {
    if !child.written.tree.is_empty() {
        let step = on.node_tree(&child.name, child.written.tree.clone(), false, child.edits);
        steps.push(step.asking(&child.asks));
    }
    if !child.written.later.is_empty() {
        steps.push(on.gn_ops(Some(&child.name), child.written.later.clone(), false, child.edits));
    }
}

/// Values of the modifier's inputs.
pub(super) fn inputs(apply: &Apply, tree: &Tree, faults: &mut Faults) -> Vec<(GnOp, usize)> {
    let items: Vec<_> = tree
        .interface
        .iter()
        .filter(|item| item.is_socket(Side::Input))
        .collect();
    let words = SocketNames::avoiding(
        items
            .iter()
            .map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
        FORM_VALUES,
    );
    let mut ops = Vec::new();
    for (key, value, at) in &apply.inputs {
        let place = items
            .iter()
            .position(|item| item.name == *key)
            .or_else(|| words.place(key));
        let Some(item) = place.and_then(|place| items.get(place)) else {
            let known: Vec<&str> = words.words().collect();
            let fix = did_you_mean(key, known.iter().copied())
                .unwrap_or_else(|| format!("The inputs are: {}.", known.join(", ")));
            faults.error(Code::UnknownInput, *at, format!("The group has no input “{key}”."), fix);
            continue;
        };
        let is_new = item.identifier.starts_with(['@', '=']);
        let is_shared = items.iter().filter(|other| other.name == item.name).count() > 1;
        let identifier = if item.identifier.starts_with('@') {
            settled_name(&tree.interface, item)
        } else {
            item.identifier.clone()
        };
        let by_name = is_new && !is_shared;
        let op = SetModifierInput {
            name: by_name.then(|| item.name.clone()),
            identifier: (!by_name).then_some(identifier),
            value: value.clone(),
        };
        ops.push((GnOp::SetModifierInput(op), *at));
    }
    ops
}

/// Whether a step makes a group.
pub(super) fn makes(step: &RawStep, group: &str) -> bool {
    let Action::NodeTree(payload) = &step.action else {
        return false;
    };
    let mut ops = payload.operations.iter();
    ops.any(|op| matches!(op, NodeTreeOp::GroupNodes(op) if op.node_group_name == group))
}

/// Where steps work.
pub(super) struct Target<'t> {
    pub(super) object: &'t str,
    pub(super) modifier: &'t str,
    pub(super) at: usize,
}

impl Target<'_> {
    pub(super) fn node_tree(
        &self,
        group: &str,
        ops: Vec<(NodeTreeOp, usize)>,
        single_user: bool,
        edits: bool,
    ) -> RawStep {
        let (operations, places) = ops.into_iter().unzip();
        RawStep {
            action: Action::NodeTree(NodeTree {
                target: TreeTarget {
                    object_name: self.object.to_owned(),
                    modifier_name: self.modifier.to_owned(),
                    node_group_name: group.to_owned(),
                },
                single_user,
                operations,
            }),
            places,
            at: self.at,
            edits,
            asks: Vec::new(),
        }
    }

    pub(super) fn gn_ops(
        &self,
        group: Option<&str>,
        ops: Vec<(GnOp, usize)>,
        single_user: bool,
        edits: bool,
    ) -> RawStep {
        let (ops, places) = ops.into_iter().unzip();
        RawStep {
            action: Action::GnOps(GnOps {
                v: 1,
                target: ModifierTarget {
                    object_name: self.object.to_owned(),
                    modifier_name: self.modifier.to_owned(),
                    node_group_name: group.map(str::to_owned),
                },
                single_user,
                ops,
            }),
            places,
            at: self.at,
            edits,
            asks: Vec::new(),
        }
    }
}
