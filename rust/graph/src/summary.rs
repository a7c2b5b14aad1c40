//! What a step does, in plain words for the artist.

use std::collections::HashMap;

use serde_json::Value;

use crate::documents::delta::{InterfaceEdit, NewLink, StepDelta, TreeDelta};
use crate::ir::{ItemKind, Side};
use crate::sockets::Scope;

/// One line per change, in the order of application.
pub(crate) fn describe(delta: &StepDelta, scope: Scope<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for tree in &delta.trees {
        describe_tree(tree, scope, &mut lines);
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
            plain(&input.identifier),
            value(&input.value)
        ));
    }
    lines
}

fn describe_tree(tree: &TreeDelta, scope: Scope<'_>, lines: &mut Vec<String>) {
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
    for edit in &tree.interface {
        lines.push(match edit {
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
        });
    }
    for id in &tree.remove {
        lines.push(format!("Remove the node “{id}”"));
    }
    for node in &tree.add {
        let label = scope
            .catalogue
            .nodes
            .get(&node.kind)
            .map_or(node.kind.as_str(), |kind| kind.label.as_str());
        lines.push(format!("Add {label} “{}”", node.id));
    }
    for (id, label) in &tree.labels {
        lines.push(format!("Label “{id}” as “{label}”"));
    }
    for (id, name, new) in &tree.props {
        let output = name
            .strip_prefix("outputs.")
            .and_then(|rest| rest.strip_suffix(".default_value"));
        lines.push(format!("Set {} of “{id}” to {}", output.unwrap_or(name), value(new)));
    }
    for (id, collection, items) in &tree.items {
        lines.push(format!("Give “{id}” {} {}", items.len(), collection.replace('_', " ")));
    }
    for (id, frame) in &tree.parents {
        lines.push(match frame {
            Some(frame) => format!("Put “{id}” into the frame “{frame}”"),
            None => format!("Take “{id}” out of its frame"),
        });
    }
    for (id, socket, new) in tree.values.iter().chain(&tree.late_values) {
        lines.push(format!("Set {} of “{id}” to {}", plain(socket), value(new)));
    }
    for (from, out, to, input) in &tree.unlink {
        lines.push(format!("Unlink {from}.{} from {to}.{}", plain(out), plain(input)));
    }
    for (from, out, to, input) in tree.links.iter().map(NewLink::ends) {
        lines.push(format!("Link {from}.{} to {to}.{}", plain(out), plain(input)));
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
