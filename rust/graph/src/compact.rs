//! The short form of a tree for a model's context: about a tenth of the IR, lossless for structure.
//!
//! ```text
//! tree Scatter
//! < Geometry:Geometry
//! > Count:Int=200
//! 1 Group Input
//! 2 Distribute Points on Faces;distribute_method=RANDOM;Mesh<1.Geometry;Density<1.Count
//! 3 points:Set Position;Geometry<2.Points;Offset=[0,0,1]
//! ```
//! - A node line is `NUMBER ID:TYPE;…`; `ID:` is left out where the ID is the type's label, with Blender's `.001` or without.
//!   The type is its label where only one type has it, else its `bl_idname`.
//! - `name=value` is a property, a socket value when it is not a property; `{pair=N}`, `{items …}` are what they say.
//! - `input<N.output` is a link from node N; the output is left out where the node has only one available output. `<!` is
//!   a muted link. Several links into one multi-input stand in their order.
//! - Sockets are named by their UI name where it is unambiguous among the available ones, else by identifier.
//! - Places, widths, frames and hidden sockets are left out: they are not structure.

use std::collections::HashMap;
use std::fmt::Write;

use indexmap::IndexMap;
use serde_json::Value;

use crate::catalogue::{Catalogue, Socket};
use crate::ir::{ItemKind, Node, Side, Tree};
use crate::model::TreeModel;
use crate::sockets::{FRAME, Scope};

/// The short form of one tree; `trees` are the others, for the sockets of group nodes.
pub fn compact(name: &str, tree: &Tree, trees: &IndexMap<String, Tree>, catalogue: &Catalogue) -> String {
    let model = TreeModel::new(name, tree.clone(), false);
    let scope = Scope { catalogue, trees };
    let labels = unique_labels(catalogue);
    let numbers: HashMap<&str, usize> = model
        .nodes()
        .filter(|node| node.kind != FRAME)
        .enumerate()
        .map(|(at, node)| (node.id.as_str(), at + 1))
        .collect();
    let mut text = format!("tree {}\n", quote(name));
    interface_lines(&mut text, tree);
    for node in model.nodes().filter(|node| node.kind != FRAME) {
        let number = numbers.get(node.id.as_str()).copied().unwrap_or_default();
        let _ = write!(text, "{number} {}", title(node, catalogue, &labels));
        for (name, value) in &node.props {
            let _ = write!(text, ";{name}={}", short(value));
        }
        if let Some(output) = node.pair.as_deref().and_then(|id| numbers.get(id)) {
            let _ = write!(text, ";{{pair={output}}}");
        }
        for (collection, items) in &node.items {
            let list: Vec<String> = items.iter().map(item).collect();
            let _ = write!(text, ";{{{collection} {}}}", list.join(","));
        }
        inputs(&mut text, &model, scope, node, &numbers);
        text.push('\n');
    }
    text
}

fn inputs(text: &mut String, model: &TreeModel, scope: Scope<'_>, node: &Node, numbers: &HashMap<&str, usize>) {
    let sockets = scope.sockets(model, node, Side::Input);
    for (identifier, state) in &node.inputs {
        let linked = !model.links_to(&node.id, identifier).is_empty();
        if let (Some(value), false) = (state.get("value"), linked) {
            let _ = write!(text, ";{}={}", socket_name(&sockets, identifier), short(value));
        }
    }
    let mut wires: Vec<_> = model.edges(&node.id, petgraph::Direction::Incoming).collect();
    wires.sort_by_key(|(_, wire, _)| (wire.sort, wire.order));
    for (_, wire, from) in wires {
        let Some(source) = model.node(from) else { continue };
        let outputs = scope.sockets(model, source, Side::Output);
        let mark = if wire.muted { "<!" } else { "<" };
        let number = numbers.get(from).copied().unwrap_or_default();
        let _ = write!(text, ";{}{mark}{number}", socket_name(&sockets, &wire.to_socket));
        let only = outputs.iter().filter(|socket| socket.available).count() == 1;
        if !only {
            let _ = write!(text, ".{}", socket_name(&outputs, &wire.from_socket));
        }
    }
}

fn interface_lines(text: &mut String, tree: &Tree) {
    for item in &tree.interface {
        if item.kind == ItemKind::Panel {
            let _ = writeln!(text, "[{}", quote(&item.name));
            continue;
        }
        let mark = if item.in_out == Some(Side::Output) { '<' } else { '>' };
        let kind = item.socket_type.strip_prefix("NodeSocket").unwrap_or(&item.socket_type);
        let _ = write!(text, "{mark} {}:{kind}", quote(&item.name));
        if let Some(default) = item.props.get("default_value") {
            let _ = write!(text, "={}", short(default));
        }
        for (name, value) in item
            .props
            .iter()
            .filter(|(name, _)| matches!(name.as_str(), "min_value" | "max_value" | "subtype"))
        {
            let _ = write!(text, " {}={}", name.trim_end_matches("_value"), short(value));
        }
        text.push('\n');
    }
}

/// `Math.001`, or `my id:Math` where the ID does not tell the type.
fn title(node: &Node, catalogue: &Catalogue, labels: &HashMap<&str, usize>) -> String {
    let label = catalogue.nodes.get(&node.kind).map(|kind| kind.label.as_str());
    let unique = label.filter(|label| labels.get(label) == Some(&1));
    match unique {
        Some(label) if stem(&node.id) == label => quote(&node.id),
        Some(label) => format!("{}:{}", quote(&node.id), quote(label)),
        None => format!("{}:{}", quote(&node.id), node.kind),
    }
}

/// `Math.001` → `Math`.
fn stem(id: &str) -> &str {
    match id.rsplit_once('.') {
        Some((stem, number)) if number.len() == 3 && number.chars().all(|c| c.is_ascii_digit()) => stem,
        _ => id,
    }
}

fn unique_labels(catalogue: &Catalogue) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for kind in catalogue.nodes.values() {
        *counts.entry(kind.label.as_str()).or_insert(0) += 1;
    }
    counts
}

fn socket_name(sockets: &[Socket], identifier: &str) -> String {
    let Some(socket) = sockets.iter().find(|socket| socket.identifier == identifier) else {
        return quote(identifier);
    };
    let same = sockets
        .iter()
        .filter(|other| other.available && other.name == socket.name)
        .count();
    let clear = same == 1
        && socket.available
        && !sockets
            .iter()
            .any(|other| other.identifier == socket.name && other.identifier != identifier);
    if clear { quote(&socket.name) } else { quote(identifier) }
}

fn item(item: &crate::ir::Map) -> String {
    let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
    let kind = item
        .get("socket_type")
        .or_else(|| item.get("data_type"))
        .and_then(Value::as_str);
    kind.map_or_else(|| quote(name), |kind| format!("{}:{kind}", quote(name)))
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Object(object) if object.len() == 1 => object.iter().next().map_or_else(String::new, |(kind, name)| {
            format!("@{kind}:{}", quote(name.as_str().unwrap_or_default()))
        }),
        other => other.to_string(),
    }
}

/// Plain where nothing in the text could be taken for syntax.
fn quote(text: &str) -> String {
    let plain = !text.is_empty()
        && !text.contains(|c: char| {
            matches!(c, ';' | '=' | '<' | '>' | ':' | '{' | '}' | '"' | ',' | '[' | '@') || c.is_control()
        });
    if plain {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}
