//! From a draft to operations: what has to be done so that the present tree, or the blank one, becomes what the page describes.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Item, ItemKind, Map, Node, Side, Tree};
use geonode_graph::sockets::{FRAME, GEOMETRY, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, held_by_output};
use geonode_graph::{is_socket_property, settled_name};
use geonode_protocol::{
    AddFrame, AddGroup, AddZone, Code, CreateNode, DeleteNode, Direction, Endpoint, GnOp, GroupIo, Link, NodeTreeOp,
    OrderLinks, Properties, RemoveZone, ReplaceNode, SetInputDefault, SetItems, SetProperty, ZoneItem, ZoneKind,
    ZonePart,
};
use serde_json::Value;

use super::draft::{End, same};
use super::interface::{NEW_INPUT, NEW_OUTPUT};
use super::reader::Reader;

/// What a group's part of a page asks for, each operation with its offset in the text.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Operations of a `NODE_TREE` step.
    pub(crate) tree: Vec<(NodeTreeOp, usize)>,
    /// Those that only a `GN_OPS` step has, to be carried out after them.
    pub(crate) later: Vec<(GnOp, usize)>,
}

/// The tree as Blender's “New” makes it, under the keys that a page uses.
pub(crate) fn blank() -> Tree {
    let socket = |side, identifier: &str| Item {
        kind: ItemKind::Socket,
        identifier: identifier.to_owned(),
        name: "Geometry".to_owned(),
        in_out: Some(side),
        socket_type: GEOMETRY.to_owned(),
        parent: None,
        props: Map::new(),
    };
    let node = |id: &str, kind: &str| Node {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: kind.to_owned(),
        ..Node::default()
    };
    Tree {
        interface: vec![socket(Side::Output, NEW_OUTPUT), socket(Side::Input, NEW_INPUT)],
        nodes: vec![
            node("group_input", GROUP_INPUT_TYPE),
            node("group_output", GROUP_OUTPUT_TYPE),
        ],
        ..Tree::default()
    }
}

/// Fields of an item that every operation about items of zones carries.
const PLAIN_FIELDS: [&str; 3] = ["name", "socket_type", "identifier"];
/// Properties of interface items that an operation carries in fields of their own.
const SAID_OF_SOCKETS: [&str; 4] = ["default_value", "min_value", "max_value", "subtype"];

impl Reader<'_, '_, '_> {
    /// The operations that make the draft of a tree.
    pub(crate) fn operations(&mut self, before: &Tree) -> Written {
        let mut written = Writing {
            out: Written::default(),
            begins: self.zones(),
            before: before.nodes.iter().map(|node| (node.id.as_str(), node)).collect(),
        };
        self.unlink(before, &mut written);
        self.delete_nodes(before, &mut written);
        self.interface_operations(before, &mut written);
        self.make_nodes(&mut written);
        self.values(&mut written);
        self.links(before, &mut written);
        self.frames(&mut written);
        let extras = self.extras.drain(..).map(|extra| (extra.op, extra.at));
        written.out.later.extend(extras);
        written.out
    }

    fn zones(&self) -> HashMap<String, String> {
        let all = self.draft.nodes.values();
        all.filter_map(|made| Some((made.node.pair.clone()?, made.node.id.clone())))
            .collect()
    }

    /// What an operation calls a socket: its identifier, or its name where it has none yet.
    fn socket_word(&self, (id, identifier): &End, side: Side) -> String {
        if !identifier.starts_with('@') {
            return identifier.clone();
        }
        let sockets = self.draft.sockets(id, side);
        let Some(found) = sockets.iter().find(|socket| socket.identifier == *identifier) else {
            return identifier.clone();
        };
        let alike = |socket: &&Socket| socket.available && socket.name == found.name;
        if sockets.iter().filter(alike).count() < 2 {
            return found.name.clone();
        }
        // Of several the name alone says too little: that of a group was made in an earlier step.
        let group = self.draft.node(id).and_then(Node::group);
        let tree = group.and_then(|group| self.draft.scope.trees.get(group));
        let item = tree.and_then(|tree| tree.interface.iter().find(|item| item.identifier == *identifier));
        match tree.zip(item) {
            Some((tree, item)) => settled_name(&tree.interface, item),
            None => self.key(identifier),
        }
    }

    /// What operations call an item of the interface that the page adds.
    fn key(&self, identifier: &str) -> String {
        match identifier.strip_prefix("@k") {
            Some(number) => format!("@p{}_{number}", self.draft.at),
            None => identifier.to_owned(),
        }
    }

    fn endpoint(&self, end: &End, side: Side) -> Endpoint {
        Endpoint {
            node_id: end.0.clone(),
            socket: self.socket_word(end, side),
        }
    }

    /// Whether a node was there and stays.
    fn stays(&self, id: &str, written: &Writing<'_>) -> bool {
        let before = written.before.get(id).map(|node| &node.kind);
        before.is_some() && self.draft.node(id).map(|node| &node.kind) == before
    }

    fn unlink(&mut self, before: &Tree, written: &mut Writing<'_>) {
        let wanted: HashSet<(&End, &End)> = self.draft.links().map(|(_, wire)| (&wire.from, &wire.to)).collect();
        let mut all = Vec::new();
        for link in &before.links {
            if wanted.contains(&(&link.from, &link.to))
                || !self.stays(&link.from.0, written)
                || !self.stays(&link.to.0, written)
            {
                continue;
            }
            let at = self.place_of(&link.to.0, &link.to.1);
            let op = Link {
                from: Endpoint {
                    node_id: link.from.0.clone(),
                    socket: link.from.1.clone(),
                },
                to: Endpoint {
                    node_id: link.to.0.clone(),
                    socket: link.to.1.clone(),
                },
            };
            all.push((NodeTreeOp::Unlink(op), at));
        }
        written.out.tree.extend(all);
    }

    /// Where the page speaks of a part of a node, else of the node, else of the group.
    fn place_of(&self, id: &str, part: &str) -> usize {
        let made = self.draft.nodes.get(id);
        made.map_or(self.draft.at, |made| made.places.get(part).copied().unwrap_or(made.at))
    }

    fn delete_nodes(&mut self, before: &Tree, written: &mut Writing<'_>) {
        let ends: HashSet<&str> = before.nodes.iter().filter_map(|node| node.pair.as_deref()).collect();
        for node in &before.nodes {
            if self.draft.node(&node.id).is_some() || node.kind == GROUP_OUTPUT_TYPE {
                continue;
            }
            let at = self.draft.at;
            if let Some(pair) = &node.pair {
                written
                    .out
                    .tree
                    .push((NodeTreeOp::RemoveZone(RemoveZone { id: pair.clone() }), at));
            } else if !ends.contains(node.id.as_str()) {
                let node_id = node.id.clone();
                written
                    .out
                    .tree
                    .push((NodeTreeOp::DeleteNode(DeleteNode { node_id }), at));
            }
        }
    }

    /// Removes the sockets that the draft lacks.
    fn remove_sockets(&self, before: &Tree, written: &mut Writing<'_>) {
        let stays = |gone: &Item| {
            let mut items = self.draft.interface.iter();
            items.any(|item| item.identifier == gone.identifier)
        };
        let sockets = before.interface.iter().filter(|item| item.kind == ItemKind::Socket);
        for gone in sockets.filter(|item| !stays(item)) {
            let mut others = before.interface.iter().filter(|other| shares(other, gone));
            let op = GroupIo {
                remove: true,
                identifier: others.next().map(|_| gone.identifier.clone()),
                ..group_io(gone)
            };
            let op = NodeTreeOp::SetGroupIo(Box::new(op));
            written.out.tree.push((op, self.draft.at));
        }
    }

    fn interface_operations(&mut self, before: &Tree, written: &mut Writing<'_>) {
        let items = self.draft.interface.clone();
        let stays = |identifier: &str| items.iter().any(|item| item.identifier == identifier);
        self.remove_sockets(before, written);
        self.order_unsaid(before);
        let is_blank = |item: &Item| matches!(item.identifier.as_str(), NEW_INPUT | NEW_OUTPUT);
        for item in &items {
            let at = self
                .draft
                .declared
                .get(&item.identifier)
                .copied()
                .unwrap_or(self.draft.at);
            let old = before.interface.iter().find(|old| old.identifier == item.identifier);
            if item.kind == ItemKind::Panel {
                self.panel_unsaid(item, old, at);
                continue;
            }
            let staying = before.interface.iter().filter(|other| stays(&other.identifier));
            let mut alike = items
                .iter()
                .chain(staying)
                .filter(|other| shares(other, item))
                .peekable();
            let is_shared = alike.peek().is_some();
            if is_shared && (is_blank(item) || alike.any(is_blank)) {
                let message = format!("Two sockets are named “{}”.", item.name);
                self.error(Code::DuplicateId, at, message, "Give each its own name.");
                continue;
            }
            let mut op = group_io(item);
            let mut changed = old.is_none();
            if let Some(old) = old.filter(|old| old.name != item.name) {
                if is_blank(old) {
                    self.unsaid(at, "another name of a socket that is there");
                    op.name.clone_from(&old.name);
                } else {
                    op.identifier = Some(old.identifier.clone());
                    changed = true;
                }
            }
            if is_shared {
                op.identifier = Some(self.key(&item.identifier));
            }
            for (field, value) in &item.props {
                let known = old.and_then(|old| old.props.get(field));
                if known.is_some_and(|known| same(known, value)) {
                    continue;
                }
                let is_more = is_socket_property(field, &self.names.catalogue().blender);
                if !is_more && !SAID_OF_SOCKETS.contains(&field.as_str()) {
                    self.unsaid(at, &format!("“{field}” of the socket “{}”", item.name));
                    continue;
                }
                changed = true;
                match field.as_str() {
                    "default_value" => op.default = Some(value.clone()),
                    "min_value" => op.min = value.as_f64(),
                    "max_value" => op.max = value.as_f64(),
                    "subtype" => op.subtype = value.as_str().map(str::to_owned),
                    _ => drop(op.properties.insert(field.clone(), value.clone())),
                }
            }
            if let Some(old) = old.filter(|old| {
                !self.edit && old.props.contains_key("default_value") && !item.props.contains_key("default_value")
            }) {
                op.default = nothing(&old.socket_type);
                changed |= op.default.is_some();
            }
            let panel = |parent: Option<&String>, all: &[Item]| {
                let parent = parent?;
                all.iter()
                    .find(|panel| panel.identifier == *parent)
                    .map(|panel| panel.name.clone())
            };
            let wanted = panel(item.parent.as_ref(), &items);
            if wanted != old.and_then(|old| panel(old.parent.as_ref(), &before.interface)) {
                match wanted {
                    Some(_) => {
                        op.panel = wanted;
                        changed = true;
                    }
                    None => self.unsaid(at, "that a socket leaves its panel"),
                }
            }
            if changed {
                written.out.tree.push((NodeTreeOp::SetGroupIo(Box::new(op)), at));
            }
        }
    }

    /// Sockets that are there stay in their order.
    fn order_unsaid(&mut self, before: &Tree) {
        let place = |item: &&Item| self.draft.declared.get(&item.identifier).copied();
        let turned = |side: Side| {
            let sockets = before.interface.iter();
            let sockets = sockets.filter(|item| item.kind == ItemKind::Socket && item.in_out == Some(side));
            let places: Vec<usize> = sockets.filter_map(|item| place(&item)).collect();
            !places.is_sorted()
        };
        if turned(Side::Input) || turned(Side::Output) {
            self.unsaid(self.draft.at, "another order of the sockets that are there");
        }
    }

    fn panel_unsaid(&mut self, item: &Item, old: Option<&Item>, at: usize) {
        if old.map(|old| &old.parent) != Some(&item.parent) && item.parent.is_some() {
            self.unsaid(at, "a panel in another panel");
        }
        for field in item.props.keys() {
            if old.and_then(|old| old.props.get(field)) != item.props.get(field) {
                self.unsaid(at, &format!("“{field}” of the panel “{}”", item.name));
            }
        }
    }

    fn make_nodes(&mut self, written: &mut Writing<'_>) {
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

    /// Sets the values that outputs store: that of a Value node can be said, others cannot.
    fn output_values(&mut self, id: &str, node: &Node, written: &mut Writing<'_>) {
        for (socket, state) in &node.outputs {
            let Some(value) = state.get("value") else { continue };
            let before = written.before.get(id).and_then(|before| before.outputs.get(socket));
            if before
                .and_then(|before| before.get("value"))
                .is_some_and(|before| same(before, value))
            {
                continue;
            }
            let at = self.place_of(id, &format!(">{socket}"));
            if held_by_output(&node.kind).is_some() {
                let op = SetInputDefault {
                    node_id: id.to_owned(),
                    socket: socket.clone(),
                    value: value.clone(),
                };
                written.out.tree.push((NodeTreeOp::SetInputDefault(op), at));
                continue;
            }
            let fix = "Give the value where it is used, or make it an input of the group.";
            self.error(
                Code::TextForm,
                at,
                "A plan cannot set the value of this node's output.",
                fix,
            );
        }
    }

    fn values(&mut self, written: &mut Writing<'_>) {
        let ids: Vec<String> = self.draft.nodes.keys().cloned().collect();
        for id in &ids {
            let Some(node) = self.draft.node(id).cloned() else {
                continue;
            };
            self.output_values(id, &node, written);
            let before = written
                .before
                .get(id.as_str())
                .copied()
                .filter(|before| before.kind == node.kind);
            let sockets = self.draft.sockets(id, Side::Input);
            for socket in sockets.iter().filter(|socket| socket.available) {
                let value = |node: &Node| {
                    node.inputs
                        .get(&socket.identifier)
                        .and_then(|state| state.get("value"))
                        .cloned()
                };
                let (old, new) = (before.and_then(value), value(&node));
                // What is linked shows no value, so the page says none.
                let end: End = (id.clone(), socket.identifier.clone());
                if new.is_none() && !self.draft.links_into(&end).is_empty() {
                    continue;
                }
                let wanted = match (old, new) {
                    (Some(old), Some(new)) if same(&old, &new) => continue,
                    (_, Some(new)) => new,
                    (Some(old), None) => match &socket.default {
                        Some(default) if !same(default, &old) => default.clone(),
                        _ => continue,
                    },
                    (None, None) => continue,
                };
                let at = self.place_of(id, &socket.identifier);
                if wanted.is_null() {
                    if before.and_then(value).is_some_and(|old| !old.is_null()) {
                        self.unsaid(at, "an empty data-block in place of another");
                    }
                    continue;
                }
                let op = SetInputDefault {
                    node_id: id.clone(),
                    socket: self.socket_word(&(id.clone(), socket.identifier.clone()), Side::Input),
                    value: wanted,
                };
                written.out.tree.push((NodeTreeOp::SetInputDefault(op), at));
            }
        }
    }

    fn links(&mut self, before: &Tree, written: &mut Writing<'_>) {
        let mut kept: HashMap<End, Vec<End>> = HashMap::new();
        let mut there: HashSet<(&End, &End)> = HashSet::new();
        let mut muted: HashSet<(&End, &End)> = HashSet::new();
        let wanted: Vec<_> = self.draft.links().map(|(_, wire)| wire.clone()).collect();
        let pairs: HashSet<(&End, &End)> = wanted.iter().map(|wire| (&wire.from, &wire.to)).collect();
        for link in &before.links {
            let pair = (&link.from, &link.to);
            if pairs.contains(&pair) && self.stays(&link.from.0, written) && self.stays(&link.to.0, written) {
                there.insert(pair);
                if link.muted {
                    muted.insert(pair);
                }
                kept.entry(link.to.clone()).or_default().push(link.from.clone());
            }
        }
        for wire in &wanted {
            let pair = (&wire.from, &wire.to);
            if wire.muted != muted.contains(&pair) {
                let fix = "Leave the link out, or mute the node: `mute(x)`.";
                self.error(
                    Code::TextForm,
                    wire.at,
                    "A plan cannot mute a link, nor end its muting.",
                    fix,
                );
            }
            if there.contains(&pair) {
                continue;
            }
            kept.entry(wire.to.clone()).or_default().push(wire.from.clone());
            let op = Link {
                from: self.endpoint(&wire.from, Side::Output),
                to: self.endpoint(&wire.to, Side::Input),
            };
            written.out.tree.push((NodeTreeOp::Link(op), wire.at));
        }
        let mut orders: HashMap<&End, (Vec<&End>, usize)> = HashMap::new();
        for (_, wire) in self.draft.links_in_order() {
            let entry = orders.entry(&wire.to).or_insert_with(|| (Vec::new(), wire.at));
            entry.0.push(&wire.from);
        }
        let mut seen = HashSet::new();
        for wire in &wanted {
            let Some((order, at)) = orders
                .get(&wire.to)
                .filter(|(order, _)| order.len() > 1 && seen.insert(&wire.to))
            else {
                continue;
            };
            let as_made: Vec<&End> = kept.get(&wire.to).into_iter().flatten().collect();
            if as_made == *order {
                continue;
            }
            let op = OrderLinks {
                node_id: wire.to.0.clone(),
                socket: self.socket_word(&wire.to, Side::Input),
                // A page has links as they were made; the operation names the one first that is evaluated first, the last one made.
                from: order
                    .iter()
                    .rev()
                    .map(|from| self.endpoint(from, Side::Output))
                    .collect(),
            };
            written.out.tree.push((NodeTreeOp::OrderLinks(op), *at));
        }
    }

    fn frames(&mut self, written: &mut Writing<'_>) {
        let mut frames: Vec<(usize, AddFrame, usize)> = Vec::new();
        for made in self.draft.nodes.values().filter(|made| made.node.kind == FRAME) {
            let id = &made.node.id;
            let before = written.before.get(id.as_str());
            let inside = |other: &Node| other.parent.as_deref() == Some(id.as_str());
            let was_inside = |other: &Node| written.before.get(other.id.as_str()).is_some_and(|old| inside(old));
            let members = self
                .draft
                .nodes
                .values()
                .filter(|other| inside(&other.node) && !was_inside(&other.node));
            let node_ids: Vec<String> = members.map(|other| other.node.id.clone()).collect();
            let label = made.node.label.clone().unwrap_or_default();
            if before.is_some_and(|before| before.label.clone().unwrap_or_default() == label) && node_ids.is_empty() {
                continue;
            }
            let mut depth = 0;
            let mut outer = made.node.parent.as_deref();
            while let Some(parent) = outer.filter(|_| depth < geonode_graph::ir::MAX_NESTED) {
                depth += 1;
                outer = self.draft.node(parent).and_then(|parent| parent.parent.as_deref());
            }
            let op = AddFrame {
                id: id.clone(),
                label,
                node_ids,
            };
            frames.push((depth, op, made.at));
        }
        // A frame is there before one is put around it.
        frames.sort_by_key(|(depth, ..)| std::cmp::Reverse(*depth));
        written
            .out
            .later
            .extend(frames.into_iter().map(|(_, op, at)| (GnOp::AddFrame(op), at)));
        let left: Vec<usize> = self
            .draft
            .nodes
            .values()
            .filter(|made| made.node.parent.is_none())
            .filter(|made| {
                let old = written
                    .before
                    .get(made.node.id.as_str())
                    .and_then(|old| old.parent.as_deref());
                old.is_some_and(|frame| self.draft.node(frame).is_some())
            })
            .map(|made| made.at)
            .collect();
        for at in left {
            self.unsaid(at, "that a node leaves its frame");
        }
    }
}

struct Writing<'t> {
    out: Written,
    /// The node that begins a zone, by the one that ends it.
    begins: HashMap<String, String>,
    before: HashMap<&'t str, &'t Node>,
}

/// Whether another socket of the same side has the same name.
fn shares(other: &Item, item: &Item) -> bool {
    other.kind == ItemKind::Socket
        && (other.in_out, &other.name) == (item.in_out, &item.name)
        && other.identifier != item.identifier
}

fn group_io(item: &Item) -> GroupIo {
    GroupIo {
        direction: match item.in_out {
            Some(Side::Output) => Direction::Output,
            _ => Direction::Input,
        },
        name: item.name.clone(),
        identifier: None,
        socket_type: Some(item.socket_type.clone()),
        default: None,
        min: None,
        max: None,
        subtype: None,
        panel: None,
        properties: Properties::new(),
        remove: false,
    }
}

/// The value of a new socket of this type.
fn nothing(kind: &str) -> Option<Value> {
    Some(match kind {
        "NodeSocketFloat" | "NodeSocketInt" => Value::from(0),
        "NodeSocketBool" => Value::Bool(false),
        "NodeSocketString" => Value::from(""),
        "NodeSocketVector" | "NodeSocketRotation" => serde_json::json!([0.0, 0.0, 0.0]),
        _ => return None,
    })
}

/// The properties of a new node; that of a group is in the operation that adds it.
fn properties(node: &Node) -> Properties {
    node.props
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn part(kind: ZoneKind, collection: &str) -> Option<ZonePart> {
    match (kind, collection) {
        (ZoneKind::ForEach | ZoneKind::Closure, "input_items") => Some(ZonePart::Input),
        (ZoneKind::ForEach, "main_items") => Some(ZonePart::Main),
        (ZoneKind::ForEach, _) => Some(ZonePart::Generation),
        (ZoneKind::Closure, _) => Some(ZonePart::Output),
        _ => None,
    }
}
