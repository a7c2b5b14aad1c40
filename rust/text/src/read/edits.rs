//! What only an edit does: nodes into links, into groups, and away.

use geonode_graph::ir::{Node, Side};
use geonode_graph::sockets::GROUP_OUTPUT_TYPE;
use geonode_protocol::{Code, GnOp, GroupNodes, UngroupNodes};
use rustpython_parser::ast::{Expr, ExprCall, Ranged};
use serde_json::Value;

use super::arguments::{only, unknown};
use super::fault::Fault;
use super::reader::{Binding, Place, Reader, is_usable};
use super::value::{Output, Val, at, constant};

/// The first input of nodes that mix what comes after it.
const FACTOR: &str = "Factor";

/// Where a link can enter a node.
enum WayIn {
    One(String),
    None,
    /// Every input that fits has a value already.
    Written,
    /// Which of several is meant is not said.
    Several(Vec<String>),
}

impl<'p> Reader<'_, '_, 'p> {
    pub(super) fn extra(&mut self, op: GnOp, call: &impl Ranged) {
        if !self.edit {
            let fix = "Write it in `with edit(\"Group\"):`.";
            return self.error(Code::TextForm, at(call), "This stands in an edit only.", fix);
        }
        self.extras.push(super::reader::Extra { op, at: at(call) });
    }

    /// `g = gather("Name", a, b)`.
    pub(super) fn gather(&mut self, name: &str, call: &'p ExprCall) {
        let group = call.args.first().and_then(|name| constant(name, self.faults));
        let Some(group) = group.as_ref().and_then(Value::as_str).map(str::to_owned) else {
            return self.error(
                Code::TextForm,
                at(call),
                "gather(…) needs the name of a group.",
                "Write g = gather(\"Name\", a, b).",
            );
        };
        let members = call.args.get(1..).unwrap_or_default();
        for keyword in &call.keywords {
            unknown(keyword, "gather", "g = gather(\"Name\", a, b)", self.faults);
        }
        let id = self.id_of(name);
        let mut node_ids = Vec::new();
        for member in members {
            match self.gathered_node(member) {
                Some(inside) => node_ids.push(inside.id.clone()),
                None => node_ids.extend(self.nodes_of(std::slice::from_ref(member))),
            }
        }
        let op = GroupNodes {
            id,
            node_group_name: group,
            node_ids,
        };
        let is_there = self.draft.node(&op.id).and_then(Node::group) == Some(&op.node_group_name);
        if is_there {
            self.bindings
                .insert(name.to_owned(), Binding::Known(Val::Node(op.id.clone())));
        } else {
            self.gathering.insert(name.to_owned());
        }
        self.extra(GnOp::GroupNodes(op), call);
    }

    /// `ungroup(g)`.
    pub(super) fn ungroup(&mut self, call: &'p ExprCall) {
        for arg in &call.args {
            if self.is_gone(arg) {
                self.note_gone(arg, "nothing is ungrouped");
                continue;
            }
            for id in self.nodes_of(std::slice::from_ref(arg)) {
                self.releases = true;
                self.extra(GnOp::UngroupNodes(UngroupNodes { id }), arg);
            }
        }
    }

    /// `x = insert(link=(a.points, b.geometry), node=set_position(offset=…))`.
    pub(super) fn insert(&mut self, name: &'p str, call: &'p ExprCall) {
        let errors = self.faults.errors();
        self.put_between(name, call);
        let made = matches!(self.bindings.get(name), Some(Binding::Known(Val::Node(_))));
        if !made && self.faults.errors() > errors {
            // Why was said of this line.
            self.bindings.insert(name.to_owned(), Binding::Known(Val::Bad));
        }
    }

    fn put_between(&mut self, name: &'p str, call: &'p ExprCall) {
        let form = "x = insert(link=(a.points, b.geometry), node=set_position(offset=(0.0, 0.0, 1.0)))";
        only(call, "insert", 2, &["link", "node"], form, self.faults);
        let part = |wanted: &str| {
            call.keywords
                .iter()
                .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == wanted))
        };
        let link = part("link").map(|keyword| &keyword.value).or_else(|| call.args.first());
        let node = part("node").map(|keyword| &keyword.value).or_else(|| call.args.get(1));
        let (Some(Expr::Tuple(ends)), Some(node)) = (link, node) else {
            let fix = "Write x = insert(link=(a.points, b.geometry), node=set_position(offset=(0.0, 0.0, 1.0))).";
            return self.error(
                Code::TextForm,
                at(call),
                "insert(…) needs a link, from an output to an input, and a node.",
                fix,
            );
        };
        let [source, Expr::Attribute(target)] = ends.elts.as_slice() else {
            return self.error(
                Code::TextForm,
                at(call),
                "A link is written (output, node.input).",
                "Write link=(a.points, b.geometry).",
            );
        };
        let given = self.value(source, Place::Loose(name));
        let target_node = match &*target.value {
            Expr::Name(word) => self.name(word.id.as_str(), at(&*target.value)),
            _ => Val::Bad,
        };
        let is_open = given == Val::Bad || target_node == Val::Bad;
        let (Some(from), Val::Node(to)) = (self.one_output(given, None), target_node) else {
            if is_open {
                // Why was said of the name, or of its line.
                self.bindings.insert(name.to_owned(), Binding::Known(Val::Bad));
                return;
            }
            return self.error(
                Code::UnknownNode,
                at(call),
                "The link's ends are not nodes of the tree.",
                "Name nodes that exist.",
            );
        };
        let Some((input, _)) = self.input_named(&to, target.attr.as_str(), at(&*target.value)) else {
            return;
        };
        let end = (to.clone(), input.identifier.clone());
        let found = self.draft.links_into(&end).into_iter().find(|number| {
            self.draft
                .link(*number)
                .is_some_and(|wire| wire.from == (from.id.clone(), from.socket.clone()))
        });
        let Some(number) = found else {
            if self.is_inserted(name, &(from.id.clone(), from.socket.clone()), &end) {
                self.bind(name, node, true);
                return;
            }
            let message = format!(
                "No link leads from {} to the input “{}” of {}.",
                self.label_of(&from.id),
                input.name,
                self.label_of(&to)
            );
            let now = self
                .draft
                .links_into(&end)
                .into_iter()
                .find_map(|number| self.draft.link(number));
            let fix = match now {
                Some(wire) => format!(
                    "Name a link that is there: {} leads there now.",
                    self.label_of(&wire.from.0)
                ),
                None => "Name a link that is there: none leads into that input.".to_owned(),
            };
            return self.error(Code::UnknownSocket, at(call), message, fix);
        };
        self.bind(name, node, true);
        let Some(Binding::Known(Val::Node(id))) = self.bindings.get(name).cloned() else {
            return;
        };
        self.lead_through(number, &from, &id, &input.kind, at(call));
    }

    /// Leads a link, which starts at `from` and brings an input values of a kind, through a new node.
    fn lead_through(&mut self, number: usize, from: &Output, id: &str, kind: &str, place: usize) {
        let Some(out) = self.output_for(id, Some(kind)) else {
            return self.unfit(id, place);
        };
        let source = (from.id.clone(), from.socket.clone());
        let named = self
            .draft
            .links()
            .any(|(_, wire)| wire.to.0 == id && wire.from == source);
        let input = if named {
            // The call says which input the source feeds.
            None
        } else {
            match self.way_in(from, id) {
                WayIn::One(input) => Some(input),
                WayIn::None => return self.unfit(id, place),
                WayIn::Written => {
                    let message = format!(
                        "Every input of {} that could take the link has a value in insert(…).",
                        self.label_of(id)
                    );
                    let fix = "Leave out the value of the input that the link is for.";
                    return self.error(Code::IllegalLink, place, message, fix);
                }
                WayIn::Several(inputs) => {
                    let sockets = self.draft.sockets(id, Side::Input);
                    let all = self.words_of(&sockets);
                    let words: Vec<&str> = inputs.iter().filter_map(|input| all.word(input)).collect();
                    let message = format!(
                        "The link could lead into {} of {}.",
                        words
                            .iter()
                            .map(|word| format!("“{word}”"))
                            .collect::<Vec<_>>()
                            .join(" or "),
                        self.label_of(id)
                    );
                    let fix = format!(
                        "Write the link's output at the input that is meant, as in node=…(…, {}=a.geometry).",
                        words.first().copied().unwrap_or("value")
                    );
                    return self.error(Code::IllegalLink, place, message, &fix);
                }
            }
        };
        // The link keeps its place among others into the same input.
        self.draft.divert(number, (id.to_owned(), out.socket), place);
        if let Some(input) = input {
            self.draft.connect(source, (id.to_owned(), input), place);
        }
    }

    fn unfit(&mut self, id: &str, place: usize) {
        let message = format!("{} does not fit into this link.", self.label_of(id));
        let fix = "Insert a node that takes and gives what the link carries.";
        self.error(Code::IllegalLink, place, message, fix);
    }

    /// Where a link enters a node that is put into it: the node's first input, or the only one that fits. Alternatives behind a
    /// condition or a factor (those of a Switch, A and B of a Mix) are equal, so none of them is chosen.
    fn way_in(&self, from: &Output, id: &str) -> WayIn {
        let sockets = self.draft.sockets(id, Side::Input);
        let usable: Vec<_> = sockets.iter().filter(|socket| is_usable(socket)).collect();
        let fitting: Vec<_> = usable
            .iter()
            .filter(|socket| self.draft.scope.catalogue.converts(&from.kind, &socket.kind))
            .filter(|socket| {
                socket.multi
                    || self
                        .draft
                        .links_into(&(id.to_owned(), socket.identifier.clone()))
                        .is_empty()
            })
            .collect();
        // A value that is written in the call is not overridden by the link.
        let mut free = fitting.clone();
        free.retain(|socket| socket.multi || !self.draft.is_written(id, &socket.identifier));
        if free.iter().any(|socket| socket.name != FACTOR) {
            free.retain(|socket| socket.name != FACTOR);
        }
        if free.iter().any(|socket| socket.kind == from.kind) {
            free.retain(|socket| socket.kind == from.kind);
        }
        match free.as_slice() {
            [] if fitting.is_empty() => WayIn::None,
            [] => WayIn::Written,
            [one] => WayIn::One(one.identifier.clone()),
            [first, ..] if usable.first().is_some_and(|own| own.identifier == first.identifier) => {
                WayIn::One(first.identifier.clone())
            }
            several => WayIn::Several(several.iter().map(|socket| socket.identifier.clone()).collect()),
        }
    }

    /// `del x`, `del count`, `del group_output.tip`.
    pub(super) fn delete(&mut self, target: &'p Expr) {
        match target {
            Expr::Tuple(all) => all.elts.iter().for_each(|each| self.delete(each)),
            Expr::Attribute(attribute) if matches!(&*attribute.value, Expr::Name(base) if base.id.as_str() == "group_output") => {
                match self.output_of_group(attribute.attr.as_str()) {
                    Some(identifier) => self.remove_socket(&identifier),
                    None => {
                        let message = format!("The group has no output “{}”; nothing is removed.", attribute.attr);
                        let fix = "Leave the line out if that is meant.";
                        self.faults
                            .add(Fault::warning(Code::NothingToRemove, at(target), message, fix));
                    }
                }
            }
            Expr::Attribute(attribute) => {
                // A link.
                let known = match &*attribute.value {
                    Expr::Name(name) => self.name(name.id.as_str(), at(target)),
                    _ => Val::Bad,
                };
                if let Val::Node(id) = known
                    && let Some((socket, _)) = self.input_named(&id, attribute.attr.as_str(), at(target))
                {
                    self.cut_all(&(id, socket.identifier));
                }
            }
            Expr::Name(name) => {
                let word = name.id.as_str();
                let node = self
                    .variables
                    .closure_output(word)
                    .or_else(|| self.variables.id(word))
                    .map(str::to_owned);
                let node = node.filter(|id| self.draft.node(id).is_some());
                match node {
                    Some(id) => self.delete_node(&id),
                    None if self.parameters.contains_key(word) => {
                        if let Some(identifier) = self.interface_item(target) {
                            self.remove_socket(&identifier);
                        }
                    }
                    None if self.is_other_end(word) => {}
                    None if self.is_gone(target) => self.note_gone(target, "nothing is removed"),
                    None => drop(self.name(word, at(target))),
                }
            }
            _ => self.error(
                Code::TextForm,
                at(target),
                "Nodes, inputs and outputs are deleted.",
                "Write `del x`. A panel goes away with the last input in it.",
            ),
        }
    }

    fn delete_node(&mut self, id: &str) {
        let Some(node) = self.draft.node(id) else { return };
        if matches!(node.kind.as_str(), GROUP_OUTPUT_TYPE) {
            return;
        }
        let pair = node.pair.clone();
        let other = pair.or_else(|| {
            let mut all = self.draft.nodes.values();
            all.find(|made| made.node.pair.as_deref() == Some(id))
                .map(|made| made.node.id.clone())
        });
        self.draft.remove(id);
        if let Some(other) = other {
            self.draft.remove(&other);
            self.other_ends.insert(other);
        }
    }
}
