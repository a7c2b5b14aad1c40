//! What a group or a closure returns.

use geonode_graph::ir::Side;
use geonode_graph::sockets::GROUP_OUTPUT_TYPE;
use geonode_protocol::Code;
use rustpython_parser::ast::Expr;
use serde_json::Value;

use super::interface::{RETURNED, type_name};
use super::reader::Reader;
use super::value::{at, constant};
use crate::names::SocketNames;

impl<'p> Reader<'_, '_, 'p> {
    /// `return x`, `return {"Curves": x}`, `return x, y`.
    pub(crate) fn give_back(&mut self, value: &'p Expr, place: usize) {
        let end = match self.closure_ends.last() {
            Some(end) => end.clone(),
            None => {
                self.infer_output(value);
                self.draft.group_end(GROUP_OUTPUT_TYPE)
            }
        };
        let inputs = self.draft.sockets(&end, Side::Input);
        let words = SocketNames::of(&inputs);
        let count = inputs.iter().filter(|socket| super::reader::is_usable(socket)).count();
        match value {
            Expr::Dict(dict) => {
                for (key, value) in dict.keys.iter().zip(&dict.values) {
                    let name = key.as_ref().and_then(|key| constant(key, self.faults));
                    let Some(name) = name.as_ref().and_then(Value::as_str) else {
                        self.error(
                            Code::TextForm,
                            at(value),
                            "The name of an output is a text.",
                            "Write return {\"Curves\": x}.",
                        );
                        continue;
                    };
                    let is_open = self.is_refused(RETURNED);
                    let exact = inputs.iter().position(|socket| socket.name == name);
                    match exact.or_else(|| words.place(name)) {
                        Some(number) => self.feed_end(&end, number, value),
                        None if is_open => {}
                        None => self.no_output(name, &words, at(value)),
                    }
                }
            }
            Expr::Tuple(tuple) if count > 1 => {
                for (number, value) in tuple.elts.iter().enumerate() {
                    if number < count {
                        self.feed_end(&end, number, value);
                    } else {
                        self.error(
                            Code::UnknownSocket,
                            at(value),
                            format!("The group has {count} outputs."),
                            "Declare it after the arrow.",
                        );
                    }
                }
            }
            _ if count == 0 && self.is_refused(RETURNED) => {}
            _ if count == 0 => {
                let message = "Something is returned, but no output is declared.";
                self.error(
                    Code::UnknownSocket,
                    place,
                    message,
                    "Declare it: `def name(…) -> Geometry:`.",
                );
            }
            one => self.feed_end(&end, 0, one),
        }
    }

    fn no_output(&mut self, name: &str, words: &SocketNames, place: usize) {
        let list: Vec<&str> = words.words().collect();
        let message = format!("There is no output “{name}”.");
        self.error(
            Code::UnknownSocket,
            place,
            message,
            format!("The outputs are: {}.", list.join(", ")),
        );
    }

    fn feed_end(&mut self, end: &str, number: usize, value: &'p Expr) {
        let inputs = self.draft.sockets(end, Side::Input);
        let words = SocketNames::of(&inputs);
        let Some((socket, word)) = inputs.get(number).zip(words.word_at(number)) else {
            return;
        };
        let place = super::reader::Place::Feeds {
            owner: if self.closure_ends.is_empty() { "return" } else { end },
            word,
            identifier: &socket.identifier,
            place: 0,
        };
        let given = self.value(value, place);
        self.give(end, socket, given, at(value));
    }

    /// A function without an arrow that returns something has one output of its type.
    fn infer_output(&mut self, value: &'p Expr) {
        let has = self.draft.interface.iter().any(|item| item.is_socket(Side::Output));
        if has || self.edit || matches!(value, Expr::Dict(_)) {
            return;
        }
        let Some(kind) = self.kind_of(value) else { return };
        let name = type_name(&kind);
        let identifier = self.identifier(Side::Output, &name, &name, &kind, true);
        let item = self.declared(Side::Output, (name, identifier), kind, None, None);
        self.draft.declared.insert(item.identifier.clone(), at(value));
        self.draft.interface.insert(0, item);
    }
}
