//! Calls: a node with its properties, what feeds it, and its items.

use geonode_graph::catalogue::{Collection, Socket};
use geonode_graph::ir::{Map, Side};
use geonode_graph::sockets::{GROUP, GROUP_OUTPUT_TYPE, REROUTE, VIRTUAL, item_identifier};
use serde_json::Value;

use super::expression::Expr;
use super::literals::{dict, list, quote, write};
use super::writer::Writer;
use crate::names::{LOOK, is_word, item_type_field, read_item_type, write_item_type};

/// Fields of items as a new item has them.
const USUAL: &[(&str, &str)] = &[
    ("structure_type", "AUTO"),
    ("attribute_domain", "POINT"),
    ("description", ""),
];

/// Items of one collection as text.
pub(super) struct Items {
    /// Name of the collection.
    pub collection: String,
    /// The keyword under which they stand; none for those that stand in `props={…}`.
    pub keyword: Option<String>,
    pub text: String,
}

impl Writer<'_, '_> {
    /// `set_position(geometry, offset=…)`: properties, inputs, items, then what only `props={…}` can say.
    pub(super) fn call(&self, at: usize, zone: Option<usize>) -> Expr {
        let Some(node) = self.sheet.node(at) else {
            return Expr::atom("None".to_owned());
        };
        let mut parts: Vec<String> = Vec::new();
        let group = node.group().filter(|_| node.kind == GROUP);
        parts.extend(group.map(quote));
        let items = self.items(at, at, zone);
        let of_items = self.item_sockets(at, at);
        let by_name = node.kind == GROUP || node.kind == GROUP_OUTPUT_TYPE;
        let placed = if by_name {
            Vec::new()
        } else {
            self.positional(at, &of_items, zone, &mut parts)
        };
        parts.extend(
            self.properties(at)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        parts.extend(self.named(at, &placed, &of_items, zone));
        parts.extend(self.output_value(at));
        let (plain, dotted): (Vec<Items>, Vec<Items>) = items.into_iter().partition(|items| items.keyword.is_some());
        parts.extend(
            plain
                .iter()
                .map(|items| format!("{}={}", items.keyword.as_deref().unwrap_or("items"), items.text)),
        );
        let dotted = dotted.into_iter().map(|items| (items.collection, items.text)).collect();
        parts.extend(self.shadowed(at, dotted).map(|text| format!("props={text}")));
        let call = match (group, node.kind.as_str()) {
            (None, GROUP) => GROUP.to_owned(),
            (_, kind) => self.sheet.names.call(kind),
        };
        let call = if is_word(&call) {
            call
        } else {
            format!("data.node_type({})", quote(&call))
        };
        Expr::atom(format!("{call}({})", list(parts)))
    }

    /// Arguments without a keyword; returns the inputs that they feed.
    fn positional(&self, at: usize, of_items: &[String], zone: Option<usize>, parts: &mut Vec<String>) -> Vec<String> {
        let Some(inputs) = self.sheet.inputs(at) else {
            return Vec::new();
        };
        let shown: Vec<&Socket> = inputs.shown().collect();
        let Some(first) = shown.first().filter(|first| !of_items.contains(&first.identifier)) else {
            return Vec::new();
        };
        if first.multi {
            let links: Vec<String> = self
                .links(at, &first.identifier)
                .map(|link| self.link(at, link, &first.kind, zone).text)
                .collect();
            if links.is_empty() {
                return Vec::new();
            }
            parts.extend(links);
            return vec![first.identifier.clone()];
        }
        let alike = shown
            .iter()
            .take_while(|socket| socket.name == first.name && !of_items.contains(&socket.identifier))
            .count();
        let count = match alike {
            1 if first.kind == geonode_graph::sockets::GEOMETRY || shown.len() == 1 => 1,
            1 => 0,
            several => several,
        };
        let mut placed = Vec::new();
        for socket in shown.into_iter().take(count) {
            let Some(value) = self.input(at, &socket.identifier, zone) else {
                break;
            };
            parts.push(value.text);
            placed.push(socket.identifier.clone());
        }
        placed
    }

    /// Inputs by keyword: those that are shown and differ from a new node's, and those that are linked although the mode hides them.
    pub(super) fn named(&self, at: usize, placed: &[String], of_items: &[String], zone: Option<usize>) -> Vec<String> {
        let Some(inputs) = self.sheet.inputs(at) else {
            return Vec::new();
        };
        let left = inputs
            .list
            .iter()
            .filter(|socket| !placed.contains(&socket.identifier) && !of_items.contains(&socket.identifier));
        left.filter_map(|socket| {
            let shown = socket.available && socket.kind != VIRTUAL;
            if !shown && self.links(at, &socket.identifier).next().is_none() {
                return None;
            }
            let value = self.input(at, &socket.identifier, zone)?;
            Some(format!("{}={}", inputs.word(&socket.identifier), value.text))
        })
        .collect()
    }

    /// The value of a node without inputs.
    fn output_value(&self, at: usize) -> Vec<String> {
        let (Some(node), Some(inputs), Some(outputs)) =
            (self.sheet.node(at), self.sheet.inputs(at), self.sheet.outputs(at))
        else {
            return Vec::new();
        };
        if !inputs.list.is_empty() {
            return Vec::new();
        }
        let values = node
            .outputs
            .iter()
            .filter_map(|(identifier, state)| Some((identifier, state.get("value")?)));
        values
            .map(|(identifier, value)| format!("{}={}", outputs.word(identifier), write(value)))
            .collect()
    }

    /// Properties that are no looks, and no part of what the call says otherwise.
    fn said(&self, at: usize) -> impl Iterator<Item = (&String, &Value)> {
        let node = self.sheet.node(at);
        let props = node
            .into_iter()
            .flat_map(|node| node.props.iter().map(move |entry| (node, entry)));
        props.filter_map(|(node, (name, value))| {
            let implied = match node.kind.as_str() {
                GROUP => name == "node_tree" && node.group().is_some(),
                GROUP_OUTPUT_TYPE => name == "is_active_output",
                // It has the type of what is linked to it.
                REROUTE => name == "socket_idname",
                _ => false,
            };
            (!implied && name != "mute" && !LOOK.contains(&name.as_str())).then_some((name, value))
        })
    }

    /// Properties that are keywords.
    pub(super) fn properties(&self, at: usize) -> Vec<(String, String)> {
        let kind = self.sheet.node(at).map_or("", |node| node.kind.as_str());
        let own = self.said(at).filter(|(name, _)| !self.sheet.is_shadowed(kind, name));
        own.map(|(name, value)| (name.clone(), write(value))).collect()
    }

    /// `{"mapping.clip_max_y": 2.0}`: properties and items whose names cannot be keywords.
    pub(super) fn shadowed(&self, at: usize, items: Vec<(String, String)>) -> Option<String> {
        let kind = self.sheet.node(at).map_or("", |node| node.kind.as_str());
        let own = self.said(at).filter(|(name, _)| self.sheet.is_shadowed(kind, name));
        let mut all: Vec<(String, String)> = own.map(|(name, value)| (name.clone(), write(value))).collect();
        all.extend(items);
        (!all.is_empty()).then(|| dict(all.iter().map(|(name, value)| (name.as_str(), value.clone()))))
    }

    /// The items of `holder`, with what feeds the inputs that they make on `fed`.
    pub(super) fn items(&self, holder: usize, fed: usize, zone: Option<usize>) -> Vec<Items> {
        let Some(node) = self.sheet.node(holder) else {
            return Vec::new();
        };
        let described = self.sheet.scope.node_type(node);
        let mut all = Vec::new();
        for (collection, items) in &node.items {
            let known = described.and_then(|described| described.collections.get(collection));
            let fresh = known.is_some_and(|known| self.fresh_items(holder, known));
            if items.is_empty() && (holder != fed || !fresh) {
                continue;
            }
            let keyword = self
                .sheet
                .names
                .items_keyword(&node.kind, collection)
                .map(str::to_owned);
            let text = if keyword.is_some() {
                let prefix = known.and_then(|known| prefix(known, holder == fed));
                self.item_list(holder, fed, (collection, items), prefix, zone)
            } else {
                let fields = |item: &Map| {
                    let fields = item.iter().filter(|(field, _)| *field != "identifier");
                    dict(fields.map(|(field, value)| (field.as_str(), write(value))))
                };
                format!("[{}]", list(items.iter().map(fields)))
            };
            all.push(Items {
                collection: collection.clone(),
                keyword,
                text,
            });
        }
        all
    }

    fn item_list(
        &self,
        holder: usize,
        fed: usize,
        (collection, items): (&str, &[Map]),
        prefix: Option<&str>,
        zone: Option<usize>,
    ) -> String {
        let kind = self.sheet.node(holder).map_or("", |node| node.kind.as_str());
        let names: Vec<Option<&str>> = items
            .iter()
            .map(|item| item.get("name").and_then(Value::as_str))
            .collect();
        let distinct = names
            .iter()
            .enumerate()
            .all(|(at, name)| name.is_some() && !names.iter().take(at).any(|other| other == name));
        let described = self
            .sheet
            .scope
            .catalogue
            .nodes
            .get(kind)
            .and_then(|kind| kind.collections.get(collection));
        let by_name = if items.is_empty() {
            described.is_some_and(|known| known.fields.contains_key("name"))
        } else {
            distinct
        };
        let values = items.iter().enumerate().map(|(place, item)| {
            let socket = prefix.and_then(|prefix| self.item_socket(fed, item, place, prefix));
            let value = socket.and_then(|identifier| self.input(fed, &identifier, zone));
            self.item((kind, collection), item, by_name, value)
        });
        if by_name {
            let parts = names
                .iter()
                .zip(values)
                .map(|(name, value)| format!("{}: {value}", quote(name.unwrap_or_default())));
            format!("{{{}}}", list(parts))
        } else {
            format!("[{}]", list(values))
        }
    }

    /// `Float(x)`, `item(x, description="…")`, or the value alone.
    fn item(&self, (kind, collection): (&str, &str), item: &Map, named: bool, value: Option<Expr>) -> String {
        let catalogue = self.sheet.scope.catalogue;
        let field = item_type_field(catalogue, kind, collection);
        let short = field.and_then(|field| item.get(field)).and_then(Value::as_str);
        let word = short.and_then(|short| {
            let word = write_item_type(short, catalogue)?;
            (read_item_type(&word, catalogue, kind, collection).as_deref() == Some(short)).then_some(word)
        });
        let others = item.iter().filter(|(name, value)| {
            let told =
                *name == "identifier" || named && *name == "name" || word.is_some() && Some(name.as_str()) == field;
            !told && !USUAL.iter().any(|(usual, new)| usual == name && *value == new)
        });
        let others: Vec<String> = others.map(|(name, value)| format!("{name}={}", write(value))).collect();
        let value = value.map(|value| value.text);
        match word {
            None if others.is_empty() => value.unwrap_or_else(|| "None".to_owned()),
            word => format!(
                "{}({})",
                word.as_deref().unwrap_or("item"),
                list(value.into_iter().chain(others))
            ),
        }
    }

    /// The input of `fed` that an item makes.
    fn item_socket(&self, fed: usize, item: &Map, place: usize, prefix: &str) -> Option<String> {
        let inputs = self.sheet.inputs(fed)?;
        let name = item
            .get("name")
            .and_then(Value::as_str)
            .map_or_else(|| place.to_string(), str::to_owned);
        let plain = item_identifier(item, &name, prefix);
        // Of an item that Blender has not created yet, where the name could mean another socket.
        let exact = format!("#{prefix}={name}");
        [plain, exact]
            .into_iter()
            .find(|identifier| inputs.find(identifier).is_some())
    }

    /// The inputs of `fed` that the items of `holder` make.
    pub(super) fn item_sockets(&self, holder: usize, fed: usize) -> Vec<String> {
        let Some(node) = self.sheet.node(holder) else {
            return Vec::new();
        };
        let Some(described) = self.sheet.scope.node_type(node) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (collection, items) in &node.items {
            let known = described
                .collections
                .get(collection)
                .filter(|_| self.sheet.names.items_keyword(&node.kind, collection).is_some());
            let Some(prefix) = known.and_then(|known| prefix(known, holder == fed)) else {
                continue;
            };
            all.extend(
                items
                    .iter()
                    .enumerate()
                    .filter_map(|(place, item)| self.item_socket(fed, item, place, prefix)),
            );
        }
        all
    }

    /// Whether a new node has items of the collection.
    fn fresh_items(&self, holder: usize, known: &Collection) -> bool {
        let Some(described) = self
            .sheet
            .node(holder)
            .and_then(|node| self.sheet.scope.node_type(node))
        else {
            return false;
        };
        let Some(state) = described.states.first() else {
            return false;
        };
        known
            .sockets
            .iter()
            .filter(|entry| entry.0 == "self")
            .any(|(_, side, prefix)| {
                let sockets = state.side(if side == "inputs" { Side::Input } else { Side::Output });
                let own = |socket: &Socket| {
                    let rest = socket.identifier.strip_prefix(prefix.as_str())?;
                    let number = rest.strip_prefix('_').unwrap_or(rest);
                    Some(number.chars().all(|c| c.is_ascii_digit()))
                };
                sockets
                    .iter()
                    .any(|socket| socket.kind != VIRTUAL && own(socket) == Some(true))
            })
    }
}

/// What the identifiers of the inputs begin with that a collection makes on the node itself, or on the other end of its zone.
fn prefix(known: &Collection, own: bool) -> Option<&str> {
    let holder = if own { "self" } else { "partner" };
    known
        .sockets
        .iter()
        .find(|entry| entry.0 == holder && entry.1 == "inputs")
        .map(|entry| entry.2.as_str())
}
