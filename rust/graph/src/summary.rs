//! What a step does, in plain words for the artist.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::documents::delta::{InterfaceEdit, ModifierInput, NewLink, StepDelta, TreeDelta};
use crate::ir::{ItemKind, Node, Side};
use crate::sockets::Scope;

/// One line per change, in the order of application. `name` is what a person calls a modifier's input.
pub(crate) fn describe(
    delta: &StepDelta,
    scope: Scope<'_>,
    name: &dyn Fn(&ModifierInput) -> Option<String>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let moved = delta.trees.iter().flat_map(|tree| &tree.moved);
    let gone: HashSet<(&str, &str)> = moved.map(|node| (node.tree.as_str(), node.from.as_str())).collect();
    for tree in &delta.trees {
        describe_tree(tree, &gone, scope, &mut lines);
    }
    for modifier in &delta.modifiers {
        let (verb, runs) = if modifier.create {
            ("Add", "running")
        } else {
            ("Let", "run")
        };
        lines.push(format!(
            "{verb} the modifier “{}” on “{}” {runs} “{}”",
            modifier.name, modifier.object, modifier.node_group
        ));
    }
    for input in &delta.modifier_inputs {
        lines.push(format!(
            "Set the modifier's input “{}” to {}",
            name(input).as_deref().unwrap_or(plain(&input.identifier)),
            value(&input.value)
        ));
    }
    lines
}

/// The nodes in `gone` are moved to other trees.
fn describe_tree(tree: &TreeDelta, gone: &HashSet<(&str, &str)>, scope: Scope<'_>, lines: &mut Vec<String>) {
    // What a node brings from another tree is no change.
    let came: HashMap<&str, Option<&Node>> = tree
        .moved
        .iter()
        .map(|moved| {
            let nodes = scope.trees.get(&moved.tree).into_iter().flat_map(|tree| &tree.nodes);
            let mut nodes = nodes.filter(|node| node.id == moved.from);
            (moved.to.as_str(), nodes.next())
        })
        .collect();
    let is_own = |id: &str| !came.contains_key(id);
    let had = |id: &str| came.get(id).copied().flatten();
    // Interface items by key or identifier, since a person knows them by name.
    let mut keys: HashMap<&str, &str> = HashMap::new();
    for edit in &tree.interface {
        if let InterfaceEdit::Add { key, name, .. } = edit {
            keys.insert(key, name);
        }
    }
    for item in scope.trees.get(&tree.tree).into_iter().flat_map(|tree| &tree.interface) {
        keys.insert(&item.identifier, &item.name);
    }
    let plain = |socket: &str| -> String { plain(keys.get(socket).copied().unwrap_or(socket)).to_owned() };
    if tree.create {
        lines.push(format!("Create the node group “{}”", tree.tree));
    }
    if let Some(source) = &tree.copy_of {
        lines.push(format!("Copy the shared node group “{source}” as “{}”", tree.tree));
    }
    for (name, new) in &tree.settings {
        lines.push(format!(
            "Set {} of the node group to {}",
            name.replace('_', " "),
            value(new)
        ));
    }
    lines.extend(tree.interface.iter().map(|edit| interface_words(edit, &plain)));
    for id in &tree.remove {
        if gone.contains(&(tree.tree.as_str(), id.as_str())) {
            continue;
        }
        lines.push(format!("Remove the node “{id}”"));
    }
    for node in &tree.moved {
        lines.push(if node.from == node.to {
            format!("Move “{}” from “{}” to “{}”", node.from, node.tree, tree.tree)
        } else {
            format!(
                "Move “{}” from “{}” to “{}” as “{}”",
                node.from, node.tree, tree.tree, node.to
            )
        });
    }
    for node in tree.add.iter().filter(|node| is_own(&node.id)) {
        let label = scope
            .catalogue
            .nodes
            .get(&node.kind)
            .map_or(node.kind.as_str(), |kind| kind.label.as_str());
        lines.push(format!("Add {label} “{}”", node.id));
    }
    for (id, label) in tree.labels.iter().filter(|(id, _)| is_own(id)) {
        lines.push(format!("Label “{id}” as “{label}”"));
    }
    lines.extend(tree.names.iter().map(|(id, name)| format!("Rename “{id}” to “{name}”")));
    let props = tree.props.iter().filter(|(id, name, new)| {
        let socket = name.starts_with("inputs.") || name.starts_with("outputs.");
        had(id).is_none_or(|node| !socket && node.props.get(name) != Some(new))
    });
    for (id, name, new) in props {
        let output = name
            .strip_prefix("outputs.")
            .and_then(|rest| rest.strip_suffix(".default_value"));
        lines.push(format!("Set {} of “{id}” to {}", output.unwrap_or(name), value(new)));
    }
    let items = tree.items.iter();
    let items =
        items.filter(|(id, collection, items)| had(id).and_then(|node| node.items.get(collection)) != Some(items));
    for (id, collection, items) in items {
        lines.push(format!("Give “{id}” {} {}", items.len(), collection.replace('_', " ")));
    }
    for (id, frame) in tree.parents.iter().filter(|(id, _)| is_own(id)) {
        lines.push(match frame {
            Some(frame) => format!("Put “{id}” into the frame “{frame}”"),
            None => format!("Take “{id}” out of its frame"),
        });
    }
    let values = tree.values.iter().chain(&tree.late_values);
    let held = |id: &str, socket: &str| had(id)?.inputs.get(socket)?.get("value");
    for (id, socket, new) in values.filter(|(id, socket, new)| held(id, socket) != Some(new)) {
        lines.push(format!("Set {} of “{id}” to {}", plain(socket), value(new)));
    }
    for (from, out, to, input) in &tree.unlink {
        lines.push(format!("Unlink {from}.{} from {to}.{}", plain(out), plain(input)));
    }
    let laid = tree.links.iter().map(NewLink::ends);
    for (from, out, to, input) in laid.filter(|(from, _, to, _)| is_own(from) || is_own(to)) {
        lines.push(format!("Link {from}.{} to {to}.{}", plain(out), plain(input)));
    }
}

/// An edit of the interface; `plain` is what a person calls an item.
fn interface_words(edit: &InterfaceEdit, plain: &dyn Fn(&str) -> String) -> String {
    match edit {
        InterfaceEdit::Add {
            kind: ItemKind::Panel,
            name,
            ..
        } => format!("Add the panel “{name}”"),
        InterfaceEdit::Add {
            name, in_out, props, ..
        } => {
            let side = if *in_out == Some(Side::Output) {
                "output"
            } else {
                "input"
            };
            match props.get("default_value") {
                Some(default) => format!("Add the {side} “{name}” ({})", value(default)),
                None => format!("Add the {side} “{name}”"),
            }
        }
        InterfaceEdit::Change { identifier, .. } => format!("Change the interface socket “{}”", plain(identifier)),
        InterfaceEdit::Remove { identifier, .. } => format!("Remove the interface socket “{}”", plain(identifier)),
        InterfaceEdit::Order { .. } => "Order the sockets and panels of the interface".to_owned(),
    }
}

fn plain(socket: &str) -> &str {
    match socket.strip_prefix('#').and_then(|item| item.split_once('=')) {
        Some((_, name)) => name,
        None => socket.strip_prefix('=').unwrap_or(socket),
    }
}

pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Object(object) if object.len() == 1 => object
            .iter()
            .next()
            .map_or_else(String::new, |(kind, name)| format!("{kind} {name}")),
        other => other.to_string(),
    }
}
