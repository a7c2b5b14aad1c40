//! What changed inside a node: name, properties, input values, dynamic items.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::phrase::{self, About};
use super::{Compared, title, union};
use crate::ir::{Map, Node, Side};
use crate::sockets::group_tree;
use crate::values::same;

/// Display properties of a node, reported in one line together with its place.
pub(super) const APPEARANCE: &[&str] = &["hide", "show_options", "use_custom_color", "color"];
/// The same for a socket.
const SOCKET_APPEARANCE: &[&str] = &["show_expanded"];

impl Compared<'_> {
    pub(super) fn node(&self, old: &Node, new: &Node, lines: &mut Vec<String>) {
        let who = title(new);
        if old.name != new.name {
            lines.push(format!("Renamed “{}” to “{}”", old.name, new.name));
        }
        if old.label != new.label {
            lines.push(match &new.label {
                Some(label) => format!("Labelled “{}” as “{label}”", new.name),
                None => format!(
                    "Removed the label “{}” from “{}”",
                    old.label.as_deref().unwrap_or_default(),
                    new.name
                ),
            });
        }
        self.props(&who, old, new, lines);
        if old.pair.as_deref() != new.pair.as_deref().map(|id| self.id_before(id)) {
            lines.push(match &new.pair {
                Some(end) => format!("The zone of {who} now ends with {}", self.after.node(end)),
                None => format!("{who} is no longer part of a zone"),
            });
        }
        for collection in union(old.items.keys(), new.items.keys()) {
            let none = Vec::new();
            let list = |node: &Node| -> Vec<Map> { node.items.get(collection).unwrap_or(&none).clone() };
            items(&who, collection, &list(old), &list(new), lines);
        }
        self.sockets(&who, old, new, Side::Input, lines);
        self.sockets(&who, old, new, Side::Output, lines);
    }

    pub(super) fn id_before<'i>(&'i self, id: &'i str) -> &'i str {
        self.canon.get(id).copied().unwrap_or(id)
    }

    fn props(&self, who: &str, old: &Node, new: &Node, lines: &mut Vec<String>) {
        let kind = self.after.scope.node_type(new);
        for name in union(old.props.keys(), new.props.keys()) {
            if APPEARANCE.contains(&name) {
                continue;
            }
            let property = kind.and_then(|kind| kind.properties.get(name));
            let default = property
                .map(|property| &property.default)
                .filter(|value| !value.is_null());
            let before = old.props.get(name).or(default);
            let after = new.props.get(name).or(default);
            if equal(before, after) {
                continue;
            }
            if name == "node_tree" {
                let renamed = group_tree(new).and_then(|now| self.names.get(now).copied()) == group_tree(old);
                if !(renamed && group_tree(old).is_some()) {
                    let used =
                        |node| group_tree(node).map_or("no group".to_owned(), |tree| format!("the group “{tree}”"));
                    lines.push(format!("{who} uses {} instead of {}", used(new), used(old)));
                }
                continue;
            }
            if name == "mute" {
                let muted = after == Some(&Value::Bool(true));
                lines.push(format!("{} {who}", if muted { "Muted" } else { "Unmuted" }));
                continue;
            }
            let label = property
                .map(|property| property.label.clone())
                .filter(|label| !label.is_empty());
            let label = label.unwrap_or_else(|| name.replace(['_', '.'], " "));
            let about = property.map(About::property).unwrap_or_default();
            lines.push(format!("{who}: {label}{}", phrase::change(before, after, about)));
        }
    }

    fn sockets(&self, who: &str, old: &Node, new: &Node, side: Side, lines: &mut Vec<String>) {
        let states = |node: &'_ Node| match side {
            Side::Input => node.inputs.clone(),
            Side::Output => node.outputs.clone(),
        };
        let (mut before, after) = (states(old), states(new));
        if before == after && (group_tree(new).is_none() || group_tree(new) == group_tree(old)) {
            return;
        }
        let (old_sockets, new_sockets) = (self.before.sockets(old, side), self.after.sockets(new, side));
        let mut each: Vec<(&str, Option<&str>, Map, Map)> = Vec::new();
        for (identifier, state) in &after {
            let was = self.socket_before(Some(new), identifier);
            let matched = before.shift_remove(was).unwrap_or_default();
            each.push((identifier, Some(was), matched, state.clone()));
        }
        let gone: Vec<(String, Map)> = before.into_iter().collect();
        let back: HashMap<&str, &str> = new_sockets
            .iter()
            .map(|socket| {
                (
                    self.socket_before(Some(new), &socket.identifier),
                    socket.identifier.as_str(),
                )
            })
            .collect();
        for (identifier, state) in &gone {
            // A removed socket is reported with the cause of its removal: the group's interface, or the items.
            if let Some(now) = back.get(identifier.as_str()) {
                each.push((now, Some(identifier), state.clone(), Map::new()));
            } else if self.after.scope.node_type(new).is_none() {
                each.push((identifier, Some(identifier), state.clone(), Map::new()));
            }
        }
        for (identifier, was, old_state, new_state) in &each {
            let socket = new_sockets.iter().find(|socket| socket.identifier == **identifier);
            let earlier = old_sockets
                .iter()
                .find(|socket| Some(socket.identifier.as_str()) == *was);
            let before = old_state
                .get("value")
                .or(earlier.and_then(|socket| socket.default.as_ref()));
            let after = new_state
                .get("value")
                .or(socket.and_then(|socket| socket.default.as_ref()));
            let name = || self.after.socket_name(new, side, identifier);
            // A socket that the other side does not have (another mode, a new item) brings its value along.
            let is_new = earlier.is_none() && !old_sockets.is_empty() && old_state.is_empty();
            if !equal(before, after) && !is_new {
                let about = socket.map(About::socket).unwrap_or_default();
                lines.push(format!("{who}: {}{}", name(), phrase::change(before, after, about)));
            }
            for flag in union(old_state.keys(), new_state.keys()) {
                let on = |state: &Map| state.get(flag) == Some(&Value::Bool(true));
                if flag == "value" || SOCKET_APPEARANCE.contains(&flag) || old_state.get(flag) == new_state.get(flag) {
                    continue;
                }
                lines.push(match (flag, on(new_state)) {
                    ("hide", true) => format!("{who}: {} hidden", name()),
                    ("hide", false) => format!("{who}: {} shown", name()),
                    (flag, on) => format!(
                        "{who}: {}: {} {}",
                        name(),
                        flag.replace('_', " "),
                        if on { "on" } else { "off" }
                    ),
                });
            }
        }
    }
}

fn equal(before: Option<&Value>, after: Option<&Value>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => same(before, after),
        _ => before == after,
    }
}

/// Dynamic items: by number where they have one, else by name.
fn items(who: &str, collection: &str, old: &[Map], new: &[Map], lines: &mut Vec<String>) {
    if old == new {
        return;
    }
    let word = item_noun(collection);
    let name = |item: &Map| item.get("name").and_then(Value::as_str).map(str::to_owned);
    let key = |item: &Map| match item.get("identifier").and_then(Value::as_i64) {
        Some(number) => Some(number.to_string()),
        None => name(item).map(|name| format!("={name}")),
    };
    let keys = |list: &[Map]| -> Option<Vec<String>> { list.iter().map(key).collect() };
    let (Some(old_keys), Some(new_keys)) = (keys(old), keys(new)) else {
        // Ramp stops and curve points have no names.
        lines.push(if old.len() == new.len() {
            format!("{who}: {word}s changed")
        } else {
            format!("{who}: {} {word}s instead of {}", new.len(), old.len())
        });
        return;
    };
    let before: HashMap<&str, &Map> = old_keys.iter().map(String::as_str).zip(old).collect();
    let after: HashSet<&str> = new_keys.iter().map(String::as_str).collect();
    let shown = |item: &Map, key: &str| name(item).unwrap_or_else(|| key.to_owned());
    for (key, item) in old_keys.iter().zip(old) {
        if !after.contains(key.as_str()) {
            lines.push(format!("Removed the {word} “{}” of {who}", shown(item, key)));
        }
    }
    for (key, item) in new_keys.iter().zip(new) {
        let Some(earlier) = before.get(key.as_str()) else {
            lines.push(format!("Added the {word} “{}” to {who}", shown(item, key)));
            continue;
        };
        for field in union(earlier.keys(), item.keys()) {
            let (one, other) = (earlier.get(field), item.get(field));
            if one == other {
                continue;
            }
            lines.push(if field == "name" {
                format!(
                    "Renamed the {word} “{}” of {who} to “{}”",
                    shown(earlier, key),
                    shown(item, key)
                )
            } else {
                let change = phrase::change(one, other, About::default());
                format!(
                    "{who}: {} of the {word} “{}”{change}",
                    field.replace('_', " "),
                    shown(item, key)
                )
            });
        }
    }
    let order: Vec<usize> = new_keys
        .iter()
        .filter_map(|key| old_keys.iter().position(|old| old == key))
        .collect();
    if !order.is_sorted() {
        lines.push(format!("Reordered the {word}s of {who}"));
    }
}

/// `repeat_items` → `repeat item`.
fn item_noun(collection: &str) -> String {
    let last = match collection {
        "enum_items" => return "menu item".to_owned(),
        "color_ramp.elements" => return "colour stop".to_owned(),
        path if path.contains("curves.") => return "curve point".to_owned(),
        path => path.rsplit('.').next().unwrap_or(path),
    };
    last.strip_suffix('s').unwrap_or(last).replace('_', " ")
}
