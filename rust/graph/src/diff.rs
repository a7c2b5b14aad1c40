//! The smallest edit that turns the present tree into the wanted tree.

use foldhash::{HashMap, HashSet};
use indexmap::IndexMap;
use serde_json::Value;

use crate::documents::delta::{InterfaceEdit, NewLink, NodeAdd, Placed, TreeDelta};
use crate::ir::{Item, ItemKind, Map, Node, Side};
use crate::menus::MENU;
use crate::model::{TreeModel, Wire};
use crate::properties::tree_property;
use crate::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE, Scope, held_by_output};
use crate::values::same;

/// Edits of one tree; `places` are the locations chosen for new nodes.
pub(crate) fn tree_delta(model: &TreeModel, scope: Scope<'_>, places: Vec<(String, f64, f64)>) -> TreeDelta {
    let mut delta = TreeDelta {
        tree: model.name.clone(),
        create: model.created,
        locations: places,
        moved: model.moved.clone(),
        animation: model.carried.clone(),
        ..TreeDelta::default()
    };
    settings(model, scope, &mut delta);
    interface_edits(model, &mut delta);
    let before: HashMap<&str, &Node> = model.before.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    delta.remove = model
        .before
        .nodes
        .iter()
        .filter(|node| model.node(&node.id).is_none() || model.replaced.contains(&node.id))
        .map(|node| node.id.clone())
        .collect();
    let empty = Node::default();
    for node in model.nodes() {
        let old = before.get(node.id.as_str()).copied();
        let old = old.filter(|_| !model.replaced.contains(&node.id));
        if old.is_none() {
            let named = !node.name.is_empty() && node.name != node.id;
            delta.add.push(NodeAdd {
                id: node.id.clone(),
                kind: node.kind.clone(),
                name: named.then(|| node.name.clone()),
                label: node.label.clone(),
                width: node.width,
                ..NodeAdd::default()
            });
        }
        node_edits(node, old.unwrap_or(&empty), old.is_none(), model, scope, &mut delta);
    }
    for node in model.nodes().filter(|node| model.replaced.contains(&node.id)) {
        let (x, y) = crate::layout::frame_place(model, node);
        let [left, top] = node.location;
        delta.locations.push((node.id.clone(), left + x, top + y));
    }
    delta.stamp = model
        .named
        .iter()
        .filter(|id| model.node(id).is_some() && !model.replaced.contains(*id))
        .cloned()
        .collect();
    link_edits(model, &mut delta);
    delta
}

/// Properties of the tree that change; one that it has no longer gets the value of a new tree.
fn settings(model: &TreeModel, scope: Scope<'_>, delta: &mut TreeDelta) {
    let before = &model.before.settings;
    let changed = model
        .settings
        .iter()
        .filter(|(name, value)| !before.get(*name).is_some_and(|old| same(old, value)));
    delta
        .settings
        .extend(changed.map(|(name, value)| (name.clone(), value.clone())));
    let gone = before.keys().filter(|name| !model.settings.contains_key(*name));
    let blender = &scope.catalogue.blender;
    let reset = gone.filter_map(|name| Some((name.clone(), tree_property(name, blender)?.1)));
    delta.settings.extend(reset);
}

fn node_edits(node: &Node, old: &Node, new: bool, model: &TreeModel, scope: Scope<'_>, delta: &mut TreeDelta) {
    let id = || node.id.clone();
    let kind = scope.node_type(node);
    if !new && node.label != old.label {
        delta.labels.push((id(), node.label.clone().unwrap_or_default()));
    }
    // Documents of tests and of other programs may leave the name out, which is then the ID.
    let name_of = |node: &Node| {
        if node.name.is_empty() {
            node.id.clone()
        } else {
            node.name.clone()
        }
    };
    if !new && name_of(node) != name_of(old) {
        delta.names.push((id(), name_of(node)));
    }
    // Properties in the wanted order; then those that are reset to their default.
    for (name, value) in &node.props {
        if !old.props.get(name).is_some_and(|before| same(before, value)) {
            delta.props.push((id(), name.clone(), value.clone()));
        }
    }
    for name in old.props.keys().filter(|name| !node.props.contains_key(*name)) {
        if let Some(property) = kind.and_then(|kind| kind.properties.get(name)) {
            delta.props.push((id(), name.clone(), property.default.clone()));
        }
    }
    if let Some(output) = node.pair.as_ref().filter(|_| node.pair != old.pair) {
        delta.pairs.push((id(), output.clone()));
    }
    for (collection, items) in &node.items {
        if old.items.get(collection) != Some(items) {
            delta.items.push((id(), collection.clone(), items.clone()));
        }
    }
    if node.parent != old.parent {
        delta.parents.push((id(), node.parent.clone()));
    }
    if new {
        flags_of_sockets(node, delta);
    } else if let Some(default) = held_by_output(&node.kind) {
        values_of_outputs(node, old, &default, delta);
    }
    let has_values = !node.inputs.is_empty() || !old.inputs.is_empty();
    if !has_values {
        return;
    }
    let sockets = scope.sockets(model, node, Side::Input);
    let value_of = |map: &Node, socket: &str| map.inputs.get(socket).and_then(|state| state.get("value")).cloned();
    let mut names: Vec<&String> = node.inputs.keys().collect();
    names.extend(old.inputs.keys().filter(|name| !node.inputs.contains_key(*name)));
    for name in names {
        let socket = sockets.iter().find(|socket| &socket.identifier == name);
        let menu = socket.is_some_and(|socket| socket.kind == MENU);
        let default = || socket.and_then(|socket| socket.default.clone());
        // What a new menu stands at once it has entries of its own is not the default.
        let known = || default().filter(|_| !(new && menu && !node.items.is_empty()));
        let (Some(after), before) = (
            value_of(node, name).or_else(default),
            value_of(old, name).or_else(known),
        ) else {
            continue;
        };
        if model.lost.contains(&(id(), Side::Input, name.clone())) || before.is_some_and(|before| same(&before, &after))
        {
            continue;
        }
        let list = if menu {
            &mut delta.late_values
        } else {
            &mut delta.values
        };
        list.push((id(), name.clone(), after));
    }
}

/// Values that the node holds at its outputs.
fn values_of_outputs(node: &Node, old: &Node, default: &Value, delta: &mut TreeDelta) {
    let value_of = |node: &Node, output: &str| node.outputs.get(output).and_then(|state| state.get("value")).cloned();
    let mut names: Vec<&String> = node.outputs.keys().collect();
    names.extend(old.outputs.keys().filter(|name| !node.outputs.contains_key(*name)));
    for name in names {
        let after = value_of(node, name).unwrap_or_else(|| default.clone());
        let before = value_of(old, name).unwrap_or_else(|| default.clone());
        if !same(&before, &after) {
            delta
                .props
                .push((node.id.clone(), format!("outputs.{name}.default_value"), after));
        }
    }
}

/// What differs at the sockets of a node that comes from elsewhere, besides the values of its inputs.
fn flags_of_sockets(node: &Node, delta: &mut TreeDelta) {
    for (side, states) in [("inputs", &node.inputs), ("outputs", &node.outputs)] {
        for (socket, state) in states {
            for (name, value) in state {
                let path = match name.as_str() {
                    "value" if side == "inputs" && node.kind != REROUTE => continue,
                    "value" => format!("{side}.{socket}.default_value"),
                    name => format!("{side}.{socket}.{name}"),
                };
                delta.props.push((node.id.clone(), path, value.clone()));
            }
        }
    }
}

/// A link with the IDs of the nodes at its ends.
type Strung<'m> = (&'m str, &'m Wire, &'m str);

/// Links that must be made anew so that those of a multi-input have their order: from the first one on that is not where Blender would
/// leave it or put it, since it keeps the order of what stays and appends what is new.
fn reordered<'m>(model: &'m TreeModel, wires: &[Strung<'m>], stays: impl Fn(&Strung<'m>) -> bool) -> Vec<Strung<'m>> {
    let mut inputs: IndexMap<(&str, &str), Vec<Strung<'m>>> = IndexMap::new();
    for wire in wires.iter().filter(|(_, wire, _)| wire.sort.is_some()) {
        inputs
            .entry((wire.2, wire.1.to_socket.as_str()))
            .or_default()
            .push(*wire);
    }
    let mut before: HashMap<(&str, &str, &str, &str), usize> = HashMap::default();
    for (at, link) in model
        .before
        .links
        .iter()
        .enumerate()
        .filter(|(_, link)| link.sort.is_some())
    {
        before.insert((&link.from.0, &link.from.1, &link.to.0, &link.to.1), at);
    }
    let mut again = Vec::new();
    for (_, mut all) in inputs {
        let mut natural = all.clone();
        natural.sort_by_key(|(from, wire, to)| {
            let at = before.get(&(*from, wire.from_socket.as_str(), *to, wire.to_socket.as_str()));
            let at = at.filter(|_| stays(&(*from, *wire, *to)));
            (at.is_none(), at.copied(), wire.order)
        });
        all.sort_by_key(|(_, wire, _)| (wire.sort, wire.order));
        let same = natural
            .iter()
            .zip(&all)
            .take_while(|(a, b)| a.1.order == b.1.order)
            .count();
        again.extend(all.into_iter().skip(same));
    }
    again
}

/// The links that were there, and which of them are muted.
fn links_before(model: &TreeModel) -> HashMap<(&str, &str, &str, &str), bool> {
    let all = model.before.links.iter();
    all.map(|link| {
        let ends = (
            link.from.0.as_str(),
            link.from.1.as_str(),
            link.to.0.as_str(),
            link.to.1.as_str(),
        );
        (ends, link.muted)
    })
    .collect()
}

fn link_edits(model: &TreeModel, delta: &mut TreeDelta) {
    let wires = model.wires();
    let wanted: HashSet<(&str, &str, &str, &str)> = wires
        .iter()
        .map(|(from, wire, to)| (*from, wire.from_socket.as_str(), *to, wire.to_socket.as_str()))
        .collect();
    let present = links_before(model);
    let gone: HashSet<&str> = delta.remove.iter().map(String::as_str).collect();
    let lost: HashSet<(Option<Side>, &str)> = delta
        .interface
        .iter()
        .filter_map(|edit| match edit {
            InterfaceEdit::Remove { identifier, in_out } => Some((*in_out, identifier.as_str())),
            _ => None,
        })
        .collect();
    // A new link replaces the old one at a single input; only multi-inputs and plain unlinks need an explicit removal.
    let refilled: HashSet<(&str, &str)> = wires
        .iter()
        .filter(|(.., wire, _)| wire.origin.is_some())
        .map(|(_, wire, to)| (*to, wire.to_socket.as_str()))
        .collect();
    let group_socket = |id: &str, kind: &str, socket: &str| {
        let side = if kind == GROUP_INPUT_TYPE {
            Side::Input
        } else {
            Side::Output
        };
        let is_lost = lost.contains(&(None, socket)) || lost.contains(&(Some(side), socket));
        is_lost && model.node(id).is_some_and(|n| n.kind == kind)
    };
    let renewed = |id: &str| model.replaced.contains(id);
    // A link that is muted, or no longer, is made anew: the edits know no other way.
    let stays = |(from, wire, to): &(&str, &Wire, &str)| {
        let key = (*from, wire.from_socket.as_str(), *to, wire.to_socket.as_str());
        present.get(&key) == Some(&wire.muted) && !renewed(from) && !renewed(to)
    };
    let toggled: HashSet<(&str, &str, &str, &str)> = wires
        .iter()
        .map(|(from, wire, to)| {
            (
                (*from, wire.from_socket.as_str(), *to, wire.to_socket.as_str()),
                wire.muted,
            )
        })
        .filter(|(key, muted)| present.get(key).is_some_and(|before| before != muted))
        .map(|(key, _)| key)
        .collect();
    let again = reordered(model, &wires, stays);
    let moved: HashSet<(&str, &str, &str, &str)> = again
        .iter()
        .map(|(from, wire, to)| (*from, wire.from_socket.as_str(), *to, wire.to_socket.as_str()))
        .collect();
    let lost_with_item = |id: &str, side, socket: &str| model.lost.contains(&(id.to_owned(), side, socket.to_owned()));
    for link in &model.before.links {
        let key = (
            link.from.0.as_str(),
            link.from.1.as_str(),
            link.to.0.as_str(),
            link.to.1.as_str(),
        );
        let implied = gone.contains(key.0)
            || gone.contains(key.2)
            || group_socket(key.0, GROUP_INPUT_TYPE, key.1)
            || group_socket(key.2, GROUP_OUTPUT_TYPE, key.3)
            || lost_with_item(key.0, Side::Output, key.1)
            || lost_with_item(key.2, Side::Input, key.3)
            || (link.sort.is_none() && refilled.contains(&(key.2, key.3)));
        let goes = !wanted.contains(&key) || moved.contains(&key) || toggled.contains(&key);
        if goes && !implied {
            delta.unlink.push((
                link.from.0.clone(),
                link.from.1.clone(),
                link.to.0.clone(),
                link.to.1.clone(),
            ));
        }
    }
    let new = wires.iter().filter(|wire| {
        let key = (wire.0, wire.1.from_socket.as_str(), wire.2, wire.1.to_socket.as_str());
        !stays(wire) && !moved.contains(&key)
    });
    for (from, wire, to) in new.chain(&again) {
        let ends = (
            (*from).to_owned(),
            wire.from_socket.clone(),
            (*to).to_owned(),
            wire.to_socket.clone(),
        );
        delta.links.push(NewLink::new(ends, wire.muted));
    }
}

fn interface_edits(model: &TreeModel, delta: &mut TreeDelta) {
    // An input and an output may have the same name, which stands for their identifiers until Blender has given some.
    let which = |item: &Item| (item.in_out, item.identifier.clone());
    let side = |item: &Item| item.in_out.filter(|_| item.identifier.starts_with('='));
    let before: HashMap<_, &Item> = model.before.interface.iter().map(|item| (which(item), item)).collect();
    let after: HashSet<_> = model.interface.iter().map(which).collect();
    for item in &model.before.interface {
        if !after.contains(&which(item)) {
            delta.interface.push(InterfaceEdit::Remove {
                identifier: item.identifier.clone(),
                in_out: side(item),
            });
        }
    }
    // A panel is created before the sockets in it.
    let panels_first = model.interface.iter().filter(|item| item.kind == ItemKind::Panel);
    let sockets = model.interface.iter().filter(|item| item.kind == ItemKind::Socket);
    for item in panels_first.chain(sockets) {
        match before.get(&which(item)) {
            None => delta.interface.push(InterfaceEdit::Add {
                key: item.identifier.clone(),
                kind: item.kind,
                name: item.name.clone(),
                in_out: item.in_out,
                socket_type: item.socket_type.clone(),
                parent: item.parent.clone(),
                position: None,
                props: item.props.clone(),
            }),
            Some(old) => {
                let changed: Map = item
                    .props
                    .iter()
                    .filter(|(name, value)| !old.props.get(*name).is_some_and(|before| same(before, value)))
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                let renamed = (item.name != old.name).then(|| item.name.clone());
                let moved = item
                    .parent
                    .clone()
                    .filter(|_| item.parent != old.parent && !model.arranged);
                if !changed.is_empty() || renamed.is_some() || moved.is_some() {
                    delta.interface.push(InterfaceEdit::Change {
                        identifier: item.identifier.clone(),
                        in_out: side(item),
                        name: renamed,
                        parent: moved,
                        props: changed,
                    });
                }
            }
        }
    }
    delta.interface.extend(order_of(model));
}

/// The order of an interface that an operation has ordered, where it is another now, or has new items.
fn order_of(model: &TreeModel) -> Option<InterfaceEdit> {
    let places = |items: &[Item]| -> Vec<Placed> {
        let place = |item: &Item| Placed {
            identifier: item.identifier.clone(),
            in_out: item.in_out.filter(|_| item.identifier.starts_with('=')),
            parent: item.parent.clone(),
        };
        items.iter().map(place).collect()
    };
    let wanted = places(&model.interface);
    let stays: HashSet<_> = model
        .interface
        .iter()
        .map(|item| (item.in_out, &item.identifier))
        .collect();
    let mut before = places(&model.before.interface).into_iter().zip(&model.before.interface);
    let before: Vec<Placed> = before
        .by_ref()
        .filter(|(_, item)| stays.contains(&(item.in_out, &item.identifier)))
        .map(|(place, _)| place)
        .collect();
    (model.arranged && wanted != before).then_some(InterfaceEdit::Order { items: wanted })
}

/// What the keys of new interface items stand for after the step, over the interfaces of several trees.
pub(crate) fn names_by_key<'i>(interfaces: impl Iterator<Item = &'i [Item]>) -> HashMap<String, String> {
    let new = interfaces.flat_map(|items| {
        let new = items.iter().filter(|item| item.identifier.starts_with('@'));
        new.map(move |item| (item.identifier.clone(), settled_name(items, item)))
    });
    new.collect()
}

/// What an interface item that a step adds is called after it: its name, and its number where older ones share that.
pub fn settled_name(items: &[Item], item: &Item) -> String {
    let is_new = |other: &Item| other.identifier.starts_with('@');
    let alike = |other: &&Item| (other.kind, other.in_out, &other.name) == (item.kind, item.in_out, &item.name);
    let older = items.iter().filter(|other| !is_new(other)).filter(alike).count();
    let before = items
        .iter()
        .take_while(|other| other.identifier != item.identifier)
        .filter(|other| is_new(other))
        .filter(alike)
        .count();
    match older + before {
        0 => format!("={}", item.name),
        number => format!("={}{SHARED}{number}", item.name),
    }
}

/// Between a name and the number of the socket among those that share it: a character that no name has.
const SHARED: char = '\u{1}';

/// After a step, its new interface items are referred to by name, since Blender assigns their identifiers.
pub(crate) fn settle_keys(tree: &mut crate::ir::Tree, names: &HashMap<String, String>) {
    if names.is_empty() {
        return;
    }
    let settle = |text: &mut String| {
        if let Some(name) = names.get(text.as_str()) {
            text.clone_from(name);
        }
    };
    for item in &mut tree.interface {
        settle(&mut item.identifier);
        if let Some(parent) = &mut item.parent {
            settle(parent);
        }
    }
    for link in &mut tree.links {
        settle(&mut link.from.1);
        settle(&mut link.to.1);
    }
    for node in &mut tree.nodes {
        if node.inputs.keys().any(|key| key.starts_with('@')) {
            node.inputs = std::mem::take(&mut node.inputs)
                .into_iter()
                .map(|(mut key, state)| {
                    settle(&mut key);
                    (key, state)
                })
                .collect();
        }
    }
}
