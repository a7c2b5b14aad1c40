//! Operations that change the interface of a tree.

use geonode_graph::ir::{Item, ItemKind, Side, Tree};
use geonode_graph::is_socket_property;
use geonode_protocol::{Direction, GnOp, GroupIo, NodeTreeOp, Properties};
use serde_json::Value;

use super::Writing;
use super::arrangement::{settled, shares};
use crate::names::TOGGLE;
use crate::read::draft::same;
use crate::read::reader::Reader;

/// Properties of interface items that an operation carries in fields of their own.
const SAID_OF_SOCKETS: [&str; 4] = ["default_value", "min_value", "max_value", "subtype"];

impl Reader<'_, '_, '_> {
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

    pub(super) fn interface_operations(&mut self, before: &Tree, written: &mut Writing<'_>) {
        self.give_blank_keys(before);
        let items = self.draft.interface.clone();
        let stays = |identifier: &str| items.iter().any(|item| item.identifier == identifier);
        self.remove_sockets(before, written);
        let arranged = self.arrangement(before);
        let is_arranged = arranged.is_some();
        let mut switches = Vec::new();
        for item in &items {
            let at = self
                .draft
                .declared
                .get(&item.identifier)
                .copied()
                .unwrap_or(self.draft.at);
            let old = before.interface.iter().find(|old| old.identifier == item.identifier);
            if item.kind == ItemKind::Panel {
                continue;
            }
            let staying = before.interface.iter().filter(|other| stays(&other.identifier));
            let is_shared = items.iter().chain(staying).any(|other| shares(other, item));
            let mut op = group_io(item);
            let mut changed = old.is_none();
            if let Some(old) = old.filter(|old| old.name != item.name) {
                op.identifier = Some(old.identifier.clone());
                changed = true;
            }
            if is_shared {
                op.identifier = Some(self.key(&item.identifier));
            }
            for (field, value) in &item.props {
                let known = old.and_then(|old| old.props.get(field));
                if known.is_some_and(|known| same(known, value)) || old.is_some_and(|old| is_usual(old, field, value)) {
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
            let toggles = |item: &Item| item.props.get(TOGGLE) == Some(&Value::Bool(true));
            if !self.edit && old.is_some_and(toggles) && !toggles(item) {
                op.properties.insert(TOGGLE.to_owned(), false.into());
                changed = true;
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
            if !is_arranged && wanted != old.and_then(|old| panel(old.parent.as_ref(), &before.interface)) {
                op.panel = wanted;
                changed = true;
            }
            // A panel is switched by its first socket, once that stands there.
            let begins = is_arranged && op.properties.get(TOGGLE) == Some(&Value::Bool(true));
            if let Some(value) = begins.then(|| op.properties.shift_remove(TOGGLE)).flatten() {
                let mut switch = group_io(item);
                switch.identifier = Some(settled(&items, item)).filter(|name| *name != item.name);
                switch.properties.insert(TOGGLE.to_owned(), value);
                switches.push((GnOp::SetGroupIo(Box::new(switch)), at));
            }
            if changed {
                written.out.tree.push((NodeTreeOp::SetGroupIo(Box::new(op)), at));
            }
        }
        written.out.later.extend(arranged);
        written.out.later.extend(switches);
    }
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

/// Whether a socket has this value without saying so.
pub(in crate::read) fn is_usual(item: &Item, field: &str, value: &Value) -> bool {
    let is_new = || nothing(&item.socket_type).is_some_and(|new| same(&new, value));
    field == "default_value" && !item.props.contains_key(field) && is_new()
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
