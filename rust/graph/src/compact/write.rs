//! Writes trees in the compact form.

use std::collections::HashMap;
use std::fmt::Write;

use indexmap::IndexMap;
use petgraph::Direction;
use serde_json::Value;

use super::text::{quote, value};
use super::{INTERFACE_PANEL, INTERFACE_SOCKET, SOCKET, by_name, digits, stem, type_field, types_by_label};
use crate::catalogue::{Catalogue, Socket};
use crate::ir::{Bundle, Item, ItemKind, Map, Node, Side, Tree};
use crate::model::TreeModel;
use crate::sockets::{FRAME, Scope};

/// The compact form of a bundle: its root first, then the other trees in their order.
pub fn compact(bundle: &Bundle, catalogue: &Catalogue) -> String {
    let writer = Writer::new(&bundle.trees, catalogue);
    let root = bundle.root.as_deref().and_then(|root| bundle.trees.get_key_value(root));
    let others = bundle
        .trees
        .iter()
        .filter(|(name, _)| bundle.root.as_ref() != Some(*name));
    let mut text = String::new();
    for (name, tree) in root.into_iter().chain(others) {
        let lines = writer.tree(name, tree);
        text.push_str(&lines.head);
        text.extend(lines.nodes.iter().map(|(_, line)| line.as_str()));
    }
    text
}

/// One tree as lines, each with its line break.
pub(super) struct Lines {
    /// The tree and its interface.
    pub head: String,
    /// Position in the tree, and the line.
    pub nodes: Vec<(usize, String)>,
}

pub(super) struct Writer<'a> {
    scope: Scope<'a>,
    labels: HashMap<&'a str, Option<&'a str>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(trees: &'a IndexMap<String, Tree>, catalogue: &'a Catalogue) -> Self {
        Self {
            scope: Scope { catalogue, trees },
            labels: types_by_label(catalogue),
        }
    }

    pub(super) fn tree(&self, name: &str, tree: &Tree) -> Lines {
        let model = TreeModel::new(name, tree.clone(), false);
        let shown = tree.nodes.iter().enumerate().filter(|(_, node)| node.kind != FRAME);
        let numbers: HashMap<&str, usize> = shown
            .clone()
            .enumerate()
            .map(|(number, (_, node))| (node.id.as_str(), number + 1))
            .collect();
        let mut head = format!("tree {}", quote(name));
        for (name, setting) in &tree.settings {
            let _ = write!(head, ";{}={}", quote(name), value(setting));
        }
        head.push('\n');
        interface(&mut head, &tree.interface);
        let nodes = shown
            .map(|(at, node)| (at, self.node(&model, node, &numbers)))
            .collect();
        Lines { head, nodes }
    }

    fn node(&self, model: &TreeModel, node: &Node, numbers: &HashMap<&str, usize>) -> String {
        let number = numbers.get(node.id.as_str()).copied().unwrap_or_default();
        let mut text = format!("{number} {}", self.title(node));
        if let Some(label) = &node.label {
            let _ = write!(text, ";{{label={}}}", quote(label));
        }
        for (name, property) in &node.props {
            let _ = write!(text, ";.{}={}", quote(name), value(property));
        }
        if let Some(output) = node.pair.as_deref().and_then(|id| numbers.get(id)) {
            let _ = write!(text, ";{{pair={output}}}");
        }
        for (collection, items) in &node.items {
            let field = type_field(self.scope.catalogue, &node.kind, collection);
            let list: Vec<String> = items.iter().map(|entry| item(entry, field)).collect();
            let _ = write!(text, ";{{{}={}}}", quote(collection), list.join(","));
        }
        self.sockets(&mut text, model, node, numbers);
        text.push('\n');
        text
    }

    fn sockets(&self, text: &mut String, model: &TreeModel, node: &Node, numbers: &HashMap<&str, usize>) {
        let inputs = self.scope.sockets(model, node, Side::Input);
        let mut wires: Vec<_> = model.edges(&node.id, Direction::Incoming).collect();
        wires.sort_by_key(|(_, wire, _)| (wire.sort, wire.order));
        for (identifier, state) in &node.inputs {
            let linked = wires
                .iter()
                .any(|(_, wire, _)| &wire.to_socket == identifier && !wire.muted);
            if let (Some(set), false) = (state.get("value"), linked) {
                let _ = write!(text, ";{}={}", socket(&inputs, identifier), value(set));
            }
        }
        let outputs = self.scope.sockets(model, node, Side::Output);
        for (identifier, state) in &node.outputs {
            if let Some(set) = state.get("value") {
                let _ = write!(text, ";>{}={}", socket(&outputs, identifier), value(set));
            }
        }
        for (_, wire, from) in wires {
            let (Some(source), Some(number)) = (model.node(from), numbers.get(from)) else {
                continue;
            };
            let mark = if wire.muted { "<!" } else { "<" };
            let _ = write!(text, ";{}{mark}{number}", socket(&inputs, &wire.to_socket));
            let outputs = self.scope.sockets(model, source, Side::Output);
            let mut available = outputs.iter().filter(|socket| socket.available);
            let only = matches!((available.next(), available.next()), (Some(only), None) if only.identifier == wire.from_socket);
            if !only {
                let _ = write!(text, ".{}", socket(&outputs, &wire.from_socket));
            }
        }
    }

    /// `Math.001`, or `my id:Math` where the ID does not tell the type.
    fn title(&self, node: &Node) -> String {
        let label = self.scope.node_type(node).map(|kind| kind.label.as_str());
        let label = label.filter(|label| self.labels.get(label).copied().flatten() == Some(node.kind.as_str()));
        match label {
            Some(label) if stem(&node.id) == label => quote(&node.id),
            Some(label) => format!("{}:{}", quote(&node.id), quote(label)),
            None => format!("{}:{}", quote(&node.id), quote(&node.kind)),
        }
    }
}

fn interface(text: &mut String, items: &[Item]) {
    let mut open: Vec<&str> = Vec::new();
    for item in items {
        let parent = item.parent.as_deref();
        let depth = parent.map_or(Some(0), |parent| {
            open.iter().position(|panel| *panel == parent).map(|at| at + 1)
        });
        // Blender lists depth first; a panel that is not open here is named.
        if let Some(depth) = depth {
            for _ in depth..open.len() {
                text.push_str("]\n");
            }
            open.truncate(depth);
        }
        let (mark, prefix) = match (item.kind, item.in_out) {
            (ItemKind::Panel, _) => ('[', INTERFACE_PANEL),
            (ItemKind::Socket, Some(Side::Output)) => ('<', INTERFACE_SOCKET),
            (ItemKind::Socket, _) => ('>', INTERFACE_SOCKET),
        };
        let short = item.identifier.strip_prefix(prefix).and_then(digits);
        let identifier = short.map_or_else(|| Value::from(item.identifier.as_str()).to_string(), str::to_owned);
        let _ = write!(text, "{mark}{identifier} {}", quote(&item.name));
        if item.kind == ItemKind::Panel {
            open.push(&item.identifier);
        } else {
            let kind = item
                .socket_type
                .strip_prefix(SOCKET)
                .filter(|kind| quote(kind) == **kind);
            let kind = kind.map_or_else(|| Value::from(item.socket_type.as_str()).to_string(), str::to_owned);
            let _ = write!(text, ":{kind}");
        }
        if let Some(default) = item.props.get("default_value") {
            let _ = write!(text, "={}", value(default));
        }
        for (name, property) in item.props.iter().filter(|(name, _)| *name != "default_value") {
            let _ = write!(text, ";{}={}", quote(name), value(property));
        }
        if let (None, Some(parent)) = (depth, parent) {
            let _ = write!(text, ";{{in {}}}", quote(parent));
        }
        text.push('\n');
    }
    for _ in open {
        text.push_str("]\n");
    }
}

/// The name where only one available socket has it, else `#` and the identifier.
fn socket(sockets: &[Socket], identifier: &str) -> String {
    let named = sockets.iter().find(|socket| socket.identifier == identifier);
    match named.and_then(|socket| by_name(sockets, &socket.name)) {
        Some(only) if only.identifier == identifier => quote(&only.name),
        _ => format!("#{}", quote(identifier)),
    }
}

/// `#3|Gap:FLOAT|hide_value=true`: number of its sockets, name and type, everything else.
fn item(item: &Map, type_field: Option<&str>) -> String {
    let mut parts: Vec<String> = Vec::new();
    let number = item.get("identifier").and_then(Value::as_u64);
    let name = item.get("name").and_then(Value::as_str);
    let kind = type_field
        .and_then(|field| item.get(field))
        .and_then(Value::as_str)
        .filter(|_| name.is_some());
    parts.extend(number.map(|number| format!("#{number}")));
    parts.extend(name.map(|name| match kind {
        Some(kind) => format!("{}:{}", quote(name), quote(kind)),
        None => quote(name),
    }));
    for (field, entry) in item {
        let written = match field.as_str() {
            "identifier" => number.is_some(),
            "name" => name.is_some(),
            other => kind.is_some() && type_field == Some(other),
        };
        if !written {
            parts.push(format!("{}={}", quote(field), value(entry)));
        }
    }
    parts.join("|")
}
