//! The tree's interface: sockets and panels.

use geonode_protocol::{Code, Direction, GroupIo, Hint};
use serde_json::Value;

use super::operation::{Before, Mention, Operation, short};
use super::work::{Work, side_name};
use crate::ir::{Item, ItemKind, MAX_NAME, Map, Side, Tree};
use crate::menus::{Choice, Chosen, MENU};
use crate::near::nearest;
use crate::values::same;

impl<'p> Operation<'p> for &'p GroupIo {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.set_group_io(self);
    }

    fn words(&self, before: &Before<'_>) -> String {
        let side = side_of(self);
        let mut present = before.tree.into_iter().flat_map(|tree| &tree.interface);
        let verb = match self.remove {
            true => "Remove",
            false if present.any(|item| item.is_socket(side) && is_meant(self, item)) => "Keep or change",
            false => "Add",
        };
        let words = format!("{verb} the {} “{}”", side_name(side), self.name);
        match &self.default {
            Some(default) if !self.remove => format!("{words} ({})", short(default)),
            _ => words,
        }
    }

    fn destroys(&self, _: &Tree) -> bool {
        self.remove
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Socket(&self.name)]
    }
}

pub(crate) fn side_of(io: &GroupIo) -> Side {
    match io.direction {
        Direction::Input => Side::Input,
        Direction::Output => Side::Output,
    }
}

/// Whether an item is what an operation is about: the one with its identifier, else the first with its name.
fn is_meant(io: &GroupIo, item: &Item) -> bool {
    match &io.identifier {
        Some(identifier) => item.identifier == *identifier,
        None => item.name == io.name,
    }
}

impl Work<'_> {
    fn set_group_io(&mut self, io: &GroupIo) {
        let side = side_of(io);
        let mut sockets = self.model.interface.iter();
        let present = sockets.position(|item| item.is_socket(side) && is_meant(io, item));
        if io.remove {
            return self.remove_group_io(io, side, present);
        }
        let key = io.identifier.as_deref().filter(|_| present.is_none());
        if let Some(unknown) = key.filter(|key| !key.starts_with('@')) {
            return self.no_such_socket(unknown, side);
        }
        if io.name.len() > MAX_NAME {
            let path = self.sink.at("name");
            let message = format!("a name may have {MAX_NAME} bytes, this one has {}", io.name.len());
            self.sink.error(
                Code::BadName,
                path,
                message,
                Some(Hint::explain("any shorter name will do")),
            );
            return;
        }
        let Some(socket_type) =
            self.resolve_socket_type(io.socket_type.as_deref().unwrap_or_default(), None, "socket_type")
        else {
            return;
        };
        if let Some(item) = present.and_then(|index| self.model.interface.get(index))
            && item.socket_type != socket_type
        {
            let path = self.sink.at("socket_type");
            let plain = io.default.is_none() && io.min.is_none() && io.max.is_none() && io.subtype.is_none();
            let hint = if plain {
                let hint = self.sink.near("socket_type", item.socket_type.as_str());
                hint.worded(|_| "with that type it is kept; a socket of another type needs another name".to_owned())
            } else {
                Hint::explain("a socket of another type needs another name")
            };
            let message = format!(
                "the {} “{}” exists with the type {}; the type of an existing socket cannot be changed",
                side_name(side),
                io.name,
                item.socket_type
            );
            self.sink.error(Code::SocketTypeMismatch, path, message, Some(hint));
            return;
        }
        let known = present
            .and_then(|index| self.model.interface.get(index))
            .map(|item| item.props.clone());
        // What is refused is left out; the socket is there for what uses it.
        let props = self.interface_props(io, &socket_type, known.as_ref());
        if let (Side::Input, MENU, Some(value)) = (side, socket_type.as_str(), props.get("default_value")) {
            self.choices.push(Choice {
                operation: self.sink.op(),
                field: "default",
                tree: None,
                input: Chosen::ByDefault(io.name.clone()),
                value: value.clone(),
            });
        }
        let parent = io.panel.as_deref().map(|panel| self.ensure_panel(panel));
        match present.and_then(|index| self.model.interface.get_mut(index)) {
            Some(item) => {
                item.name.clone_from(&io.name);
                let moved = parent.is_some() && item.parent != parent;
                if moved {
                    item.parent = parent;
                }
                for (name, value) in props {
                    if !item.props.get(&name).is_some_and(|old| same(old, &value)) {
                        item.props.insert(name, value);
                    }
                }
                if moved && let Some(at) = present {
                    let item = self.model.interface.remove(at);
                    self.model.interface.push(item);
                }
            }
            None => {
                let identifier = key.map_or_else(|| self.next_key(), str::to_owned);
                self.model.interface.push(Item {
                    kind: ItemKind::Socket,
                    identifier,
                    name: io.name.clone(),
                    in_out: Some(side),
                    socket_type,
                    parent,
                    props,
                });
            }
        }
    }

    fn no_such_socket(&mut self, identifier: &str, side: Side) {
        let present = self.model.interface.iter().filter(|item| item.is_socket(side));
        let known: Vec<String> = present
            .map(|item| format!("{} ({})", item.name, item.identifier))
            .collect();
        let path = self.sink.at("identifier");
        let message = format!("the tree has no {} with the identifier “{identifier}”", side_name(side));
        let hint = Hint::explain(format!("it has: {}", known.join(", ")));
        self.sink.error(Code::UnknownSocket, path, message, Some(hint));
    }

    /// The full name of a socket type; a short enum is a certain repair. Only types with a short name in `legal` are proposed.
    pub(crate) fn resolve_socket_type(&mut self, name: &str, legal: Option<&[Value]>, field: &str) -> Option<String> {
        let catalogue = self.scope.catalogue;
        if let Some((found, repaired)) = catalogue.socket_type(name) {
            if repaired {
                let path = self.sink.at(field);
                self.sink
                    .repaired(path, Value::from(found), format!("“{name}” was taken to mean {found}"));
            }
            return Some(found.to_owned());
        }
        let types = catalogue.sockets.keys().map(String::as_str);
        let list: Vec<&str> = types
            .filter(|full| legal.is_none_or(|legal| legal.contains(&self.short_type(full))))
            .collect();
        // All of them begin alike.
        let own = |full: &'_ str| full.strip_prefix("NodeSocket").unwrap_or(full).to_owned();
        let names: Vec<String> = list.iter().map(|full| own(full)).collect();
        let near = nearest(&own(name), names.iter().map(String::as_str));
        let near = near.and_then(|near| list.iter().find(|full| own(full) == near));
        let hint = near.map_or_else(
            || Hint::explain(format!("the types are: {}", list.join(", "))),
            |near| self.sink.near(field, *near),
        );
        let path = self.sink.at(field);
        let message = format!(
            "Blender {} has no socket type “{name}” for an interface",
            catalogue.blender
        );
        self.sink.error(Code::UnknownSocketType, path, message, Some(hint));
        None
    }

    /// Identifier of the panel with that name, created if missing.
    fn ensure_panel(&mut self, name: &str) -> String {
        let known = self
            .model
            .interface
            .iter()
            .find(|item| item.kind == ItemKind::Panel && item.name == name);
        if let Some(panel) = known {
            return panel.identifier.clone();
        }
        let identifier = self.next_key();
        self.model.interface.push(Item {
            kind: ItemKind::Panel,
            identifier: identifier.clone(),
            name: name.to_owned(),
            in_out: None,
            socket_type: String::new(),
            parent: None,
            props: Map::new(),
        });
        identifier
    }

    fn remove_group_io(&mut self, io: &GroupIo, side: Side, present: Option<usize>) {
        let Some(item) =
            present.and_then(|index| (index < self.model.interface.len()).then(|| self.model.interface.remove(index)))
        else {
            let path = self.sink.at("name");
            let message = format!("the tree has no {} “{}”; nothing was removed", side_name(side), io.name);
            self.sink.warn(Code::NothingToRemove, path, message);
            return;
        };
        if !item.identifier.starts_with('@') {
            let words = format!("the {} “{}”", side_name(side), io.name);
            self.unsaid.sockets.push(words);
        }
        let edges: Vec<_> = self
            .model
            .graph()
            .edge_indices()
            .filter(|edge| {
                let (Some((a, b)), Some(wire)) = (
                    self.model.graph().edge_endpoints(*edge),
                    self.model.graph().edge_weight(*edge),
                ) else {
                    return false;
                };
                let kind = |at| self.model.graph().node_weight(at).map(|node| node.kind.as_str());
                match side {
                    Side::Input => {
                        kind(a) == Some(crate::sockets::GROUP_INPUT_TYPE) && wire.from_socket == item.identifier
                    }
                    Side::Output => {
                        kind(b) == Some(crate::sockets::GROUP_OUTPUT_TYPE) && wire.to_socket == item.identifier
                    }
                }
            })
            .collect();
        for edge in edges {
            self.model.disconnect(edge);
        }
    }
}
