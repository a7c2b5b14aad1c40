//! The node that a call makes, and what takes the place of another.

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Node, Side};
use geonode_graph::sockets::GROUP;
use geonode_graph::{did_you_mean, either};
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::{Value, json};

use super::reader::{Place, Reader};
use super::value::{Val, at, constant};
use crate::names::LOOK;

/// Words of tree text that say something of a tree and stand for nothing in it.
const ALONE: [&str; 10] = [
    "apply", "cleanup", "expect", "label", "limits", "order", "panel", "settings", "unframe", "ungroup",
];

/// What a call makes.
#[derive(Debug, Clone)]
pub(crate) enum Callee {
    /// A node of this type.
    Type(String),
    /// A node of this group.
    Group(String),
}

impl<'p> Reader<'_, '_, 'p> {
    /// Whether a call of this name makes a node.
    pub(crate) fn is_node(&self, name: &str) -> bool {
        name == "group" || self.names.node_type(name).is_some() || self.functions.contains_key(name)
    }

    /// What a call makes; reports a name that is none of a node.
    pub(crate) fn callee(&mut self, call: &'p ExprCall) -> Option<Callee> {
        let place = at(call);
        let Expr::Name(name) = &*call.func else {
            let message = "Only nodes and a few words of tree text are called.";
            self.error(
                Code::TextForm,
                place,
                message,
                "Call a node by its name in the menus: `set_position(…)`.",
            );
            return None;
        };
        let name = name.id.as_str();
        if name == "group" {
            let given = call.args.first().and_then(|name| constant(name, self.faults));
            let Some(group) = given.as_ref().and_then(Value::as_str) else {
                self.error(
                    Code::TextForm,
                    place,
                    "group(…) needs the name of a group.",
                    "Write group(\"Name\", size=2.0).",
                );
                return None;
            };
            return Some(Callee::Group(self.group_name(group)));
        }
        if let Some(kind) = self.names.node_type(name) {
            return Some(Callee::Type(kind.to_owned()));
        }
        if let Some(group) = self.functions.get(name) {
            return Some(Callee::Group(group.clone()));
        }
        if let Some(kind) = self.names.node_type_alike(name) {
            return Some(Callee::Type(kind.to_owned()));
        }
        if self.is_refused(name) {
            return None;
        }
        let fix = match name {
            "repeat" | "simulation" | "for_each" => format!("Write `with {name}(…) as (x_in, x_out):`."),
            "closure" => {
                "A closure is a nested function: `def shape(radius: Float) -> {\"Mesh\": Geometry}:`.".to_owned()
            }
            "insert" | "gather" => format!("Write `x = {name}(…)` on a line of its own."),
            _ if ALONE.contains(&name) => {
                let message = format!("{name}(…) makes no node, so nothing can be linked to it.");
                let fix = format!("Write {name}(…) on a line of its own, without a name.");
                self.error(Code::TextForm, place, message, fix);
                return None;
            }
            _ => self.call_alike(name),
        };
        let blender = &self.names.catalogue().blender;
        self.error(
            Code::UnknownNodeType,
            place,
            format!("Blender {blender} has no node “{name}”."),
            fix,
        );
        None
    }

    fn call_alike(&self, name: &str) -> String {
        let near = self.names.near_calls(name).into_iter();
        either(near.map(|near| format!("{near}(…)")).collect()).map_or_else(
            || {
                "Calls are the menus' names of nodes in snake case, such as set_position(…); a node group of the file is called \
                 by its name: group(\"Name\", …)."
                    .to_owned()
            },
            |near| format!("Did you mean {near}?"),
        )
    }

    /// The group that a name on the page means.
    pub(crate) fn group_name(&self, name: &str) -> String {
        self.functions.get(name).map_or(name, String::as_str).to_owned()
    }

    /// Makes the node of a call with its properties and items, not yet what feeds it.
    pub(crate) fn make_called(&mut self, call: &'p ExprCall, place: Place<'_>) -> Val {
        let start = at(call);
        let Some(callee) = self.callee(call) else {
            return Val::Bad;
        };
        let (kind, group) = match &callee {
            Callee::Type(kind) => (kind.clone(), None),
            Callee::Group(group) => (GROUP.to_owned(), Some(group.as_str())),
        };
        let id = self.id_at(place, &kind, group);
        if !self.make(&id, &kind, start) {
            return Val::Bad;
        }
        if let Callee::Group(name) = &callee {
            if self.faults.refused.groups.contains(name) && !self.draft.scope.trees.contains_key(name) {
                return Val::Bad;
            }
            if !self.draft.scope.trees.contains_key(name) {
                let fix = did_you_mean(name, self.draft.scope.trees.keys().map(String::as_str)).unwrap_or_else(|| {
                    format!(
                        "Describe it on the page: `def {}(…):`.",
                        crate::names::word(name).unwrap_or_default()
                    )
                });
                self.error(
                    Code::UnknownNodeGroup,
                    start,
                    format!("There is no node group “{name}”."),
                    fix,
                );
                return Val::Bad;
            }
            self.regroup(&id, name, start);
        }
        let errors = self.faults.errors();
        self.configure(&id, &call.keywords);
        if self.faults.errors() > errors {
            self.open.insert(id.clone());
        }
        Val::Node(id)
    }

    /// Puts a node of this type under this ID, or takes the one that is there; false where it cannot be.
    pub(crate) fn make(&mut self, id: &str, kind: &str, start: usize) -> bool {
        let described = self.names.catalogue().nodes.get(kind);
        if described.is_some_and(|described| described.is("zone")) {
            let message = "One end of a zone is not made alone.";
            self.error(
                Code::ZoneIncomplete,
                start,
                message,
                "Write `with repeat(…) as (x_in, x_out):`.",
            );
            return false;
        }
        match self.draft.node(id).map(|node| node.kind == kind) {
            Some(true) => {
                if let Some(made) = self.draft.nodes.get_mut(id) {
                    made.said = true;
                    made.at = start;
                }
                true
            }
            Some(false) if self.edit && self.draft.before(id).is_some() => self.replace(id, kind, start),
            Some(false) => {
                let message = format!("“{id}” is the ID of another node of the page.");
                self.error(Code::DuplicateId, start, message, "Choose another name.");
                false
            }
            None => {
                let node = self.new_node(id, kind);
                self.draft.put(node, start);
                true
            }
        }
    }

    /// A new node; where one with its ID and type is there already, its looks are kept.
    pub(crate) fn new_node(&self, id: &str, kind: &str) -> Node {
        let plain = Node {
            id: id.to_owned(),
            name: id.to_owned(),
            kind: kind.to_owned(),
            ..Node::default()
        };
        let Some(before) = self.draft.before(id).filter(|before| before.kind == kind) else {
            return plain;
        };
        let looks = before.props.iter().filter(|(name, _)| LOOK.contains(&name.as_str()));
        Node {
            name: before.name.clone(),
            location: before.location,
            width: before.width,
            props: looks.map(|(name, value)| (name.clone(), value.clone())).collect(),
            items: before.items.clone(),
            ..plain
        }
    }

    /// Replaces a node of the present tree by one of another type; links stay where both have the socket.
    pub(super) fn replace(&mut self, id: &str, kind: &str, start: usize) -> bool {
        if self.draft.kind(id).is_some_and(|before| before.is("zone")) {
            self.error(
                Code::ZoneIncomplete,
                start,
                format!("“{id}” is one end of a zone."),
                "Remove the zone first: `del`.",
            );
            return false;
        }
        let (inputs, outputs) = (
            self.draft.sockets(id, Side::Input),
            self.draft.sockets(id, Side::Output),
        );
        if let Some(made) = self.draft.nodes.get_mut(id) {
            kind.clone_into(&mut made.node.kind);
            made.node.props.clear();
            made.node.items.clear();
            made.node.inputs.clear();
            made.node.outputs.clear();
            made.said = true;
            made.at = start;
        }
        self.lead_on(id, &inputs, &outputs, counterpart);
        true
    }

    /// Makes a node one of this group. In an edit it may be of another one: what both call alike stays linked, as identifiers of one
    /// group say nothing in another.
    fn regroup(&mut self, id: &str, group: &str, start: usize) {
        let old = self.draft.node(id).and_then(|node| node.group());
        let differs = self.edit && old.is_some_and(|old| old != group);
        let sides = differs.then(|| [Side::Input, Side::Output].map(|side| self.draft.sockets(id, side)));
        self.draft
            .set_property(id, "node_tree", json!({ "node_group": group }), start);
        if let Some([inputs, outputs]) = sides {
            if let Some(made) = self.draft.nodes.get_mut(id) {
                made.node.inputs.clear();
                made.node.outputs.clear();
            }
            self.lead_on(id, &inputs, &outputs, namesake);
        }
    }

    /// Links of a node that became another: to the sockets that correspond to those that it had.
    fn lead_on(&mut self, id: &str, inputs: &[Socket], outputs: &[Socket], corresponding: Corresponding) {
        let (now_in, now_out) = (
            self.draft.sockets(id, Side::Input),
            self.draft.sockets(id, Side::Output),
        );
        let here = self
            .draft
            .links()
            .filter(|(_, wire)| wire.from.0 == id || wire.to.0 == id);
        let here: Vec<usize> = here.map(|(number, _)| number).collect();
        for number in here {
            let Some(mut wire) = self.draft.cut(number) else {
                continue;
            };
            let ends = [(&mut wire.from, outputs, &now_out), (&mut wire.to, inputs, &now_in)];
            let mut stays = true;
            for (end, before, now) in ends {
                if end.0 != id {
                    continue;
                }
                match corresponding(&end.1, before, now) {
                    Some(socket) => end.1 = socket,
                    None => stays = false,
                }
            }
            if stays {
                self.draft.connect(wire.from, wire.to, wire.at);
            }
        }
    }
}

/// The socket that takes the place of another, from what a node had and what it has.
type Corresponding = fn(&str, &[Socket], &[Socket]) -> Option<String>;

/// The socket that takes the place of another when a node is replaced: of that identifier, else of that name.
fn counterpart(identifier: &str, before: &[Socket], now: &[Socket]) -> Option<String> {
    let exact = now
        .iter()
        .find(|socket| socket.available && socket.identifier == identifier);
    let exact = exact.map(|socket| socket.identifier.clone());
    exact.or_else(|| namesake(identifier, before, now))
}

/// The socket of the same name.
fn namesake(identifier: &str, before: &[Socket], now: &[Socket]) -> Option<String> {
    let name = &before.iter().find(|socket| socket.identifier == identifier)?.name;
    let named = now.iter().find(|socket| socket.available && socket.name == *name);
    named.map(|socket| socket.identifier.clone())
}
