//! Operations that make and change nodes and zones: their types, properties, labels and items.

use geonode_graph::ir::{Map, Node};
use geonode_graph::sockets::{FRAME, GROUP};
use geonode_protocol::{
    AddGroup, AddZone, Code, CreateNode, NodeTreeOp, Properties, ReplaceNode, SetItems, SetProperty, ZoneItem,
    ZoneKind, ZonePart,
};
use serde_json::Value;

use super::Writing;
use crate::read::draft::same;
use crate::read::reader::Reader;

/// Fields of an item that every operation about items of zones carries.
const PLAIN_FIELDS: [&str; 3] = ["name", "socket_type", "identifier"];

impl Reader<'_, '_, '_> {
    pub(super) fn make_nodes(&mut self, written: &mut Writing<'_>) {
        let ids: Vec<String> = self.draft.nodes.keys().cloned().collect();
        for id in &ids {
            let Some(made) = self.draft.nodes.get(id) else { continue };
            let (node, at) = (made.node.clone(), made.at);
            if node.kind == FRAME || node.pair.is_some() && !self.stays(id, written) {
                continue;
            }
            let before = written.before.get(id.as_str()).copied();
            match before {
                Some(before) if before.kind == node.kind => self.change_node(before, &node, written),
                Some(_) => {
                    let op = ReplaceNode {
                        node_id: id.clone(),
                        bl_idname: node.kind.clone(),
                        properties: properties(&node),
                    };
                    written.out.tree.push((NodeTreeOp::ReplaceNode(op), at));
                    self.label_and_items(&node, None, written);
                }
                None => self.make_node(&node, at, written),
            }
        }
        // The input end of a new zone has properties of its own.
        for id in &ids {
            let Some(node) = self.draft.node(id).cloned() else {
                continue;
            };
            if node.pair.is_some() && !self.stays(id, written) {
                self.set_properties(&node, None, written);
                self.label_and_items(&node, None, written);
            }
        }
    }

    fn make_node(&mut self, node: &Node, at: usize, written: &mut Writing<'_>) {
        if let Some(input) = written.begins.get(&node.id).cloned() {
            self.make_zone(&input, node, at, written);
            return self.label_and_items(node, None, written);
        }
        if node.kind == GROUP {
            let Some(group) = node.group() else { return };
            let op = AddGroup {
                id: node.id.clone(),
                node_group_name: group.to_owned(),
            };
            written.out.tree.push((NodeTreeOp::AddGroup(op), at));
            self.set_properties(node, None, written);
            return self.label_and_items(node, None, written);
        }
        let is_placed = self
            .draft
            .nodes
            .get(&node.id)
            .is_some_and(|made| made.places.contains_key("@location"));
        let op = CreateNode {
            node_id: node.id.clone(),
            bl_idname: node.kind.clone(),
            location: is_placed.then_some(node.location),
            label: node.label.clone(),
            properties: properties(node),
        };
        written.out.tree.push((NodeTreeOp::CreateNode(op), at));
        self.item_operations(node, None, written);
    }

    fn make_zone(&mut self, input: &str, output: &Node, at: usize, written: &mut Writing<'_>) {
        let category = self
            .draft
            .kind(&output.id)
            .and_then(|kind| kind.category.clone())
            .unwrap_or_default();
        let kind = match category.as_str() {
            "zone:repeat:out" => ZoneKind::Repeat,
            "zone:simulation:out" => ZoneKind::Simulation,
            "zone:closure:out" => ZoneKind::Closure,
            _ => ZoneKind::ForEach,
        };
        let stem = output
            .id
            .strip_suffix(".out")
            .filter(|stem| input.strip_suffix(".in") == Some(stem));
        let Some(stem) = stem else {
            let message = format!(
                "The ends of a new zone are named alike, as x_in and x_out; these are “{input}” and “{}”.",
                output.id
            );
            return self.error(Code::BadName, at, message, "Write `as (x_in, x_out)`.");
        };
        let mut items = Vec::new();
        for (collection, list) in &output.items {
            for item in list {
                let text = |field: &str| item.get(field).and_then(Value::as_str).unwrap_or_default();
                let short = text("socket_type");
                let full = self.names.catalogue().socket_type(short).map_or(short, |found| found.0);
                items.push(ZoneItem {
                    name: text("name").to_owned(),
                    socket_type: full.to_owned(),
                    part: part(kind, collection),
                });
            }
        }
        let op = AddZone {
            id: stem.to_owned(),
            kind,
            items,
        };
        written.out.tree.push((NodeTreeOp::AddZone(op), at));
        self.set_properties(output, None, written);
    }

    fn change_node(&mut self, before: &Node, node: &Node, written: &mut Writing<'_>) {
        self.set_properties(node, Some(before), written);
        self.label_and_items(node, Some(before), written);
    }

    fn set_properties(&mut self, node: &Node, before: Option<&Node>, written: &mut Writing<'_>) {
        let mut changes: Vec<(String, Value)> = Vec::new();
        for (name, value) in &node.props {
            let known = before.and_then(|before| before.props.get(name));
            let is_new_group = before.is_none() && name == "node_tree" && node.kind == GROUP;
            if !is_new_group && !known.is_some_and(|known| same(known, value)) {
                changes.push((name.clone(), value.clone()));
            }
        }
        for name in before.into_iter().flat_map(|before| before.props.keys()) {
            let default = self
                .draft
                .kind(&node.id)
                .and_then(|kind| kind.properties.get(name))
                .map(|property| &property.default);
            if let (false, Some(default)) = (node.props.contains_key(name), default) {
                changes.push((name.clone(), default.clone()));
            }
        }
        for (property, value) in changes {
            let at = self.place_of(&node.id, &format!(".{property}"));
            let op = SetProperty {
                node_id: node.id.clone(),
                property,
                value,
            };
            written.out.tree.push((NodeTreeOp::SetProperty(op), at));
        }
    }

    fn label_and_items(&mut self, node: &Node, before: Option<&Node>, written: &mut Writing<'_>) {
        if node.label != before.and_then(|before| before.label.clone()) {
            let op = SetProperty {
                node_id: node.id.clone(),
                property: "label".to_owned(),
                value: Value::from(node.label.clone().unwrap_or_default()),
            };
            written
                .out
                .tree
                .push((NodeTreeOp::SetProperty(op), self.place_of(&node.id, ".label")));
        }
        self.item_operations(node, before, written);
    }

    /// The lists of items that differ; those of a new zone are in the operation that makes it, as far as it has their fields.
    fn item_operations(&mut self, node: &Node, before: Option<&Node>, written: &mut Writing<'_>) {
        for collection in before.into_iter().flat_map(|before| before.items.keys()) {
            let lists = self.draft.kind(&node.id).map(|kind| &kind.collections);
            let fresh = lists.and_then(|lists| lists.get(collection)).map(|known| &known.fresh);
            let Some(fresh) = fresh.filter(|fresh| !fresh.is_empty() && !node.items.contains_key(collection)) else {
                continue;
            };
            // Stops and points that a page leaves out are those of a new node.
            let items = fresh.iter().map(|item| item.clone().into_iter().collect()).collect();
            let op = SetItems {
                node_id: node.id.clone(),
                collection: collection.clone(),
                items,
            };
            let at = self.place_of(&node.id, "");
            written.out.tree.push((NodeTreeOp::SetItems(op), at));
        }
        let is_zone = self.draft.kind(&node.id).is_some_and(|kind| kind.is("zone"));
        for (collection, list) in &node.items {
            let plain = |items: &[Map]| -> Vec<Map> {
                let without = |item: &Map| {
                    item.iter()
                        .filter(|field| field.0 != "identifier")
                        .map(|(name, value)| (name.clone(), value.clone()))
                        .collect()
                };
                items.iter().map(without).collect()
            };
            let wanted = plain(list);
            let old = before
                .and_then(|before| before.items.get(collection))
                .map(|items| plain(items));
            let is_said = is_zone
                && before.is_none()
                && wanted
                    .iter()
                    .all(|item| item.keys().all(|field| PLAIN_FIELDS.contains(&field.as_str())));
            let alike = |old: &Vec<Map>| {
                let says = |old: &Map, new: &Map| {
                    new.iter()
                        .all(|(field, value)| old.get(field).is_some_and(|known| same(known, value)))
                };
                old.len() == wanted.len() && old.iter().zip(&wanted).all(|(old, new)| says(old, new))
            };
            if is_said || old.as_ref().is_some_and(alike) {
                continue;
            }
            let items: Vec<Properties> = wanted.into_iter().map(|item| item.into_iter().collect()).collect();
            let op = SetItems {
                node_id: node.id.clone(),
                collection: collection.clone(),
                items,
            };
            let at = self.place_of(&node.id, &format!("+{collection}"));
            written.out.tree.push((NodeTreeOp::SetItems(op), at));
        }
    }
}

/// The properties of a new node; that of a group is in the operation that adds it.
pub(super) fn properties(node: &Node) -> Properties {
    node.props
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

pub(super) fn part(kind: ZoneKind, collection: &str) -> Option<ZonePart> {
    match (kind, collection) {
        (ZoneKind::ForEach | ZoneKind::Closure, "input_items") => Some(ZonePart::Input),
        (ZoneKind::ForEach, "main_items") => Some(ZonePart::Main),
        (ZoneKind::ForEach, _) => Some(ZonePart::Generation),
        (ZoneKind::Closure, _) => Some(ZonePart::Output),
        _ => None,
    }
}
