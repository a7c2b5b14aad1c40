//! Adding and removing links.

use geonode_protocol::{self as plan, Code};
use petgraph::Direction;

use super::operation::{Before, Mention, Operation};
use super::work::{By, Text, Work, text};
use crate::catalogue::Socket;
use crate::ir::{Side, Tree};
use crate::sockets::REROUTE;

/// Both ends of a link.
#[derive(Clone, Copy)]
pub(super) struct Ends<'p> {
    from: Text<'p>,
    out: Text<'p>,
    to: Text<'p>,
    input: Text<'p>,
}

impl<'p> From<&'p plan::Link> for Ends<'p> {
    fn from(op: &'p plan::Link) -> Self {
        Self {
            from: text(&op.from.node_id, "from/node_id"),
            out: text(&op.from.socket, "from/socket"),
            to: text(&op.to.node_id, "to/node_id"),
            input: text(&op.to.socket, "to/socket"),
        }
    }
}

impl<'p> From<&'p plan::GnLink> for Ends<'p> {
    fn from(op: &'p plan::GnLink) -> Self {
        Self {
            from: text(&op.from_node, "from_node"),
            out: text(&op.from_socket, "from_socket"),
            to: text(&op.to_node, "to_node"),
            input: text(&op.to_socket, "to_socket"),
        }
    }
}

/// Adds a link.
pub(super) struct Link<'p>(pub Ends<'p>);

/// Removes a link.
pub(super) struct Unlink<'p>(pub Ends<'p>);

impl<'p> Operation<'p> for Link<'p> {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.link(self.0);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let Ends { from, out, to, input } = self.0;
        format!("Link {}.{} to {}.{}", from.text, out.text, to.text, input.text)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        self.0.mentions()
    }
}

impl<'p> Operation<'p> for Unlink<'p> {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.unlink(self.0);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let Ends { from, out, to, input } = self.0;
        format!("Unlink {}.{} from {}.{}", from.text, out.text, to.text, input.text)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        self.0.mentions()
    }
}

impl<'p> Ends<'p> {
    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(self.from.text), Mention::Node(self.to.text)]
    }
}

impl Work<'_> {
    fn link(&mut self, Ends { from, out, to, input }: Ends<'_>) {
        let (a, b) = (self.resolve_node(from), self.resolve_node(to));
        let (Some(a), Some(b)) = (a, b) else { return };
        let source = self.resolve_socket(&a, out, Side::Output, By::Any);
        let target = self.resolve_socket(&b, input, Side::Input, By::Any);
        let (Some(source), Some(target)) = (source, target) else {
            return;
        };
        if a == b {
            let path = self.sink.at(to.field);
            let message = format!("the node “{a}” would be linked to itself");
            self.sink.error(
                Code::Cycle,
                path,
                message,
                Some("use a Repeat or Simulation zone for feedback".to_owned()),
            );
            return;
        }
        if !self.convertible(&a, &source, &b, &target) {
            let path = self.sink.at(input.field);
            let (have, need) = (short(&source.kind), short(&target.kind));
            let message = format!(
                "“{a}” gives {have} at “{}”, but “{b}” takes {need} at “{}”",
                source.name, target.name
            );
            let hint = self
                .output_of_type(&a, &target)
                .map(|name| format!("link the output “{name}” instead"));
            self.sink.error(Code::IllegalLink, path, message, hint);
            return;
        }
        let ends = (
            (a.as_str(), source.identifier.as_str()),
            (b.as_str(), target.identifier.as_str()),
        );
        if self.model.find(ends.0, ends.1).is_some() {
            return;
        }
        if !target.multi {
            for edge in self.model.links_to(&b, &target.identifier) {
                self.unsaid.replaced.extend(self.model.source(edge));
                self.model.disconnect(edge);
            }
        }
        let origin = self.sink.op();
        let last = target.multi.then(|| self.model.last_sort(&b, &target.identifier) + 1);
        let made = self.model.connect(ends.0, ends.1, Some(origin));
        if let Some(wire) = made.and_then(|made| self.model.wire_mut(made)) {
            wire.sort = last;
        }
    }

    fn unlink(&mut self, Ends { from, out, to, input }: Ends<'_>) {
        let nothing = |work: &mut Self| {
            let path = work.sink.at("");
            let message = format!(
                "there is no link from “{}” ({}) to “{}” ({})",
                from.text, out.text, to.text, input.text
            );
            work.sink.warn(Code::NothingToRemove, path, message);
        };
        let (Some(a), Some(b)) = (self.find_node(from.text), self.find_node(to.text)) else {
            return nothing(self);
        };
        let source = self.resolve_socket(&a, out, Side::Output, By::Any);
        let target = self.resolve_socket(&b, input, Side::Input, By::Any);
        let (Some(source), Some(target)) = (source, target) else {
            return;
        };
        match self.model.find((&a, &source.identifier), (&b, &target.identifier)) {
            Some(edge) => {
                self.unsaid.unlinked.insert(a);
                self.model.disconnect(edge);
            }
            None => nothing(self),
        }
    }

    /// Reroutes take any type; sockets of dynamic items may have a type that only Blender knows.
    pub(crate) fn convertible(&self, a: &str, source: &Socket, b: &str, target: &Socket) -> bool {
        let reroute = |id: &str| self.model.node(id).is_some_and(|node| node.kind == REROUTE);
        let open = |socket: &Socket| socket.kind.is_empty() || socket.kind == "NodeSocketVirtual";
        if open(source) || open(target) || reroute(b) {
            return true;
        }
        let kind = if reroute(a) {
            self.behind_reroute(a)
        } else {
            Some(source.kind.clone())
        };
        kind.is_none_or(|kind| self.scope.catalogue.converts(&kind, &target.kind))
    }

    /// The type that flows through a chain of reroutes; `None` when nothing is linked to it.
    pub(crate) fn behind_reroute(&self, id: &str) -> Option<String> {
        let mut at = id.to_owned();
        for _ in 0..=self.model.graph().node_count() {
            let (_, wire, from) = self.model.edges(&at, Direction::Incoming).next()?;
            let node = self.model.node(from)?;
            if node.kind != REROUTE {
                let sockets = self.scope.sockets(&self.model, node, Side::Output);
                return sockets
                    .iter()
                    .find(|s| s.identifier == wire.from_socket)
                    .map(|s| s.kind.clone());
            }
            at = from.to_owned();
        }
        None
    }

    fn output_of_type(&self, id: &str, target: &Socket) -> Option<String> {
        let node = self.model.node(id)?;
        let sockets = self.scope.sockets(&self.model, node, Side::Output);
        let mut hits = sockets.iter().filter(|s| s.available && s.kind == target.kind);
        match (hits.next(), hits.next()) {
            (Some(hit), None) => Some(hit.name.clone()),
            _ => None,
        }
    }
}

/// `NodeSocketGeometry` → `Geometry`.
pub(crate) fn short(kind: &str) -> &str {
    kind.strip_prefix("NodeSocket").unwrap_or(kind)
}
