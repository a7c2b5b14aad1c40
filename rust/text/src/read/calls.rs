//! Calls: the node that a call makes, its properties and items, and what its arguments feed.

use std::borrow::Cow;

use geonode_graph::catalogue::{Property, Socket, fold};
use geonode_graph::ir::{Map, Node, Side};
use geonode_graph::nearest;
use geonode_graph::sockets::{FRAME, GROUP};
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall, Keyword};
use serde_json::{Value, json};

use super::draft::with_identifiers;
use super::items::Item;
use super::reader::{Place, Reader, is_usable};
use super::value::{Val, at, constant};
use crate::names::LOOK;

/// What a call makes.
#[derive(Debug, Clone)]
pub(crate) enum Callee {
    /// A node of this type.
    Type(String),
    /// A node of this group.
    Group(String),
}

/// What a keyword of a call is.
pub(crate) enum Role<'c> {
    Properties,
    Property(&'c str, &'c Property),
    Items(&'c str),
    Label,
    Input,
}

impl<'a, 'p> Reader<'_, 'a, 'p> {
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
        let fix = match name {
            "repeat" | "simulation" | "for_each" => format!("Write `with {name}(…) as (x_in, x_out):`."),
            "closure" => {
                "A closure is a nested function: `def shape(radius: Float) -> {\"Mesh\": Geometry}:`.".to_owned()
            }
            _ => self.names.near_call(name).map_or_else(
                || "Calls are the menus' names of nodes in snake case, such as set_position(…).".to_owned(),
                |near| format!("Did you mean {near}(…)?"),
            ),
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
        let kind = match &callee {
            Callee::Type(kind) => kind.clone(),
            Callee::Group(_) => GROUP.to_owned(),
        };
        let id = self.id_at(place, &kind);
        if !self.make(&id, &kind, start) {
            return Val::Bad;
        }
        if let Callee::Group(name) = &callee {
            if !self.draft.scope.trees.contains_key(name) {
                let near = nearest(name, self.draft.scope.trees.keys().map(String::as_str));
                let fix = near.map_or_else(
                    || {
                        format!(
                            "Describe it on the page: `def {}(…):`.",
                            crate::names::word(name).unwrap_or_default()
                        )
                    },
                    |near| format!("Did you mean “{near}”?"),
                );
                self.error(
                    Code::UnknownNodeGroup,
                    start,
                    format!("There is no node group “{name}”."),
                    fix,
                );
                return Val::Bad;
            }
            self.draft
                .set_property(&id, "node_tree", json!({ "node_group": name }), start);
        }
        self.configure(&id, &call.keywords);
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
    fn replace(&mut self, id: &str, kind: &str, start: usize) -> bool {
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
        self.replaced.insert(id.to_owned(), start);
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
            let ends = [(&mut wire.from, &outputs, &now_out), (&mut wire.to, &inputs, &now_in)];
            let mut stays = true;
            for (end, before, now) in ends {
                if end.0 != id {
                    continue;
                }
                match counterpart(&end.1, before, now) {
                    Some(socket) => end.1 = socket,
                    None => stays = false,
                }
            }
            if stays {
                self.draft.connect(wire.from, wire.to, wire.at);
            }
        }
        true
    }

    /// Sets the properties and items that keywords name.
    pub(crate) fn configure(&mut self, id: &str, keywords: &'p [Keyword]) {
        if !self.edit {
            self.keep_nothing(id, keywords);
        }
        for keyword in keywords {
            let Some(name) = keyword.arg.as_ref() else {
                let message = "Tree text has no arguments of the form `**x`.";
                self.error(
                    Code::TextForm,
                    at(keyword),
                    message,
                    "Name each argument: `socket=value`.",
                );
                continue;
            };
            match self.role(id, name.as_str()) {
                Role::Properties => self.properties(id, &keyword.value),
                Role::Property(name, property) => self.property(id, name, property, &keyword.value),
                Role::Items(collection) => self.items(id, id, collection, &keyword.value),
                Role::Label => {
                    if let Some(label) = self.label_text(&keyword.value)
                        && let Some(made) = self.draft.nodes.get_mut(id)
                    {
                        made.node.label = Some(label);
                    }
                }
                Role::Input => {}
            }
        }
    }

    /// A call that names no items leaves those of a new node.
    fn keep_nothing(&mut self, id: &str, keywords: &'p [Keyword]) {
        let kind = self.draft.node(id).map(|node| node.kind.clone()).unwrap_or_default();
        let named: Vec<&str> = keywords
            .iter()
            .filter_map(|keyword| self.names.collection(&kind, keyword.arg.as_ref()?.as_str()))
            .collect();
        if let Some(made) = self.draft.nodes.get_mut(id) {
            made.node
                .items
                .retain(|collection, _| named.contains(&collection.as_str()));
        }
    }

    pub(crate) fn role(&self, id: &str, keyword: &str) -> Role<'a> {
        let kind = self.draft.node(id).map_or("", |node| node.kind.as_str());
        if keyword == "props" {
            return Role::Properties;
        }
        let described = self.names.catalogue().nodes.get(kind);
        let inputs = self.draft.sockets(id, Side::Input);
        let is_input = || {
            inputs
                .iter()
                .any(|socket| is_usable(socket) && crate::names::word(&socket.name).as_deref() == Some(keyword))
        };
        if let Some(collection) = self.names.collection(kind, keyword)
            && (keyword == collection || !is_input())
        {
            return Role::Items(collection);
        }
        if let Some((name, property)) = described.and_then(|described| described.properties.get_key_value(keyword))
            && !self.names.is_shadowed(kind, keyword)
        {
            return Role::Property(name, property);
        }
        if is_input() {
            return Role::Input;
        }
        if keyword == "label" {
            return Role::Label;
        }
        // A property under its name in the UI.
        let wanted = fold(keyword);
        let mut alike = described
            .into_iter()
            .flat_map(|described| &described.properties)
            .filter(|(_, property)| fold(&property.label) == wanted);
        match (alike.next(), alike.next()) {
            (Some((name, property)), None) if !wanted.is_empty() => Role::Property(name, property),
            _ => Role::Input,
        }
    }

    /// Sets what a word after a node's dot names: an input, a property, items.
    pub(crate) fn set_part(&mut self, id: &str, word: &str, value: &'p Expr) {
        match self.role(id, word) {
            Role::Properties => self.properties(id, value),
            Role::Property(name, property) => self.property(id, name, property, value),
            Role::Items(collection) => {
                let input = self
                    .draft
                    .nodes
                    .values()
                    .find(|made| made.node.pair.as_deref() == Some(id));
                let fed = input.map_or_else(|| id.to_owned(), |made| made.node.id.clone());
                self.items(id, &fed, collection, value);
            }
            Role::Label => {
                if let Some(label) = self.label_text(value)
                    && let Some(made) = self.draft.nodes.get_mut(id)
                {
                    made.places.insert(".label".to_owned(), at(value));
                    made.node.label = Some(label);
                }
            }
            Role::Input => self.keyword(id, word, value),
        }
    }

    /// The text of a label; anything else is reported.
    pub(crate) fn label_text(&mut self, value: &'p Expr) -> Option<String> {
        if let Some(Value::String(label)) = constant(value, self.faults) {
            return Some(label);
        }
        self.error(
            Code::TextForm,
            at(value),
            "A label is a text.",
            "Write label=\"Any text\".",
        );
        None
    }

    /// `props={…}`.
    pub(crate) fn properties(&mut self, id: &str, value: &'p Expr) {
        let Expr::Dict(dict) = value else {
            self.error(
                Code::TextForm,
                at(value),
                "Properties are given by name.",
                "Write props={\"operation\": \"ADD\"}.",
            );
            return;
        };
        for (key, value) in dict.keys.iter().zip(&dict.values) {
            let name = key.as_ref().and_then(|key| constant(key, self.faults));
            let Some(name) = name.as_ref().and_then(Value::as_str) else {
                self.error(
                    Code::TextForm,
                    at(value),
                    "The name of a property is a text.",
                    "Write props={\"operation\": \"ADD\"}.",
                );
                continue;
            };
            self.property_named(id, name, value);
        }
    }

    /// Sets a property by its RNA name.
    pub(crate) fn property_named(&mut self, id: &str, name: &str, value: &'p Expr) {
        let kind = self.draft.node(id).map_or("", |node| node.kind.as_str());
        let described = self.names.catalogue().nodes.get(kind);
        if let Some((collection, _)) = described.and_then(|described| described.collections.get_key_value(name)) {
            return self.items(id, id, collection, value);
        }
        let Some((name, property)) = described.and_then(|described| described.properties.get_key_value(name)) else {
            let known = || {
                described
                    .into_iter()
                    .flat_map(|described| described.properties.keys())
                    .map(String::as_str)
            };
            let fix = match nearest(name, known()) {
                Some(near) => format!("Did you mean “{near}”?"),
                None => format!(
                    "It has: {}.",
                    known()
                        .filter(|name| !LOOK.contains(name))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            };
            let message = format!("{} has no property “{name}”.", self.label_of(id));
            self.error(Code::UnknownProperty, at(value), message, fix);
            return;
        };
        self.property(id, name, property, value);
    }

    fn property(&mut self, id: &str, name: &str, property: &Property, value: &'p Expr) {
        if matches!(value, Expr::Name(word) if word.id.as_str() == "default") {
            return self.draft.set_property(id, name, property.default.clone(), at(value));
        }
        let Some(given) = constant(value, self.faults) else {
            let message = format!("The property “{name}” of {} is a constant.", self.label_of(id));
            self.error(
                Code::TextForm,
                at(value),
                message,
                "Only inputs can be linked; give the property a value.",
            );
            return;
        };
        match settled(property, given) {
            Ok(given) => self.draft.set_property(id, name, given, at(value)),
            Err(given) => {
                let items = || property.items.iter().map(|(item, _)| item.as_str());
                let fix = match nearest(&given, items()) {
                    Some(near) => format!(
                        "Did you mean “{near}”? The items are: {}.",
                        items().collect::<Vec<_>>().join(", ")
                    ),
                    None => format!("The items are: {}.", items().collect::<Vec<_>>().join(", ")),
                };
                let message = format!(
                    "“{given}” is not an item of the property “{name}” of {}.",
                    self.label_of(id)
                );
                self.error(Code::InvalidEnum, at(value), message, fix);
            }
        }
    }

    /// Sets the items of a collection of `holder`, whose values feed inputs of `fed`.
    pub(crate) fn items(&mut self, holder: &str, fed: &str, collection: &str, value: &'p Expr) {
        let Some(items) = self.read_items(holder, collection, value) else {
            return;
        };
        let before = self.draft.before(holder).and_then(|node| node.items.get(collection));
        let plain: Vec<Map> = items.iter().map(|item| item.fields.clone()).collect();
        let with = with_identifiers(before, plain);
        if let Some(made) = self.draft.nodes.get_mut(holder) {
            made.said = true;
            made.places.insert(format!("+{collection}"), at(value));
            made.node.items.insert(collection.to_owned(), with.clone());
        }
        let prefix = self.item_prefix(holder, fed, collection);
        let Some(prefix) = prefix else { return };
        for ((number, item), fields) in items.iter().enumerate().zip(&with) {
            if let Some(value) = item.value {
                self.feed_item(fed, &prefix, number, fields, value);
            }
        }
    }

    /// Feeds the input that an item makes.
    fn feed_item(&mut self, fed: &str, prefix: &str, number: usize, fields: &Map, value: &'p Expr) {
        let inputs = self.draft.sockets(fed, Side::Input);
        let Some(place) = Item::socket_of(fields, number, prefix, &inputs) else {
            return;
        };
        let words = self.words_of(&inputs);
        let Some((socket, word)) = inputs.get(place).zip(words.word_at(place)) else {
            return;
        };
        let socket = socket.clone();
        let word = word.to_owned();
        self.assign_to(fed, &socket, &word, value);
    }

    /// What the identifiers of the inputs begin with that the items of `holder` make on `fed`.
    fn item_prefix(&self, holder: &str, fed: &str, collection: &str) -> Option<String> {
        let described = self.draft.kind(holder)?.collections.get(collection)?;
        let side = if holder == fed { "self" } else { "partner" };
        let mut entries = described.sockets.iter();
        entries
            .find(|entry| entry.0 == side && entry.1 == "inputs")
            .map(|entry| entry.2.clone())
    }

    /// Reads what feeds a node.
    pub(crate) fn fill(&mut self, id: &str, call: &'p ExprCall) {
        let kind = self.draft.node(id).map(|node| node.kind.clone()).unwrap_or_default();
        if kind == FRAME {
            return self.fill_frame(id, call);
        }
        self.infer(id, call);
        let skip = usize::from(kind == GROUP && matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "group"));
        self.positional(id, call.args.get(skip..).unwrap_or_default());
        for keyword in &call.keywords {
            let Some(name) = keyword.arg.as_ref() else { continue };
            if let Role::Input = self.role(id, name.as_str()) {
                self.keyword(id, name.as_str(), &keyword.value);
            }
        }
    }

    fn keyword(&mut self, id: &str, name: &str, value: &'p Expr) {
        let inputs = self.draft.sockets(id, Side::Input);
        if inputs.is_empty() {
            let outputs = self.draft.sockets(id, Side::Output);
            let words = self.words_of(&outputs);
            let place = at(value);
            if let Some(socket) = words.place(name).and_then(|place| outputs.get(place))
                && let Some(value) = constant(value, self.faults)
                && let Some(made) = self.draft.nodes.get_mut(id)
            {
                made.places.insert(format!(">{}", socket.identifier), place);
                let state = made.node.outputs.entry(socket.identifier.clone()).or_default();
                state.insert("value".to_owned(), value);
                return;
            }
        }
        self.assign(id, name, value);
    }

    /// Arguments without a name go to the available inputs in their order.
    fn positional(&mut self, id: &str, args: &'p [Expr]) {
        if args.is_empty() {
            return;
        }
        let inputs = self.draft.sockets(id, Side::Input);
        let words = self.words_of(&inputs);
        let usable: Vec<(Socket, String)> = inputs
            .iter()
            .zip(words.words())
            .filter(|(socket, _)| is_usable(socket))
            .map(|(socket, word)| (socket.clone(), word.to_owned()))
            .collect();
        let Some((first, word)) = usable.first() else {
            let message = format!("{} has no inputs.", self.label_of(id));
            let place = args.first().map_or(0, at);
            self.error(
                Code::UnknownSocket,
                place,
                message,
                "Leave the arguments out; properties are named: `mode=\"…\"`.",
            );
            return;
        };
        if first.multi && (args.len() > 1 || !matches!(args.first(), Some(Expr::List(_)))) {
            let (socket, word) = (first.clone(), word.clone());
            self.join(id, &socket, &word, args);
            return;
        }
        for (place, value) in args.iter().enumerate() {
            match usable.get(place) {
                Some((socket, word)) => self.assign_to(id, socket, word, value),
                None => {
                    let list: Vec<&str> = usable.iter().map(|(_, word)| word.as_str()).collect();
                    let message = format!("{} has {} inputs.", self.label_of(id), usable.len());
                    self.error(
                        Code::UnknownSocket,
                        at(value),
                        message,
                        format!("Name what is meant: {}.", list.join(", ")),
                    );
                    return;
                }
            }
        }
    }

    /// Several links into the first input.
    fn join(&mut self, id: &str, socket: &Socket, word: &str, args: &'p [Expr]) {
        self.cut_all(&(id.to_owned(), socket.identifier.clone()));
        let mut number = 0;
        for value in args {
            let each: &'p [Expr] = match value {
                Expr::List(list) => &list.elts,
                one => std::slice::from_ref(one),
            };
            for value in each {
                let place = Place::Feeds {
                    owner: id,
                    word,
                    identifier: &socket.identifier,
                    place: number,
                };
                number += 1;
                let given = self.value(value, place);
                self.link_to(&(id.to_owned(), socket.identifier.clone()), socket, given, at(value));
            }
        }
    }

    /// The type of data that a call leaves open follows from what it is given, where the type of a new node cannot take that.
    fn infer(&mut self, id: &str, call: &'p ExprCall) {
        let Some(kind) = self.draft.kind(id) else { return };
        let Some(name) = ["data_type", "input_type"]
            .into_iter()
            .find(|name| kind.properties.contains_key(*name))
        else {
            return;
        };
        let said = self
            .draft
            .nodes
            .get(id)
            .is_some_and(|made| made.places.contains_key(&format!(".{name}")));
        if said || self.draft.before(id).is_some() && self.edit {
            return;
        }
        let Some(property) = kind.properties.get(name) else {
            return;
        };
        let mut types: Vec<String> = Vec::new();
        for keyword in &call.keywords {
            let Some(word) = keyword.arg.as_ref() else { continue };
            if matches!(self.role(id, word.as_str()), Role::Input) {
                types.extend(self.misfit(id, word.as_str(), &keyword.value));
            } else if let (Role::Items(_), Expr::Dict(dict)) = (self.role(id, word.as_str()), &keyword.value) {
                let socket = self
                    .draft
                    .sockets(id, Side::Output)
                    .first()
                    .map(|socket| socket.kind.clone());
                for value in &dict.values {
                    let found = self.kind_of(value);
                    types.extend(found.filter(|found| {
                        socket
                            .as_ref()
                            .is_none_or(|wanted| !self.draft.scope.catalogue.converts(found, wanted))
                    }));
                }
            }
        }
        types.dedup();
        let [only] = types.as_slice() else { return };
        let short = self.short(only);
        let short = match short.as_str() {
            "VECTOR" if !has_item(property, "VECTOR") => "FLOAT_VECTOR".to_owned(),
            "RGBA" if !has_item(property, "RGBA") => "FLOAT_COLOR".to_owned(),
            "ROTATION" if !has_item(property, "ROTATION") => "QUATERNION".to_owned(),
            _ => short,
        };
        if has_item(property, &short) {
            self.draft.set_property(id, name, Value::from(short), at(call));
        }
    }

    /// The type of a value that an input of this word does not take.
    fn misfit(&mut self, id: &str, word: &str, value: &'p Expr) -> Option<String> {
        let inputs = self.draft.sockets(id, Side::Input);
        let words = self.words_of(&inputs);
        let socket = words.place(word).and_then(|place| inputs.get(place))?;
        if let Some(known) = constant(value, &mut super::fault::Faults::default()) {
            return (!known.is_null() && !Self::takes(&socket.kind, &known))
                .then(|| self.kind_of(value))
                .flatten();
        }
        let found = self.kind_of(value)?;
        (!self.draft.scope.catalogue.converts(&found, &socket.kind)).then_some(found)
    }

    /// A node as a call would make it, to see its outputs.
    pub(crate) fn probe(&mut self, call: &'p ExprCall) -> Option<Node> {
        let Expr::Name(name) = &*call.func else { return None };
        let name = name.id.as_str();
        let mut node = Node::default();
        let group = match name {
            "group" => constant(call.args.first()?, &mut super::fault::Faults::default())?
                .as_str()
                .map(|name| self.group_name(name)),
            _ if self.names.node_type(name).is_none() => self.functions.get(name).cloned(),
            _ => None,
        };
        if let Some(group) = group {
            GROUP.clone_into(&mut node.kind);
            node.props
                .insert("node_tree".to_owned(), json!({ "node_group": group }));
            return Some(node);
        }
        self.names.node_type(name)?.clone_into(&mut node.kind);
        let described = self.names.catalogue().nodes.get(&node.kind)?;
        let mut ignored = super::fault::Faults::default();
        for keyword in &call.keywords {
            let Some(word) = keyword.arg.as_ref() else { continue };
            if let Some(property) = described.properties.get(word.as_str())
                && let Some(given) = constant(&keyword.value, &mut ignored)
                && let Ok(given) = settled(property, given)
            {
                node.props.insert(word.to_string(), given);
            }
        }
        Some(node)
    }

    /// The outputs of a node that is not in the draft.
    pub(crate) fn outputs_of(&self, node: &Node) -> Cow<'a, [Socket]> {
        self.draft
            .scope
            .sockets_of(node, None, &self.draft.interface, Side::Output)
    }
}

fn has_item(property: &Property, item: &str) -> bool {
    property.items.iter().any(|(known, _)| known == item)
}

/// A value of a property with the identifier of an enum's item for its name in the UI; the text where there is no such item.
pub(crate) fn settled(property: &Property, value: Value) -> Result<Value, String> {
    if property.kind != "enum" || property.flags || property.items.is_empty() {
        return Ok(value);
    }
    let Some(text) = value.as_str() else { return Ok(value) };
    if has_item(property, text) {
        return Ok(value);
    }
    let wanted = fold(text);
    let mut alike = property
        .items
        .iter()
        .filter(|(item, label)| fold(item) == wanted || fold(label) == wanted);
    match (alike.next(), alike.next()) {
        (Some((item, _)), None) => Ok(Value::from(item.as_str())),
        _ => Err(text.to_owned()),
    }
}

/// The socket that takes the place of another when a node is replaced: of that identifier, else of that name.
fn counterpart(identifier: &str, before: &[Socket], now: &[Socket]) -> Option<String> {
    let exact = now
        .iter()
        .find(|socket| socket.available && socket.identifier == identifier);
    let name = || {
        before
            .iter()
            .find(|socket| socket.identifier == identifier)
            .map(|socket| socket.name.as_str())
    };
    let named = || {
        now.iter()
            .find(|socket| socket.available && Some(socket.name.as_str()) == name())
    };
    exact.or_else(named).map(|socket| socket.identifier.clone())
}
