//! Fields linked to inputs that take a single value: Blender draws such a link in red, and the result is empty.

use geonode_protocol::{Code, Hint};

use crate::ir::Side;
use crate::ops::Work;
use crate::structure::{Inferred, Structure};

impl Work<'_> {
    /// Reports links of this plan that carry a field into an input for single values.
    pub(crate) fn check_fields(&mut self) {
        let wires = self.model.wires();
        if wires.iter().all(|(_, wire, _)| wire.origin.is_none()) {
            return;
        }
        let inferred = Inferred::of_model(self.scope, &self.model);
        let mut wrong: Vec<(usize, String)> = Vec::new();
        for (from, wire, to) in wires {
            let Some(origin) = wire.origin.filter(|_| !wire.muted) else {
                continue;
            };
            if inferred.of(from, Side::Output, &wire.from_socket) != Some(Structure::Field)
                || !inferred.takes_single(to, &wire.to_socket)
            {
                continue;
            }
            let target = self.model.node(to);
            let sockets = target.map(|node| self.scope.sockets(&self.model, node, Side::Input));
            let named = sockets
                .as_deref()
                .unwrap_or_default()
                .iter()
                .find(|socket| socket.identifier == wire.to_socket);
            let name = named.map_or(wire.to_socket.as_str(), |socket| socket.name.as_str());
            wrong.push((
                origin,
                format!("“{from}” outputs a field, but “{name}” of “{to}” takes a single value"),
            ));
        }
        for (origin, message) in wrong {
            self.sink.enter_op(origin);
            let path = self.sink.at("");
            let hint = Hint::explain(
                "a field has a value for each element; Attribute Statistic and Sample Index make one value of it",
            );
            self.sink.error(Code::FieldIntoSingle, path, message, Some(hint));
        }
    }
}
