//! The tree that a page describes, while it is read: nodes, values and links as the page says, each with its place.

use std::borrow::Cow;
use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt};
use geonode_graph::catalogue::{NodeType, Socket};
use geonode_graph::ir::{Item, Map, Node, Side, Tree};
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope};
use indexmap::IndexMap;
use serde_json::Value;

/// One end of a link: node ID and socket identifier.
pub(crate) type End = (String, String);

/// A node of the draft.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) node: Node,
    /// Offset of the text that makes it; that of the page where it was there before.
    pub(crate) at: usize,
    /// Offsets of what sets its inputs, by identifier, and its properties, by name.
    pub(crate) places: HashMap<String, usize>,
    /// Whether the page says anything about it.
    pub(crate) said: bool,
}

/// A link of the draft.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) at: usize,
    pub(crate) muted: bool,
}

/// A tree while it is read.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) scope: Scope<'a>,
    /// The tree as it is now; none when the page makes a new one.
    pub(crate) present: Option<&'a Tree>,
    pub(crate) interface: Vec<Item>,
    /// Properties of the tree itself.
    pub(crate) settings: Map,
    /// Offsets of what declares a socket of the interface, by identifier.
    pub(crate) declared: HashMap<String, usize>,
    pub(crate) nodes: IndexMap<String, Made>,
    /// In the order of creation.
    wires: Vec<Option<Wire>>,
    /// Links by the input that they lead into, the one that is evaluated first at first.
    into: HashMap<End, Vec<usize>>,
    /// Keys of new interface items so far.
    keys: usize,
    /// Where the description of the tree begins.
    pub(crate) at: usize,
    /// Whether it began as the present tree.
    edits: bool,
}

impl<'a> Draft<'a> {
    /// An empty tree, to be described as a whole; `present` is what is there under its name.
    pub(crate) fn new(scope: Scope<'a>, present: Option<&'a Tree>, at: usize) -> Self {
        Self {
            scope,
            present,
            interface: Vec::new(),
            settings: Map::new(),
            declared: HashMap::new(),
            nodes: IndexMap::new(),
            wires: Vec::new(),
            into: HashMap::new(),
            keys: 0,
            at,
            edits: false,
        }
    }

    /// The present tree, to be changed.
    pub(crate) fn of(scope: Scope<'a>, present: &'a Tree, at: usize) -> Self {
        let mut draft = Self::new(scope, Some(present), at);
        draft.interface.clone_from(&present.interface);
        draft.settings.clone_from(&present.settings);
        draft.edits = true;
        for node in &present.nodes {
            let made = Made {
                node: node.clone(),
                at,
                places: HashMap::new(),
                said: false,
            };
            draft.nodes.insert(node.id.clone(), made);
        }
        for link in &present.links {
            draft.connect(link.from.clone(), link.to.clone(), at);
            if let Some(Some(wire)) = draft.wires.last_mut() {
                wire.muted = link.muted;
            }
        }
        for list in draft.into.values_mut() {
            list.sort_by_key(|number| Reverse(present.links.get(*number).and_then(|link| link.sort)));
        }
        draft
    }

    /// The node with this ID as it is in Blender now.
    pub(crate) fn before(&self, id: &str) -> Option<&'a Node> {
        self.present?.nodes.iter().find(|node| node.id == id)
    }

    pub(crate) fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.get(id).map(|made| &made.node)
    }

    pub(crate) fn kind(&self, id: &str) -> Option<&'a NodeType> {
        self.scope.catalogue.nodes.get(&self.node(id)?.kind)
    }

    /// Adds a node, or replaces the one with its ID; its links stay.
    pub(crate) fn put(&mut self, node: Node, at: usize) {
        let made = Made {
            at,
            places: HashMap::new(),
            said: true,
            node,
        };
        self.nodes.insert(made.node.id.clone(), made);
    }

    /// Removes a node with its links.
    pub(crate) fn remove(&mut self, id: &str) {
        if self.nodes.shift_remove(id).is_none() {
            return;
        }
        let gone: Vec<usize> = self
            .links()
            .filter(|(_, wire)| wire.from.0 == id || wire.to.0 == id)
            .map(|(at, _)| at)
            .collect();
        for at in gone {
            self.cut(at);
        }
        for made in self.nodes.values_mut() {
            if made.node.parent.as_deref() == Some(id) {
                made.node.parent = None;
            }
        }
    }

    /// The sockets of a node on one side.
    pub(crate) fn sockets(&self, id: &str, side: Side) -> Cow<'a, [Socket]> {
        let Some(node) = self.node(id) else {
            return Cow::Borrowed(&[]);
        };
        let output = node.pair.as_deref().and_then(|pair| self.node(pair));
        self.scope.sockets_of(node, output, &self.interface, side)
    }

    /// The socket with this identifier.
    pub(crate) fn socket(&self, id: &str, side: Side, identifier: &str) -> Option<Cow<'a, Socket>> {
        match self.sockets(id, side) {
            Cow::Borrowed(list) => list
                .iter()
                .find(|socket| socket.identifier == identifier)
                .map(Cow::Borrowed),
            Cow::Owned(list) => list
                .into_iter()
                .find(|socket| socket.identifier == identifier)
                .map(Cow::Owned),
        }
    }

    /// Sets the value of an input; one that is that of a new node is not kept.
    pub(crate) fn set_value(&mut self, id: &str, socket: &Socket, value: Value, at: usize) {
        let Some(made) = self.nodes.get_mut(id) else { return };
        made.said = true;
        made.places.insert(socket.identifier.clone(), at);
        let of_group = made.node.group().is_some();
        if !of_group && socket.default.as_ref().is_some_and(|default| same(default, &value)) {
            if let Some(state) = made.node.inputs.get_mut(&socket.identifier) {
                state.shift_remove("value");
            }
            return;
        }
        let state = made.node.inputs.entry(socket.identifier.clone()).or_default();
        state.insert("value".to_owned(), value);
    }

    /// Whether the page writes a value for an input.
    pub(crate) fn is_written(&self, id: &str, socket: &str) -> bool {
        self.nodes.get(id).is_some_and(|made| made.places.contains_key(socket))
    }

    /// Sets a property; one that is that of a new node is not kept.
    pub(crate) fn set_property(&mut self, id: &str, name: &str, value: Value, at: usize) {
        let default = self
            .kind(id)
            .and_then(|kind| kind.properties.get(name))
            .map(|property| &property.default);
        let Some(made) = self.nodes.get_mut(id) else { return };
        made.said = true;
        made.places.insert(format!(".{name}"), at);
        if default.is_some_and(|default| same(default, &value)) {
            made.node.props.shift_remove(name);
        } else {
            made.node.props.insert(name.to_owned(), value);
        }
    }

    /// Adds a link behind those that lead into the same input.
    pub(crate) fn connect(&mut self, from: End, to: End, at: usize) {
        let number = self.wires.len();
        self.into.entry(to.clone()).or_default().push(number);
        self.wires.push(Some(Wire {
            from,
            to,
            at,
            muted: false,
        }));
    }

    /// Mutes the link that was added last.
    pub(crate) fn mute_last(&mut self) {
        if let Some(Some(wire)) = self.wires.last_mut() {
            wire.muted = true;
        }
    }

    /// Removes a link.
    pub(crate) fn cut(&mut self, number: usize) -> Option<Wire> {
        let wire = self.wires.get_mut(number)?.take()?;
        if let Some(list) = self.into.get_mut(&wire.to) {
            list.retain(|other| *other != number);
        }
        Some(wire)
    }

    /// Lets a link begin elsewhere; its place among others stays.
    pub(crate) fn divert(&mut self, number: usize, from: End, at: usize) {
        if let Some(Some(wire)) = self.wires.get_mut(number) {
            wire.from = from;
            wire.at = at;
        }
    }

    /// A socket has another identifier: its links follow.
    pub(crate) fn rename_socket(&mut self, node: &str, side: Side, old: &str, new: &str) {
        for wire in self.wires.iter_mut().flatten() {
            let end = match side {
                Side::Input => &mut wire.to,
                Side::Output => &mut wire.from,
            };
            if end.0 == node && end.1 == old {
                new.clone_into(&mut end.1);
            }
        }
        if side == Side::Input
            && let Some(links) = self.into.remove(&(node.to_owned(), old.to_owned()))
        {
            self.into.insert((node.to_owned(), new.to_owned()), links);
        }
    }

    /// The links into an input, in their order.
    pub(crate) fn links_into(&self, to: &End) -> Vec<usize> {
        self.into.get(to).cloned().unwrap_or_default()
    }

    pub(crate) fn link(&self, number: usize) -> Option<&Wire> {
        self.wires.get(number)?.as_ref()
    }

    /// Every link with its number.
    pub(crate) fn links(&self) -> impl Iterator<Item = (usize, &Wire)> {
        let all = self.wires.iter().enumerate();
        all.filter_map(|(number, wire)| Some((number, wire.as_ref()?)))
    }

    /// Every link as Blender has to make them: those into one input from the one that is evaluated last to the one that is evaluated first.
    pub(crate) fn links_as_made(&self) -> impl Iterator<Item = &Wire> {
        let mut rest: HashMap<&End, std::iter::Rev<std::slice::Iter<'_, usize>>> = HashMap::new();
        self.links().filter_map(move |(_, wire)| {
            let all = self.into.get(&wire.to).filter(|all| all.len() > 1);
            let Some(all) = all else { return Some(wire) };
            self.link(*rest.entry(&wire.to).or_insert_with(|| all.iter().rev()).next()?)
        })
    }

    /// Every link, those into one input in the order in which they are evaluated.
    pub(crate) fn links_in_order(&self) -> impl Iterator<Item = (usize, &Wire)> {
        let all = self.into.values().flatten();
        all.filter_map(|number| Some((*number, self.link(*number)?)))
    }

    /// A key for a new item of the interface.
    pub(crate) fn next_key(&mut self) -> String {
        self.keys += 1;
        format!("@k{}", self.keys)
    }

    /// The ID of the tree's Group Input or Output, which a page does not spell out; made where it is missing.
    pub(crate) fn group_end(&mut self, kind: &str) -> String {
        let active = |node: &Node| {
            node.props
                .get("is_active_output")
                .is_none_or(|flag| flag != &Value::Bool(false))
        };
        let mut known = self
            .nodes
            .values()
            .map(|made| &made.node)
            .filter(|node| node.kind == kind);
        let found = match kind {
            GROUP_OUTPUT_TYPE => {
                let all: Vec<&Node> = known.collect();
                all.iter()
                    .find(|node| active(node))
                    .or_else(|| all.first())
                    .map(|node| node.id.clone())
            }
            _ => {
                let first = self
                    .present
                    .and_then(|tree| tree.nodes.iter().find(|node| node.kind == kind));
                let implied = first.map_or("group_input", |node| node.id.as_str());
                // Of a whole page the others are spelled out, before it is used or after.
                match known.clone().find(|node| node.id == implied) {
                    Some(node) => Some(node.id.clone()),
                    None if self.edits => known.next().map(|node| node.id.clone()),
                    None => None,
                }
            }
        };
        if let Some(id) = found {
            return id;
        }
        let there = self.present.and_then(|tree| {
            let mut all = tree.nodes.iter().filter(|node| node.kind == kind);
            let first = all.next()?;
            Some(if active(first) {
                first
            } else {
                all.find(|node| active(node)).unwrap_or(first)
            })
        });
        let name = if kind == GROUP_INPUT_TYPE {
            "group_input"
        } else {
            "group_output"
        };
        let node = there.map_or_else(
            || Node {
                id: name.to_owned(),
                kind: kind.to_owned(),
                ..Node::default()
            },
            |there| Node {
                inputs: IndexMap::new(),
                outputs: IndexMap::new(),
                ..there.clone()
            },
        );
        let id = node.id.clone();
        self.put(node, self.at);
        id
    }

    /// The tree that the page describes.
    pub(crate) fn tree(&self) -> Tree {
        Tree {
            settings: self.settings.clone(),
            interface: self.interface.clone(),
            nodes: self.nodes.values().map(|made| made.node.clone()).collect(),
            links: self.links_as_made().map(|wire| self.as_link(wire)).collect(),
            stored: Map::new(),
        }
    }

    fn as_link(&self, wire: &Wire) -> geonode_graph::ir::Link {
        let multi = self
            .socket(&wire.to.0, Side::Input, &wire.to.1)
            .is_some_and(|socket| socket.multi);
        let place = || {
            let all = self.into.get(&wire.to)?;
            let at = all
                .iter()
                .position(|number| self.link(*number).is_some_and(|other| std::ptr::eq(other, wire)))?;
            i64::try_from(all.len() - at).ok()?.checked_sub(1)
        };
        geonode_graph::ir::Link {
            from: wire.from.clone(),
            to: wire.to.clone(),
            muted: wire.muted,
            sort: if multi { place() } else { None },
        }
    }
}

/// The items of a collection, with the identifiers that items of the same name and type have now.
pub(crate) fn with_identifiers(before: Option<&Vec<Map>>, mut items: Vec<Map>) -> Vec<Map> {
    let kind = |item: &Map| item.get("socket_type").or_else(|| item.get("data_type")).cloned();
    for (place, item) in items.iter_mut().enumerate() {
        let found = match item.get("name") {
            Some(name) => before.into_iter().flatten().find(|old| old.get("name") == Some(name)),
            None => before.and_then(|before| before.get(place)),
        };
        let Some(old) = found.filter(|old| kind(old) == kind(item)) else {
            continue;
        };
        for (field, value) in old {
            if field == "identifier" {
                item.insert(field.clone(), value.clone());
            }
        }
    }
    items
}

/// Equality as Blender stores values: numbers as 32-bit floats, arrays element by element.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            #[allow(clippy::cast_possible_truncation, reason = "Blender stores 32-bit floats")]
            _ => a.as_f64().map(|a| a as f32) == b.as_f64().map(|b| b as f32),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => left == right,
    }
}
