//! Fields linked to inputs that take a single value: Blender draws such a link in red, and the result is empty.

use foldhash::{HashMap, HashMapExt};
use geonode_protocol::Code;
use petgraph::Direction;
use petgraph::algo::toposort;
use petgraph::stable_graph::NodeIndex;

use crate::ir::Side;
use crate::ops::Work;

impl Work<'_> {
    /// Reports links of this plan that certainly carry a field into an input for single values.
    ///
    /// An output certainly carries a field if the catalogue says so, or if it follows its inputs (`dynamic`) and one of
    /// those inputs carries a certain field. Nodes that take geometry may evaluate a field on it and give a single value: they,
    /// groups, zones and implicit fields are left to Blender and the gates.
    pub(crate) fn check_fields(&mut self) {
        let graph = self.model.graph();
        let planned = |edge| graph.edge_weight(edge).is_some_and(|wire| wire.origin.is_some());
        if !graph.edge_indices().any(planned) {
            return;
        }
        let Ok(order) = toposort(graph, None) else { return };
        let mut follows: HashMap<NodeIndex, bool> = HashMap::new();
        let mut wrong: Vec<(usize, String, String, String)> = Vec::new();
        for at in order {
            let Some(node) = graph.node_weight(at) else { continue };
            let inputs = self.scope.sockets(&self.model, node, Side::Input);
            let pure = inputs.iter().all(|socket| socket.kind != "NodeSocketGeometry");
            let mut carries = false;
            for (_, wire, from) in self.model.edges(&node.id, Direction::Incoming) {
                let Some(target) = inputs.iter().find(|socket| socket.identifier == wire.to_socket) else {
                    continue;
                };
                let Some(source) = self.model.node_index(from) else {
                    continue;
                };
                if !self.is_field(source, &wire.from_socket, &follows) {
                    continue;
                }
                match target.structure.as_deref() {
                    Some("dynamic") => carries |= pure,
                    Some("single") if target.kind != "NodeSocketGeometry" => {
                        if let Some(origin) = wire.origin {
                            wrong.push((origin, node.id.clone(), target.name.clone(), from.to_owned()));
                        }
                    }
                    _ => {}
                }
            }
            follows.insert(at, carries);
        }
        for (origin, id, socket, from) in wrong {
            self.sink.enter_op(origin);
            let path = self.sink.at("");
            let message = format!("“{from}” outputs a field, but “{socket}” of “{id}” takes a single value");
            let hint = "a field has a value for each element: reduce it with Attribute Statistic or Sample Index first"
                .to_owned();
            self.sink.error(Code::FieldIntoSingle, path, message, Some(hint));
        }
    }

    fn is_field(&self, at: NodeIndex, output: &str, follows: &HashMap<NodeIndex, bool>) -> bool {
        let Some(node) = self.model.graph().node_weight(at) else {
            return false;
        };
        let sockets = self.scope.sockets(&self.model, node, Side::Output);
        let structure = sockets
            .iter()
            .find(|socket| socket.identifier == output)
            .and_then(|s| s.structure.as_deref());
        match structure {
            Some("field") => true,
            Some("dynamic") => follows.get(&at).copied().unwrap_or(false),
            _ => false,
        }
    }
}
