//! Lowers the two payloads to the one edit language.

use geonode_protocol::{GnOp, NodeTreeOp};

use super::{By, Op, Text};

fn text<'p>(text: &'p str, field: &'static str) -> Text<'p> {
    Text { text, field }
}

pub(crate) fn convert_node_tree_op(op: &NodeTreeOp) -> Op<'_> {
    match op {
        NodeTreeOp::CreateNode(op) => Op::AddNode {
            id: text(&op.node_id, "node_id"),
            kind: text(&op.bl_idname, "bl_idname"),
            place: op.location,
            label: op.label.as_deref(),
            props: &op.properties,
        },
        NodeTreeOp::DeleteNode(op) => Op::RemoveNode {
            id: text(&op.node_id, "node_id"),
        },
        NodeTreeOp::SetInputDefault(op) => Op::SetInput {
            id: text(&op.node_id, "node_id"),
            socket: text(&op.socket, "socket"),
            by: By::Any,
            value: &op.value,
        },
        NodeTreeOp::SetProperty(op) => Op::SetProperty {
            id: text(&op.node_id, "node_id"),
            property: text(&op.property, "property"),
            value: &op.value,
        },
        NodeTreeOp::Link(op) => Op::Link {
            from: text(&op.from.node_id, "from/node_id"),
            out: text(&op.from.socket, "from/socket"),
            to: text(&op.to.node_id, "to/node_id"),
            input: text(&op.to.socket, "to/socket"),
        },
        NodeTreeOp::Unlink(op) => Op::Unlink {
            from: text(&op.from.node_id, "from/node_id"),
            out: text(&op.from.socket, "from/socket"),
            to: text(&op.to.node_id, "to/node_id"),
            input: text(&op.to.socket, "to/socket"),
        },
        NodeTreeOp::SetGroupIo(op) => Op::SetGroupIo(op),
        NodeTreeOp::AddZone(op) => Op::AddZone(op),
        NodeTreeOp::EditZone(op) => Op::EditZone(op),
        NodeTreeOp::RemoveZone(op) => Op::RemoveZone { id: text(&op.id, "id") },
        NodeTreeOp::AddGroup(op) => Op::AddGroup {
            id: text(&op.id, "id"),
            group: text(&op.node_group_name, "node_group_name"),
        },
        NodeTreeOp::SetItems(op) => Op::SetItems(op),
    }
}

pub(crate) fn convert_gn_op(op: &GnOp) -> Op<'_> {
    match op {
        GnOp::EnsureTarget(op) => Op::EnsureTarget {
            create: op.allow_create_modifier,
        },
        GnOp::EnsureSingleGroupIo {} => Op::EnsureGroupIo,
        GnOp::AddNode(op) => Op::AddNode {
            id: text(&op.id, "id"),
            kind: text(&op.bl_idname, "bl_idname"),
            place: if op.x.is_none() && op.y.is_none() {
                None
            } else {
                Some([op.x.unwrap_or(0.0), op.y.unwrap_or(0.0)])
            },
            label: op.label.as_deref(),
            props: &op.properties,
        },
        GnOp::RemoveNode(op) => Op::RemoveNode { id: text(&op.id, "id") },
        GnOp::Link(op) => Op::Link {
            from: text(&op.from_node, "from_node"),
            out: text(&op.from_socket, "from_socket"),
            to: text(&op.to_node, "to_node"),
            input: text(&op.to_socket, "to_socket"),
        },
        GnOp::Unlink(op) => Op::Unlink {
            from: text(&op.from_node, "from_node"),
            out: text(&op.from_socket, "from_socket"),
            to: text(&op.to_node, "to_node"),
            input: text(&op.to_socket, "to_socket"),
        },
        GnOp::SetInput(op) => {
            let (socket, by) = match (&op.socket_identifier, &op.socket_name) {
                (Some(identifier), _) => (text(identifier, "socket_identifier"), By::Identifier),
                (None, name) => (text(name.as_deref().unwrap_or_default(), "socket_name"), By::Name),
            };
            Op::SetInput {
                id: text(&op.node_id, "node_id"),
                socket,
                by,
                value: &op.value,
            }
        }
        GnOp::CleanupUnused {} => Op::CleanupUnused,
        GnOp::SetProperty(op) => Op::SetProperty {
            id: text(&op.node_id, "node_id"),
            property: text(&op.property, "property"),
            value: &op.value,
        },
        GnOp::SetGroupIo(op) => Op::SetGroupIo(op),
        GnOp::AddZone(op) => Op::AddZone(op),
        GnOp::EditZone(op) => Op::EditZone(op),
        GnOp::RemoveZone(op) => Op::RemoveZone { id: text(&op.id, "id") },
        GnOp::AddGroup(op) => Op::AddGroup {
            id: text(&op.id, "id"),
            group: text(&op.node_group_name, "node_group_name"),
        },
        GnOp::SetItems(op) => Op::SetItems(op),
        GnOp::AddFrame(op) => Op::AddFrame {
            id: text(&op.id, "id"),
            label: &op.label,
            members: &op.node_ids,
        },
        GnOp::SetModifierInput(op) => Op::SetModifierInput {
            name: op.name.as_deref(),
            identifier: op.identifier.as_deref(),
            value: &op.value,
        },
    }
}
