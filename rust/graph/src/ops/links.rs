//! Adding and removing links.

use geonode_protocol::{self as plan, Code, Hint};
use petgraph::Direction;
use petgraph::algo::has_path_connecting;

use super::operation::{Before, Mention, Operation};
use super::work::{By, Text, Work, text};
use crate::catalogue::Socket;
use crate::ir::{Side, Tree};
use crate::sockets::{GEOMETRY, REROUTE};

/// Both ends of a link.
#[derive(Clone, Copy)]
pub(super) struct Ends<'p> {
    from: Text<'p>,
    out: Text<'p>,
    to: Text<'p>,
    input: Text<'p>,
    muted: Option<bool>,
}

impl<'p> From<&'p plan::Unlink> for Ends<'p> {
    fn from(op: &'p plan::Unlink) -> Self {
        Self {
            from: text(&op.from.node_id, "from/node_id"),
            out: text(&op.from.socket, "from/socket"),
            to: text(&op.to.node_id, "to/node_id"),
            input: text(&op.to.socket, "to/socket"),
            muted: None,
        }
    }
}

impl<'p> From<&'p plan::GnUnlink> for Ends<'p> {
    fn from(op: &'p plan::GnUnlink) -> Self {
        Self {
            from: text(&op.from_node, "from_node"),
            out: text(&op.from_socket, "from_socket"),
            to: text(&op.to_node, "to_node"),
            input: text(&op.to_socket, "to_socket"),
            muted: None,
        }
    }
}

impl<'p> From<&'p plan::Link> for Ends<'p> {
    fn from(op: &'p plan::Link) -> Self {
        Self {
            from: text(&op.from.node_id, "from/node_id"),
            out: text(&op.from.socket, "from/socket"),
            to: text(&op.to.node_id, "to/node_id"),
            input: text(&op.to.socket, "to/socket"),
            muted: op.muted,
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
            muted: op.muted,
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
        let Ends {
            from,
            out,
            to,
            input,
            muted,
        } = self.0;
        let muted = if muted == Some(true) { ", muted" } else { "" };
        format!("Link {}.{} to {}.{}{muted}", from.text, out.text, to.text, input.text)
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
        let Ends {
            from, out, to, input, ..
        } = self.0;
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
    fn link(&mut self, ends: Ends<'_>) {
        let Ends {
            from,
            out,
            to,
            input,
            muted,
        } = ends;
        if self.names_a_zone(from, to) {
            return;
        }
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
                Some(Hint::explain("feedback needs a Repeat or Simulation zone")),
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
            let hint = self.other_end((&a, &source, out), (&b, &target, input));
            self.sink.error(Code::IllegalLink, path, message, hint);
            return;
        }
        let ends = (
            (a.as_str(), source.identifier.as_str()),
            (b.as_str(), target.identifier.as_str()),
        );
        if let Some(edge) = self.model.find(ends.0, ends.1) {
            if let (Some(muted), Some(wire)) = (muted, self.model.wire_mut(edge)) {
                wire.muted = muted;
            }
            return;
        }
        if !target.multi {
            for edge in self.model.links_to(&b, &target.identifier) {
                self.unsaid.replaced.extend(self.model.source(edge));
                self.model.disconnect(edge);
            }
        }
        let origin = self.sink.op();
        self.links.made.insert(origin);
        let last = target.multi.then(|| self.model.last_sort(&b, &target.identifier) + 1);
        let made = self.model.connect(ends.0, ends.1, Some(origin));
        if let Some(wire) = made.and_then(|made| self.model.wire_mut(made)) {
            wire.sort = last;
            wire.muted = muted.unwrap_or_default();
        }
    }

    fn unlink(&mut self, ends: Ends<'_>) {
        let Ends {
            from, out, to, input, ..
        } = ends;
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

    /// Reports an end of a link that is a zone instead of one of its nodes.
    fn names_a_zone(&mut self, from: Text<'_>, to: Text<'_>) -> bool {
        let reaches = |a: &str, b: &str| {
            let (a, b) = (self.model.node_index(a), self.model.node_index(b));
            a.zip(b)
                .is_some_and(|(a, b)| has_path_connecting(self.model.graph(), a, b, None))
        };
        let inside_of =
            |zone: &str, id: &str| reaches(&format!("{zone}.in"), id) || reaches(id, &format!("{zone}.out"));
        // A link from the zone to a node inside it begins at its first end, one to a node behind it at its second.
        let mut ends = Vec::new();
        if self.is_zone(from.text) {
            let end = if reaches(to.text, &format!("{}.out", from.text)) {
                "in"
            } else {
                "out"
            };
            ends.push((from, format!("{}.{end}", from.text)));
        }
        if self.is_zone(to.text) {
            let inside = reaches(&format!("{}.in", to.text), from.text) && inside_of(to.text, from.text);
            let end = if inside { "out" } else { "in" };
            ends.push((to, format!("{}.{end}", to.text)));
        }
        for (named, end) in &ends {
            self.zone_as_node(*named, end);
        }
        !ends.is_empty()
    }

    /// What to link instead of two sockets that do not fit: the only other output of the type, if what was to be linked is a value
    /// too, or the input where a geometry goes.
    fn other_end(
        &self,
        (a, source, out): (&str, &Socket, Text<'_>),
        (b, target, input): (&str, &Socket, Text<'_>),
    ) -> Option<Hint> {
        let sockets = |id: &str, side| Some(self.scope.sockets(&self.model, self.model.node(id)?, side));
        if source.kind == GEOMETRY {
            let inputs = sockets(b, Side::Input)?;
            let mut places = inputs.iter().filter(|one| one.available && one.kind == GEOMETRY);
            let (Some(place), None) = (places.next(), places.next()) else {
                return Some(Hint::explain(format!(
                    "“{b}” takes no geometry; values come from nodes that compute them"
                )));
            };
            let taken = !place.multi && !self.model.links_to(b, &place.identifier).is_empty();
            return Some(if taken {
                Hint::explain(format!(
                    "geometry goes into “{}” of “{b}”, where something is linked already",
                    place.name
                ))
            } else {
                let hint = self.sink.near(input.field, place.name.as_str());
                hint.worded(|_| format!("geometry goes into “{}” of “{b}”", place.name))
            });
        }
        let outputs = sockets(a, Side::Output)?;
        let mut fitting = outputs.iter().filter(|one| one.available && one.kind == target.kind);
        let (Some(other), None) = (fitting.next(), fitting.next()) else {
            return None;
        };
        let hint = self.sink.near(out.field, other.name.as_str());
        Some(hint.worded(|_| format!("link the output “{}” instead", other.name)))
    }
}

/// `NodeSocketGeometry` → `Geometry`.
pub(crate) fn short(kind: &str) -> &str {
    kind.strip_prefix("NodeSocket").unwrap_or(kind)
}
