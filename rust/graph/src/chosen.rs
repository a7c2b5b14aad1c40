//! Entries of menus that a step takes away although they are chosen, in words for the artist's approval.

use serde_json::Value;

use crate::documents::Document;
use crate::ir::{Node, Side, Tree};
use crate::menus::{MENU, Menus};
use crate::ops::Work;
use crate::sockets::{GROUP, MENU_INPUT, Scope, group_tree};
use crate::values::same;

/// A menu that loses entries.
struct Losing<'w> {
    tree: &'w str,
    node: &'w str,
    entries: Vec<&'w str>,
}

/// The questions about entries that are gone after the step; `before` is the state before the plan.
pub(crate) fn unchosen(work: &Work<'_>, before: &Document) -> Vec<String> {
    let source = work.tree_of_target();
    let mut questions = Vec::new();
    for (id, names) in &work.gone {
        let now = work.model.node(id).map(entries_of).unwrap_or_default();
        let entries: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| !now.contains(name))
            .collect();
        let losing = Losing {
            tree: &source,
            node: id,
            entries,
        };
        questions.extend(own(work, &losing, before));
        for (entry, by) in chosen_elsewhere(work, &losing, before) {
            questions.push(format!(
                "It removes the entry “{entry}” of “{id}”, which is chosen by {by}."
            ));
        }
        if losing.entries.is_empty() || work.target.copy_of.is_some() {
            continue;
        }
        let unseen = unseen_users(&source, before);
        let leads = before
            .trees
            .get(&source)
            .is_some_and(|tree| leads_there(tree, &losing, work, before));
        if unseen > 0 && leads {
            questions.push(format!(
                "It removes {} of “{id}”; “{source}” is used in other places too ({unseen}), where nothing is chosen then if one of them was.",
                losing.entries.iter().map(|entry| format!("“{entry}”")).collect::<Vec<_>>().join(", ")
            ));
        }
    }
    questions
}

fn entries_of(node: &Node) -> Vec<&str> {
    let items = node.items.get(crate::sockets::MENU_ITEMS).into_iter().flatten();
    items.filter_map(|item| item.get("name")?.as_str()).collect()
}

impl Losing<'_> {
    /// The entry that a value chooses, if it goes.
    fn entry<'v>(&self, value: Option<&'v Value>) -> Option<&'v str> {
        value?.as_str().filter(|entry| self.entries.contains(entry))
    }

    /// Whether the input of a tree leads to the menu.
    fn is_reached(&self, menus: &Menus<'_>, tree: &str, identifier: &str) -> bool {
        let reached = menus.reached(tree, identifier);
        reached
            .iter()
            .any(|menu| menu.tree == self.tree && menu.node == self.node)
    }
}

fn menus<'a>(work: &Work<'a>, before: &'a Document) -> Menus<'a> {
    let scope = Scope {
        catalogue: work.scope.catalogue,
        trees: &before.trees,
    };
    Menus::new(scope, Vec::new())
}

/// The question about the node's own menu, where the artist's node stands at an entry that goes.
fn own(work: &Work<'_>, losing: &Losing<'_>, before: &Document) -> Option<String> {
    let made = before.tree_info.get(losing.tree).and_then(|info| info.made.as_ref());
    if made.is_some_and(|made| made.owns(losing.node)) {
        return None;
    }
    let value = |node: &Node| node.inputs.get(MENU_INPUT)?.get("value").cloned();
    let mut nodes = work.model.before.nodes.iter();
    let then = value(nodes.find(|node| node.id == losing.node)?);
    let mut links = work.model.before.links.iter();
    let linked = links.any(|link| link.to.0 == losing.node && link.to.1 == MENU_INPUT);
    let entry = losing.entry(then.as_ref()).filter(|_| !linked)?;
    let now = value(work.model.node(losing.node)?);
    let now = now.as_ref().and_then(Value::as_str).unwrap_or_default();
    Some(format!(
        "It removes the entry “{entry}”, which “{}” has chosen; “{now}” takes its place.",
        losing.node
    ))
}

/// The entries that go and are chosen in another place than the node, with that place in words.
fn chosen_elsewhere(work: &Work<'_>, losing: &Losing<'_>, before: &Document) -> Vec<(String, String)> {
    let menus = menus(work, before);
    let mut found = Vec::new();
    for (object, known) in &before.objects {
        for modifier in &known.modifiers {
            let Some(tree) = modifier.node_group.as_ref() else {
                continue;
            };
            for (input, value) in &modifier.inputs {
                let Some(entry) = losing.entry(Some(value)) else {
                    continue;
                };
                let by_run = modifier.left.as_ref().and_then(|left| left.get(input));
                let set = work
                    .modifier_inputs
                    .iter()
                    .any(|edit| edit.object == *object && edit.modifier == modifier.name && edit.identifier == *input);
                if !set && !by_run.is_some_and(|left| same(left, value)) && losing.is_reached(&menus, tree, input) {
                    let by = format!("the modifier “{}” of “{object}”", modifier.name);
                    found.push((entry.to_owned(), by));
                }
            }
        }
    }
    for (name, tree) in &before.trees {
        for item in tree.interface.iter().filter(|item| item.is_socket(Side::Input)) {
            let Some(entry) = losing.entry(item.props.get("default_value")) else {
                continue;
            };
            let mut now = work.model.interface.iter();
            let changed = *name == work.model.name
                && now.any(|now| {
                    now.identifier == item.identifier
                        && now.props.get("default_value") != item.props.get("default_value")
                });
            if !changed && item.socket_type == MENU && losing.is_reached(&menus, name, &item.identifier) {
                found.push((entry.to_owned(), format!("the default of “{}” of “{name}”", item.name)));
            }
        }
        for node in tree.nodes.iter().filter(|node| node.kind == GROUP) {
            let Some(inner) = group_tree(node) else { continue };
            for (input, state) in &node.inputs {
                let Some(entry) = losing.entry(state.get("value")) else {
                    continue;
                };
                if losing.is_reached(&menus, inner, input) {
                    found.push((entry.to_owned(), format!("the node “{}” of “{name}”", node.id)));
                }
            }
        }
    }
    found
}

fn leads_there(tree: &Tree, losing: &Losing<'_>, work: &Work<'_>, before: &Document) -> bool {
    let menus = menus(work, before);
    let mut inputs = tree.interface.iter();
    inputs.any(|item| {
        item.is_socket(Side::Input)
            && item.socket_type == MENU
            && losing.is_reached(&menus, losing.tree, &item.identifier)
    })
}

/// How many uses of a tree the document does not show.
fn unseen_users(tree: &str, before: &Document) -> usize {
    let users = before.tree_info.get(tree).map_or(0, |info| info.users);
    let modifiers = before.objects.values().flat_map(|object| &object.modifiers);
    let modifiers = modifiers
        .filter(|modifier| modifier.node_group.as_deref() == Some(tree))
        .count();
    let nodes = before.trees.values().flat_map(|tree| &tree.nodes);
    let nodes = nodes
        .filter(|node| node.kind == GROUP && group_tree(node) == Some(tree))
        .count();
    usize::try_from(users).unwrap_or(0).saturating_sub(modifiers + nodes)
}
