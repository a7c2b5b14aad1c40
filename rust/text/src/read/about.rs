//! Statements about nodes and the tree: labels, the full form, settings.

use geonode_graph::ir::Side;
use geonode_graph::is_tree_property;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::Value;

use super::arguments::unknown;
use super::reader::Reader;
use super::value::{Val, at, constant};
use crate::names::LOOK;

impl<'p> Reader<'_, '_, 'p> {
    /// `label(x, "Any text")`.
    pub(super) fn label(&mut self, call: &'p ExprCall) {
        let (Some(node), Some(Value::String(text))) = (
            call.args.first(),
            call.args.get(1).and_then(|text| constant(text, self.faults)),
        ) else {
            return self.error(
                Code::TextForm,
                at(call),
                "label(…) needs a node and a text.",
                "Write label(x, \"Any text\").",
            );
        };
        for id in self.nodes_of(std::slice::from_ref(node)) {
            if let Some(made) = self.draft.nodes.get_mut(&id) {
                made.said = true;
                made.places.insert(".label".to_owned(), at(call));
                made.node.label = Some(text.clone()).filter(|text| !text.is_empty());
            }
        }
    }

    /// The IDs of the nodes that expressions name.
    pub(super) fn nodes_of(&mut self, args: &'p [Expr]) -> Vec<String> {
        let mut ids = Vec::new();
        for arg in args
            .iter()
            .filter(|arg| self.gathered_node(arg).is_none())
            .collect::<Vec<_>>()
        {
            let known = match arg {
                Expr::Name(name) => self.name(name.id.as_str(), at(arg)),
                _ => Val::Default,
            };
            match known {
                Val::Node(id) => ids.push(id),
                Val::Out(output) => ids.push(output.id),
                Val::Bad => {}
                _ => self.error(
                    Code::TextForm,
                    at(arg),
                    "This is not a node.",
                    "Name nodes by their variables.",
                ),
            }
        }
        ids
    }

    /// `settings(name="…", …)`: the name was read before. In a closure the properties are those of its output node.
    pub(super) fn settings(&mut self, call: &'p ExprCall) {
        for keyword in &call.keywords {
            let Some(name) = keyword.arg.as_ref() else {
                unknown(keyword, "settings", "settings(name=\"Name\")", self.faults);
                continue;
            };
            if name.as_str() == "name" {
                if !matches!(constant(&keyword.value, self.faults), Some(Value::String(_))) {
                    let fix = "Write settings(name=\"Name\").";
                    self.error(Code::TextForm, at(keyword), "The name of a group is a text.", fix);
                }
                continue;
            }
            let Some(value) = constant(&keyword.value, self.faults) else {
                let message = format!("The property “{name}” of a group is a constant.");
                self.error(Code::TextForm, at(keyword), message, "Write settings(is_tool=True).");
                continue;
            };
            if let Some(end) = self.closure_ends.last().cloned() {
                self.property_named(&end, name.as_str(), &keyword.value);
            } else if is_tree_property(name, &self.names.catalogue().blender) {
                self.draft.settings.insert(name.to_string(), value);
            } else {
                self.unsaid(at(keyword), &format!("the tree's property “{}”", name.as_str()));
            }
        }
    }

    /// `node(x, location=…, …)` of the full form: places and looks stay with Blender; the rest has its ordinary statements.
    pub(super) fn full(&mut self, call: &'p ExprCall) {
        for id in self.nodes_of(call.args.get(..1).unwrap_or_default()) {
            for keyword in &call.keywords {
                let Some(name) = keyword.arg.as_ref() else { continue };
                match (name.as_str(), constant(&keyword.value, self.faults)) {
                    ("location", Some(Value::Array(parts))) => {
                        if let [Some(x), Some(y)] = [0, 1].map(|part| parts.get(part).and_then(Value::as_f64))
                            && let Some(made) = self.draft.nodes.get_mut(&id)
                        {
                            made.node.location = [x, y];
                            made.places.insert("@location".to_owned(), at(keyword));
                        }
                    }
                    ("inputs", Some(Value::Object(states))) => self.states(&id, &states, at(keyword)),
                    (name, Some(value))
                        if LOOK.contains(&name)
                            && self
                                .draft
                                .kind(&id)
                                .is_some_and(|kind| kind.properties.contains_key(name)) =>
                    {
                        self.draft.set_property(&id, name, value, at(keyword));
                    }
                    (name, _) => self.unsaid(at(keyword), &format!("“{name}” of a node")),
                }
            }
        }
    }

    /// The values that a node's inputs keep behind links. Whether a socket is hidden stays with Blender.
    fn states(&mut self, id: &str, states: &serde_json::Map<String, Value>, place: usize) {
        for (identifier, state) in states {
            let socket = self.draft.socket(id, Side::Input, identifier);
            for (field, value) in state.as_object().into_iter().flatten() {
                match &socket {
                    Some(socket) if field == "value" && socket.available => {
                        let socket = socket.clone().into_owned();
                        self.draft.set_value(id, &socket, value.clone(), place);
                    }
                    _ if field == "value" => self.unsaid(place, "the value of an input that the mode hides"),
                    _ => self.unsaid(place, &format!("“{field}” of an input")),
                }
            }
        }
    }

    /// `unframe(a, b)`: nodes leave their frame.
    pub(super) fn unframe(&mut self, call: &'p ExprCall) {
        for id in self.nodes_of(&call.args) {
            if let Some(made) = self.draft.nodes.get_mut(&id) {
                made.said = true;
                made.node.parent = None;
            }
        }
    }

    /// A remark about what the operations of a plan cannot say; the rest of the page holds.
    pub(crate) fn unsaid(&mut self, place: usize, what: &str) {
        let message = format!("A plan cannot set {what} yet; it stays as it is.");
        let fix = "Leave it out; nothing else depends on it.";
        self.faults
            .add(super::fault::Fault::warning(Code::LeftUnchanged, place, message, fix));
    }
}

/// The word that is called, and the call.
pub(crate) fn word_of(expr: &Expr) -> Option<(&str, &ExprCall)> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Name(name) = &*call.func else { return None };
    Some((name.id.as_str(), call))
}
