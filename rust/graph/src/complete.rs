//! The certain repair of a forgotten geometry link: made where only one is possible.

use geonode_protocol::Code;
use petgraph::algo::has_path_connecting;

use crate::ir::Side;
use crate::ops::Work;
use crate::sockets::{GROUP_INPUT, GROUP_OUTPUT};

const GEOMETRY: &str = "NodeSocketGeometry";

impl Work<'_> {
    /// Links the only loose geometry output to the only empty geometry input, when the plan left exactly one of each.
    ///
    /// Loose and empty counts only what the plan made, and the group's own input and output: an end that the artist left
    /// open is not a mistake of this plan.
    pub(crate) fn complete_geometry(&mut self) {
        let planned = self
            .model
            .nodes()
            .any(|node| self.model.is_new(&node.id) && !matches!(node.kind.as_str(), GROUP_INPUT | GROUP_OUTPUT));
        if !planned {
            return;
        }
        let empty = self.open_sockets(Side::Input);
        let loose = self.open_sockets(Side::Output);
        let ([(to, input)], [(from, out)]) = (empty.as_slice(), loose.as_slice()) else {
            return;
        };
        let (Some(a), Some(b)) = (self.model.node_index(from), self.model.node_index(to)) else {
            return;
        };
        if has_path_connecting(self.model.graph(), b, a, None) {
            return;
        }
        let path = self.sink.at("");
        let message = format!("the geometry of “{from}” went nowhere and “{to}” had none; they were linked");
        self.sink.warn(Code::Repaired, path, message);
        let origin = self.sink.op();
        self.model.connect((from, out), (to, input), Some(origin));
    }

    /// Unlinked geometry sockets of planned nodes and of the group's own ends.
    fn open_sockets(&self, side: Side) -> Vec<(String, String)> {
        let end = if side == Side::Input { GROUP_OUTPUT } else { GROUP_INPUT };
        let mut open = Vec::new();
        for node in self
            .model
            .nodes()
            .filter(|node| self.model.is_new(&node.id) || node.kind == end)
        {
            for socket in self.scope.sockets(&self.model, node, side).iter() {
                if socket.kind != GEOMETRY || !socket.available {
                    continue;
                }
                let linked = match side {
                    Side::Input => !self.model.links_to(&node.id, &socket.identifier).is_empty(),
                    Side::Output => self
                        .model
                        .edges(&node.id, petgraph::Direction::Outgoing)
                        .any(|(_, wire, _)| wire.from_socket == socket.identifier),
                };
                if !linked {
                    open.push((node.id.clone(), socket.identifier.clone()));
                }
            }
        }
        open
    }
}
