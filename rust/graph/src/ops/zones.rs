//! Zones: both ends at once, their items, and removing them whole.

use geonode_protocol::{AddZone, Change, Code, EditZone, Hint, RemoveZone, ZoneItem, ZoneKind, ZonePart};
use serde_json::Value;

use super::operation::{Before, Mention, Operation};
use super::work::Work;
use crate::ir::{Map, Node, Tree};
use crate::near::nearest;
use crate::renames;

impl<'p> Operation<'p> for &'p AddZone {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.add_zone(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let kind = match self.kind {
            ZoneKind::Repeat => "repeat",
            ZoneKind::Simulation => "simulation",
            ZoneKind::ForEach => "for-each",
            ZoneKind::Closure => "closure",
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
        let listed = |names: Vec<&str>| {
            names
                .iter()
                .map(|name| format!("“{name}”"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let added = listed(self.add_items.iter().map(|item| item.name.as_str()).collect());
        let removed = listed(self.remove_items.iter().map(String::as_str).collect());
        let changes = match (added.as_str(), removed.as_str()) {
            ("", "") => "nothing".to_owned(),
            (added, "") => format!("add {added}"),
            ("", removed) => format!("remove {removed}"),
            (added, removed) => format!("add {added}, remove {removed}"),
        };
        format!("Change the items of the zone “{}”: {changes}", self.id)
    }

    fn destroys(&self, _: &Tree) -> bool {
        !self.remove_items.is_empty()
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Zone(&self.id)]
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
        vec![Mention::Zone(&self.id)]
    }
}

/// Types and item collections of a zone.
struct ZoneTypes {
    input: &'static str,
    output: &'static str,
    /// The collections in Blender's order; one that is known by no part is the only one.
    collections: &'static [(Option<ZonePart>, &'static str)],
    /// The collection of items that name no part.
    usual: &'static str,
}

const ZONES: [(ZoneKind, ZoneTypes); 4] = [
    (
        ZoneKind::Repeat,
        ZoneTypes {
            input: "GeometryNodeRepeatInput",
            output: "GeometryNodeRepeatOutput",
            collections: &[(None, "repeat_items")],
            usual: "repeat_items",
        },
    ),
    (
        ZoneKind::Simulation,
        ZoneTypes {
            input: "GeometryNodeSimulationInput",
            output: "GeometryNodeSimulationOutput",
            collections: &[(None, "state_items")],
            usual: "state_items",
        },
    ),
    (
        ZoneKind::ForEach,
        ZoneTypes {
            input: "GeometryNodeForeachGeometryElementInput",
            output: "GeometryNodeForeachGeometryElementOutput",
            collections: &[
                (Some(ZonePart::Input), "input_items"),
                (Some(ZonePart::Main), "main_items"),
                (Some(ZonePart::Generation), "generation_items"),
            ],
            usual: "generation_items",
        },
    ),
    (
        ZoneKind::Closure,
        ZoneTypes {
            input: "NodeClosureInput",
            output: "NodeClosureOutput",
            collections: &[
                (Some(ZonePart::Input), "input_items"),
                (Some(ZonePart::Output), "output_items"),
            ],
            usual: "output_items",
        },
    ),
];

impl ZoneTypes {
    fn collection(&self, part: Option<ZonePart>) -> Option<&'static str> {
        if part.is_none() {
            return Some(self.usual);
        }
        let mut all = self.collections.iter();
        all.find(|(known, _)| *known == part).map(|(_, collection)| *collection)
    }

    /// The word for a collection in a plan; none for the only one.
    fn part(&self, collection: &str) -> Option<&'static str> {
        let mut all = self.collections.iter();
        let (part, _) = all.find(|(_, known)| *known == collection)?;
        part.map(part_name)
    }
}

fn part_name(part: ZonePart) -> &'static str {
    match part {
        ZonePart::Input => "input",
        ZonePart::Main => "main",
        ZonePart::Generation => "generation",
        ZonePart::Output => "output",
    }
}

/// The items of a zone by collection, in Blender's order.
type ItemLists = Vec<(&'static str, Vec<Map>)>;

impl<'a> Work<'a> {
    fn add_zone(&mut self, zone: &AddZone) {
        let Some((_, types)) = ZONES.iter().find(|(kind, _)| *kind == zone.kind) else {
            return;
        };
        let (Some(input_type), Some(output_type)) = (self.type_here(types.input), self.type_here(types.output)) else {
            let path = self.sink.at("kind");
            let message = format!("Blender {} has no zone of this kind", self.scope.catalogue.blender);
            self.sink.error(Code::UnknownNodeType, path, message, None);
            return;
        };
        let Some(mut lists) = self.zone_items(types, &zone.items, "items", None) else {
            return;
        };
        if !lists.iter().any(|(collection, _)| *collection == types.usual) {
            lists.push((types.usual, Vec::new()));
        }
        let (input, output) = (format!("{}.in", zone.id), format!("{}.out", zone.id));
        match (self.model.node(&input), self.model.node(&output)) {
            (None, None) => {}
            (Some(a), Some(b)) if a.kind == input_type && b.kind == output_type => {
                let same = lists.iter().all(|(collection, items)| {
                    let present = b.items.get(*collection).map_or(&[][..], Vec::as_slice);
                    equal_items(present, items)
                });
                if !same {
                    let path = self.sink.at("id");
                    let message = format!("the zone “{}” exists with other items", zone.id);
                    let hint = Hint::explain("edit_zone adds items to a zone that is there, and removes them");
                    self.sink.error(Code::DuplicateId, path, message, Some(hint));
                }
                return;
            }
            _ => {
                let path = self.sink.at("id");
                let message = format!("“{input}” or “{output}” is the ID of another node");
                self.sink.error(
                    Code::DuplicateId,
                    path,
                    message,
                    Some(Hint::explain("the two ends of a zone have the IDs `x.in` and `x.out`")),
                );
                return;
            }
        }
        if output.len() > crate::ir::MAX_NAME {
            let path = self.sink.at("id");
            self.sink.error(
                Code::BadName,
                path,
                "the ID is too long",
                Some(Hint::explain("any shorter ID will do")),
            );
            return;
        }
        let mut node = Node {
            id: output.clone(),
            name: output.clone(),
            kind: output_type.to_owned(),
            ..Node::default()
        };
        node.items
            .extend(lists.into_iter().map(|(name, items)| (name.to_owned(), items)));
        self.model.insert(node);
        self.model.insert(Node {
            id: input.clone(),
            name: input,
            kind: input_type.to_owned(),
            pair: Some(output),
            ..Node::default()
        });
    }

    /// The name that a node type has in this Blender.
    fn type_here(&self, name: &'static str) -> Option<&'static str> {
        let exists = |name: &str| self.scope.catalogue.nodes.contains_key(name);
        exists(name).then_some(name).or_else(|| renames::node(name, exists))
    }

    fn edit_zone(&mut self, zone: &EditZone) {
        let Some((_, output)) = self.zone_ends(&zone.id) else {
            return;
        };
        let kind = self.model.node(&output).map(|node| node.kind.as_str());
        let same = |name: &'static str| self.type_here(name) == kind;
        let Some((_, types)) = ZONES.iter().find(|(_, types)| same(types.output)) else {
            return;
        };
        let Some(added) = self.zone_items(types, &zone.add_items, "add_items", zone.part) else {
            return;
        };
        let mut lists: ItemLists = Vec::new();
        for (_, collection) in types.collections {
            let present = self.model.node(&output).and_then(|node| node.items.get(*collection));
            lists.push((*collection, present.cloned().unwrap_or_default()));
        }
        let Some(reduced) = self.collection_at(types, zone.part, "part") else {
            return;
        };
        self.take_items(zone, types, reduced, &mut lists);
        for (collection, items) in added {
            let Some((_, list)) = lists.iter_mut().find(|(known, _)| *known == collection) else {
                continue;
            };
            for item in items {
                match list.iter().find(|old| old.get("name") == item.get("name")) {
                    None => list.push(item),
                    Some(old) if old.get("socket_type") == item.get("socket_type") => {}
                    Some(_) => {
                        let mut all = zone.add_items.iter();
                        let index = all.position(|one| item.get("name").and_then(Value::as_str) == Some(&one.name));
                        let path = self
                            .sink
                            .at(&format!("add_items/{}/socket_type", index.unwrap_or_default()));
                        let message = format!("the zone “{}” has an item of this name with another type", zone.id);
                        let hint = Hint::explain("an item keeps its type; one of another type needs another name");
                        self.sink.error(Code::SocketTypeMismatch, path, message, Some(hint));
                        return;
                    }
                }
            }
        }
        for (collection, items) in lists {
            let present = self.model.node(&output).and_then(|node| node.items.get(collection));
            if present.map_or(&[][..], Vec::as_slice) != items.as_slice() {
                self.put_items(&output, collection, items, true);
            }
        }
    }

    /// Takes the named items out of a list.
    fn take_items(&mut self, zone: &EditZone, types: &ZoneTypes, collection: &str, lists: &mut ItemLists) {
        let named = |item: &Map, name: &str| item.get("name").and_then(Value::as_str) == Some(name);
        for (index, name) in zone.remove_items.iter().enumerate() {
            let Some((_, items)) = lists.iter_mut().find(|(known, _)| *known == collection) else {
                return;
            };
            let count = items.len();
            items.retain(|item| !named(item, name));
            if items.len() < count {
                continue;
            }
            let path = self.sink.at(&format!("remove_items/{index}"));
            let elsewhere = lists
                .iter()
                .filter(|(_, items)| items.iter().any(|item| named(item, name)))
                .find_map(|(known, _)| types.part(known));
            let Some((part, other)) = types.part(collection).zip(elsewhere) else {
                let message = format!("the zone “{}” has no item “{name}”; nothing was removed", zone.id);
                self.sink.warn(Code::NothingToRemove, path, message);
                continue;
            };
            let message = format!(
                "the zone “{}” has no {part} item “{name}”; nothing was removed",
                zone.id
            );
            let text = format!("it has one of the part “{other}”");
            let hint = if zone.remove_items.len() == 1 && zone.add_items.is_empty() {
                Hint::change(text, Change::add(self.sink.at("part"), other.into()))
            } else {
                Hint::explain(text)
            };
            self.sink.warn_with(Code::NothingToRemove, path, message, hint);
        }
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

    /// The collection that a part names; reports a part that the zone does not have.
    fn collection_at(&mut self, types: &ZoneTypes, part: Option<ZonePart>, field: &str) -> Option<&'static str> {
        let found = types.collection(part);
        if found.is_none() {
            let parts: Vec<&str> = types
                .collections
                .iter()
                .filter_map(|(part, _)| part.map(part_name))
                .collect();
            let hint = if parts.is_empty() {
                self.sink
                    .without("leave “part” out: the zone has one list of items", field)
            } else {
                Hint::explain(format!("its parts are: {}", parts.join(", ")))
            };
            let message = format!(
                "a zone of this kind has no {} items",
                part.map(part_name).unwrap_or_default()
            );
            let path = self.sink.at(field);
            self.sink.error(Code::InvalidEnum, path, message, Some(hint));
        }
        found
    }

    /// The items by collection; those without a part belong to `usual`. `field` is their place in the operation.
    fn zone_items(
        &mut self,
        types: &ZoneTypes,
        items: &[ZoneItem],
        field: &str,
        usual: Option<ZonePart>,
    ) -> Option<ItemLists> {
        let mut lists: ItemLists = Vec::new();
        for (_, collection) in types.collections {
            lists.push((*collection, Vec::new()));
        }
        for (index, item) in items.iter().enumerate() {
            let at = format!("{field}/{index}/part");
            let collection = self.collection_at(types, item.part.or(usual), &at)?;
            let legal = self.legal_types(types, collection);
            let at = format!("{field}/{index}/socket_type");
            let kind = self.resolve_socket_type(&item.socket_type, legal, &at)?;
            let short = self.short_type(&kind);
            if let Some(legal) = legal.filter(|legal| !legal.contains(&short)) {
                let list: Vec<&str> = legal.iter().filter_map(Value::as_str).collect();
                let message = format!("an item of this zone cannot have the type {kind}");
                let hint = Hint::explain(format!("the types are: {}", list.join(", ")));
                let path = self.sink.at(&at);
                self.sink.error(Code::InvalidEnum, path, message, Some(hint));
                return None;
            }
            let name = Value::from(item.name.as_str());
            let (_, list) = lists.iter_mut().find(|(known, _)| *known == collection)?;
            if list.iter().any(|known| known.get("name") == Some(&name)) {
                let path = self.sink.at(&format!("{field}/{index}/name"));
                let message = format!("two items are named “{}”", item.name);
                self.sink.error(
                    Code::DuplicateId,
                    path,
                    message,
                    Some(Hint::explain("the name of an item is that of its sockets")),
                );
                return None;
            }
            list.push(Map::from_iter([
                ("name".to_owned(), name),
                ("socket_type".to_owned(), short),
            ]));
        }
        lists.retain(|(_, items)| !items.is_empty());
        Some(lists)
    }

    /// Short names of the types that items of the collection can have; none if any.
    fn legal_types(&self, types: &ZoneTypes, collection: &str) -> Option<&'a [Value]> {
        let catalogue = self.scope.catalogue;
        let described = catalogue
            .nodes
            .get(self.type_here(types.output)?)?
            .collections
            .get(collection)?;
        Some(
            described
                .fields
                .get("socket_type")?
                .get("items")?
                .as_array()?
                .as_slice(),
        )
    }

    fn zone_ends(&mut self, id: &str) -> Option<(String, String)> {
        let ends = self.find_ends(id);
        if ends.is_none() {
            let path = self.sink.at("id");
            let message = format!("the tree has no zone “{id}”");
            let zones = self
                .model
                .nodes()
                .filter_map(|node| node.pair.as_ref().map(|_| node.id.as_str()));
            let zones: Vec<&str> = zones.map(|id| id.strip_suffix(".in").unwrap_or(id)).collect();
            let hint = match nearest(id, zones.iter().copied()) {
                Some(near) => self.sink.near("id", near),
                None if zones.is_empty() => Hint::explain("the tree has no zones; add_zone makes one"),
                None => Hint::explain(format!("the zones are: {}", zones.join(", "))),
            };
            self.sink.error(Code::UnknownZone, path, message, Some(hint));
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
