//! Which sockets a node has: from the catalogue, from the interface of its group, from its items, from its zone.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::Value;

use crate::catalogue::{Catalogue, Collection, NodeType, Socket};
use crate::ir::{Item, ItemKind, Map, Node, Side, Tree};
use crate::model::TreeModel;

/// What sockets depend on outside the tree itself.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The nodes of this Blender.
    pub catalogue: &'a Catalogue,
    /// Other trees, for group nodes.
    pub trees: &'a IndexMap<String, Tree>,
}

/// Type of the node through which a tree is given its inputs.
pub const GROUP_INPUT_TYPE: &str = "NodeGroupInput";
/// Type of the node that receives the tree's results.
pub const GROUP_OUTPUT_TYPE: &str = "NodeGroupOutput";
/// Type of the node that runs another tree.
pub const GROUP: &str = "GeometryNodeGroup";
/// Type of a frame around nodes.
pub const FRAME: &str = "NodeFrame";
/// Type of a reroute.
pub const REROUTE: &str = "NodeReroute";
/// What the types of gizmos begin with: they move what they are linked to, whether or not something is linked to their output.
const GIZMO: &str = "GeometryNodeGizmo";
/// The items of a Menu Switch.
pub(crate) const MENU_ITEMS: &str = "enum_items";
/// The input of a Menu Switch that chooses among them.
pub(crate) const MENU_INPUT: &str = "Menu";
/// Base RNA name of geometry sockets.
pub const GEOMETRY: &str = "NodeSocketGeometry";

impl<'a> Scope<'a> {
    /// What the catalogue knows of the node's type.
    pub fn node_type(self, node: &Node) -> Option<&'a NodeType> {
        self.catalogue.nodes.get(&node.kind)
    }

    /// The sockets of `node` on `side`; empty for a type that this Blender does not have.
    pub(crate) fn sockets(self, model: &TreeModel, node: &Node, side: Side) -> Cow<'a, [Socket]> {
        let zone_output = node.pair.as_deref().and_then(|output| model.node(output));
        self.sockets_of(node, zone_output, &model.interface, side)
    }

    /// The same in a tree with the interface `own`; `zone_output` is the output node of the zone that `node` begins, where the tree has it.
    pub fn sockets_of(self, node: &Node, zone_output: Option<&Node>, own: &[Item], side: Side) -> Cow<'a, [Socket]> {
        match (node.kind.as_str(), side) {
            (GROUP_INPUT_TYPE, Side::Output) => Cow::Owned(interface(own, Side::Input)),
            (GROUP_OUTPUT_TYPE, Side::Input) => Cow::Owned(interface(own, Side::Output)),
            (GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE | FRAME, _) => Cow::Borrowed(&[]),
            (GROUP, _) => Cow::Owned(
                group_tree(node)
                    .and_then(|name| self.trees.get(name))
                    .map_or_else(Vec::new, |tree| interface(&tree.interface, side)),
            ),
            _ => self.node_type(node).map_or(Cow::Borrowed(&[]), |kind| {
                self.with_items(kind, node, zone_output.unwrap_or(node), side)
            }),
        }
    }
}

/// The value of a new node's output, for types that hold a value at an output.
pub fn held_by_output(kind: &str) -> Option<Value> {
    (kind == "ShaderNodeValue").then(|| Value::from(0.0))
}

/// Whether a node of this type has its effect although nothing uses its output.
pub fn acts_alone(kind: &str) -> bool {
    kind.starts_with(GIZMO)
}

/// Name of the tree behind a group node.
pub fn group_tree(node: &Node) -> Option<&str> {
    node.group()
}

/// A node's sockets from an interface: inputs of the group are inputs of the node.
fn interface(items: &[Item], side: Side) -> Vec<Socket> {
    items
        .iter()
        .filter(|item| item.kind == ItemKind::Socket && item.in_out == Some(side))
        .map(|item| Socket {
            identifier: item.identifier.clone(),
            name: item.name.clone(),
            kind: item.socket_type.clone(),
            available: true,
            multi: false,
            default: item.props.get("default_value").cloned(),
            min: item.props.get("min_value").and_then(Value::as_f64),
            max: item.props.get("max_value").and_then(Value::as_f64),
            subtype: item.props.get("subtype").and_then(Value::as_str).map(str::to_owned),
            items: Vec::new(),
            structure: None,
            implicit: false,
            follows: None,
            hide_value: false,
        })
        .collect()
}

impl<'a> Scope<'a> {
    /// Catalogue sockets, with those for a new node's items replaced by the items of `owner`: the node itself, or the output
    /// node of its zone.
    fn with_items(self, kind: &'a NodeType, node: &Node, owner: &Node, side: Side) -> Cow<'a, [Socket]> {
        let fresh = kind.state(&node.props).side(side);
        let Some(owner_type) = self.node_type(owner).filter(|_| !owner.items.is_empty()) else {
            return Cow::Borrowed(fresh);
        };
        let holder = if owner.id == node.id { "self" } else { "partner" };
        let side_name = if side == Side::Input { "inputs" } else { "outputs" };
        let mut before: Vec<Socket> = fresh.to_vec();
        let mut own: Vec<Socket> = Vec::new();
        let mut place = before
            .iter()
            .position(|socket| socket.kind == VIRTUAL)
            .unwrap_or(before.len());
        for (collection, items) in &owner.items {
            let Some(described) = owner_type.collections.get(collection) else {
                continue;
            };
            if collection == MENU_ITEMS
                && let Some(menu) = before.iter_mut().find(|socket| socket.identifier == MENU_INPUT)
            {
                menu.items = items.iter().filter_map(|item| item.get("name")).cloned().collect();
            }
            let mut entries = described.sockets.iter();
            if let Some((_, _, prefix)) = entries.find(|entry| entry.0 == holder && entry.1 == "inputs") {
                for socket in &mut before {
                    follow_items(socket, prefix, items);
                }
            }
            let shows = described
                .sockets
                .iter()
                .find(|entry| entry.0 == holder && entry.1 == side_name);
            let Some((_, _, prefix)) = shows else { continue };
            let lists = owner_type.collections.values().flat_map(|other| &other.sockets);
            let shared = lists.filter(|entry| entry.0 == holder && entry.1 == side_name).count() > 1;
            let first = before.iter().position(|socket| stands_for(&socket.identifier, prefix));
            place = place.min(first.unwrap_or(place));
            // Items without a type of their own have the type of a new node's items.
            let alike = first
                .and_then(|at| before.get(at))
                .map(|socket| socket.kind.clone())
                .unwrap_or_default();
            before.retain(|socket| !stands_for(&socket.identifier, prefix));
            let before_items = &before;
            own.extend(items.iter().enumerate().map(|(at, item)| {
                let mut socket = self.item_socket(item, at, prefix, &alike);
                let another = || before_items.iter().any(|other| other.name == socket.name);
                if socket.identifier.starts_with('=') && (shared || another()) {
                    socket.identifier = new_item(prefix, &socket.name);
                }
                with_structure(described, (holder, side_name, prefix), item, socket)
            }));
        }
        let after = before.split_off(place.min(before.len()));
        before.extend(own);
        before.extend(after);
        Cow::Owned(before)
    }

    fn item_socket(self, item: &Map, at: usize, prefix: &str, alike: &str) -> Socket {
        let text = |field: &str| item.get(field).and_then(Value::as_str);
        let name = text("name").map_or_else(|| at.to_string(), str::to_owned);
        let short = text("socket_type").or_else(|| text("data_type"));
        let own = short.and_then(|short| self.catalogue.socket_type(attribute_type(short)));
        let identifier = item_identifier(item, &name, prefix);
        let kind = own.map_or(alike, |found| found.0).to_owned();
        Socket {
            identifier,
            name,
            kind,
            available: true,
            ..Socket::default()
        }
    }
}

/// The socket of an item with what it holds.
fn with_structure(
    described: &Collection,
    (holder, side, prefix): (&str, &str, &str),
    item: &Map,
    socket: Socket,
) -> Socket {
    let told = described.structures.get(&format!("{holder}/{side}/{prefix}"));
    let own = item
        .get("structure_type")
        .and_then(Value::as_str)
        .map(str::to_ascii_lowercase);
    let structure = own.or_else(|| told?.first().cloned());
    let number = socket.identifier.strip_prefix(prefix).unwrap_or_default();
    let same = |prefix: &str| match socket.identifier.chars().next() {
        Some('=') => socket.identifier.clone(),
        Some('#') => new_item(prefix, &socket.name),
        _ => format!("{prefix}{number}"),
    };
    let follows = match told.and_then(|told| told.get(1..)) {
        Some([word]) if word == "item" => {
            let inputs = described
                .sockets
                .iter()
                .filter(|entry| entry.0 == holder && entry.1 == "inputs");
            Some(inputs.map(|entry| same(&entry.2)).collect())
        }
        Some([word]) if word == "all" => None,
        named => named.map(<[String]>::to_vec),
    };
    Socket {
        structure,
        follows,
        ..socket
    }
}

/// Base RNA name of the sockets that only serve to add another one.
pub const VIRTUAL: &str = "NodeSocketVirtual";

/// The socket of an item that Blender has not created yet, where its name alone could mean another socket.
fn new_item(prefix: &str, name: &str) -> String {
    format!("#{prefix}={name}")
}

/// Whether the socket belongs to an item of the list whose sockets have this prefix.
pub(crate) fn is_item_of(socket: &Socket, prefix: &str) -> bool {
    stands_for(&socket.identifier, prefix) || socket.identifier == new_item(prefix, &socket.name)
}

/// The identifier of an item's socket on the side where such sockets have this prefix; `name` is the item's, or its place where it has none.
pub fn item_identifier(item: &Map, name: &str, prefix: &str) -> String {
    match item.get("identifier").and_then(Value::as_u64) {
        // Compatible with versions in which there was only one.
        Some(0) if prefix == "Value" || prefix == "Attribute" => prefix.to_owned(),
        Some(number) => format!("{prefix}_{number}"),
        // Items that Blender has not created yet have no number: their sockets are identified by name.
        None => format!("={name}"),
    }
}

/// An output that follows the items of a new node follows all items.
fn follow_items(socket: &mut Socket, prefix: &str, items: &[Map]) {
    let Some(follows) = socket.follows.as_mut() else { return };
    let before = follows.len();
    follows.retain(|input| !stands_for(input, prefix));
    if follows.len() < before {
        follows.extend(items.iter().enumerate().map(|(at, item)| {
            let name = item.get("name").and_then(Value::as_str);
            item_identifier(item, &name.map_or_else(|| at.to_string(), str::to_owned), prefix)
        }));
    }
}

/// True for `Item`, `Item_3` with the prefix `Item`.
fn stands_for(identifier: &str, prefix: &str) -> bool {
    identifier.strip_prefix(prefix).is_some_and(|rest| {
        rest.is_empty()
            || rest
                .strip_prefix('_')
                .is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
    })
}

/// The short enum of the socket that holds an attribute of this type: attributes name some types otherwise than sockets do.
pub fn attribute_type(short: &str) -> &str {
    match short {
        "FLOAT_VECTOR" => "VECTOR",
        "FLOAT_COLOR" => "RGBA",
        "QUATERNION" => "ROTATION",
        "FLOAT4X4" => "MATRIX",
        other => other,
    }
}

/// Every node of a tree with the sockets that it has: (ID, inputs, outputs).
pub fn node_sockets(
    name: &str,
    tree: &Tree,
    trees: &IndexMap<String, Tree>,
    catalogue: &Catalogue,
) -> Vec<(String, Vec<Socket>, Vec<Socket>)> {
    let model = TreeModel::new(name, tree.clone(), false);
    let scope = Scope { catalogue, trees };
    model
        .nodes()
        .map(|node| {
            let side = |side| scope.sockets(&model, node, side).into_owned();
            (node.id.clone(), side(Side::Input), side(Side::Output))
        })
        .collect()
}
