//! What operations call sockets.

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Node, Side};
use geonode_graph::settled_name;
use geonode_protocol::Endpoint;

use crate::read::draft::End;
use crate::read::reader::Reader;

impl Reader<'_, '_, '_> {
    /// What an operation calls a socket: its identifier, or its name where it has none yet.
    pub(super) fn socket_word(&self, (id, identifier): &End, side: Side) -> String {
        if !identifier.starts_with('@') {
            return identifier.clone();
        }
        let sockets = self.draft.sockets(id, side);
        let Some(found) = sockets.iter().find(|socket| socket.identifier == *identifier) else {
            return identifier.clone();
        };
        let alike = |socket: &&Socket| socket.available && socket.name == found.name;
        if sockets.iter().filter(alike).count() < 2 {
            return found.name.clone();
        }
        // Of several the name alone says too little: that of a group was made in an earlier step.
        let group = self.draft.node(id).and_then(Node::group);
        let tree = group.and_then(|group| self.draft.scope.trees.get(group));
        let item = tree.and_then(|tree| tree.interface.iter().find(|item| item.identifier == *identifier));
        match tree.zip(item) {
            Some((tree, item)) => settled_name(&tree.interface, item),
            None => self.key(identifier),
        }
    }

    /// What operations call an item of the interface that the page adds.
    pub(super) fn key(&self, identifier: &str) -> String {
        match identifier.strip_prefix("@k") {
            Some(number) => format!("@p{}_{number}", self.draft.at),
            None => identifier.to_owned(),
        }
    }

    pub(super) fn endpoint(&self, end: &End, side: Side) -> Endpoint {
        Endpoint {
            node_id: end.0.clone(),
            socket: self.socket_word(end, side),
        }
    }
}
