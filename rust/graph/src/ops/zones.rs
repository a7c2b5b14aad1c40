//! Zones: both ends at once, their items, and removing them whole.

use geonode_protocol::{AddZone, Code, EditZone, RemoveZone, ZoneItem, ZoneKind};
use serde_json::Value;

use super::operation::{Before, Mention, Operation};
use super::work::Work;
use crate::ir::{Map, Node, Tree};

impl<'p> Operation<'p> for &'p AddZone {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.add_zone(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let kind = match self.kind {
            ZoneKind::Repeat => "repeat",
            ZoneKind::Simulation => "simulation",
            ZoneKind::ForEach => "for-each",
        };
        format!("Add the {kind} zone “{}”", self.id)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::NewZone(&self.id)]
    }
}

impl<'p> Operation<'p> for &'p EditZone {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.edit_zone(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let (added, removed) = (self.add_items.len(), self.remove_items.len());
        format!("Change the zone “{}”: {added} items added, {removed} removed", self.id)
    }

    fn destroys(&self, _: &Tree) -> bool {
        !self.remove_items.is_empty()
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(&self.id)]
    }
}

impl<'p> Operation<'p> for &'p RemoveZone {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.remove_zone(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        format!("Remove the zone “{}”", self.id)
    }

    fn destroys(&self, _: &Tree) -> bool {
        true
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(&self.id)]
    }
}

/// Types and item collection of a zone.
struct ZoneTypes {
    input: &'static str,
    output: &'static str,
    collection: &'static str,
}

fn types(kind: ZoneKind) -> ZoneTypes {
    match kind {
        ZoneKind::Repeat => ZoneTypes {
            input: "GeometryNodeRepeatInput",
            output: "GeometryNodeRepeatOutput",
            collection: "repeat_items",
        },
        ZoneKind::Simulation => ZoneTypes {
            input: "GeometryNodeSimulationInput",
            output: "GeometryNodeSimulationOutput",
            collection: "state_items",
        },
        ZoneKind::ForEach => ZoneTypes {
            input: "GeometryNodeForeachGeometryElementInput",
            output: "GeometryNodeForeachGeometryElementOutput",
            collection: "generation_items",
        },
    }
}

fn collection_of(output_type: &str) -> Option<&'static str> {
    [ZoneKind::Repeat, ZoneKind::Simulation, ZoneKind::ForEach]
        .into_iter()
        .map(types)
        .find(|types| types.output == output_type)
        .map(|types| types.collection)
}

impl Work<'_> {
    fn add_zone(&mut self, zone: &AddZone) {
        let types = types(zone.kind);
        if !self.scope.catalogue.nodes.contains_key(types.output) {
            let path = self.sink.at("kind");
            let message = format!("Blender {} has no zone of this kind", self.scope.catalogue.blender);
            self.sink.error(Code::UnknownNodeType, path, message, None);
            return;
        }
        let Some(items) = self.zone_items(&zone.items, "items") else {
            return;
        };
        let (input, output) = (format!("{}.in", zone.id), format!("{}.out", zone.id));
        match (self.model.node(&input), self.model.node(&output)) {
            (None, None) => {}
            (Some(a), Some(b)) if a.kind == types.input && b.kind == types.output => {
                let same = b
                    .items
                    .get(types.collection)
                    .is_some_and(|present| equal_items(present, &items));
                if !same {
                    let path = self.sink.at("id");
                    let message = format!("the zone “{}” exists with other items", zone.id);
                    let hint = "use edit_zone to add or remove items".to_owned();
                    self.sink.error(Code::DuplicateId, path, message, Some(hint));
                }
                return;
            }
            _ => {
                let path = self.sink.at("id");
                let message = format!("“{input}” or “{output}” is the ID of another node");
                self.sink
                    .error(Code::DuplicateId, path, message, Some("choose another ID".to_owned()));
                return;
            }
        }
        if output.len() > crate::ir::MAX_NAME {
            let path = self.sink.at("id");
            self.sink.error(
                Code::BadName,
                path,
                "the ID is too long",
                Some("choose a shorter ID".to_owned()),
            );
            return;
        }
        let mut node = Node {
            id: output.clone(),
            name: output.clone(),
            kind: types.output.to_owned(),
            ..Node::default()
        };
        node.items.insert(types.collection.to_owned(), items);
        self.model.insert(node);
        self.model.insert(Node {
            id: input.clone(),
            name: input,
            kind: types.input.to_owned(),
            pair: Some(output),
            ..Node::default()
        });
    }

    fn edit_zone(&mut self, zone: &EditZone) {
        let Some((_, output)) = self.zone_ends(&zone.id) else {
            return;
        };
        let Some(added) = self.zone_items(&zone.add_items, "add_items") else {
            return;
        };
        let Some(node) = self.model.node(&output) else { return };
        let Some(collection) = collection_of(&node.kind) else {
            return;
        };
        let mut items = node.items.get(collection).cloned().unwrap_or_default();
        for (index, name) in zone.remove_items.iter().enumerate() {
            let count = items.len();
            items.retain(|item| item.get("name").and_then(Value::as_str) != Some(name));
            if items.len() == count {
                let path = self.sink.at(&format!("remove_items/{index}"));
                let message = format!("the zone “{}” has no item “{name}”; nothing was removed", zone.id);
                self.sink.warn(Code::NothingToRemove, path, message);
            }
        }
        for (index, item) in added.into_iter().enumerate() {
            match items.iter().find(|old| old.get("name") == item.get("name")) {
                None => items.push(item),
                Some(old) if old.get("socket_type") == item.get("socket_type") => {}
                Some(_) => {
                    let path = self.sink.at(&format!("add_items/{index}/socket_type"));
                    let message = format!("the zone “{}” has an item of this name with another type", zone.id);
                    let hint = "remove that item first, or choose another name".to_owned();
                    self.sink.error(Code::SocketTypeMismatch, path, message, Some(hint));
                    return;
                }
            }
        }
        self.put_items(&output, collection, items, true);
    }

    fn remove_zone(&mut self, zone: &RemoveZone) {
        match self.find_ends(&zone.id) {
            Some((input, output)) => {
                self.model.remove(&input);
                self.model.remove(&output);
            }
            None => {
                let path = self.sink.at("id");
                let message = format!("there is no zone “{}”; nothing was removed", zone.id);
                self.sink.warn(Code::NothingToRemove, path, message);
            }
        }
    }

    fn zone_items(&mut self, items: &[ZoneItem], field: &str) -> Option<Vec<Map>> {
        let mut list: Vec<Map> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let kind = self.resolve_socket_type(&item.socket_type, &format!("{field}/{index}/socket_type"))?;
            let name = Value::from(item.name.as_str());
            if list.iter().any(|known| known.get("name") == Some(&name)) {
                let path = self.sink.at(&format!("{field}/{index}/name"));
                let message = format!("two items are named “{}”", item.name);
                self.sink.error(
                    Code::DuplicateId,
                    path,
                    message,
                    Some("give each item its own name".to_owned()),
                );
                return None;
            }
            list.push(Map::from_iter([
                ("name".to_owned(), name),
                ("socket_type".to_owned(), self.short_type(&kind)),
            ]));
        }
        Some(list)
    }

    fn zone_ends(&mut self, id: &str) -> Option<(String, String)> {
        let ends = self.find_ends(id);
        if ends.is_none() {
            let path = self.sink.at("id");
            let message = format!("the tree has no zone “{id}”");
            self.sink.error(
                Code::UnknownZone,
                path,
                message,
                Some("add it with add_zone".to_owned()),
            );
        } else if let Some((input, output)) = &ends {
            for end in [input, output] {
                if !self.model.is_new(end) {
                    self.model.named.insert(end.clone());
                }
            }
        }
        ends
    }

    /// Both ends of the zone with this ID; the ID of either end works as well.
    fn find_ends(&self, id: &str) -> Option<(String, String)> {
        let input = self.model.nodes().find(|node| {
            node.pair.as_deref().is_some_and(|output| {
                node.id == id
                    || output == id
                    || node.id.strip_suffix(".in") == Some(id)
                    || output.strip_suffix(".out") == Some(id)
            })
        })?;
        Some((input.id.clone(), input.pair.clone()?))
    }
}

fn equal_items(present: &[Map], wanted: &[Map]) -> bool {
    present.len() == wanted.len()
        && present
            .iter()
            .zip(wanted)
            .all(|(a, b)| a.get("name") == b.get("name") && a.get("socket_type") == b.get("socket_type"))
}
