//! Items of nodes and zones: their names, types and further fields, and the values behind them.

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::Map;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall, Keyword};
use serde_json::Value;

use super::arguments::unknown;
use super::reader::Reader;
use super::value::{at, constant};
use crate::names::{point_form, read_type, title};

/// One item as the page gives it.
pub(crate) struct Item<'p> {
    /// Its fields by RNA name.
    pub(crate) fields: Map,
    /// What feeds the input that it makes.
    pub(crate) value: Option<&'p Expr>,
}

impl Item<'_> {
    /// The place among a node's inputs of the one that an item makes.
    pub(crate) fn socket_of(fields: &Map, number: usize, prefix: &str, inputs: &[Socket]) -> Option<usize> {
        let name = fields
            .get("name")
            .and_then(Value::as_str)
            .map_or_else(|| number.to_string(), str::to_owned);
        let find = |identifier: &str| inputs.iter().position(|socket| socket.identifier == identifier);
        match fields.get("identifier").and_then(Value::as_u64) {
            Some(own) => find(&format!("{prefix}_{own}")).or_else(|| find(prefix)),
            None => find(&format!("#{prefix}={name}")).or_else(|| find(&format!("={name}"))),
        }
    }
}

impl<'p> Reader<'_, '_, 'p> {
    /// The items that an expression gives to a collection of a node.
    pub(crate) fn read_items(&mut self, holder: &str, collection: &str, value: &'p Expr) -> Option<Vec<Item<'p>>> {
        let described = self.draft.kind(holder)?.collections.get(collection)?;
        let named = described.fields.contains_key("name");
        let typed = ["socket_type", "data_type"]
            .into_iter()
            .find(|field| described.fields.contains_key(*field));
        match value {
            _ if !described.fresh.is_empty() => self.points(collection, value),
            Expr::Dict(dict) if named => {
                let mut all = Vec::with_capacity(dict.keys.len());
                for (key, value) in dict.keys.iter().zip(&dict.values) {
                    let name = key.as_ref().and_then(|key| constant(key, self.faults));
                    let Some(name) = name.as_ref().and_then(Value::as_str) else {
                        self.error(
                            Code::TextForm,
                            at(value),
                            "The name of an item is a text.",
                            "Write items={\"Name\": value}.",
                        );
                        return None;
                    };
                    if all
                        .iter()
                        .any(|item: &Item<'_>| item.fields.get("name").and_then(Value::as_str) == Some(name))
                    {
                        self.error(
                            Code::DuplicateId,
                            at(value),
                            format!("Two items are named “{name}”."),
                            "Give each its own name.",
                        );
                        return None;
                    }
                    all.push(self.item(Some(name), typed, value));
                }
                Some(all)
            }
            Expr::List(list) => Some(
                list.elts
                    .iter()
                    .map(|value| match constant(value, &mut super::fault::Faults::default()) {
                        // Names alone, as of a menu.
                        Some(Value::String(name)) if named => Item {
                            fields: Map::from_iter([("name".to_owned(), Value::from(name))]),
                            value: None,
                        },
                        _ => self.item(None, typed, value),
                    })
                    .collect(),
            ),
            _ => {
                let fix = if named {
                    "Write items={\"Name\": value}."
                } else {
                    "Write items=[a, b]."
                };
                self.error(
                    Code::TextForm,
                    at(value),
                    "Items are given in order, each with its value.",
                    fix,
                );
                None
            }
        }
    }

    /// Stops of a colour ramp or points of a curve: objects with constant fields.
    fn points(&mut self, collection: &str, value: &'p Expr) -> Option<Vec<Item<'p>>> {
        let given = constant(value, self.faults);
        let entries = given.as_ref().and_then(Value::as_array);
        let fields = entries.map(|entries| entries.iter().map(|entry| entry.as_object().cloned()));
        let all = fields.and_then(|fields| {
            let all = fields.map(|fields| {
                let fields = fields?.into_iter().collect();
                Some(Item { fields, value: None })
            });
            all.collect()
        });
        if all.is_none() {
            let form = point_form(collection);
            let message = "Stops and points are constants: a list of objects.";
            self.error(
                Code::TextForm,
                at(value),
                message,
                format!("Write props={{\"{collection}\": [{form}, …]}}."),
            );
        }
        all
    }

    /// An item that a keyword gives to a zone, such as `geometry=rocks`.
    pub(crate) fn item_of_keyword(&mut self, word: &str, typed: Option<&'static str>, value: &'p Expr) -> Item<'p> {
        self.item(Some(&title(word)), typed, value)
    }

    fn item(&mut self, name: Option<&str>, typed: Option<&'static str>, value: &'p Expr) -> Item<'p> {
        let mut fields = Map::new();
        if let Some(name) = name {
            fields.insert("name".to_owned(), Value::from(name));
        }
        let mut feeds = Some(value);
        if let Expr::Call(call) = value
            && let Some(kind) = self.item_type(call)
        {
            if let (Some(field), Some(kind)) = (typed, kind) {
                fields.insert(field.to_owned(), Value::from(self.item_short(field, &kind)));
            }
            let word = kind_word(call);
            let form = format!("{word}(x), or {word}(x, description=\"…\")");
            if let Some(further) = call.args.get(1) {
                let message = "An item takes one value.";
                self.error(Code::TextForm, at(further), message, format!("Write {form}."));
            }
            for keyword in &call.keywords {
                let Some(field) = keyword.arg.as_ref() else {
                    unknown(keyword, word, &form, self.faults);
                    continue;
                };
                if let Some(value) = self.constant_field(keyword) {
                    fields.insert(field.to_string(), value);
                }
            }
            feeds = call.args.first();
        } else if let Some(field) = typed {
            match self.kind_of(value) {
                Some(kind) => {
                    fields.insert(field.to_owned(), Value::from(self.item_short(field, &kind)));
                }
                None if self.depends_on_refused(value) => {}
                None => {
                    let message = format!("The type of the item “{}” is open.", name.unwrap_or_default());
                    self.error(
                        Code::MissingField,
                        at(value),
                        message,
                        "State it: \"Name\": Float(x), \"Name\": Geometry().",
                    );
                }
            }
        }
        if feeds.is_some_and(|value| matches!(constant(value, &mut super::fault::Faults::default()), Some(Value::Null)))
        {
            feeds = None;
        }
        Item { fields, value: feeds }
    }

    /// A further field of an item, which is a constant.
    pub(crate) fn constant_field(&mut self, keyword: &'p Keyword) -> Option<Value> {
        let value = constant(&keyword.value, self.faults);
        if value.is_none() {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            let message = format!("The field “{name}” of an item is a constant.");
            let fix = "Give it a number, a text or a tuple; only the value of an item is a link.";
            self.error(Code::TextForm, at(keyword), message, fix);
        }
        value
    }

    /// The type of `Float(x)`; `Some(None)` for `item(x)`, which states none.
    #[expect(clippy::option_option, reason = "an item without a type is an item all the same")]
    fn item_type(&self, call: &ExprCall) -> Option<Option<String>> {
        let Expr::Name(name) = &*call.func else { return None };
        let name = name.id.as_str();
        if name == "item" {
            return Some(None);
        }
        if self.names.node_type(name).is_some() {
            return None;
        }
        let (kind, _) = read_type(name, self.names.catalogue())?;
        Some(Some(kind))
    }

    /// The word for a type in a field of an item: attributes name some types otherwise than sockets do.
    pub(crate) fn item_short(&self, field: &str, kind: &str) -> String {
        let short = self.short(kind);
        match (field, short.as_str()) {
            ("data_type", "VECTOR") => "FLOAT_VECTOR".to_owned(),
            ("data_type", "RGBA") => "FLOAT_COLOR".to_owned(),
            ("data_type", "ROTATION") => "QUATERNION".to_owned(),
            ("data_type", "MATRIX") => "FLOAT4X4".to_owned(),
            _ => short,
        }
    }
}

/// What an item is written with: its type, or `item`.
fn kind_word(call: &ExprCall) -> &str {
    match &*call.func {
        Expr::Name(name) => name.id.as_str(),
        _ => "item",
    }
}
