//! Expressions: what a name, an output, a call or a list on the page stands for, and how it feeds an input.

use geonode_graph::catalogue::Socket;
use geonode_graph::sockets::REROUTE;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::Value;

use super::arguments::only;
use super::reader::{Binding, Place, Reader, VIRTUAL};
use super::value::{Output, Val, at, constant};

const STRING: &str = "NodeSocketString";

impl<'p> Reader<'_, '_, 'p> {
    /// Binds a name to what is assigned to it. `fill`: also the inputs of a node are read, which may name what is bound later.
    pub(crate) fn bind(&mut self, name: &str, value: &'p Expr, fill: bool) -> Val {
        let place = Place::Named(name);
        if let Some(call) = self.node_call(value) {
            // The node is there before its inputs are read: one of them may lead back to it.
            let made = match self.bindings.get(name) {
                Some(Binding::Known(known)) => known.clone(),
                _ => {
                    let made = self.make_called(call, place);
                    self.bindings.insert(name.to_owned(), Binding::Known(made.clone()));
                    made
                }
            };
            if let (true, Val::Node(id)) = (fill, &made) {
                self.fill(id, call);
            }
            return made;
        }
        if let Some(Binding::Known(known)) = self.bindings.get(name) {
            return known.clone();
        }
        self.bindings.insert(name.to_owned(), Binding::Active);
        let found = self.value(value, place);
        self.bindings.insert(name.to_owned(), Binding::Known(found.clone()));
        found
    }

    /// What an expression stands for.
    pub(crate) fn value(&mut self, expr: &'p Expr, place: Place<'_>) -> Val {
        if let Some(known) = constant(expr, self.faults) {
            return Val::Const(known);
        }
        match expr {
            Expr::Name(name) => self.name(name.id.as_str(), at(expr)),
            Expr::Attribute(attribute) => self.attribute(&attribute.value, attribute.attr.as_str(), at(expr), place),
            Expr::Subscript(subscript) => self.part(&subscript.value, &subscript.slice, at(expr), place),
            Expr::Tuple(tuple) => self.parts(&tuple.elts, at(expr), place),
            Expr::List(list) => {
                let all = list.elts.iter().enumerate();
                Val::List(
                    all.map(|(number, each)| (self.value(each, numbered(place, number)), at(each)))
                        .collect(),
                )
            }
            Expr::Call(call) => self.call(call, at(expr), place),
            Expr::BinOp(_) | Expr::UnaryOp(_) | Expr::BoolOp(_) | Expr::Compare(_) | Expr::IfExp(_) => {
                self.term(expr, place)
            }
            _ => {
                let message = "Tree text has no expression of this form.";
                let fix = "Write values, names, outputs such as `x.normal`, calls of nodes, and terms.";
                self.error(Code::TextForm, at(expr), message, fix);
                Val::Bad
            }
        }
    }

    /// What stands before a dot. A nested node feeds through its output what the whole expression feeds.
    pub(super) fn base(&mut self, base: &'p Expr, place: Place<'_>) -> Option<Val> {
        match base {
            Expr::Name(name) => Some(self.name(name.id.as_str(), at(base))),
            // Its name is that of the assignment: `floor = cube().mesh`.
            Expr::Call(_) => Some(self.value(base, place)),
            Expr::Attribute(_) | Expr::Tuple(_) | Expr::BinOp(_) | Expr::Subscript(_) => {
                Some(self.value(base, loose(place)))
            }
            _ => None,
        }
    }

    /// A node that the page does not spell out.
    pub(crate) fn helper(&mut self, kind: &str, at: usize, place: Place<'_>) -> Option<String> {
        let id = self.id_at(place, kind, None);
        self.make(&id, kind, at).then_some(id)
    }

    fn call(&mut self, call: &'p ExprCall, at: usize, place: Place<'_>) -> Val {
        if let Expr::Name(name) = &*call.func {
            if name.id.as_str() == "muted" {
                return self.muted(call, at, place);
            }
            if let Some(known) = self.function(call, name.id.as_str(), place) {
                return known;
            }
        } else if let Expr::Attribute(function) = &*call.func
            && matches!(&*function.value, Expr::Name(base) if base.id.as_str() == "math")
        {
            let known = self.function(call, function.attr.as_str(), place);
            return known.unwrap_or_else(|| {
                let message = format!("Tree text has no function math.{}.", function.attr.as_str());
                self.error(
                    Code::TextForm,
                    at,
                    message,
                    "Use a Math node: `math(x, operation=\"SINE\")`.",
                );
                Val::Bad
            });
        }
        let made = self.make_called(call, place);
        if let Val::Node(id) = &made {
            let id = id.clone();
            self.fill(&id, call);
        }
        made
    }

    /// `muted(x)`, `muted(x, 2.0)`.
    fn muted(&mut self, call: &'p ExprCall, at: usize, place: Place<'_>) -> Val {
        let Some(inner) = call.args.first() else {
            self.error(Code::TextForm, at, "muted(…) needs a link.", "Write muted(x).");
            return Val::Bad;
        };
        only(call, "muted", 2, &[], "muted(x), or muted(x, 2.0)", self.faults);
        let behind = call.args.get(1).and_then(|value| {
            let behind = constant(value, self.faults);
            if behind.is_none() {
                let fix = "Write muted(x, 2.0).";
                self.error(
                    Code::TextForm,
                    super::value::at(value),
                    "The value behind a muted link is a constant.",
                    fix,
                );
            }
            behind
        });
        Val::Muted(Box::new(self.value(inner, place)), behind)
    }

    /// Gives an input of a node, by its word, what an expression stands for.
    pub(crate) fn assign(&mut self, id: &str, word: &str, expr: &'p Expr) {
        if let Some((socket, word)) = self.input_named(id, word, at(expr)) {
            self.assign_to(id, &socket, &word, expr);
        }
    }

    /// The same for an input that was found.
    pub(crate) fn assign_to(&mut self, id: &str, socket: &Socket, word: &str, expr: &'p Expr) {
        let place = Place::Feeds {
            owner: id,
            word,
            identifier: &socket.identifier,
            place: 0,
        };
        // A list of numbers is a vector, as a tuple is.
        let given = self.value(expr, place);
        self.give(id, socket, given, at(expr));
    }

    /// Gives an input a value or links.
    pub(crate) fn give(&mut self, id: &str, socket: &Socket, given: Val, at: usize) {
        let to = (id.to_owned(), socket.identifier.clone());
        if let Some(made) = self.draft.nodes.get_mut(id) {
            made.said = true;
            made.places.insert(socket.identifier.clone(), at);
        }
        match given {
            Val::Bad => {}
            Val::Const(Value::Null) => {
                self.cut_all(&to);
                if is_data(&socket.kind) {
                    self.draft.set_value(id, socket, Value::Null, at);
                }
            }
            Val::Const(Value::Array(_)) if socket.multi => self.only_links(socket, at),
            Val::Const(value) => {
                self.cut_all(&to);
                if socket.available {
                    self.draft.set_value(id, socket, value, at);
                } else {
                    self.hidden(id, socket, at);
                }
            }
            Val::Default => {
                self.cut_all(&to);
                if let Some(default) = &socket.default {
                    self.draft.set_value(id, socket, default.clone(), at);
                } else if let Some(state) = self
                    .draft
                    .nodes
                    .get_mut(id)
                    .and_then(|made| made.node.inputs.get_mut(&socket.identifier))
                {
                    state.shift_remove("value");
                }
            }
            Val::List(all) => {
                if all.len() > 1 && !socket.multi {
                    let message = format!("The input “{}” of {} takes one link.", socket.name, self.label_of(id));
                    self.error(
                        Code::InvalidValue,
                        at,
                        message,
                        "Join the values first, for example with join_geometry(a, b).",
                    );
                    return;
                }
                self.cut_all(&to);
                for (each, at) in all {
                    self.link_to(&to, socket, each, at);
                }
            }
            other => {
                self.cut_all(&to);
                self.link_to(&to, socket, other, at);
            }
        }
    }

    /// Adds one link to an input.
    pub(crate) fn link_to(&mut self, to: &(String, String), socket: &Socket, given: Val, at: usize) {
        let is_reroute = self.draft.node(&to.0).is_some_and(|node| node.kind == REROUTE);
        let open = is_reroute || socket.kind.is_empty() || socket.kind == VIRTUAL;
        match given {
            Val::Out(output) => self.draft.connect((output.id, output.socket), to.clone(), at),
            Val::Node(id) => match self.output_for(&id, (!open).then_some(&socket.kind)) {
                Some(output) => self.draft.connect((output.id, output.socket), to.clone(), at),
                None if self.is_open(&id) => {}
                None => {
                    let message = format!("{} has no output that could be linked.", self.label_of(&id));
                    self.error(Code::UnknownSocket, at, message, "Link another node.");
                }
            },
            Val::Muted(inner, behind) => {
                if let Some(behind) = behind {
                    self.draft.set_value(&to.0, socket, behind, at);
                }
                let before = self.draft.links_into(to).len();
                self.link_to(to, socket, *inner, at);
                if self.draft.links_into(to).len() > before {
                    self.draft.mute_last();
                }
            }
            Val::Bad => {}
            Val::Const(_) | Val::Default | Val::List(_) => {
                self.only_links(socket, at);
            }
        }
    }

    fn only_links(&mut self, socket: &Socket, at: usize) {
        let message = format!("A list for the input “{}” names links only.", socket.name);
        let fix = if socket.kind == STRING {
            "A text in the list is a node: string(string=\"…\")."
        } else {
            "Leave values out of the list."
        };
        self.error(Code::TextForm, at, message, fix);
    }

    fn hidden(&mut self, id: &str, socket: &Socket, at: usize) {
        // Blender keeps the value behind the mode; a page of the whole tree may say it.
        if self.draft.before(id).is_some() || self.is_open(id) {
            return;
        }
        let message = format!(
            "The input “{}” of {} is not available in its present mode.",
            socket.name,
            self.label_of(id)
        );
        self.error(
            Code::UnavailableSocket,
            at,
            message,
            "Set the property that makes it available, or leave it out.",
        );
    }

    pub(crate) fn cut_all(&mut self, to: &(String, String)) {
        for number in self.draft.links_into(to) {
            self.draft.cut(number);
        }
    }

    /// The call of a node that is all of an expression.
    pub(crate) fn node_call(&self, expr: &'p Expr) -> Option<&'p ExprCall> {
        let Expr::Call(call) = expr else { return None };
        let Expr::Name(name) = &*call.func else { return None };
        let name = name.id.as_str();
        (self.is_node(name) && name != "muted" && name != "insert").then_some(call)
    }

    /// The first output of what an expression stands for.
    pub(crate) fn one_output(&mut self, given: Val, wanted: Option<&str>) -> Option<Output> {
        match given {
            Val::Out(output) => Some(output),
            Val::Node(id) => self.output_for(&id, wanted),
            Val::Muted(inner, _) => self.one_output(*inner, wanted),
            _ => None,
        }
    }
}

/// The same place for another of several values.
fn numbered(place: Place<'_>, number: usize) -> Place<'_> {
    match place {
        Place::Feeds {
            owner,
            word,
            identifier,
            ..
        } => Place::Feeds {
            owner,
            word,
            identifier,
            place: number,
        },
        other => other,
    }
}

/// A node before a dot is not what an assignment names.
pub(super) fn loose(place: Place<'_>) -> Place<'_> {
    match place {
        Place::Named(name) => Place::Feeds {
            owner: name,
            word: "of",
            identifier: "",
            place: 0,
        },
        other => other,
    }
}

fn is_data(kind: &str) -> bool {
    matches!(
        kind,
        "NodeSocketObject"
            | "NodeSocketCollection"
            | "NodeSocketMaterial"
            | "NodeSocketImage"
            | "NodeSocketTexture"
            | "NodeSocketFont"
            | "NodeSocketSound"
    )
}
