//! The operations of a plan, one file for each family: how they are carried out on the model, their words for the artist, and what they
//! mention.
//!
//! Where both step types have an operation under different fields, its file has a type of its own that is made from either payload.

mod animation;
mod arrange;
mod cables;
mod choices;
mod cleanup;
mod ensure;
mod frames;
mod gathering;
mod grouping;
mod groups;
mod interface;
mod interface_props;
mod links;
mod materials;
mod modifier_inputs;
mod naming;
mod nodes;
mod objects;
mod operation;
mod order;
mod replace;
mod tree;
mod ungrouping;
mod values;
mod work;
mod zones;

use geonode_protocol::{Action, GnOp, NodeTreeOp};

pub(crate) use animation::has_property;
pub(crate) use gathering::{Gathering, gatherings};
pub(crate) use grouping::grouping;
pub(crate) use links::short;
pub(crate) use materials::{material, materials_of};
pub use operation::Mention;
pub(crate) use operation::{Before, Operation};
pub(crate) use work::{Hidden, LinkNotes, Work};

pub(crate) use interface::side_of;
pub(crate) use ungrouping::dissolved;
pub use ungrouping::freed_ids;

use cleanup::CleanupUnused;
use ensure::EnsureSingleGroupIo;
use links::{Link, Unlink};
use nodes::{AddNode, RemoveNode};
use values::SetInput;

/// An operation of a plan that lives for `'p`.
pub(crate) type AnyOperation<'p> = Box<dyn Operation<'p> + 'p>;

/// The operations of a step, in order; none for a step without operations of its own.
pub(crate) fn operations_of(action: &Action) -> impl Iterator<Item = AnyOperation<'_>> {
    let (of_tree, small): (&[NodeTreeOp], &[GnOp]) = match action {
        Action::NodeTree(payload) => (&payload.operations, &[]),
        Action::GnOps(payload) => (&[], &payload.ops),
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => (&[], &[]),
    };
    of_tree.iter().map(of_node_tree).chain(small.iter().map(of_gn_ops))
}

/// What the operations of a step create, name or may change; nothing for a step without operations of its own.
pub fn mentions(action: &Action) -> impl Iterator<Item = Mention<'_>> {
    operations_of(action).flat_map(|op| op.mentions())
}

/// The last operation of a step that names the node, as a JSON Pointer without its first slash into the payload.
pub fn naming(action: &Action, node: &str) -> Option<String> {
    let list = match action {
        Action::NodeTree(_) => "operations",
        Action::GnOps(_) => "ops",
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return None,
    };
    let names_it = |mention: Mention<'_>| match mention {
        Mention::NewNode(id) | Mention::Node(id) => id == node,
        Mention::NewZone(id) | Mention::Zone(id) => node
            .strip_prefix(id)
            .is_some_and(|end| matches!(end, "" | ".in" | ".out")),
        Mention::Socket(_) | Mention::ModifierInput(_) | Mention::NodeGroup(_) | Mention::UnusedNodes => false,
    };
    let operations = operations_of(action).enumerate();
    let naming = operations.filter(|(_, op)| op.mentions().into_iter().any(names_it));
    let (at, _) = naming.last()?;
    Some(format!("{list}/{at}"))
}

fn of_node_tree(op: &NodeTreeOp) -> AnyOperation<'_> {
    match op {
        NodeTreeOp::CreateNode(op) => Box::new(AddNode::from(op)),
        NodeTreeOp::DeleteNode(op) => Box::new(RemoveNode::from(op)),
        NodeTreeOp::SetInputDefault(op) => Box::new(SetInput::from(op)),
        NodeTreeOp::SetProperty(op) => Box::new(op),
        NodeTreeOp::Link(op) => Box::new(Link(op.into())),
        NodeTreeOp::Unlink(op) => Box::new(Unlink(op.into())),
        NodeTreeOp::SetGroupIo(op) => Box::new(&**op),
        NodeTreeOp::AddZone(op) => Box::new(op),
        NodeTreeOp::EditZone(op) => Box::new(op),
        NodeTreeOp::RemoveZone(op) => Box::new(op),
        NodeTreeOp::AddGroup(op) => Box::new(op),
        NodeTreeOp::SetItems(op) => Box::new(op),
        NodeTreeOp::ReplaceNode(op) => Box::new(op),
        NodeTreeOp::OrderLinks(op) => Box::new(op),
        NodeTreeOp::GroupNodes(op) => Box::new(op),
        NodeTreeOp::UngroupNodes(op) => Box::new(op),
        NodeTreeOp::MakeMaterial(op) => Box::new(op),
        NodeTreeOp::MakeObject(op) => Box::new(op),
    }
}

fn of_gn_ops(op: &GnOp) -> AnyOperation<'_> {
    match op {
        GnOp::EnsureTarget(op) => Box::new(op),
        GnOp::EnsureSingleGroupIo {} => Box::new(EnsureSingleGroupIo),
        GnOp::AddNode(op) => Box::new(AddNode::from(op)),
        GnOp::RemoveNode(op) => Box::new(RemoveNode::from(op)),
        GnOp::Link(op) => Box::new(Link(op.into())),
        GnOp::Unlink(op) => Box::new(Unlink(op.into())),
        GnOp::SetInput(op) => Box::new(SetInput::from(op)),
        GnOp::CleanupUnused {} => Box::new(CleanupUnused),
        GnOp::SetProperty(op) => Box::new(op),
        GnOp::SetGroupIo(op) => Box::new(&**op),
        GnOp::AddZone(op) => Box::new(op),
        GnOp::EditZone(op) => Box::new(op),
        GnOp::RemoveZone(op) => Box::new(op),
        GnOp::AddGroup(op) => Box::new(op),
        GnOp::SetItems(op) => Box::new(op),
        GnOp::AddFrame(op) => Box::new(op),
        GnOp::SetModifierInput(op) => Box::new(op),
        GnOp::ReplaceNode(op) => Box::new(op),
        GnOp::OrderLinks(op) => Box::new(op),
        GnOp::GroupNodes(op) => Box::new(op),
        GnOp::UngroupNodes(op) => Box::new(op),
        GnOp::MakeMaterial(op) => Box::new(op),
        GnOp::MakeObject(op) => Box::new(op),
        GnOp::ArrangeInterface(op) => Box::new(op),
        GnOp::SetTree(op) => Box::new(op),
    }
}
