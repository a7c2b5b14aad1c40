//! The interface of a group: its signature, and what statements say about its inputs, outputs and panels.

use geonode_graph::ir::{Item, ItemKind, Map, Side};
use geonode_graph::nearest;
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};
use geonode_protocol::Code;
use rustpython_parser::ast::{Arguments, Constant, Expr, ExprCall, Keyword, StmtFunctionDef};
use serde_json::Value;

use super::arguments::unknown;
use super::reader::Reader;
use super::value::{Output, at, constant, data_socket};
use crate::names::{SocketNames, read_type, title};

/// The interface of a tree as Blender makes it.
pub(crate) const NEW_INPUT: &str = "@geometry_in";
pub(crate) const NEW_OUTPUT: &str = "@geometry_out";
/// How a panel is written.
const PANEL: &str = "panel(\"Shape\", size, description=\"…\")";
const GEOMETRY: &str = "NodeSocketGeometry";

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
            let name = title(&input.word);
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
    }

    fn declare(&mut self, item: Item, place: usize) {
        self.draft.declared.insert(item.identifier.clone(), place);
        self.draft.interface.push(item);
    }

    /// The identifier of an item: that of the one that is there under this word with this type, else a new one.
    fn identifier(&mut self, side: Side, word: &str, name: &str, kind: &str, first: bool) -> String {
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

    fn declared(
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
                (Some(None), _) => continue,
                (None, Some(default)) if !default.is_null() => (kind_of_default(default), None),
                (None, _) if word == "geometry" => (GEOMETRY.to_owned(), None),
                (None, _) => {
                    let message = format!("The type of the input “{word}” is open.");
                    self.error(
                        Code::MissingField,
                        place,
                        message,
                        format!("Write, for example, `{word}: Float`."),
                    );
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
            let fix = nearest(&text, known.iter().map(String::as_str)).map_or_else(
                || format!("The types are: {}.", known.join(", ")),
                |near| format!("Did you mean {near}?"),
            );
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
        all
    }

    /// The output of the group with this word.
    pub(crate) fn output_of_group(&self, word: &str) -> Option<String> {
        self.outputs().identifier(word).map(str::to_owned)
    }

    /// The words for the outputs of the group.
    fn outputs(&self) -> SocketNames {
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
                let known: Vec<&str> = self.parameters.keys().map(String::as_str).collect();
                let fix = nearest(word, known.iter().copied()).map_or_else(
                    || format!("The inputs are: {}.", known.join(", ")),
                    |near| format!("Did you mean “{near}”?"),
                );
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
                let words = self.outputs();
                let list: Vec<&str> = words.words().collect();
                let message = format!("The group has no output “{}”.", attribute.attr.as_str());
                let fix = format!("The outputs are: {}.", list.join(", "));
                self.error(Code::UnknownSocket, at(expr), message, fix);
                None
            }
            _ => {
                let message = "An input is named by its parameter, an output as group_output.name.";
                self.error(Code::TextForm, at(expr), message, "Write limits(count, min=0, max=10).");
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

    /// `panel("Shape", a, panel("Inner", b), …)`: returns the identifiers of what is in it.
    pub(crate) fn panel(&mut self, call: &'p ExprCall, parent: Option<&str>) {
        let name = call.args.first().and_then(|name| constant(name, self.faults));
        let Some(name) = name.as_ref().and_then(Value::as_str) else {
            self.error(
                Code::TextForm,
                at(call),
                "A panel needs a name.",
                "Write panel(\"Shape\", size, count).",
            );
            return;
        };
        let mut panels = self.draft.interface.iter().filter(|item| item.kind == ItemKind::Panel);
        let known = panels
            .find(|item| item.name == name && item.parent.as_deref() == parent)
            .map(|item| item.identifier.clone());
        let before = self.draft.present.into_iter().flat_map(|tree| &tree.interface);
        let before = before
            .into_iter()
            .find(|item| item.kind == ItemKind::Panel && item.name == name)
            .map(|item| item.identifier.clone());
        let identifier = match known {
            Some(known) => known,
            None => {
                let taken =
                    |identifier: &String| self.draft.interface.iter().any(|item| item.identifier == *identifier);
                let identifier = before.filter(|identifier| !taken(identifier));
                let identifier = identifier.unwrap_or_else(|| self.draft.next_key());
                let item = Item {
                    kind: ItemKind::Panel,
                    identifier: identifier.clone(),
                    name: name.to_owned(),
                    in_out: None,
                    socket_type: String::new(),
                    parent: parent.map(str::to_owned),
                    props: Map::new(),
                };
                self.declare(item, at(call));
                identifier
            }
        };
        let described = keyword_values(self, &call.keywords);
        if let Some(item) = self
            .draft
            .interface
            .iter_mut()
            .find(|item| item.identifier == identifier)
        {
            item.props.extend(described);
        }
        for inner in call.args.iter().skip(1) {
            if let Expr::Call(inner) = inner
                && matches!(&*inner.func, Expr::Name(name) if name.id.as_str() == "panel")
            {
                self.panel(inner, Some(&identifier));
                continue;
            }
            if let Some(socket) = self.interface_item(inner)
                && let Some(item) = self.draft.interface.iter_mut().find(|item| item.identifier == socket)
            {
                item.parent = Some(identifier.clone());
            }
        }
    }

    /// Puts panels before the first of what is in them, and the sockets of each together, as Blender shows them.
    pub(crate) fn arrange(&mut self) {
        if !self.draft.interface.iter().any(|item| item.kind == ItemKind::Panel) {
            return;
        }
        let items = std::mem::take(&mut self.draft.interface);
        let mut placed = vec![false; items.len()];
        for number in 0..items.len() {
            // The outermost panel that contains the item comes first.
            let mut top = number;
            for _ in 0..items.len() {
                let parent = items.get(top).and_then(|item| item.parent.as_deref());
                match parent.and_then(|parent| items.iter().position(|item| item.identifier == parent)) {
                    Some(above) => top = above,
                    None => break,
                }
            }
            let is_panel = items.get(number).is_some_and(|item| item.kind == ItemKind::Panel);
            if !(is_panel && top == number && placed.iter().any(|placed| !placed) && has_content(&items, number)) {
                self.place(&items, top, &mut placed, 0);
            }
        }
        for number in 0..items.len() {
            self.place(&items, number, &mut placed, 0);
        }
    }

    fn place(&mut self, items: &[Item], number: usize, placed: &mut [bool], depth: usize) {
        let Some(item) = items.get(number) else { return };
        if depth > geonode_graph::ir::MAX_NESTED || std::mem::replace(placed.get_mut(number).unwrap_or(&mut true), true)
        {
            return;
        }
        self.draft.interface.push(item.clone());
        if item.kind == ItemKind::Panel {
            for (inner, other) in items.iter().enumerate() {
                if other.parent.as_deref() == Some(&item.identifier) {
                    self.place(items, inner, placed, depth + 1);
                }
            }
        }
    }

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
                    let exact = inputs.iter().position(|socket| socket.name == name);
                    match exact.or_else(|| words.place(name)) {
                        Some(number) => self.feed_end(&end, number, value),
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

    /// `count: Int = 5` and `group_output.tip: Factor` in an edit: a new socket, or a change of one.
    pub(crate) fn declare_socket(&mut self, target: &'p Expr, annotation: &'p Expr, default: Option<&'p Expr>) {
        let Some((kind, subtype)) = self.annotation(annotation) else {
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
                item.props
                    .extend(default.map(|default| ("default_value".to_owned(), default)));
            }
            return;
        }
        let identifier = self.draft.next_key();
        let item = self.declared(side, (title(&word), identifier.clone()), kind.clone(), subtype, default);
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
        let side = self
            .draft
            .interface
            .iter()
            .find(|item| item.identifier == identifier)
            .and_then(|item| item.in_out);
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
            self.draft.cut(number);
        }
        self.parameters.retain(|_, output| output.socket != identifier);
    }
}

/// The constants of keywords by name.
fn keyword_values(reader: &mut Reader<'_, '_, '_>, keywords: &[Keyword]) -> Vec<(String, Value)> {
    let mut all = Vec::with_capacity(keywords.len());
    for keyword in keywords {
        match (keyword.arg.as_ref(), constant(&keyword.value, reader.faults)) {
            (Some(name), Some(value)) => all.push((name.to_string(), value)),
            (None, _) => unknown(keyword, "panel", PANEL, reader.faults),
            (Some(name), None) => {
                let message = format!("The property “{name}” of a panel is a constant.");
                reader.error(Code::TextForm, at(keyword), message, format!("Write {PANEL}."));
            }
        }
    }
    all
}

fn has_content(items: &[Item], panel: usize) -> bool {
    let identifier = items.get(panel).map(|item| item.identifier.as_str());
    items
        .iter()
        .any(|item| item.parent.is_some() && item.parent.as_deref() == identifier)
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
