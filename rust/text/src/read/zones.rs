//! Zones as `with` blocks, and closures as nested functions.

use foldhash::HashMap;
use geonode_graph::ir::{Map, Node, Side};
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall, Keyword, StmtFunctionDef, StmtWith};
use serde_json::Value;

use super::arguments::unknown;
use super::draft::with_identifiers;
use super::items::Item;
use super::reader::{Binding, Reader, is_usable};
use super::value::{Output, Val, at, constant};
use crate::names::{LOOK, title, word};

/// A `with` block that makes a zone.
pub(crate) struct Zone<'p> {
    pub(crate) call: &'p ExprCall,
    pub(crate) kind: &'static str,
    /// Variables of both ends.
    pub(crate) ends: (&'p str, &'p str),
}

/// The zone that a `with` block makes; none where it is another.
pub(crate) fn zone_of(block: &StmtWith) -> Option<Zone<'_>> {
    let [item] = block.items.as_slice() else { return None };
    let Expr::Call(call) = &item.context_expr else {
        return None;
    };
    let Expr::Name(name) = &*call.func else { return None };
    let kind = ["repeat", "simulation", "for_each"]
        .into_iter()
        .find(|kind| *kind == name.id.as_str())?;
    let parts = match item.optional_vars.as_deref()? {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        _ => return None,
    };
    let [Expr::Name(input), Expr::Name(output)] = parts.as_slice() else {
        return None;
    };
    Some(Zone {
        call,
        kind,
        ends: (input.id.as_str(), output.id.as_str()),
    })
}

impl<'p> Reader<'_, '_, 'p> {
    /// IDs of the ends of a zone: those that are there, else `x.in` and `x.out`.
    fn zone_ids(&self, (input, output): (&str, &str), is_kind: impl Fn(&str) -> bool) -> (String, String) {
        let known = |variable: &str| {
            self.ids
                .get(variable)
                .cloned()
                .or_else(|| self.variables.id(variable).map(str::to_owned))
        };
        if let (Some(input), Some(output)) = (known(input), known(output))
            && self.draft.before(&output).is_none_or(|node| is_kind(&node.kind))
        {
            return (input, output);
        }
        let stem = input.strip_suffix("_in").unwrap_or(input);
        (format!("{stem}.in"), format!("{stem}.out"))
    }

    /// The node types of both ends of a zone.
    fn zone_types(&self, kind: &str) -> Option<(String, String)> {
        let find = |end: &str| {
            let category = format!("zone:{kind}:{end}");
            let mut all = self.names.catalogue().nodes.iter();
            all.find(|(_, node)| node.category.as_deref() == Some(&category))
                .map(|(name, _)| name.clone())
        };
        Some((find("in")?, find("out")?))
    }

    /// Makes both ends, or takes those that are there; returns their IDs.
    fn zone_ends(&mut self, kind: &str, ends: (&str, &str), start: usize) -> Option<(String, String)> {
        let Some((input_type, output_type)) = self.zone_types(kind) else {
            let blender = &self.names.catalogue().blender;
            let message = format!("Blender {blender} has no zone of this kind.");
            self.error(Code::UnknownNodeType, start, message, "Use another kind of zone.");
            return None;
        };
        let (input, output) = self.zone_ids(ends, |kind| kind == output_type);
        for (id, kind) in [(&input, &input_type), (&output, &output_type)] {
            match self.draft.node(id).map(|node| node.kind == *kind) {
                Some(true) => {
                    if let Some(made) = self.draft.nodes.get_mut(id) {
                        made.said = true;
                        made.at = start;
                    }
                }
                Some(false) => {
                    let message = format!("“{id}” is the ID of another node.");
                    self.error(Code::DuplicateId, start, message, "Choose another name for the zone.");
                    return None;
                }
                None => {
                    let pair = (*kind == input_type).then(|| output.clone());
                    let node = Node {
                        pair,
                        ..self.new_node(id, kind)
                    };
                    self.draft.put(node, start);
                }
            }
        }
        Some((input, output))
    }

    /// Makes a zone with its items and what feeds it, and binds its ends.
    pub(crate) fn zone(&mut self, zone: &Zone<'p>) {
        let start = at(zone.call);
        let Some((input, output)) = self.zone_ends(zone.kind, zone.ends, start) else {
            for name in [zone.ends.0, zone.ends.1] {
                self.bindings.insert(name.to_owned(), Binding::Known(Val::Bad));
            }
            return;
        };
        let usual = match zone.kind {
            "repeat" => "repeat_items",
            "simulation" => "state_items",
            _ => "generation_items",
        };
        let is_new = self.draft.before(&output).is_none() || !self.edit;
        if let Some(made) = self.draft.nodes.get_mut(&output).filter(|_| is_new) {
            made.node.items.clear();
            made.node.items.insert(usual.to_owned(), Vec::new());
        }
        // Both ends are known before items are read: a value may lead back to them.
        self.bindings
            .insert(zone.ends.0.to_owned(), Binding::Known(Val::Node(input.clone())));
        self.bindings
            .insert(zone.ends.1.to_owned(), Binding::Known(Val::Node(output.clone())));
        let errors = self.faults.errors();
        let mut loose: Vec<&'p Keyword> = Vec::new();
        let mut inputs: Vec<&'p Keyword> = Vec::new();
        for keyword in &zone.call.keywords {
            let Some(name) = keyword.arg.as_ref().map(rustpython_parser::ast::Identifier::as_str) else {
                unknown(keyword, zone.kind, "items={\"Geometry\": Geometry(x)}", self.faults);
                continue;
            };
            let kind = self
                .draft
                .node(&output)
                .map(|node| node.kind.clone())
                .unwrap_or_default();
            if let Some(collection) = self.names.collection(&kind, name) {
                self.items(&output, &input, collection, &keyword.value);
            } else if name == "props" {
                self.properties(&output, &keyword.value);
            } else if self.is_zone_property(&kind, name) {
                self.property_named(&output, name, &keyword.value);
            } else if self.is_zone_input(&input, name) {
                inputs.push(keyword);
            } else if name == "items" {
                self.which_items(zone.kind, &kind, &keyword.value);
            } else {
                loose.push(keyword);
            }
        }
        let collection = if zone.kind == "for_each" { "input_items" } else { usual };
        self.loose_items(&input, &output, collection, &loose);
        if self.faults.errors() > errors {
            self.open.extend([input.clone(), output.clone()]);
        }
        let sockets = self.draft.sockets(&input, Side::Input);
        let words = self.words_of(&sockets);
        for (number, value) in zone.call.args.iter().enumerate() {
            let mut usable = sockets
                .iter()
                .zip(words.words())
                .filter(|(socket, _)| is_usable(socket));
            match usable.nth(number) {
                Some((socket, word)) => self.assign_to(&input, socket, word, value),
                None => {
                    let message = format!("{} has no further input.", self.label_of(&input));
                    self.error(
                        Code::UnknownSocket,
                        at(value),
                        message,
                        "Name the items: items={\"Geometry\": Geometry(x)}.",
                    );
                }
            }
        }
        for keyword in inputs {
            if let Some(name) = keyword.arg.as_ref() {
                self.assign(&input, name.as_str(), &keyword.value);
            }
        }
    }

    /// A zone has several kinds of items, and its call has to say which.
    fn which_items(&mut self, zone: &str, kind: &str, value: &'p Expr) {
        let known = self.names.catalogue().nodes.get(kind);
        let all: Vec<&str> = known
            .into_iter()
            .flat_map(|kind| kind.collections.keys())
            .map(String::as_str)
            .collect();
        let message = format!("The items of a {zone} zone are of several kinds.");
        let fix = format!("Write one of {} instead of items.", all.join(", "));
        self.error(Code::UnknownSocket, at(value), message, fix);
    }

    /// The next value of an item that was given to the zone's input: it belongs to the output.
    pub(super) fn tell_feedback(&mut self, id: &str, word: &str, place: usize) {
        let Some(output) = self.draft.node(id).and_then(|node| node.pair.clone()) else {
            return;
        };
        let mut seen = foldhash::HashSet::default();
        let mut open = vec![id];
        let mut leads_back = false;
        while let Some(at) = open.pop() {
            for (_, wire) in self.draft.links().filter(|(_, wire)| wire.from.0 == at) {
                leads_back |= wire.to.0 == id;
                if wire.to.0 != output && seen.insert(wire.to.0.as_str()) {
                    open.push(&wire.to.0);
                }
            }
        }
        if !leads_back {
            return;
        }
        let bound = |end: &str| {
            let mut names = self.bindings.iter();
            let is_it = |binding: &Binding<'_>| matches!(binding, Binding::Known(Val::Node(node)) if node == end);
            let found = names.find(|(_, binding)| is_it(binding)).map(|(name, _)| name.clone());
            found.or_else(|| self.variables.variable(end).map(str::to_owned))
        };
        let (Some(input), Some(output)) = (bound(id), bound(&output)) else {
            return;
        };
        let message = format!("“{input}.{word}” is what comes into the zone; its next value goes out of it.");
        self.error(Code::Cycle, place, message, format!("Write {output}.{word} = …"));
    }

    fn is_zone_property(&self, kind: &str, name: &str) -> bool {
        let described = self.names.catalogue().nodes.get(kind);
        described.is_some_and(|described| described.properties.contains_key(name))
            && !LOOK.contains(&name)
            && name != "mute"
    }

    /// Whether a word names an input of a zone that is not one of its items.
    fn is_zone_input(&self, input: &str, name: &str) -> bool {
        let sockets = self.draft.sockets(input, Side::Input);
        let mut usable = sockets.iter().filter(|socket| is_usable(socket));
        usable.any(|socket| {
            let item = ["Item", "Input"]
                .iter()
                .any(|prefix| socket.identifier.starts_with(prefix));
            !item && !socket.identifier.starts_with(['=', '#']) && word(&socket.name).as_deref() == Some(name)
        })
    }

    /// Items that are given as keywords: further ones, or the values of those that are there.
    fn loose_items(&mut self, input: &str, output: &str, collection: &str, keywords: &[&'p Keyword]) {
        if keywords.is_empty() {
            return;
        }
        let mut fed = Vec::new();
        for keyword in keywords {
            let Some(name) = keyword.arg.as_ref() else { continue };
            let present = self
                .draft
                .node(output)
                .and_then(|node| node.items.get(collection))
                .cloned()
                .unwrap_or_default();
            let known = present.iter().position(|item| {
                item.get("name").and_then(Value::as_str).and_then(word).as_deref() == Some(name.as_str())
            });
            let number = match known {
                Some(number) => number,
                None => {
                    let item: Item<'p> = self.item_of_keyword(name.as_str(), Some("socket_type"), &keyword.value);
                    let before = self.draft.before(output).and_then(|node| node.items.get(collection));
                    let mut all: Vec<Map> = present;
                    all.extend(with_identifiers(before, vec![item.fields]));
                    let number = all.len() - 1;
                    if let Some(made) = self.draft.nodes.get_mut(output) {
                        made.node.items.insert(collection.to_owned(), all);
                        made.places.insert(format!("+{collection}"), at(*keyword));
                    }
                    number
                }
            };
            fed.push((number, *keyword));
        }
        for (number, keyword) in fed {
            let value = match &keyword.value {
                Expr::Call(call) if matches!(&*call.func, Expr::Name(name) if self.is_item_type(name.id.as_str())) => {
                    call.args.first()
                }
                value => Some(value),
            };
            let Some(value) = value.filter(|value| !matches!(constant(value, self.faults), Some(Value::Null))) else {
                continue;
            };
            let items = self
                .draft
                .node(output)
                .and_then(|node| node.items.get(collection))
                .cloned()
                .unwrap_or_default();
            let prefix = if collection == "input_items" { "Input" } else { "Item" };
            let sockets = self.draft.sockets(input, Side::Input);
            let place = items
                .get(number)
                .and_then(|item| Item::socket_of(item, number, prefix, &sockets));
            let words = self.words_of(&sockets);
            if let Some((socket, word)) = place.and_then(|place| Some((sockets.get(place)?, words.word_at(place)?))) {
                self.assign_to(input, socket, word, value);
            }
        }
    }

    fn is_item_type(&self, name: &str) -> bool {
        self.names.node_type(name).is_none() && crate::names::read_type(name, self.names.catalogue()).is_some()
    }

    /// Begins a closure: its ends with their items. Returns whether its body can be read.
    pub(crate) fn begin_closure(&mut self, function: &'p StmtFunctionDef) -> bool {
        let name = function.name.as_str();
        let start = at(function);
        let (input_name, output_name) = (format!("{name}_in"), format!("{name}_out"));
        let Some((input, output)) = self.zone_ends("closure", (&input_name, &output_name), start) else {
            self.bindings.insert(name.to_owned(), Binding::Known(Val::Bad));
            return false;
        };
        let errors = self.faults.errors();
        let outputs = self.returned(function.returns.as_deref());
        let parameters = self.parameters_of(&function.args);
        if self.faults.errors() > errors {
            self.open.extend([input.clone(), output.clone()]);
        }
        for input in parameters.iter().filter(|input| input.default.is_some()) {
            let message = format!("The input “{}” of a closure has no default.", input.word);
            let fix = "Give its value where the closure is evaluated: evaluate_closure(closure=…, input_items={\"Size\": Float(2.0)}).";
            self.error(Code::TextForm, input.at, message, fix);
        }
        let before = self
            .draft
            .before(&output)
            .map(|node| node.items.clone())
            .unwrap_or_default();
        let old_name = |word_: &str| {
            let mut all = before.get("input_items").into_iter().flatten();
            let found =
                all.find(|item| item.get("name").and_then(Value::as_str).and_then(word).as_deref() == Some(word_));
            found
                .and_then(|item| item.get("name"))
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let ins: Vec<Map> = parameters
            .iter()
            .map(|input| {
                let shown = old_name(&input.word).unwrap_or_else(|| title(&input.word));
                self.closure_item(&shown, &input.kind)
            })
            .collect();
        let outs: Vec<Map> = outputs
            .iter()
            .map(|(name, kind, ..)| self.closure_item(name, kind))
            .collect();
        if let Some(made) = self.draft.nodes.get_mut(&output) {
            made.node.items.clear();
            made.node.items.insert(
                "input_items".to_owned(),
                with_identifiers(before.get("input_items"), ins),
            );
            made.node.items.insert(
                "output_items".to_owned(),
                with_identifiers(before.get("output_items"), outs),
            );
        }
        let sockets = self.draft.sockets(&input, Side::Output);
        let items: Vec<_> = sockets.iter().filter(|socket| is_usable(socket)).collect();
        let scope = parameters.iter().zip(items).map(|(parameter, socket)| {
            let output = Output {
                id: input.clone(),
                socket: socket.identifier.clone(),
                kind: socket.kind.clone(),
            };
            (parameter.word.clone(), output)
        });
        let scope = scope.collect();
        self.closures.push(scope);
        self.bindings.insert(input_name, Binding::Known(Val::Node(input)));
        self.bindings
            .insert(output_name, Binding::Known(Val::Node(output.clone())));
        let value = self.closure_value(&output);
        self.bindings.insert(name.to_owned(), Binding::Known(value));
        self.closure_ends.push(output);
        true
    }

    fn closure_item(&self, name: &str, kind: &str) -> Map {
        Map::from_iter([
            ("name".to_owned(), Value::from(name)),
            ("socket_type".to_owned(), Value::from(self.short(kind))),
        ])
    }

    /// Ends the closure that was begun last.
    pub(crate) fn end_closure(&mut self) {
        self.closures.pop();
        self.closure_ends.pop();
    }

    /// `limits(radius, structure_type="SINGLE")` about an item of the closure around it, or `limits(shape_out.mesh, …)`.
    pub(crate) fn limits_item_of_zone(&mut self, target: &'p Expr, keywords: &'p [Keyword]) -> bool {
        let found = match target {
            Expr::Name(name) => {
                let known = self
                    .closures
                    .last()
                    .and_then(|scope| scope.get(name.id.as_str()))
                    .cloned();
                let end = self.closure_ends.last().cloned();
                known.zip(end).map(|(output, end)| {
                    let sockets = self.draft.sockets(&output.id, Side::Output);
                    let place = sockets
                        .iter()
                        .filter(|socket| is_usable(socket))
                        .position(|socket| socket.identifier == output.socket);
                    (end, "input_items", place, output.id.clone(), Side::Output)
                })
            }
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Name(base) if base.id.as_str() != "group_output" => {
                    match self.bindings.get(base.id.as_str()).cloned() {
                        Some(Binding::Known(Val::Node(id))) if self.closure_ends.contains(&id) => {
                            let sockets = self.draft.sockets(&id, Side::Input);
                            let words = self.words_of(&sockets);
                            let place = words.place(attribute.attr.as_str());
                            Some((id.clone(), "output_items", place, id, Side::Input))
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        };
        let Some((end, collection, place, shown, side)) = found else {
            return false;
        };
        let before = self.draft.sockets(&shown, side);
        for keyword in keywords {
            let value = self.constant_field(keyword);
            let items = self
                .draft
                .nodes
                .get_mut(&end)
                .and_then(|made| made.node.items.get_mut(collection));
            if let (Some(item), Some(field), Some(value)) = (
                items.zip(place).and_then(|(items, place)| items.get_mut(place)),
                keyword.arg.as_ref(),
                value,
            ) {
                item.insert(field.to_string(), value);
            }
        }
        let now = self.draft.sockets(&shown, side);
        for (old, new) in before.iter().zip(now.iter()) {
            if old.identifier != new.identifier {
                self.renamed_item(&shown, side, &old.identifier, &new.identifier);
            }
        }
        true
    }

    /// An item has another name: what is known of its socket by the old identifier goes on under the new one.
    fn renamed_item(&mut self, node: &str, side: Side, old: &str, new: &str) {
        let inputs = self.closures.iter_mut().flat_map(HashMap::values_mut);
        for output in inputs.filter(|output| side == Side::Output && output.id == node && output.socket == old) {
            new.clone_into(&mut output.socket);
        }
        self.draft.rename_socket(node, side, old, new);
    }
}
