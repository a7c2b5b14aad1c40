//! Links at sockets that a step takes out of use, gives another type, or removes.

use geonode_protocol::Code;
use serde_json::json;

use crate::catalogue::Socket;
use crate::ir::Side;
use crate::ops::{Hidden, Work, short};

/// What became of a link's socket.
enum Fate {
    /// It is not there any more, and Blender removes the link.
    Gone,
    /// It is out of use in this mode; Blender keeps the link as invalid.
    Unused,
    /// It is of a type that does not convert; Blender keeps the link as invalid.
    Inconvertible,
}

impl Work<'_> {
    /// Reports links whose sockets went out of use or became of another type. A link of the plan's own is a mistake; one of the artist's is
    /// lost with its socket or waits for the former mode, and that is said.
    pub(crate) fn check_hidden(&mut self) {
        for hidden in std::mem::take(&mut self.links.hidden) {
            let [from, out, to, input] = &hidden.link;
            let Some(edge) = self.model.find((from, out), (to, input)) else {
                continue;
            };
            let side = if hidden.node == *to { Side::Input } else { Side::Output };
            let found = self.socket(&hidden.node, side, if side == Side::Input { input } else { out });
            let Some(fate) = self.fate(&hidden, side, found.as_ref()) else {
                continue;
            };
            let identifier = if side == Side::Input { input } else { out };
            let name = found.as_ref().map_or(identifier.as_str(), |one| &one.name);
            let words = match side {
                Side::Input => format!("“{from}” is linked to the input “{name}” of “{to}”"),
                Side::Output => format!("“{to}” is linked to the output “{name}” of “{from}”"),
            };
            let kind = found.as_ref().map_or("", |one| short(&one.kind));
            let reason = match fate {
                Fate::Gone => "which it no longer has".to_owned(),
                Fate::Unused => "which is not in use in this mode".to_owned(),
                Fate::Inconvertible => format!("which is {kind} in this mode and does not fit the other end"),
            };
            let planned = self.model.graph().edge_weight(edge).and_then(|wire| wire.origin);
            self.sink.enter_op(hidden.operation);
            let path = self.sink.at(&hidden.field);
            if planned.is_none() {
                if matches!(fate, Fate::Gone) {
                    let message = format!("{words}, {reason}; the link is removed");
                    self.sink.warn(Code::LinkDropped, path, message);
                    self.unsaid.dropped.insert(hidden.link);
                } else {
                    let message = format!("{words}, {reason}; the link stays and counts again in the former one");
                    self.sink.warn(Code::UnavailableSocket, path, message);
                    self.unsaid.idle.insert(hidden.link);
                }
                continue;
            }
            let unlink = if self.implicit_group_io {
                json!({"op": "unlink", "from": {"node_id": from, "socket": out}, "to": {"node_id": to, "socket": input}})
            } else {
                json!({"op": "unlink", "from_node": from, "from_socket": out, "to_node": to, "to_socket": input})
            };
            let hint = self.sink.before("remove that link first", unlink);
            let message = format!("{words}, {reason}");
            self.sink.error(Code::UnavailableSocket, path, message, Some(hint));
        }
    }

    fn socket(&self, id: &str, side: Side, identifier: &str) -> Option<Socket> {
        let sockets = self.scope.sockets(&self.model, self.model.node(id)?, side);
        sockets.iter().find(|one| one.identifier == identifier).cloned()
    }

    /// None if the link carries something as before.
    fn fate(&self, hidden: &Hidden, side: Side, found: Option<&Socket>) -> Option<Fate> {
        let Some(own) = found else { return Some(Fate::Gone) };
        if !own.available {
            return Some(Fate::Unused);
        }
        let [from, out, to, input] = &hidden.link;
        let converts = match side {
            Side::Input => {
                let source = self.socket(from, Side::Output, out);
                source.is_none_or(|source| self.convertible(from, &source, to, own))
            }
            Side::Output => {
                let target = self.socket(to, Side::Input, input);
                target.is_none_or(|target| self.convertible(from, own, to, &target))
            }
        };
        (!converts).then_some(Fate::Inconvertible)
    }
}
