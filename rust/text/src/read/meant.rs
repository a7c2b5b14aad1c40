//! Whether a function describes the tree of its name that is there, and what it does to the artist's nodes in it.

use std::collections::BTreeSet;

use geonode_graph::ir::{Node, Tree};
use geonode_graph::sockets::{FRAME, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE};
use geonode_graph::uses_group;
use rustpython_parser::ast::Stmt;

use super::book::Book;
use super::needs::calls;
use super::operations::Written;
use super::page::Group;
use crate::names::{Names, Variables};

/// Types of the nodes that arithmetic, comparisons and logic on a page make.
const OPERATORS: [&str; 5] = [
    "ShaderNodeMath",
    "ShaderNodeVectorMath",
    "FunctionNodeIntegerMath",
    "FunctionNodeBooleanMath",
    "FunctionNodeCompare",
];

impl Book<'_> {
    /// Whether runs made a tree, or an object on which the page runs something uses it.
    fn is_at_hand(&self, name: &str) -> bool {
        let info = self.document.tree_info.get(name);
        let objects = self
            .runs_on
            .iter()
            .filter_map(|object| self.document.objects.get(*object));
        let mut trees = objects
            .flat_map(|object| &object.modifiers)
            .map(|one| one.node_group.as_deref());
        info.is_some_and(|info| info.made.is_some())
            || trees.any(|tree| tree == Some(name) || uses_group(tree, name, self.document))
    }

    /// The question about a function that describes a tree anew: what of the artist's it does not mention goes, or gets its default.
    pub(super) fn rewritten(&self, name: &str, before: &Tree, after: &Tree, written: &Written) -> Option<String> {
        let made = self.document.tree_info.get(name).and_then(|info| info.made.as_ref());
        let is_end = |kind: &str| matches!(kind, GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
        let theirs: Vec<&str> = before
            .nodes
            .iter()
            .filter(|node| !is_end(&node.kind) && made.is_none_or(|made| !made.owns(&node.id)))
            .map(|node| node.id.as_str())
            .collect();
        if theirs.is_empty() || written.tree.is_empty() {
            return None;
        }
        let stays = |id: &&str| after.nodes.iter().any(|node| node.id == *id);
        let gone: Vec<&str> = theirs.iter().copied().filter(|id| !stays(id)).collect();
        let removed = match gone.as_slice() {
            [] => String::new(),
            [one] => format!("it removes {one}, "),
            [one, two] => format!("it removes {one} and {two}, "),
            [one, two, more @ ..] => format!("it removes {one}, {two} and {} more, ", more.len()),
        };
        Some(format!(
            "It describes “{name}” anew: {removed}and what it does not mention of your nodes gets its default."
        ))
    }

    /// Whether a function describes the tree that is there. It does if that is empty and ours or in use where the page runs, and if they
    /// have a node in common: of the artist's, most nodes of one or the other and more than one, since a name may be the same by chance.
    pub(super) fn is_meant(&self, tree: &Tree, group: &Group<'_>, names: &Names<'_>) -> bool {
        let nodes = || {
            let is_end = |kind: &str| matches!(kind, GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
            tree.nodes.iter().filter(move |node| !is_end(&node.kind))
        };
        if nodes().next().is_none() {
            return self.is_at_hand(&group.name);
        }
        let variables = Variables::new(tree, self.catalogue);
        let mut bound = Vec::new();
        names_in(group.body, &mut bound);
        let mut common: BTreeSet<&str> = BTreeSet::new();
        for (name, call) in bound {
            let id = variables.id(name).or_else(|| variables.closure_output(name));
            let Some(node) = id.and_then(|id| nodes().find(|node| node.id == id)) else {
                continue;
            };
            let kind = call.and_then(|call| names.node_type(call));
            if kind.is_none_or(|kind| kind == node.kind) {
                common.insert(&node.id);
            }
        }
        let made = self
            .document
            .tree_info
            .get(&group.name)
            .and_then(|info| info.made.as_ref());
        let is_ours = |id: &&str| made.is_some_and(|made| made.owns(id));
        if common.iter().any(is_ours) {
            return true;
        }
        if common.is_empty() {
            return false;
        }
        // Operators make nodes without variables, and so do calls within others, which only their types tell.
        let mut calls: Vec<&str> = calls(self.text)
            .iter()
            .filter(|call| group.at <= call.at && call.at < group.end)
            .filter_map(|call| names.node_type(&call.function))
            .collect();
        let is_bound = |node: &&Node| !is_layout(&node.kind) && !OPERATORS.contains(&node.kind.as_str());
        let (of_page, others): (Vec<&Node>, Vec<&Node>) = nodes()
            .filter(is_bound)
            .partition(|node| common.contains(node.id.as_str()));
        let count = calls.len();
        let mut has_call = |node: &&Node| {
            let place = calls.iter().position(|kind| *kind == node.kind);
            place.map(|place| calls.swap_remove(place)).is_some()
        };
        for node in &of_page {
            has_call(node);
        }
        let alike = others.iter().filter(|node| has_call(node)).count();
        let both = of_page.len() + alike;
        both > 1 && (both > others.len() - alike || of_page.len() > 1 && 2 * both > count)
    }
}

fn is_layout(kind: &str) -> bool {
    matches!(kind, FRAME | REROUTE)
}

/// The names that statements bind, those of blocks and closures included, each with the function whose result it is.
fn names_in<'p>(body: &'p [Stmt], found: &mut Vec<(&'p str, Option<&'p str>)>) {
    use rustpython_parser::ast::Expr;
    for statement in body {
        match statement {
            Stmt::Assign(assign) => {
                let call = match &*assign.value {
                    Expr::Call(call) => match &*call.func {
                        Expr::Name(name) => Some(name.id.as_str()),
                        _ => None,
                    },
                    _ => None,
                };
                for target in &assign.targets {
                    if let Expr::Name(name) = target {
                        found.push((name.id.as_str(), call));
                    }
                }
            }
            Stmt::With(block) => {
                for item in &block.items {
                    if let Some(Expr::Tuple(ends)) = item.optional_vars.as_deref() {
                        found.extend(ends.elts.iter().filter_map(|end| match end {
                            Expr::Name(name) => Some((name.id.as_str(), None)),
                            _ => None,
                        }));
                    }
                }
                names_in(&block.body, found);
            }
            Stmt::FunctionDef(function) => {
                found.push((function.name.as_str(), None));
                names_in(&function.body, found);
            }
            _ => {}
        }
    }
}
