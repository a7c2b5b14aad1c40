//! The interface of a group: its signature.

use geonode_graph::did_you_mean;
use geonode_graph::ir::{Item, ItemKind, Map, Side};
use geonode_protocol::Code;
use rustpython_parser::ast::{Arguments, Constant, Expr, StmtFunctionDef};
use serde_json::Value;

use super::reader::Reader;
use super::value::{Output, at, constant, data_socket};
use crate::names::{SocketNames, TOGGLE, read_type};

/// The interface of a tree as Blender makes it.
pub(crate) const NEW_INPUT: &str = "@geometry_in";

pub(crate) const NEW_OUTPUT: &str = "@geometry_out";

pub(super) const GEOMETRY: &str = "NodeSocketGeometry";

/// The name of what a function returns, among those that are refused.
pub(super) const RETURNED: &str = "->";

/// A parameter of a function: word, type, subtype and default.
pub(crate) struct Parameter {
    pub(crate) word: String,
    pub(crate) kind: String,
    pub(crate) subtype: Option<String>,
    pub(crate) default: Option<Value>,
    pub(crate) at: usize,
}

impl<'p> Reader<'_, '_, 'p> {
    /// Declares the inputs and outputs of a group that is described as a whole.
    pub(crate) fn signature(&mut self, function: &'p StmtFunctionDef) {
        let outputs = self.returned(function.returns.as_deref());
        let inputs = self.parameters_of(&function.args);
        for (number, (name, kind, subtype, place)) in outputs.into_iter().enumerate() {
            let identifier = self.identifier(Side::Output, &name, &name, &kind, number == 0);
            let item = self.declared(Side::Output, (name, identifier), kind, subtype, None);
            self.declare(item, place);
        }
        for (number, input) in inputs.into_iter().enumerate() {
            let name = self.name_of_input(&input.word);
            let identifier = self.identifier(Side::Input, &input.word, &name, &input.kind, number == 0);
            let item = self.declared(
                Side::Input,
                (name, identifier),
                input.kind,
                input.subtype,
                input.default,
            );
            let output = Output {
                id: String::new(),
                socket: item.identifier.clone(),
                kind: item.socket_type.clone(),
            };
            self.parameters.insert(input.word, output);
            self.declare(item, input.at);
        }
    }

    /// The inputs of the present tree as parameters, for an edit.
    pub(crate) fn parameters_of_present(&mut self) {
        let items: Vec<(String, String)> = {
            let inputs = self.draft.interface.iter().filter(|item| item.is_socket(Side::Input));
            inputs
                .map(|item| (item.identifier.clone(), item.socket_type.clone()))
                .collect()
        };
        for (socket, kind) in items {
            if let Some(word) = self.variables.parameters().word(&socket).map(str::to_owned) {
                let id = String::new();
                self.parameters.insert(word, Output { id, socket, kind });
            }
        }
        // A toggle under the word that it had before its panel named it.
        for (word, panel) in self.toggles.iter().filter(|(word, _)| self.declares.contains(*word)) {
            let toggles = |item: &&Item| item.name == *panel && item.props.get(TOGGLE) == Some(&Value::Bool(true));
            let mut inputs = self.draft.interface.iter().filter(|item| item.is_socket(Side::Input));
            if let Some(item) = inputs.find(toggles)
                && !self.parameters.contains_key(word)
            {
                let (socket, kind) = (item.identifier.clone(), item.socket_type.clone());
                let id = String::new();
                self.parameters.insert(word.clone(), Output { id, socket, kind });
            }
        }
    }

    pub(super) fn declare(&mut self, item: Item, place: usize) {
        self.draft.declared.insert(item.identifier.clone(), place);
        self.draft.interface.push(item);
    }

    /// The identifier of an item: that of the one that is there under this word with this type, else a new one.
    pub(super) fn identifier(&mut self, side: Side, word: &str, name: &str, kind: &str, first: bool) -> String {
        let Some(present) = self.draft.present else {
            let plain = if side == Side::Input { NEW_INPUT } else { NEW_OUTPUT };
            return if first && name == "Geometry" && kind == GEOMETRY {
                plain.to_owned()
            } else {
                self.draft.next_key()
            };
        };
        let items: Vec<&Item> = present.interface.iter().filter(|item| item.is_socket(side)).collect();
        let words = match side {
            Side::Input => None,
            Side::Output => Some(SocketNames::new(
                items
                    .iter()
                    .map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
            )),
        };
        let words = words.as_ref().unwrap_or(self.variables.parameters());
        let is_declared = |identifier: &str| self.draft.interface.iter().any(|item| item.identifier == identifier);
        // Of several with the name the next one.
        let named = || {
            items
                .iter()
                .find(|item| item.name == name && !is_declared(&item.identifier))
                .map(|item| item.identifier.as_str())
        };
        let found = named().or_else(|| words.identifier(word)).map(str::to_owned);
        let fits = |identifier: &str| {
            !is_declared(identifier)
                && items
                    .iter()
                    .any(|item| item.identifier == identifier && item.socket_type == kind)
        };
        match found.filter(|identifier| fits(identifier)) {
            Some(identifier) => identifier,
            None => self.draft.next_key(),
        }
    }

    pub(super) fn declared(
        &self,
        side: Side,
        (name, identifier): (String, String),
        kind: String,
        subtype: Option<String>,
        default: Option<Value>,
    ) -> Item {
        let before = self.draft.present.into_iter().flat_map(|tree| &tree.interface);
        let before = before.into_iter().find(|item| item.identifier == identifier);
        let mut props = Map::new();
        props.extend(subtype.map(|subtype| ("subtype".to_owned(), Value::from(subtype))));
        props.extend(default.map(|default| ("default_value".to_owned(), default)));
        Item {
            kind: ItemKind::Socket,
            identifier,
            name: before.map_or(name, |item| item.name.clone()),
            in_out: Some(side),
            socket_type: kind,
            parent: None,
            props,
        }
    }

    /// The parameters of a function.
    pub(crate) fn parameters_of(&mut self, arguments: &'p Arguments) -> Vec<Parameter> {
        for extra in arguments.vararg.iter().chain(&arguments.kwarg) {
            let message = "A group has no inputs of the form `*x`.";
            self.error(
                Code::TextForm,
                at(&**extra),
                message,
                "Declare each input with its type: `count: Int = 100`.",
            );
        }
        let all = arguments
            .posonlyargs
            .iter()
            .chain(&arguments.args)
            .chain(&arguments.kwonlyargs);
        let mut parameters = Vec::new();
        for argument in all {
            let word = argument.def.arg.to_string();
            let place = at(&argument.def);
            let default = argument.default.as_ref().and_then(|value| {
                let known = constant(value, self.faults);
                if known.is_none() {
                    self.error(
                        Code::TextForm,
                        at(&**value),
                        "The default of an input is a constant.",
                        "Write a number, a text or a tuple.",
                    );
                }
                known
            });
            let stated = argument
                .def
                .annotation
                .as_deref()
                .map(|annotation| self.annotation(annotation));
            let (kind, subtype) = match (stated, &default) {
                (Some(Some(known)), _) => known,
                (Some(None), _) => {
                    self.faults.refused.names.insert(word);
                    continue;
                }
                (None, Some(default)) if !default.is_null() => (kind_of_default(default), None),
                (None, _) if word == "geometry" => (GEOMETRY.to_owned(), None),
                (None, _) => {
                    let message = format!("The type of the input “{word}” is open.");
                    let fix = format!("Write, for example, `{word}: Float`.");
                    self.error(Code::MissingField, place, message, fix);
                    self.faults.refused.names.insert(word);
                    continue;
                }
            };
            parameters.push(Parameter {
                word,
                kind,
                subtype,
                default: default.filter(|default| !default.is_null()),
                at: place,
            });
        }
        parameters
    }

    /// The socket type and subtype that an annotation means; reports one that this Blender does not have.
    pub(crate) fn annotation(&mut self, annotation: &'p Expr) -> Option<(String, Option<String>)> {
        let text = match annotation {
            Expr::Name(name) => name.id.to_string(),
            Expr::Constant(text) => match &text.value {
                Constant::Str(text) => text.clone(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        let catalogue = self.names.catalogue();
        let found = read_type(&text, catalogue).or_else(|| {
            let plain = match text.as_str() {
                "float" => "Float",
                "int" => "Int",
                "bool" => "Bool",
                "str" => "String",
                "tuple" => "Vector",
                _ => return None,
            };
            read_type(plain, catalogue)
        });
        if found.is_none() {
            let short = |kind: &String| kind.trim_start_matches("NodeSocket").to_owned();
            let known: Vec<String> = catalogue.sockets.keys().map(short).collect();
            let fix = did_you_mean(&text, known.iter().map(String::as_str))
                .unwrap_or_else(|| format!("The types are: {}.", known.join(", ")));
            let blender = &catalogue.blender;
            let message = if text.is_empty() {
                "A type is a name, such as Geometry.".to_owned()
            } else {
                format!("Blender {blender} has no socket type {text}.")
            };
            self.error(Code::UnknownSocketType, at(annotation), message, fix);
        }
        found
    }

    /// The outputs that the arrow of a function declares: name, type, subtype and place.
    pub(crate) fn returned(&mut self, returns: Option<&'p Expr>) -> Vec<(String, String, Option<String>, usize)> {
        let Some(returns) = returns else { return Vec::new() };
        let errors = self.faults.errors();
        let mut all = Vec::new();
        match returns {
            Expr::Dict(dict) => {
                for (key, value) in dict.keys.iter().zip(&dict.values) {
                    let name = key.as_ref().and_then(|key| constant(key, self.faults));
                    let Some(name) = name.as_ref().and_then(Value::as_str) else {
                        self.error(
                            Code::TextForm,
                            at(value),
                            "The name of an output is a text.",
                            "Write -> {\"Curves\": Geometry}.",
                        );
                        continue;
                    };
                    if let Some((kind, subtype)) = self.annotation(value) {
                        all.push((name.to_owned(), kind, subtype, at(value)));
                    }
                }
            }
            Expr::Constant(constant) if constant.value.is_none() => {}
            Expr::Tuple(tuple) => {
                for each in &tuple.elts {
                    if let Some((kind, subtype)) = self.annotation(each) {
                        let plain = type_name(&kind);
                        let same = all
                            .iter()
                            .filter(|(name, ..): &&(String, _, _, _)| name.starts_with(&plain))
                            .count();
                        let name = if same == 0 {
                            plain
                        } else {
                            format!("{plain} {}", same + 1)
                        };
                        all.push((name, kind, subtype, at(each)));
                    }
                }
            }
            one => {
                if let Some((kind, subtype)) = self.annotation(one) {
                    let name = match (one, &subtype) {
                        (Expr::Name(name), Some(_)) => name.id.to_string(),
                        _ => type_name(&kind),
                    };
                    all.push((name, kind, subtype, at(one)));
                }
            }
        }
        if self.faults.errors() > errors {
            // What is returned may be one of those.
            self.faults.refused.names.insert(RETURNED.to_owned());
        }
        all
    }
}

/// `NodeSocketGeometry` → `Geometry`.
pub(crate) fn type_name(kind: &str) -> String {
    kind.trim_start_matches("NodeSocket").to_owned()
}

fn kind_of_default(default: &Value) -> String {
    match default {
        Value::Bool(_) => "NodeSocketBool".to_owned(),
        Value::Number(number) if number.is_i64() => "NodeSocketInt".to_owned(),
        Value::String(_) => "NodeSocketString".to_owned(),
        Value::Array(_) => "NodeSocketVector".to_owned(),
        Value::Object(map) => map.keys().next().map_or_else(String::new, |kind| data_socket(kind)),
        _ => "NodeSocketFloat".to_owned(),
    }
}
