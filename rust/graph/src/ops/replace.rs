//! Replacing a node by one of another type.

use std::collections::BTreeMap;

use geonode_protocol::{Code, Hint, ReplaceNode};
use petgraph::Direction;
use petgraph::stable_graph::EdgeIndex;

use super::operation::{Before, Mention, Operation};
use super::work::{Work, text};
use crate::catalogue::Socket;
use crate::ir::{Map, Node, Side, Tree};
use crate::model::Wire;
use crate::sink::escape;
use crate::values::Want;

/// What a node of any type has; it stays with the ID.
const KEPT: [&str; 5] = ["mute", "hide", "use_custom_color", "color", "show_options"];

impl<'p> Operation<'p> for &'p ReplaceNode {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.replace_node(self);
    }

    fn words(&self, before: &Before<'_>) -> String {
        format!("Make “{}” a {}", self.node_id, before.label(&self.bl_idname))
    }

    fn destroys(&self, before: &Tree) -> bool {
        let mut nodes = before.nodes.iter();
        nodes.any(|node| node.id == self.node_id && node.kind != self.bl_idname)
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(&self.node_id)]
    }
}

impl Work<'_> {
    fn replace_node(&mut self, op: &ReplaceNode) {
        let Some(id) = self.resolve_node(text(&op.node_id, "node_id")) else {
            return;
        };
        let Some(kind) = self.resolve_type(text(&op.bl_idname, "bl_idname")) else {
            return;
        };
        let Some(old) = self.model.node(&id).cloned() else {
            return;
        };
        if old.kind != kind {
            if let Some(end) = [&old.kind, &kind].into_iter().find(|kind| self.is_end(kind)) {
                let path = self.sink.at("bl_idname");
                let message = format!("a node of the type {end} cannot replace another or be replaced");
                let hint = Hint::explain("ends of trees and zones, and frames, stay what they are");
                self.sink.error(Code::NodeTypeMismatch, path, message, Some(hint));
                return;
            }
            self.put_in_place(&id, &old, &kind);
        }
        for (name, value) in &op.properties {
            let field = format!("properties/{}", escape(name));
            self.put_property(&id, name, value, &field);
        }
        if old.kind != kind {
            self.take_over(&id, &old);
        }
    }

    /// The new node in the place of the old one and as wide, without links and values.
    fn put_in_place(&mut self, id: &str, old: &Node, kind: &str) {
        let known = self.scope.catalogue.nodes.get(kind);
        let has = |name: &str| known.is_some_and(|known| known.properties.contains_key(name));
        let props = old
            .props
            .iter()
            .filter(|(name, _)| KEPT.contains(&name.as_str()) && has(name));
        let node = Node {
            id: id.to_owned(),
            name: old.name.clone(),
            kind: kind.to_owned(),
            label: old.label.clone(),
            location: old.location,
            parent: old.parent.clone(),
            width: old.width,
            props: props.map(|(name, value)| (name.clone(), value.clone())).collect(),
            ..Node::default()
        };
        if let Some(place) = self.model.node_mut(id) {
            *place = node;
        }
        self.model.replaced.insert(id.to_owned());
    }

    /// Links and values of the old node at the sockets of the new one that correspond; says which links are dropped.
    fn take_over(&mut self, id: &str, old: &Node) {
        let Some(new) = self.model.node(id).cloned() else {
            return;
        };
        let mut dropped: Vec<String> = Vec::new();
        for (side, direction) in [(Side::Input, Direction::Incoming), (Side::Output, Direction::Outgoing)] {
            let before = self.scope.sockets(&self.model, old, side).into_owned();
            let after = self.scope.sockets(&self.model, &new, side).into_owned();
            let wires: Vec<_> = self
                .model
                .edges(id, direction)
                .map(|(edge, wire, other)| (edge, wire.clone(), other.to_owned()))
                .collect();
            let linked: Vec<&str> = wires.iter().map(|(_, wire, _)| here(wire, side)).collect();
            let matching = correspondence(&before, &after, &linked, &linked);
            let mut filled: Vec<String> = Vec::new();
            for (edge, wire, other) in in_order(wires) {
                let at = here(&wire, side).to_owned();
                let fits = matching.get(at.as_str()).filter(|socket| {
                    if side == Side::Input && !socket.multi && filled.contains(&socket.identifier) {
                        return false;
                    }
                    let opposite = if side == Side::Input { Side::Output } else { Side::Input };
                    let far = self
                        .model
                        .node(&other)
                        .map(|node| self.scope.sockets(&self.model, node, opposite));
                    let there = match side {
                        Side::Input => &wire.from_socket,
                        Side::Output => &wire.to_socket,
                    };
                    let far = far.and_then(|all| all.iter().find(|one| one.identifier == *there).cloned());
                    far.is_none_or(|far| match side {
                        Side::Input => self.convertible(&other, &far, id, socket),
                        Side::Output => self.convertible(id, socket, &other, &far),
                    })
                });
                match (fits.cloned(), self.model.wire_mut(edge)) {
                    (Some(socket), Some(wire)) => match side {
                        Side::Input => {
                            wire.to_socket.clone_from(&socket.identifier);
                            wire.sort = wire.sort.filter(|_| socket.multi);
                            filled.push(socket.identifier);
                        }
                        Side::Output => wire.from_socket.clone_from(&socket.identifier),
                    },
                    _ => {
                        let name = before.iter().find(|socket| socket.identifier == at);
                        let name = name.map_or(at.as_str(), |socket| &socket.name);
                        dropped.push(match side {
                            Side::Input => format!("{other} → {name}"),
                            Side::Output => format!("{name} → {other}"),
                        });
                        self.model.disconnect(edge);
                        let (from, to) = if side == Side::Input {
                            (other, id.to_owned())
                        } else {
                            (id.to_owned(), other)
                        };
                        self.unsaid.cut.insert([from, wire.from_socket, to, wire.to_socket]);
                    }
                }
            }
            if side == Side::Input {
                let animated = self.animated_sockets(id);
                let animated: Vec<&str> = animated.iter().map(String::as_str).collect();
                let matching = correspondence(&before, &after, &[], &animated);
                self.keep_values(id, old, &matching);
                self.carry_to_the_new(id, &before, &matching);
            }
        }
        if !dropped.is_empty() {
            let path = self.sink.at("bl_idname");
            let message = format!("the new “{id}” has no sockets for these links: {}", dropped.join(", "));
            self.sink.warn(Code::LinkDropped, path, message);
        }
    }

    /// Values of the old node that the corresponding inputs accept as they are.
    fn keep_values(&mut self, id: &str, old: &Node, matching: &BTreeMap<String, Socket>) {
        for (identifier, state) in &old.inputs {
            let (Some(socket), Some(value)) = (matching.get(identifier), state.get("value")) else {
                continue;
            };
            let fitted = Want::socket(socket).fit(value, self.document).ok();
            let unchanged = fitted.filter(|fitted| fitted.repair.is_none());
            if let (Some(fitted), Some(node)) = (unchanged, self.model.node_mut(id)) {
                let entry: &mut Map = node.inputs.entry(socket.identifier.clone()).or_default();
                entry.entry("value".to_owned()).or_insert(fitted.value);
            }
        }
    }
}

/// Links in the order in which Blender shows those of one input.
fn in_order(mut wires: Vec<(EdgeIndex, Wire, String)>) -> Vec<(EdgeIndex, Wire, String)> {
    wires.sort_by_key(|(_, wire, _)| (wire.sort, wire.order));
    wires
}

fn here(wire: &Wire, side: Side) -> &str {
    match side {
        Side::Input => &wire.to_socket,
        Side::Output => &wire.from_socket,
    }
}

/// By identifier of the old sockets, the new ones that take over from them, each once unless it takes several links: of the same
/// identifier and name, else of the same name, else of the same identifier, else the only one of that type, where only one of the
/// `linked` old sockets has it. The `first` come before the others.
fn correspondence(before: &[Socket], after: &[Socket], linked: &[&str], first: &[&str]) -> BTreeMap<String, Socket> {
    let mut found: BTreeMap<String, Socket> = BTreeMap::new();
    let mut taken: Vec<&str> = Vec::new();
    let is_linked = |old: &Socket| linked.contains(&old.identifier.as_str());
    let same: Alike<'_> = &|old, new| new.identifier == old.identifier && new.name == old.name;
    let named: Alike<'_> = &|old, new| new.name == old.name;
    let known: Alike<'_> = &|old, new| new.identifier == old.identifier;
    let typed: Alike<'_> = &|old, new| {
        let alike = before.iter().filter(|other| other.kind == old.kind && is_linked(other));
        new.kind == old.kind && is_linked(old) && alike.count() == 1
    };
    let comes_first = |old: &Socket| first.contains(&old.identifier.as_str());
    for round in [true, false] {
        for alike in [same, named, known, typed] {
            for old in before.iter().filter(|old| old.available && comes_first(old) == round) {
                if found.contains_key(&old.identifier) {
                    continue;
                }
                let fits = after.iter().filter(|new| new.available && alike(old, new));
                let unique = only(fits).filter(|new| new.multi || !taken.contains(&new.identifier.as_str()));
                if let Some(new) = unique {
                    taken.push(&new.identifier);
                    found.insert(old.identifier.clone(), new.clone());
                }
            }
        }
    }
    found
}

/// Whether a new socket is like an old one.
type Alike<'a> = &'a dyn Fn(&Socket, &Socket) -> bool;

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    match (items.next(), items.next()) {
        (Some(item), None) => Some(item),
        _ => None,
    }
}
