//! What statements say about the inputs and outputs of a group: `limits(…)`, and what an edit adds and removes.

use geonode_graph::did_you_mean;
use geonode_graph::ir::{Item, Map, Side};
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::Value;

use super::arguments::unknown;
use super::operations::is_usual;
use super::reader::Reader;
use super::value::{Output, at, constant};
use crate::names::{SocketNames, title};

impl<'p> Reader<'_, '_, 'p> {
    /// The output of the group with this word.
    pub(crate) fn output_of_group(&self, word: &str) -> Option<String> {
        self.outputs().identifier(word).map(str::to_owned)
    }

    /// The words for the outputs of the group.
    pub(super) fn outputs(&self) -> SocketNames {
        let outputs = self.draft.interface.iter().filter(|item| item.is_socket(Side::Output));
        SocketNames::new(outputs.map(|item| (item.name.as_str(), item.identifier.as_str(), true)))
    }

    /// The interface item that an expression names: a parameter, or `group_output.name`.
    pub(crate) fn interface_item(&mut self, expr: &'p Expr) -> Option<String> {
        match expr {
            Expr::Name(name) => {
                let word = name.id.as_str();
                if let Some(known) = self.parameters.get(word) {
                    return Some(known.socket.clone());
                }
                if self.is_refused(word) {
                    return None;
                }
                let known: Vec<&str> = self.parameters.keys().map(String::as_str).collect();
                let fix = did_you_mean(word, known.iter().copied())
                    .unwrap_or_else(|| format!("The inputs are: {}.", known.join(", ")));
                self.error(
                    Code::UnknownInput,
                    at(expr),
                    format!("The group has no input “{word}”."),
                    fix,
                );
                None
            }
            Expr::Attribute(attribute) if matches!(&*attribute.value, Expr::Name(base) if base.id.as_str() == "group_output") =>
            {
                if let Some(found) = self.output_of_group(attribute.attr.as_str()) {
                    return Some(found);
                }
                if self.is_refused(attribute.attr.as_str()) {
                    return None;
                }
                let words = self.outputs();
                let list: Vec<&str> = words.words().collect();
                let message = format!("The group has no output “{}”.", attribute.attr.as_str());
                let fix = format!("The outputs are: {}.", list.join(", "));
                self.error(Code::UnknownSocket, at(expr), message, fix);
                None
            }
            _ => {
                let message = "An input is named by its parameter, an output as group_output.name.";
                self.error(
                    Code::TextForm,
                    at(expr),
                    message,
                    "Write its word without quotes: size. A panel in a panel is panel(\"Inner\", size).",
                );
                None
            }
        }
    }

    /// `limits(count, min=0, …)`.
    pub(crate) fn limits(&mut self, call: &'p ExprCall) {
        for target in &call.args {
            if self.limits_item_of_zone(target, &call.keywords) {
                continue;
            }
            let Some(identifier) = self.interface_item(target) else {
                continue;
            };
            let mut changes = Map::new();
            let mut name = None;
            for keyword in &call.keywords {
                let Some(field) = keyword.arg.as_ref() else {
                    unknown(keyword, "limits", "limits(count, min=0, max=10)", self.faults);
                    continue;
                };
                let Some(value) = constant(&keyword.value, self.faults) else {
                    self.error(
                        Code::TextForm,
                        at(keyword),
                        "Limits are constants.",
                        "Write limits(count, min=0, max=10).",
                    );
                    continue;
                };
                match (field.as_str(), value) {
                    ("name", Value::String(text)) => name = Some(text),
                    ("min", value) => drop(changes.insert("min_value".to_owned(), value)),
                    ("max", value) => drop(changes.insert("max_value".to_owned(), value)),
                    ("default", value) => drop(changes.insert("default_value".to_owned(), value)),
                    (field, value) => drop(changes.insert(field.to_owned(), value)),
                }
            }
            let range = (
                changes.get("min_value").and_then(Value::as_f64),
                changes.get("max_value").and_then(Value::as_f64),
            );
            if let (Some(min), Some(max)) = range
                && min > max
            {
                self.error(
                    Code::OutOfRange,
                    at(call),
                    format!("The minimum {min} is above the maximum {max}."),
                    "Exchange them.",
                );
            }
            self.draft.declared.insert(identifier.clone(), at(call));
            if let Some(item) = self
                .draft
                .interface
                .iter_mut()
                .find(|item| item.identifier == identifier)
            {
                item.props.extend(changes);
                if let Some(name) = name {
                    item.name = name;
                }
            }
        }
    }

    /// `count: Int = 5` and `group_output.tip: Factor` in an edit: a new socket, or a change of one.
    pub(crate) fn declare_socket(&mut self, target: &'p Expr, annotation: &'p Expr, default: Option<&'p Expr>) {
        let Some((kind, subtype)) = self.annotation(annotation) else {
            let word = match target {
                Expr::Name(name) => name.id.to_string(),
                Expr::Attribute(attribute) => attribute.attr.to_string(),
                _ => return,
            };
            self.faults.refused.names.insert(word);
            return;
        };
        let default = default
            .and_then(|value| constant(value, self.faults))
            .filter(|value| !value.is_null());
        let (side, word) = match target {
            Expr::Name(name) => (Side::Input, name.id.to_string()),
            Expr::Attribute(attribute) => (Side::Output, attribute.attr.to_string()),
            _ => return,
        };
        let present: Vec<&Item> = self
            .draft
            .interface
            .iter()
            .filter(|item| item.is_socket(side))
            .collect();
        let words = SocketNames::new(
            present
                .iter()
                .map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
        );
        let known = match side {
            Side::Input => self.parameters.get(&word).map(|known| known.socket.clone()),
            Side::Output => words.identifier(&word).map(str::to_owned),
        };
        let same = known.filter(|known| {
            present
                .iter()
                .any(|item| item.identifier == *known && item.socket_type == kind)
        });
        if let Some(identifier) = same {
            self.draft.declared.insert(identifier.clone(), at(target));
            if let Some(item) = self
                .draft
                .interface
                .iter_mut()
                .find(|item| item.identifier == identifier)
            {
                item.props
                    .extend(subtype.map(|subtype| ("subtype".to_owned(), Value::from(subtype))));
                let default = default.filter(|default| !is_usual(item, "default_value", default));
                item.props
                    .extend(default.map(|default| ("default_value".to_owned(), default)));
            }
            return;
        }
        let identifier = self.draft.next_key();
        let name = match side {
            Side::Input => self.name_of_input(&word),
            Side::Output => title(&word),
        };
        let item = self.declared(side, (name, identifier.clone()), kind.clone(), subtype, default);
        self.declare(item, at(target));
        if side == Side::Input {
            let output = Output {
                id: String::new(),
                socket: identifier,
                kind,
            };
            self.parameters.insert(word, output);
        }
    }

    /// Removes an input or output with its links.
    pub(crate) fn remove_socket(&mut self, identifier: &str) {
        let item = self.draft.interface.iter().find(|item| item.identifier == identifier);
        let (side, name) = item.map(|item| (item.in_out, item.name.clone())).unwrap_or_default();
        self.draft.interface.retain(|item| item.identifier != identifier);
        let kind = if side == Some(Side::Input) {
            GROUP_INPUT_TYPE
        } else {
            GROUP_OUTPUT_TYPE
        };
        let ends: Vec<String> = self
            .draft
            .nodes
            .values()
            .filter(|made| made.node.kind == kind)
            .map(|made| made.node.id.clone())
            .collect();
        let gone = |end: &(String, String)| end.1 == identifier && ends.contains(&end.0);
        let links: Vec<usize> = self
            .draft
            .links()
            .filter(|(_, wire)| gone(&wire.from) || gone(&wire.to))
            .map(|(number, _)| number)
            .collect();
        for number in links {
            let fed = self.draft.link(number).map(|wire| wire.to.clone());
            self.unfed
                .extend(fed.filter(|_| side == Some(Side::Input)).map(|fed| (name.clone(), fed)));
            self.draft.cut(number);
        }
        self.parameters.retain(|_, output| output.socket != identifier);
    }
}
