//! Group nodes and dynamic items.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use geonode_protocol::{AddGroup, Change, Code, Hint, Properties, SetItems};
use petgraph::Direction;
use serde_json::{Value, json};

use super::nodes::Claim;
use super::operation::{Before, Mention, Operation};
use super::work::{LinkInUse, Work, text};
use crate::catalogue::{Collection, Property};
use crate::ir::{Map, Node, Side, Tree};
use crate::near::nearest;
use crate::sink::escape;
use crate::sockets::{GROUP, MENU_INPUT, MENU_ITEMS, group_tree};
use crate::values::{Want, same};

impl<'p> Operation<'p> for &'p AddGroup {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.add_group(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        format!("Add the group “{}” as “{}”", self.node_group_name, self.id)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::NewNode(&self.id), Mention::NodeGroup(&self.node_group_name)]
    }
}

impl<'p> Operation<'p> for &'p SetItems {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.set_items(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let items = self.collection.replace('_', " ");
        format!("Give “{}” {} {items}", self.node_id, self.items.len())
    }

    /// The list is complete, so an item that it does not name is dropped; items without a name are dropped from the end.
    fn destroys(&self, before: &Tree) -> bool {
        let node = before.nodes.iter().find(|node| node.id == self.node_id);
        let Some(present) = node.and_then(|node| node.items.get(&self.collection)) else {
            return false;
        };
        let is_wanted = |name: &Value| self.items.iter().any(|item| item.get("name") == Some(name));
        present.len() > self.items.len()
            || present
                .iter()
                .filter_map(|item| item.get("name"))
                .any(|name| !is_wanted(name))
    }

    /// The items of one end of a zone are sockets of both.
    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Zone(&self.node_id)]
    }
}

/// The description of a field as that of a property: identifiers of enum items stand for their labels.
fn as_property(field: &Value) -> Value {
    let mut property = field.clone();
    if let Some(items) = property.get_mut("items").and_then(Value::as_array_mut) {
        for item in items.iter_mut().filter(|item| item.is_string()) {
            *item = Value::from(vec![item.clone(), item.clone()]);
        }
    }
    property
}

/// Whether two lists hold the same, as Blender stores values.
fn alike(stands: &[Map], wanted: &[Map]) -> bool {
    let same_fields = |stands: &Map, wanted: &Map| {
        let mut wanted = wanted.iter();
        wanted.all(|(name, value)| stands.get(name).is_some_and(|known| same(known, value)))
    };
    stands.len() == wanted.len()
        && stands
            .iter()
            .zip(wanted)
            .all(|(stands, wanted)| same_fields(stands, wanted))
}

impl Work<'_> {
    fn add_group(&mut self, op: &AddGroup) {
        let (id, group) = (text(&op.id, "id"), text(&op.node_group_name, "node_group_name"));
        let mut reference = serde_json::Map::new();
        reference.insert("node_group".to_owned(), Value::from(group.text));
        let reference = Value::Object(reference);
        let properties = Properties::from_iter([("node_tree".to_owned(), reference.clone())]);
        match self.claim(id, GROUP, &properties) {
            Claim::Taken => {}
            Claim::Present => {
                let same = self.model.node(id.text).and_then(group_tree) == Some(group.text);
                if !same {
                    let path = self.sink.at(group.field);
                    let message = format!("the group node “{}” uses another node group", id.text);
                    let set =
                        json!({"op": "set_property", "node_id": id.text, "property": "node_tree", "value": reference});
                    let text =
                        "its property node_tree decides which group it uses; a further node needs an ID of its own";
                    let hint = self.sink.instead(text, set);
                    self.sink.error(Code::DuplicateId, path, message, Some(hint));
                }
            }
            Claim::Free => {
                if !self.check_group(id.text, &reference, group.field) {
                    return;
                }
                self.insert_node(id.text, GROUP, None);
                if let Some(node) = self.model.node_mut(id.text) {
                    node.props.insert("node_tree".to_owned(), reference);
                }
            }
        }
    }

    /// A group must exist and must not contain the tree that it is put into.
    pub(crate) fn check_group(&mut self, id: &str, reference: &Value, field: &str) -> bool {
        let Some(name) = reference.get("node_group").and_then(Value::as_str) else {
            return true;
        };
        let path = self.sink.at(field);
        if name == self.model.name || self.uses(name, &self.model.name) {
            let message = format!(
                "the node group “{name}” contains the tree “{}”; “{id}” would make the group contain itself",
                self.model.name
            );
            self.sink.error(
                Code::Cycle,
                path,
                message,
                Some(Hint::explain("a group never contains itself, at any depth")),
            );
            return false;
        }
        let known = self.scope.trees.contains_key(name)
            || self
                .document
                .names
                .get("node_group")
                .is_some_and(|names| names.contains(name));
        if !known {
            let names = self.document.names.get("node_group");
            let near = nearest(name, names.into_iter().flatten().map(String::as_str));
            let hint = match near {
                None => Hint::explain("a group is made by group_nodes, or by an earlier NODE_TREE step"),
                Some(near) if field == "node_group_name" => self.sink.near(field, near),
                Some(near) => {
                    let change = Change::replace(self.sink.at(field), json!({"node_group": near}));
                    Hint::change(format!("did you mean “{near}”?"), change)
                }
            };
            let message = format!("there is no node group “{name}”");
            self.sink.error(Code::UnknownNodeGroup, path, message, Some(hint));
            return false;
        }
        true
    }

    /// True when the tree `outer` contains `inner`, at any depth.
    fn uses(&self, outer: &str, inner: &str) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![outer];
        while let Some(name) = open.pop() {
            let Some(tree) = self.scope.trees.get(name) else {
                continue;
            };
            for nested in tree.nodes.iter().filter_map(group_tree) {
                if nested == inner {
                    return true;
                }
                if seen.insert(nested) {
                    open.push(nested);
                }
            }
        }
        false
    }

    fn set_items(&mut self, op: &SetItems) {
        let Some(id) = self.resolve_node(text(&op.node_id, "node_id")) else {
            return;
        };
        let Some(node) = self.model.node(&id) else { return };
        let Some(kind) = self.scope.node_type(node) else { return };
        let Some(described) = kind.collections.get(&op.collection) else {
            let path = self.sink.at("collection");
            let list: Vec<&str> = kind.collections.keys().map(String::as_str).collect();
            let hint = match (list.as_slice(), kind.is("zone")) {
                (_, true) => Hint::explain("edit_zone changes the items of a zone"),
                ([], _) => Hint::explain("this type has no items"),
                ([one], _) => self.sink.near("collection", *one),
                _ => Hint::explain(format!("it has: {}", list.join(", "))),
            };
            let message = format!("{} has no items called “{}”", kind.label, op.collection);
            self.sink.error(Code::UnknownCollection, path, message, Some(hint));
            return;
        };
        let present = node.items.get(&op.collection).cloned().unwrap_or_default();
        let errors = self.sink.errors;
        let mut items: Vec<Map> = Vec::with_capacity(op.items.len());
        for (index, item) in op.items.iter().enumerate() {
            let is_present = present.get(index).is_some();
            let mut fields = self.check_item(op, index, item, described, is_present);
            let is_short = |kind: &str| self.scope.catalogue.sockets.values().any(|known| known.short == kind);
            if let Some(Value::String(kind)) = item.get("socket_type")
                && !is_short(kind)
                && let Some(full) = self.resolve_socket_type(kind, None, &format!("items/{index}/socket_type"))
            {
                fields.insert("socket_type".to_owned(), self.short_type(&full));
            }
            items.push(fields);
        }
        if let Some(fresh) = described.fresh.first() {
            self.check_points(op, described, fresh, &mut items);
            let stands = if present.is_empty() { &described.fresh } else { &present };
            if self.sink.errors == errors && alike(stands, &items) {
                return;
            }
        }
        if self.sink.errors > errors {
            return;
        }
        self.put_items(&id, &op.collection, items, false);
    }

    /// Stops of a colour ramp and points of a curve are given in full, as many as Blender takes, and stand in their order.
    fn check_points(&mut self, op: &SetItems, described: &Collection, fresh: &Map, items: &mut [Map]) {
        let (least, most) = (described.least.unwrap_or(0), described.most.unwrap_or(usize::MAX));
        if items.len() < least || items.len() > most {
            let path = self.sink.at("items");
            let message = format!("“{}” has {} entries here", op.collection, items.len());
            let range = described
                .most
                .map_or(format!("{least} or more"), |most| format!("{least} to {most}"));
            let hint = Hint::explain(format!("Blender keeps {range}"));
            self.sink.error(Code::OutOfRange, path, message, Some(hint));
        }
        for (index, item) in items.iter_mut().enumerate() {
            for (name, value) in fresh {
                // How a point is rounded is as on a new one; where it is and what it holds is said.
                if value.is_string() {
                    item.entry(name.clone()).or_insert_with(|| value.clone());
                } else if !item.contains_key(name) {
                    let path = self.sink.at(&format!("items/{index}/{name}"));
                    let message = format!("an entry of “{}” needs the field “{name}”", op.collection);
                    let add = Change::add(&*path, value.clone());
                    let hint = Hint::change(format!("add the field “{name}”"), add);
                    self.sink.error(Code::MissingField, path, message, Some(hint));
                }
            }
        }
        let place = |item: &Map| {
            let place = item.get("position").or_else(|| item.get("location")?.get(0));
            place.and_then(Value::as_f64).unwrap_or_default()
        };
        items.sort_by(|one, other| place(one).total_cmp(&place(other)));
    }

    /// The fields of an item with values as they are stored. Reports fields that an item does not have, values that they do not take, and a
    /// new item without a name.
    fn check_item(
        &mut self,
        op: &SetItems,
        index: usize,
        item: &Properties,
        described: &Collection,
        is_present: bool,
    ) -> Map {
        let mut fields: Map = item.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        if !item.contains_key("name") && described.fields.contains_key("name") && !is_present {
            let path = self.sink.at(&format!("items/{index}/name"));
            let message = format!("a new item of “{}” needs a name", op.collection);
            let name = Change::add(&*path, format!("Item {}", index + 1).into());
            let hint = Hint::change("add the field “name”", name);
            self.sink.error(Code::MissingField, path, message, Some(hint));
        }
        if let Some(Value::String(name)) = item.get("name") {
            let earlier = op.items.iter().take(index);
            let message = if name.is_empty() {
                format!("an item of “{}” cannot have an empty name", op.node_id)
            } else if earlier.clone().any(|other| other.get("name") == item.get("name")) {
                format!("two items of “{}” are named “{name}”", op.node_id)
            } else {
                String::new()
            };
            if !message.is_empty() {
                let path = self.sink.at(&format!("items/{index}/name"));
                let hint =
                    Hint::explain("an item is told from the others by its name, which is also that of its sockets");
                self.sink.error(Code::BadName, path, message, Some(hint));
            }
        }
        for (name, value) in item.iter().filter(|(name, _)| *name != "identifier") {
            let at = format!("items/{index}/{}", escape(name));
            let Some(field) = described.fields.get(name) else {
                let list: Vec<&str> = described.fields.keys().map(String::as_str).collect();
                let hint = match (nearest(name, list.iter().copied()), list.is_empty()) {
                    (Some(near), _) => self.renamed_field(&at, name, &near, value),
                    (None, false) => Hint::explain(format!("it has: {}", list.join(", "))),
                    (None, true) => self.sink.without("these items have no fields", &at),
                };
                let path = self.sink.at(&at);
                let message = format!("an item of “{}” has no field “{name}”", op.collection);
                self.sink.error(Code::UnknownProperty, path, message, Some(hint));
                continue;
            };
            // A socket type may be written in full and is checked with the types.
            if name == "socket_type" && value.is_string() {
                continue;
            }
            let property = serde_json::from_value::<Property>(as_property(field)).ok();
            if let Some(fitted) = property.and_then(|property| self.fit(&Want::property(&property), value, &at)) {
                fields.insert(name.clone(), fitted);
            }
        }
        fields
    }

    /// Items carry the short enum of a socket type, as RNA does.
    pub(crate) fn short_type(&self, full: &str) -> Value {
        Value::from(
            self.scope
                .catalogue
                .sockets
                .get(full)
                .map_or(full, |kind| kind.short.as_str()),
        )
    }

    /// Stores the wanted items; existing ones keep their identifiers. `named`: the plan names those that are dropped.
    pub(crate) fn put_items(&mut self, id: &str, collection: &str, wanted: Vec<Map>, named: bool) {
        let before = self.sockets_at(id);
        let linked = self.links_at(id);
        self.store_items(id, collection, wanted);
        let after = self.sockets_at(id);
        let gone = |node: &str, side: Side, socket: &str| {
            let ends = (node.to_owned(), side, socket.to_owned());
            before.contains(&ends) && !after.contains(&ends)
        };
        let nodes: BTreeSet<&String> = before.iter().map(|(node, ..)| node).collect();
        let mut lost: Vec<[String; 4]> = Vec::new();
        for node in nodes {
            for (_, wire, from) in self.model.edges(node, Direction::Incoming) {
                if gone(node, Side::Input, &wire.to_socket) {
                    lost.push(
                        [from, wire.from_socket.as_str(), node.as_str(), wire.to_socket.as_str()].map(str::to_owned),
                    );
                }
            }
            for (_, wire, to) in self.model.edges(node, Direction::Outgoing) {
                if gone(node, Side::Output, &wire.from_socket) {
                    lost.push(
                        [node.as_str(), wire.from_socket.as_str(), to, wire.to_socket.as_str()].map(str::to_owned),
                    );
                }
            }
        }
        for (node, side, socket) in before.difference(&after) {
            self.model.lose_socket(node, *side, socket);
        }
        for (node, links) in linked {
            self.note_hidden(&node, &links, "items");
        }
        // Both ends of a zone have them.
        lost.sort();
        lost.dedup();
        if named {
            self.unsaid.unlinked.extend(lost.into_iter().map(|[from, ..]| from));
            return;
        }
        let op = self.sink.op();
        let forgotten = lost.iter().map(|link| (op, id.to_owned(), link.clone()));
        self.unsaid.forgotten.extend(forgotten);
        self.unsaid.dropped.extend(lost);
    }

    /// Warns of links that went with items, unless the step links their ends anew, as where it renames an item.
    pub(crate) fn warn_of_forgotten_items(&mut self) {
        let mut left: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        for (op, id, [from, output, to, input]) in std::mem::take(&mut self.unsaid.forgotten) {
            let mut links = self.model.edges(&to, Direction::Incoming);
            let is_linked = links
                .any(|(_, wire, source)| source == from && (wire.from_socket == output || wire.to_socket == input));
            if !is_linked {
                left.entry((op, id)).or_default().push(format!("{from} → {to}"));
            }
        }
        for ((op, id), ends) in left {
            self.sink.enter_op(op);
            let path = self.sink.at("items");
            let message = format!(
                "these links go with items of “{id}” that the list leaves out: {}",
                ends.join(", ")
            );
            self.sink.warn(Code::LinkDropped, path, message);
        }
    }

    /// The links in use of a node, and of the node that begins its zone.
    fn links_at(&self, id: &str) -> Vec<(String, Vec<LinkInUse>)> {
        let nodes = self.model.nodes();
        let nodes = nodes.filter(|node| node.id == id || node.pair.as_deref() == Some(id));
        nodes
            .map(|node| (node.id.clone(), self.links_in_use(&node.id)))
            .collect()
    }

    /// The sockets of a node, and of the node that begins its zone.
    fn sockets_at(&self, id: &str) -> HashSet<(String, Side, String)> {
        let nodes = self
            .model
            .nodes()
            .filter(|node| node.id == id || node.pair.as_deref() == Some(id));
        let mut found = HashSet::new();
        for node in nodes {
            for side in [Side::Input, Side::Output] {
                let sockets = self.scope.sockets(&self.model, node, side);
                found.extend(
                    sockets
                        .iter()
                        .map(|socket| (node.id.clone(), side, socket.identifier.clone())),
                );
            }
        }
        found
    }

    fn store_items(&mut self, id: &str, collection: &str, mut wanted: Vec<Map>) {
        let Some(node) = self.model.node_mut(id) else { return };
        let present = node.items.get(collection).cloned().unwrap_or_default();
        for (at, item) in wanted.iter_mut().enumerate() {
            let name = item.get("name");
            let old = match name {
                Some(_) => present.iter().find(|old| old.get("name") == name),
                None => present.get(at),
            };
            for (name, value) in old.into_iter().flatten() {
                item.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let first = wanted.first().and_then(|item| item.get("name")).cloned();
        let names: Vec<Value> = wanted.iter().filter_map(|item| item.get("name")).cloned().collect();
        node.items.insert(collection.to_owned(), wanted);
        if collection != MENU_ITEMS {
            return;
        }
        // A menu whose item was removed would output nothing: it falls back to the first item.
        let is_new = self.model.is_new(id);
        let fresh = self.model.node(id).and_then(|node| self.menu_of_new(node));
        let Some(node) = self.model.node_mut(id) else { return };
        let state = node.inputs.get(MENU_INPUT).and_then(|state| state.get("value"));
        let stands_at = state.cloned().or_else(|| fresh.filter(|_| !is_new));
        if let Some(first) = first.filter(|_| !stands_at.is_some_and(|value| names.contains(&value))) {
            let state = node.inputs.entry(MENU_INPUT.to_owned()).or_default();
            state.insert("value".to_owned(), first);
        }
        let names_before = present.iter().filter_map(|item| item.get("name")?.as_str());
        let gone = names_before.filter(|name| !names.iter().any(|kept| kept == name));
        let gone: Vec<String> = gone.map(str::to_owned).collect();
        if !is_new && !gone.is_empty() {
            self.gone.push((id.to_owned(), gone));
        }
    }

    /// What the menu of a new node of this type stands at.
    fn menu_of_new(&self, node: &Node) -> Option<Value> {
        let inputs = self.scope.sockets(&self.model, node, Side::Input);
        let mut inputs = inputs.iter();
        inputs.find(|input| input.identifier == MENU_INPUT)?.default.clone()
    }
}
