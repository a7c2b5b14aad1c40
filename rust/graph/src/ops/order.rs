//! The order of the links into an input that takes several.

use geonode_protocol::{Code, Hint, OrderLinks};
use petgraph::stable_graph::EdgeIndex;

use super::operation::{Before, Mention, Operation};
use super::work::{By, Work, text};
use crate::ir::{Side, Tree};

impl<'p> Operation<'p> for &'p OrderLinks {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.order_links(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let names: Vec<&str> = self.from.iter().map(|end| end.node_id.as_str()).collect();
        format!(
            "Order the links into {}.{}: {}",
            self.node_id,
            self.socket,
            names.join(", ")
        )
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(&self.node_id)]
    }
}

impl Work<'_> {
    fn order_links(&mut self, op: &OrderLinks) {
        let Some(id) = self.resolve_node(text(&op.node_id, "node_id")) else {
            return;
        };
        let Some(input) = self.resolve_socket(&id, text(&op.socket, "socket"), Side::Input, By::Any) else {
            return;
        };
        if !input.multi {
            let path = self.sink.at("socket");
            let message = format!("the input “{}” of “{id}” takes one link", input.name);
            let hint = self.sink.without("leave it out: one link has no order", "");
            self.sink.error(Code::InvalidValue, path, message, Some(hint));
            return;
        }
        let mut wanted: Vec<EdgeIndex> = Vec::new();
        for (index, end) in op.from.iter().enumerate() {
            let Some(from) = self.find_node(&end.node_id) else {
                self.no_node(&end.node_id, &format!("from/{index}/node_id"));
                return;
            };
            let Some(output) = self.resolve_socket(&from, text(&end.socket, "from"), Side::Output, By::Any) else {
                return;
            };
            let link = self.model.find((&from, &output.identifier), (&id, &input.identifier));
            let Some(link) = link.filter(|link| !wanted.contains(link)) else {
                let path = self.sink.at(&format!("from/{index}"));
                let message = format!("no other link leads from “{from}” ({}) to “{id}”", output.name);
                let hint = Hint::explain("it orders links that are there, each named once");
                self.sink.error(Code::InvalidValue, path, message, Some(hint));
                return;
            };
            wanted.push(link);
        }
        // Blender evaluates the link with the highest number first.
        let rest = self.model.in_order(&id, &input.identifier).into_iter().rev();
        let rest = rest.filter(|link| !wanted.contains(link));
        let order: Vec<EdgeIndex> = wanted.iter().copied().chain(rest).collect();
        for (sort, link) in (0_i64..).zip(order.into_iter().rev()) {
            if let Some(wire) = self.model.wire_mut(link) {
                wire.sort = Some(sort);
            }
        }
    }
}
