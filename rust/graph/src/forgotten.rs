//! A geometry link that looks forgotten is reported with the operation that would add it, but never added.

use geonode_protocol::{Change, Code, Finding, Hint};
use petgraph::algo::has_path_connecting;
use serde_json::json;

use crate::catalogue::Socket;
use crate::ir::Side;
use crate::ops::Work;
use crate::sockets::{GEOMETRY, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};

/// A geometry socket without a link: node and socket.
struct Open {
    node: String,
    socket: String,
}

impl Work<'_> {
    /// Warns when the plan leaves exactly one geometry output and one geometry input unlinked.
    ///
    /// Only nodes that the plan creates and the group's own input and output count: an end that the artist left
    /// open is not a mistake of this plan.
    pub(crate) fn warn_of_forgotten_link(&mut self) {
        let planned = self.model.nodes().any(|node| {
            self.model.is_new(&node.id) && !matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE)
        });
        if !planned {
            return;
        }
        let (empty, loose) = (self.open_sockets(Side::Input), self.open_sockets(Side::Output));
        let ([to], [from]) = (empty.as_slice(), loose.as_slice()) else {
            return;
        };
        let (Some(a), Some(b)) = (self.model.node_index(&from.node), self.model.node_index(&to.node)) else {
            return;
        };
        if has_path_connecting(self.model.graph(), b, a, None) {
            return;
        }
        let cause = format!(
            "the geometry output “{}” of “{}” is not linked, and neither is the input “{}” of “{}”; perhaps a link was forgotten",
            from.socket, from.node, to.socket, to.node
        );
        let link = if self.implicit_group_io {
            json!({"op": "link", "from": {"node_id": from.node, "socket": from.socket},
                   "to": {"node_id": to.node, "socket": to.socket}})
        } else {
            json!({"op": "link", "from_node": from.node, "from_socket": from.socket,
                   "to_node": to.node, "to_socket": to.socket})
        };
        let is_end = self
            .model
            .node(&to.node)
            .is_some_and(|node| node.kind == GROUP_OUTPUT_TYPE);
        let hint = if is_end {
            "Link them (on a page by its `return`), or leave them unlinked if that is intended."
        } else {
            "Link them, or leave them unlinked if that is intended."
        };
        let finding = Finding::warning(Code::UnlinkedGeometry, self.sink.at(""), cause)
            .hint(Hint::change(hint, Change::add(self.sink.after_last(), link)));
        self.sink.push(finding);
    }

    /// Unlinked geometry sockets of planned nodes and of the group's own ends. A node of which
    /// something is used may leave the rest: what it splits off, the box that it measured.
    fn open_sockets(&self, side: Side) -> Vec<Open> {
        let end = if side == Side::Input {
            GROUP_OUTPUT_TYPE
        } else {
            GROUP_INPUT_TYPE
        };
        let mut open = Vec::new();
        for node in self
            .model
            .nodes()
            .filter(|node| self.model.is_new(&node.id) || node.kind == end)
        {
            let sockets = self.scope.sockets(&self.model, node, side);
            let geometry = |socket: &&Socket| socket.kind == GEOMETRY && socket.available;
            let part_is_used = |other: &Socket| {
                let mut edges = self.model.edges(&node.id, petgraph::Direction::Outgoing);
                edges.any(|(_, wire, _)| wire.from_socket == other.identifier)
            };
            if side == Side::Output && node.kind != end && sockets.iter().any(part_is_used) {
                continue;
            }
            for socket in sockets.iter().filter(geometry) {
                let linked = match side {
                    Side::Input => !self.model.links_to(&node.id, &socket.identifier).is_empty(),
                    // None of the node's is, except of the group's own input.
                    Side::Output => part_is_used(socket),
                };
                if !linked {
                    open.push(Open {
                        node: node.id.clone(),
                        socket: display_name(socket, &sockets).to_owned(),
                    });
                }
            }
        }
        open
    }
}

/// The name of the socket in a plan: its displayed name, unless another available socket shares it.
fn display_name<'s>(socket: &'s Socket, all: &[Socket]) -> &'s str {
    let named = |other: &&Socket| other.available && (other.name == socket.name || other.identifier == socket.name);
    if all.iter().filter(named).count() == 1 {
        &socket.name
    } else {
        &socket.identifier
    }
}
