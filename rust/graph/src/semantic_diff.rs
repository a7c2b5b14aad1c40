//! What changed between two trees, in words for an artist: names as the interface shows them, values with their units.
//!
//! Unlike the edits of [`crate::compile`], this compares two finished documents: partners are found by ID, then
//! by type and position, so that a renamed node is reported as renamed and not as one removed and one added.

mod layout;
mod links;
mod nodes;
mod pairing;
mod phrase;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use crate::catalogue::{Catalogue, Socket};
use crate::ir::{Bundle, Item, ItemKind, Node, Side, Tree};
use crate::model::TreeModel;
use crate::semantic_diff::pairing::TreePair;
use crate::semantic_diff::phrase::About;
use crate::sockets::{GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope, group_tree};

/// The changes from `before` to `after`, one line each; nothing for equal trees.
///
/// An empty catalogue is enough; sockets and properties are then named by their identifiers, and values have no units.
pub fn semantic_diff(before: &Bundle, after: &Bundle, catalogue: &Catalogue) -> Vec<String> {
    let trees = pairing::trees(before, after);
    // Interface identifiers of paired trees: tree afterwards → identifier afterwards → identifier before.
    let interfaces: HashMap<&str, HashMap<&str, &str>> = trees
        .both
        .iter()
        .map(|pair| {
            let items = pair.items.both.iter();
            let ids = items.map(|(old, new)| (new.identifier.as_str(), old.identifier.as_str()));
            (pair.after.0, ids.collect())
        })
        .collect();
    let names: HashMap<&str, &str> = trees.both.iter().map(|pair| (pair.after.0, pair.before.0)).collect();
    let mut lines = Vec::new();
    for pair in &trees.both {
        let compared = Compared {
            before: View::new(pair.before.0, pair.before.1, &before.trees, catalogue),
            after: View::new(pair.after.0, pair.after.1, &after.trees, catalogue),
            pair,
            canon: pair
                .nodes
                .both
                .iter()
                .map(|(old, new)| (new.id.as_str(), old.id.as_str()))
                .collect(),
            interfaces: &interfaces,
            names: &names,
        };
        let is_root = after.root.as_deref() == Some(pair.after.0) || after.root.is_none() && trees.both.len() == 1;
        let mut own = Vec::new();
        compared.describe(&mut own);
        if pair.before.0 != pair.after.0 {
            let line = format!("Renamed the node group “{}” to “{}”", pair.before.0, pair.after.0);
            lines.push(line);
        }
        if is_root {
            lines.extend(own);
        } else {
            lines.extend(
                own.into_iter()
                    .map(|line| format!("In the group “{}”: {line}", pair.after.0)),
            );
        }
    }
    let nodes = |bundle: &Bundle, name: &str| bundle.trees.get(name).map_or(0, |tree| tree.nodes.len());
    for name in &trees.removed {
        lines.push(format!(
            "Removed the node group “{name}” ({})",
            count(nodes(before, name), "node")
        ));
    }
    for name in &trees.added {
        lines.push(format!(
            "Added the node group “{name}” ({})",
            count(nodes(after, name), "node")
        ));
    }
    if lines.is_empty() && before.trees != after.trees {
        lines.push("Only order, identifiers or spelled-out defaults differ".to_owned());
    }
    lines
}

/// One side of the comparison.
struct View<'a> {
    tree: &'a Tree,
    model: TreeModel,
    scope: Scope<'a>,
}

impl<'a> View<'a> {
    fn new(name: &str, tree: &'a Tree, trees: &'a IndexMap<String, Tree>, catalogue: &'a Catalogue) -> Self {
        Self {
            tree,
            model: TreeModel::new(name, tree.clone(), false),
            scope: Scope { catalogue, trees },
        }
    }

    fn sockets(&self, node: &Node, side: Side) -> Cow<'a, [Socket]> {
        self.scope.sockets(&self.model, node, side)
    }

    /// The socket's name in the interface; with a number where several available ones share it.
    fn socket_name(&self, node: &Node, side: Side, identifier: &str) -> String {
        let sockets = self.sockets(node, side);
        let Some(found) = sockets.iter().find(|socket| socket.identifier == identifier) else {
            return identifier.to_owned();
        };
        if found.name.is_empty() {
            return identifier.to_owned();
        }
        let mut alike = sockets
            .iter()
            .filter(|socket| socket.available && socket.name == found.name);
        match alike.clone().count() {
            0 | 1 => found.name.clone(),
            _ => {
                let place = alike
                    .position(|socket| socket.identifier == identifier)
                    .unwrap_or_default();
                format!("{} ({})", found.name, place + 1)
            }
        }
    }

    /// `“Label” (Name)`, or the name alone.
    fn node(&self, id: &str) -> String {
        self.model.node(id).map_or_else(|| format!("“{id}”"), title)
    }

    /// The node's type as named in the menus.
    fn kind(&self, node: &Node) -> String {
        if let Some(group) = group_tree(node).filter(|_| node.kind == GROUP) {
            return format!("the group “{group}” as");
        }
        let known = self.scope.node_type(node).map(|kind| kind.label.as_str());
        known.filter(|label| !label.is_empty()).unwrap_or(&node.kind).to_owned()
    }
}

fn title(node: &Node) -> String {
    let name = if node.name.is_empty() { &node.id } else { &node.name };
    match &node.label {
        Some(label) if label != name => format!("“{label}” ({name})"),
        _ => format!("“{name}”"),
    }
}

/// One tree of both documents.
struct Compared<'a> {
    pair: &'a TreePair<'a>,
    before: View<'a>,
    after: View<'a>,
    /// Node ID afterwards → before.
    canon: HashMap<&'a str, &'a str>,
    interfaces: &'a HashMap<&'a str, HashMap<&'a str, &'a str>>,
    /// Name of a tree afterwards → before.
    names: &'a HashMap<&'a str, &'a str>,
}

impl<'a> Compared<'a> {
    fn describe(&self, lines: &mut Vec<String>) {
        self.settings(lines);
        self.interface(lines);
        for node in &self.pair.nodes.removed {
            lines.push(format!("Removed {} {}", self.before.kind(node), title(node)));
        }
        for node in &self.pair.nodes.added {
            lines.push(format!("Added {} {}", self.after.kind(node), title(node)));
        }
        for (old, new) in &self.pair.nodes.both {
            self.node(old, new, lines);
        }
        self.frames(lines);
        self.links(lines);
        self.layout(lines);
    }

    /// The earlier identifier of a socket that `node`, of the later tree, has now.
    fn socket_before(&self, node: Option<&Node>, identifier: &'a str) -> &'a str {
        let of = match node {
            Some(node) if matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE) => Some(self.pair.after.0),
            Some(node) => group_tree(node),
            None => None,
        };
        let known = of.and_then(|tree| self.interfaces.get(tree)?.get(identifier));
        known.copied().unwrap_or(identifier)
    }

    fn settings(&self, lines: &mut Vec<String>) {
        let (old, new) = (&self.pair.before.1.settings, &self.pair.after.1.settings);
        for name in union(old.keys(), new.keys()) {
            if old.get(name) != new.get(name) {
                let change = phrase::change(old.get(name), new.get(name), About::default());
                lines.push(format!("Tree setting {}{change}", name.replace('_', " ")));
            }
        }
    }

    fn interface(&self, lines: &mut Vec<String>) {
        let items = &self.pair.items;
        for item in &items.removed {
            lines.push(format!("Removed the {} “{}”", role(item), item.name));
        }
        for item in &items.added {
            let kind = self.socket_label(item);
            let about = about(item);
            let default = item
                .props
                .get("default_value")
                .and_then(|value| phrase::text(value, about));
            let more: Vec<String> = kind
                .into_iter()
                .chain(default.map(|value| format!("default {value}")))
                .collect();
            let more = if more.is_empty() {
                String::new()
            } else {
                format!(" ({})", more.join(", "))
            };
            lines.push(format!("Added the {} “{}”{more}", role(item), item.name));
        }
        let panel = |tree: &Tree, item: &Item| -> Option<String> {
            let parent = item.parent.as_ref()?;
            let found = tree.interface.iter().find(|item| &item.identifier == parent)?;
            Some(found.name.clone())
        };
        for (old, new) in &items.both {
            let what = role(new);
            if old.name != new.name {
                lines.push(format!("Renamed the {what} “{}” to “{}”", old.name, new.name));
            }
            if old.socket_type != new.socket_type {
                let label = |item| self.socket_label(item).unwrap_or_default();
                lines.push(format!(
                    "The {what} “{}”: type from {} to {}",
                    new.name,
                    label(old),
                    label(new)
                ));
            }
            for name in union(old.props.keys(), new.props.keys()) {
                let (before, after) = (old.props.get(name), new.props.get(name));
                if before != after {
                    let change = phrase::change(before, after, about(new));
                    lines.push(format!("The {what} “{}”: {}{change}", new.name, prop_name(name)));
                }
            }
            let (from, to) = (panel(self.pair.before.1, old), panel(self.pair.after.1, new));
            if from != to && !self.panel_renamed(old, new) {
                lines.push(match to {
                    Some(to) => format!("Put the {what} “{}” into the panel “{to}”", new.name),
                    None => format!("Took the {what} “{}” out of its panel", new.name),
                });
            }
        }
        let place: HashMap<&str, usize> = self
            .pair
            .after
            .1
            .interface
            .iter()
            .enumerate()
            .map(|(at, item)| (item.identifier.as_str(), at))
            .collect();
        let order: Vec<Option<&usize>> = items
            .both
            .iter()
            .map(|(_, new)| place.get(new.identifier.as_str()))
            .collect();
        if !order.is_sorted() {
            lines.push("Reordered the interface".to_owned());
        }
    }

    fn panel_renamed(&self, old: &Item, new: &Item) -> bool {
        let ids = self.interfaces.get(self.pair.after.0);
        let now = new.parent.as_deref().and_then(|parent| ids?.get(parent).copied());
        old.parent.as_deref() == now
    }

    fn socket_label(&self, item: &Item) -> Option<String> {
        let known = self.after.scope.catalogue.sockets.get(&item.socket_type);
        let label = known.map(|kind| kind.label.clone()).filter(|label| !label.is_empty());
        let short = || item.socket_type.strip_prefix("NodeSocket").map(str::to_owned);
        label.or_else(short)
    }
}

fn role(item: &Item) -> &'static str {
    match (item.kind, item.in_out) {
        (ItemKind::Panel, _) => "panel",
        (_, Some(Side::Output)) => "output",
        _ => "input",
    }
}

fn about(item: &Item) -> About<'_> {
    About {
        kind: &item.socket_type,
        subtype: item.props.get("subtype").and_then(|subtype| subtype.as_str()),
        items: &[],
    }
}

fn prop_name(name: &str) -> String {
    match name {
        "default_value" => "default".to_owned(),
        "min_value" => "minimum".to_owned(),
        "max_value" => "maximum".to_owned(),
        other => other.replace('_', " "),
    }
}

/// The keys of both, each once, the earlier ones first.
fn union<'k>(old: impl Iterator<Item = &'k String>, new: impl Iterator<Item = &'k String>) -> Vec<&'k str> {
    let mut seen = HashSet::new();
    old.chain(new)
        .map(String::as_str)
        .filter(|key| seen.insert(*key))
        .collect()
}

fn count(number: usize, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}
