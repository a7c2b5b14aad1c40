//! The entries of menus: a Menu Switch gives them to its own menu, and to the inputs of trees that lead to it.

use std::collections::HashSet;

use petgraph::Direction;
use serde_json::Value;

use crate::catalogue::Socket;
use crate::ir::{Node, Side};
use crate::model::TreeModel;
use crate::sockets::{GROUP, GROUP_INPUT_TYPE, REROUTE, Scope, group_tree};
use crate::values::menu_items;

/// Base RNA name of menu sockets.
pub(crate) const MENU: &str = "NodeSocketMenu";
/// Nodes that pass a menu on from their inputs to their outputs.
const PASSING: [&str; 4] = [
    REROUTE,
    "GeometryNodeSwitch",
    "GeometryNodeIndexSwitch",
    "GeometryNodeMenuSwitch",
];
/// Deepest nesting of groups that is followed.
const DEEPEST: usize = 16;

/// A menu that a tree's input leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Menu {
    /// Name of the tree that contains the node.
    pub tree: String,
    /// ID of the node.
    pub node: String,
    /// Its entries.
    pub entries: Vec<String>,
}

/// A search for menus through groups in groups.
#[derive(Default)]
struct Walk {
    found: Vec<Menu>,
    /// Inputs of trees that were followed: a group that is used often is read once.
    entered: HashSet<(String, String)>,
}

/// An entry that the plan chooses in a menu, to be fitted once the step has made all entries and links.
pub(crate) struct Choice {
    pub operation: usize,
    pub field: &'static str,
    /// The tree of the menu, where that is not the step's.
    pub tree: Option<String>,
    pub input: Chosen,
    pub value: Value,
}

/// Where an entry is chosen.
pub(crate) enum Chosen {
    /// By the modifier, for the input of this identifier.
    ByModifier(String),
    /// As the default of the input of this name.
    ByDefault(String),
}

/// Finds menus in the trees of a document and in those that a step edits.
#[derive(Clone)]
pub(crate) struct Menus<'a> {
    scope: Scope<'a>,
    edited: Vec<&'a TreeModel>,
}

impl<'a> Menus<'a> {
    /// `edited` are the trees whose state in the document is no longer the present one.
    pub(crate) fn new(scope: Scope<'a>, edited: Vec<&'a TreeModel>) -> Self {
        Self { scope, edited }
    }

    /// The entries of the menu at an input of a node; none if they are not certain.
    pub(crate) fn of_socket(&self, node: &Node, socket: &Socket) -> Vec<String> {
        if !socket.items.is_empty() {
            return own(socket);
        }
        let inner = (node.kind == GROUP).then(|| group_tree(node)).flatten();
        agreed(inner.map_or_else(Vec::new, |tree| self.reached(tree, &socket.identifier)))
    }

    /// The entries of the menu at an input of a tree; none if they are not certain.
    pub(crate) fn of_input(&self, tree: &str, identifier: &str) -> Vec<String> {
        agreed(self.reached(tree, identifier))
    }

    /// The menus that the input of a tree leads to.
    pub(crate) fn reached(&self, tree: &str, identifier: &str) -> Vec<Menu> {
        let mut walk = Walk::default();
        self.enter(tree, identifier, DEEPEST, &mut walk);
        walk.found
    }

    fn enter(&self, tree: &str, identifier: &str, depth: usize, walk: &mut Walk) {
        if !walk.entered.insert((tree.to_owned(), identifier.to_owned())) {
            return;
        }
        if let Some(model) = self.edited.iter().find(|model| model.name == tree) {
            self.follow(model, identifier, depth, walk);
        } else if let Some(known) = self.scope.trees.get(tree) {
            self.follow(&TreeModel::new(tree, known.clone(), false), identifier, depth, walk);
        }
    }

    fn follow(&self, model: &TreeModel, identifier: &str, depth: usize, walk: &mut Walk) {
        let starts = model.nodes().filter(|node| node.kind == GROUP_INPUT_TYPE);
        let mut open: Vec<(&str, String)> = starts.map(|node| (node.id.as_str(), identifier.to_owned())).collect();
        let mut seen: HashSet<(&str, String)> = HashSet::new();
        while let Some(from) = open.pop() {
            if !seen.insert(from.clone()) {
                continue;
            }
            let (from, output) = from;
            for (_, wire, to) in model.edges(from, Direction::Outgoing) {
                let Some(node) = model.node(to).filter(|_| wire.from_socket == output) else {
                    continue;
                };
                let inputs = self.scope.sockets(model, node, Side::Input);
                let input = inputs.iter().find(|input| input.identifier == wire.to_socket);
                let Some(input) = input.filter(|input| input.kind == MENU || node.kind == REROUTE) else {
                    continue;
                };
                if !input.items.is_empty() {
                    walk.found.push(Menu {
                        tree: model.name.clone(),
                        node: node.id.clone(),
                        entries: own(input),
                    });
                } else if let (GROUP, Some(inner), 1..) = (node.kind.as_str(), group_tree(node), depth) {
                    self.enter(inner, &input.identifier, depth - 1, walk);
                } else if PASSING.contains(&node.kind.as_str()) {
                    let next = model.edges(to, Direction::Outgoing);
                    open.extend(next.map(|(_, wire, _)| (node.id.as_str(), wire.from_socket.clone())));
                }
            }
        }
    }
}

fn own(socket: &Socket) -> Vec<String> {
    let items = menu_items(&socket.items).into_iter();
    items.map(|(name, _)| name.to_owned()).collect()
}

/// The entries that all menus have; none where they differ, since Blender then shows no menu.
fn agreed(menus: Vec<Menu>) -> Vec<String> {
    let mut menus = menus.into_iter().map(|menu| menu.entries);
    let first = menus.next().unwrap_or_default();
    if menus.all(|other| other == first) {
        first
    } else {
        Vec::new()
    }
}
