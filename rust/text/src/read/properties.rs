//! What the keywords of a call are, and the properties and labels that they set.

use geonode_graph::catalogue::{Property, fold};
use geonode_graph::did_you_mean;
use geonode_graph::ir::Side;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, Keyword};
use serde_json::Value;

use super::draft::same;
use super::fault::Faults;
use super::reader::{Reader, is_usable};
use super::value::{at, constant};
use crate::names::LOOK;

/// What a keyword of a call is.
pub(crate) enum Role<'c> {
    Properties,
    Property(&'c str, &'c Property),
    Items(&'c str),
    Label,
    Input,
}

impl<'a, 'p> Reader<'_, 'a, 'p> {
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
        let errors = self.faults.errors();
        let role = self.role(id, word);
        let settles = !matches!(role, Role::Input | Role::Label);
        match role {
            Role::Properties => self.properties(id, value),
            Role::Property(name, property) => {
                self.property(id, name, property, value);
                if name == "color" {
                    // Blender draws the colour of a node or frame only with it.
                    self.draft.set_property(id, "use_custom_color", true.into(), at(value));
                }
            }
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
        if settles && self.faults.errors() > errors {
            self.open.insert(id.to_owned());
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
            if self.is_there(id, name, value) {
                return;
            }
            let known = || {
                described
                    .into_iter()
                    .flat_map(|described| described.properties.keys())
                    .map(String::as_str)
            };
            let fix = match did_you_mean(name, known()) {
                Some(meant) => meant,
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

    /// Whether the node has this value already in something that the catalogue does not know, such as the points of a curve.
    fn is_there(&self, id: &str, name: &str, value: &Expr) -> bool {
        let Some(before) = self.draft.before(id) else {
            return false;
        };
        let Some(given) = constant(value, &mut Faults::default()) else {
            return false;
        };
        let items = before
            .items
            .get(name)
            .and_then(|items| serde_json::to_value(items).ok());
        let known = before.props.get(name).cloned().or(items);
        known.is_some_and(|known| same_parts(&known, &given))
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
                let fix = match did_you_mean(&given, items()) {
                    Some(meant) => format!("{meant} The items are: {}.", items().collect::<Vec<_>>().join(", ")),
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
}

pub(super) fn has_item(property: &Property, item: &str) -> bool {
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

/// Equality as Blender stores values, in objects too.
fn same_parts(known: &Value, given: &Value) -> bool {
    match (known, given) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_parts(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same_parts(a, b)))
        }
        _ => same(known, given),
    }
}
