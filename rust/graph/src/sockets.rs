//! Which sockets a node has: from the catalogue, from the interface of its group, from its items, from its zone.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::Value;

use crate::catalogue::{Catalogue, NodeType, Socket};
use crate::ir::{Item, ItemKind, Node, Side, Tree};
use crate::model::TreeModel;

/// What sockets depend on outside the tree itself.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub catalogue: &'a Catalogue,
    /// Other trees, for group nodes.
    pub trees: &'a IndexMap<String, Tree>,
}

pub(crate) const GROUP_INPUT: &str = "NodeGroupInput";
pub(crate) const GROUP_OUTPUT: &str = "NodeGroupOutput";
pub(crate) const GROUP: &str = "GeometryNodeGroup";
pub(crate) const FRAME: &str = "NodeFrame";
pub(crate) const REROUTE: &str = "NodeReroute";

impl<'a> Scope<'a> {
    pub(crate) fn node_type(self, node: &Node) -> Option<&'a NodeType> {
        self.catalogue.nodes.get(&node.kind)
    }

    /// The sockets of `node` on `side`; empty for a type that this Blender does not have.
    pub(crate) fn sockets(self, model: &TreeModel, node: &Node, side: Side) -> Cow<'a, [Socket]> {
        match (node.kind.as_str(), side) {
            (GROUP_INPUT, Side::Output) => Cow::Owned(interface(&model.interface, Side::Input)),
            (GROUP_OUTPUT, Side::Input) => Cow::Owned(interface(&model.interface, Side::Output)),
            (GROUP_INPUT | GROUP_OUTPUT | FRAME, _) => Cow::Borrowed(&[]),
            (GROUP, _) => Cow::Owned(
                group_tree(node)
                    .and_then(|name| self.trees.get(name))
                    .map_or_else(Vec::new, |tree| interface(&tree.interface, side)),
            ),
            _ => self
                .node_type(node)
                .map_or(Cow::Borrowed(&[]), |kind| self.with_items(kind, model, node, side)),
        }
    }
}

/// Name of the tree behind a group node.
pub(crate) fn group_tree(node: &Node) -> Option<&str> {
    node.props.get("node_tree")?.get("node_group")?.as_str()
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
            hide_value: false,
        })
        .collect()
}

impl<'a> Scope<'a> {
    /// Catalogue sockets, with those that stand for items replaced by the node's own items.
    fn with_items(self, kind: &'a NodeType, model: &TreeModel, node: &Node, side: Side) -> Cow<'a, [Socket]> {
        let state = kind.state(&node.props);
        let fresh = state.side(side);
        // The items of a zone live on its output node and show on both.
        let owner = match &node.pair {
            Some(output) => model.node(output).unwrap_or(node),
            None => node,
        };
        if owner.items.is_empty() {
            return Cow::Borrowed(fresh);
        }
        let owner_type = self.node_type(owner);
        let zone_input = kind.is("zone") && owner.id != node.id;
        let mut items: Vec<(&str, &str, String)> = Vec::new();
        for (collection, list) in &owner.items {
            // What a For Each zone generates shows on its output node only.
            if zone_input && collection == "generation_items" {
                continue;
            }
            let prefix = owner_type
                .and_then(|kind| kind.collections.get(collection))
                .and_then(|fields| fields.get("prefix"))
                .and_then(Value::as_str)
                .unwrap_or("Item");
            for item in list {
                let Some(name) = item.get("name").and_then(Value::as_str) else {
                    continue;
                };
                let short = item.get("socket_type").and_then(Value::as_str).unwrap_or("");
                let full = self.catalogue.socket_type(short).map_or("", |found| found.0);
                // Items that Blender has not made yet have no number: their sockets are known by name.
                let identifier = match item.get("identifier") {
                    Some(number) if number.is_number() => format!("{prefix}_{number}"),
                    _ => format!("={name}"),
                };
                items.push((name, full, identifier));
            }
        }
        let mut sockets: Vec<Socket> = fresh
            .iter()
            .filter(|socket| !is_item(&socket.identifier))
            .cloned()
            .collect();
        for (name, kind, identifier) in items {
            sockets.push(Socket {
                identifier,
                name: name.to_owned(),
                kind: kind.to_owned(),
                available: true,
                ..Socket::default()
            });
        }
        Cow::Owned(sockets)
    }
}

/// `Item_3`, `Generation_0`: a socket that stands for an item.
fn is_item(identifier: &str) -> bool {
    identifier
        .rsplit_once('_')
        .is_some_and(|(_, number)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
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
