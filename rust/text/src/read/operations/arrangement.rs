//! The order of the interface and its panels, where the operations about single sockets leave another.

use geonode_graph::ir::{Item, ItemKind, Map, Side, Tree};
use geonode_graph::sockets::GROUP_INPUT_TYPE;
use geonode_graph::{is_panel_property, settled_name};
use geonode_protocol::{ArrangeInterface, GnOp, InterfacePlace};

use crate::read::draft::same;
use crate::read::interface::{NEW_INPUT, NEW_OUTPUT};
use crate::read::reader::Reader;

impl Reader<'_, '_, '_> {
    /// The socket that “New” makes is not that of a page where it has another name, or shares it.
    pub(super) fn give_blank_keys(&mut self, before: &Tree) {
        for identifier in [NEW_INPUT, NEW_OUTPUT] {
            let items = &self.draft.interface;
            let Some(at) = items.iter().position(|item| item.identifier == identifier) else {
                continue;
            };
            let Some(item) = items.get(at) else { continue };
            let old = before.interface.iter().find(|old| old.identifier == identifier);
            let is_it = old.is_some_and(|old| old.name == item.name) && !items.iter().any(|other| shares(other, item));
            if is_it {
                continue;
            }
            let (key, is_input) = (self.draft.next_key(), item_is_input(identifier));
            if let Some(item) = self.draft.interface.get_mut(at) {
                item.identifier.clone_from(&key);
            }
            if let Some(place) = self.draft.declared.remove(identifier) {
                self.draft.declared.insert(key.clone(), place);
            }
            let ends: Vec<String> = self
                .draft
                .nodes
                .values()
                .filter(|made| (made.node.kind == GROUP_INPUT_TYPE) == is_input)
                .filter(|made| matches!(made.node.kind.as_str(), "NodeGroupInput" | "NodeGroupOutput"))
                .map(|made| made.node.id.clone())
                .collect();
            let side = if is_input { Side::Output } else { Side::Input };
            for end in &ends {
                self.draft.rename_socket(end, side, identifier, &key);
            }
        }
    }

    /// The operation that orders the interface; none where the others leave it as the page has it.
    pub(super) fn arrangement(&mut self, before: &Tree) -> Option<(GnOp, usize)> {
        let items = self.draft.interface.clone();
        let panels = || items.iter().filter(|item| item.kind == ItemKind::Panel);
        let mut unknown = Vec::new();
        for panel in panels() {
            let of_panel = panel.props.keys().filter(|name| !is_panel_property(name));
            unknown.extend(of_panel.map(|name| {
                (
                    panel.identifier.clone(),
                    format!("“{name}” of the panel “{}”", panel.name),
                )
            }));
        }
        for (identifier, what) in unknown {
            let at = self.draft.declared.get(&identifier).copied().unwrap_or(self.draft.at);
            self.unsaid(at, &what);
        }
        let place = |item: &Item| (item.identifier.clone(), item.parent.clone());
        let is_there = |item: &Item| {
            let old = before.interface.iter().find(|old| old.identifier == item.identifier);
            old.is_some_and(|old| item.kind != ItemKind::Panel || has_all(&item.props, &old.props))
        };
        if items.iter().map(place).eq(before.interface.iter().map(place)) && items.iter().all(is_there) {
            return None;
        }
        let is_plain = |panel: &Item| {
            let old = before.interface.iter().find(|old| old.identifier == panel.identifier);
            panel.parent == old.and_then(|old| old.parent.clone())
                && (panel.props.is_empty() || old.is_some_and(|old| has_all(&panel.props, &old.props)))
                && panels().filter(|other| other.name == panel.name).count() == 1
        };
        let stays = |panel: &&Item| items.iter().any(|item| item.identifier == panel.identifier);
        let plain = panels().all(is_plain)
            && before
                .interface
                .iter()
                .filter(|item| item.kind == ItemKind::Panel)
                .all(|panel| stays(&panel))
            && !items.iter().any(|item| leaves(item, before))
            && (self.edit && !self.ordered || is_natural(&items, before));
        if plain {
            return None;
        }
        let mut places = Vec::with_capacity(items.len());
        places_in(&items, None, 0, &mut places);
        Some((
            GnOp::ArrangeInterface(ArrangeInterface { items: places }),
            self.draft.at,
        ))
    }
}

/// What is in a panel, or at the top, with all that is in that.
fn places_in(items: &[Item], parent: Option<&String>, depth: u32, places: &mut Vec<InterfacePlace>) {
    let limit = u32::try_from(geonode_graph::ir::MAX_NESTED).unwrap_or(u32::MAX);
    if depth > limit {
        return;
    }
    for item in items.iter().filter(|item| item.parent.as_ref() == parent) {
        let mut place = InterfacePlace {
            depth,
            ..InterfacePlace::default()
        };
        match (item.kind, item.in_out) {
            (ItemKind::Panel, _) => {
                place.panel = Some(item.name.clone());
                let known = item.props.iter().filter(|(name, _)| is_panel_property(name));
                place.properties = known.map(|(name, value)| (name.clone(), value.clone())).collect();
            }
            (ItemKind::Socket, Some(Side::Output)) => place.output = Some(settled(items, item)),
            (ItemKind::Socket, _) => place.input = Some(settled(items, item)),
        }
        places.push(place);
        if item.kind == ItemKind::Panel {
            places_in(items, Some(&item.identifier), depth + 1, places);
        }
    }
}

/// Whether sockets that are added one after the other come to stand as the page has them.
fn is_natural(items: &[Item], before: &Tree) -> bool {
    let name_of = |all: &[Item], parent: Option<&String>| {
        let panel = all.iter().find(|item| Some(&item.identifier) == parent);
        panel.map(|panel| panel.name.clone())
    };
    let mut natural: Vec<(&Item, Option<String>)> = before
        .interface
        .iter()
        .filter(|old| items.iter().any(|item| item.identifier == old.identifier))
        .map(|old| (old, name_of(&before.interface, old.parent.as_ref())))
        .collect();
    for item in items.iter().filter(|item| item.kind == ItemKind::Socket) {
        let panel = name_of(items, item.parent.as_ref());
        match natural
            .iter()
            .position(|(other, _)| other.identifier == item.identifier)
        {
            Some(at) if natural.get(at).is_some_and(|(_, inside)| *inside == panel) => {}
            at => {
                at.map(|at| natural.remove(at));
                natural.push((item, panel));
            }
        }
    }
    let order = |panel: Option<&String>, all: &[(&Item, Option<String>)]| -> Vec<String> {
        let inside = all
            .iter()
            .filter(|(item, inside)| item.kind == ItemKind::Socket && inside.as_ref() == panel);
        let mut found: Vec<(bool, String)> = inside
            .map(|(item, _)| (item.in_out != Some(Side::Output), item.identifier.clone()))
            .collect();
        // New outputs go above inputs.
        found.sort_by_key(|(is_input, _)| *is_input);
        found.into_iter().map(|(_, identifier)| identifier).collect()
    };
    let wanted: Vec<(&Item, Option<String>)> = items
        .iter()
        .map(|item| (item, name_of(items, item.parent.as_ref())))
        .collect();
    let panels = |all: &[(&Item, Option<String>)]| -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let kept = all
            .iter()
            .filter(|(item, _)| item.kind == ItemKind::Panel)
            .map(|(item, _)| item.name.clone());
        for name in kept.chain(all.iter().filter_map(|(_, panel)| panel.clone())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let names = panels(&wanted);
    let outputs_first = |all: &[(&Item, Option<String>)]| {
        let top: Vec<bool> = all
            .iter()
            .filter(|(item, panel)| item.kind == ItemKind::Socket && panel.is_none())
            .map(|(item, _)| item.in_out != Some(Side::Output))
            .collect();
        top.is_sorted()
    };
    outputs_first(&wanted)
        && panels(&natural) == names
        && std::iter::once(None)
            .chain(names.iter().map(Some))
            .all(|panel| order(panel, &natural) == order(panel, &wanted))
}

fn item_is_input(identifier: &str) -> bool {
    identifier == NEW_INPUT
}

/// Whether a panel has these properties already.
fn has_all(props: &Map, known: &Map) -> bool {
    let mut props = props.iter();
    props.all(|(name, value)| known.get(name).is_some_and(|known| same(known, value)))
}

/// Whether a socket that was in a panel is in none now.
fn leaves(item: &Item, before: &Tree) -> bool {
    let old = before.interface.iter().find(|old| old.identifier == item.identifier);
    item.kind == ItemKind::Socket && item.parent.is_none() && old.is_some_and(|old| old.parent.is_some())
}

/// What a later step calls a socket.
pub(super) fn settled(items: &[Item], item: &Item) -> String {
    if !item.identifier.starts_with('@') {
        return item.identifier.clone();
    }
    if items.iter().any(|other| shares(other, item)) {
        settled_name(items, item)
    } else {
        item.name.clone()
    }
}

/// Whether another socket of the same side has the same name.
pub(super) fn shares(other: &Item, item: &Item) -> bool {
    other.kind == ItemKind::Socket
        && (other.in_out, &other.name) == (item.in_out, &item.name)
        && other.identifier != item.identifier
}
