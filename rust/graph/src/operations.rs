//! The operations of a plan in plain words, one by one, for an artist who accepts or leaves out each of them.

use geonode_protocol::{Action, Direction, GroupIo, Step, ZoneKind};
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::documents::Document;
use crate::ir::Tree;
use crate::ops::{Op, convert_gn_op, convert_node_tree_op};
use crate::summary::value;

/// Longest value that is written out, in characters.
const MAX_VALUE: usize = 60;

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
    let (ops, tree): (Vec<Op<'_>>, _) = match &step.action {
        Action::NodeTree(payload) => (
            payload.operations.iter().map(convert_node_tree_op).collect(),
            Some(payload.target.node_group_name.as_str()),
        ),
        Action::GnOps(payload) => {
            let target = &payload.target;
            let modifiers = document
                .objects
                .get(&target.object_name)
                .map(|object| &object.modifiers);
            let modifier = modifiers.and_then(|all| all.iter().find(|m| m.name == target.modifier_name));
            let tree = modifier.and_then(|modifier| modifier.node_group.as_deref());
            (payload.ops.iter().map(convert_gn_op).collect(), tree)
        }
        Action::Python(_) | Action::Added(_) => return Vec::new(),
    };
    let before = tree.and_then(|name| document.trees.get(name));
    ops.into_iter()
        .map(|op| OperationSummary {
            words: describe(op, before, catalogue),
            destructive: destroys(op, before),
        })
        .collect()
}

fn destroys(op: Op<'_>, before: Option<&Tree>) -> bool {
    let Some(tree) = before else { return false };
    match op {
        Op::RemoveNode { id } => tree.nodes.iter().any(|node| node.id == id.text),
        Op::SetGroupIo(socket) => socket.remove,
        Op::RemoveZone { .. } | Op::CleanupUnused => true,
        Op::EditZone(zone) => !zone.remove_items.is_empty(),
        Op::EnsureTarget { .. }
        | Op::EnsureGroupIo
        | Op::AddNode { .. }
        | Op::SetInput { .. }
        | Op::SetProperty { .. }
        | Op::Link { .. }
        | Op::Unlink { .. }
        | Op::AddZone(_)
        | Op::AddGroup { .. }
        | Op::SetItems(_)
        | Op::AddFrame { .. }
        | Op::SetModifierInput { .. } => false,
    }
}

fn describe(op: Op<'_>, before: Option<&Tree>, catalogue: &Catalogue) -> String {
    let label = |kind: &str| {
        catalogue
            .nodes
            .get(kind)
            .map_or_else(|| kind.to_owned(), |known| known.label.clone())
    };
    match op {
        Op::EnsureTarget { create: true } => "Add the modifier if it does not exist".to_owned(),
        Op::EnsureTarget { create: false } => "Check that the modifier exists".to_owned(),
        Op::EnsureGroupIo => "Make sure that there is exactly one Group Input and one Group Output".to_owned(),
        Op::AddNode { id, kind, .. } => format!("Add {} “{}”", label(kind.text), id.text),
        Op::RemoveNode { id } => {
            let node = before.and_then(|tree| tree.nodes.iter().find(|node| node.id == id.text));
            node.map_or_else(
                || format!("Remove the node “{}”", id.text),
                |node| format!("Remove {} “{}”", label(&node.kind), id.text),
            )
        }
        Op::SetInput {
            id, socket, value: new, ..
        } => format!("Set {} of “{}” to {}", socket.text, id.text, short(new)),
        Op::SetProperty {
            id,
            property,
            value: new,
        } => format!("Set {} of “{}” to {}", property.text, id.text, short(new)),
        Op::Link { from, out, to, input } => {
            format!("Link {}.{} to {}.{}", from.text, out.text, to.text, input.text)
        }
        Op::Unlink { from, out, to, input } => {
            format!("Unlink {}.{} from {}.{}", from.text, out.text, to.text, input.text)
        }
        Op::SetGroupIo(socket) => of_interface(socket, before),
        Op::CleanupUnused => "Remove the nodes that lead to no output".to_owned(),
        Op::AddZone(zone) => {
            let kind = match zone.kind {
                ZoneKind::Repeat => "repeat",
                ZoneKind::Simulation => "simulation",
                ZoneKind::ForEach => "for-each",
            };
            format!("Add the {kind} zone “{}”", zone.id)
        }
        Op::EditZone(zone) => format!(
            "Change the zone “{}”: {} items added, {} removed",
            zone.id,
            zone.add_items.len(),
            zone.remove_items.len()
        ),
        Op::RemoveZone { id } => format!("Remove the zone “{}”", id.text),
        Op::AddGroup { id, group } => format!("Add the group “{}” as “{}”", group.text, id.text),
        Op::SetItems(items) => format!(
            "Give “{}” {} {}",
            items.node_id,
            items.items.len(),
            items.collection.replace('_', " ")
        ),
        Op::AddFrame { id, label, members } => {
            let name = if label.is_empty() { id.text } else { label };
            format!("Put {} nodes into the frame “{name}”", members.len())
        }
        Op::SetModifierInput {
            name,
            identifier,
            value: new,
        } => format!(
            "Set the modifier's input “{}” to {}",
            name.or(identifier).unwrap_or_default(),
            short(new)
        ),
    }
}

fn of_interface(socket: &GroupIo, before: Option<&Tree>) -> String {
    let (side, there) = match socket.direction {
        Direction::Input => ("input", crate::ir::Side::Input),
        Direction::Output => ("output", crate::ir::Side::Output),
    };
    let known = before.is_some_and(|tree| {
        let mut items = tree.interface.iter();
        items.any(|item| item.name == socket.name && item.in_out == Some(there))
    });
    let verb = match (socket.remove, known) {
        (true, _) => "Remove",
        (false, true) => "Keep or change",
        (false, false) => "Add",
    };
    match &socket.default {
        Some(default) if !socket.remove => format!("{verb} the {side} “{}” ({})", socket.name, short(default)),
        _ => format!("{verb} the {side} “{}”", socket.name),
    }
}

fn short(new: &Value) -> String {
    let text = value(new);
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
