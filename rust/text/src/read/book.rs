//! The groups of a page and what they use of each other: in which order they are read, and on which object they run.

use std::collections::{BTreeMap, BTreeSet};

use geonode_graph::documents::TreeInfo;
use geonode_graph::ir::Node;
use geonode_graph::{Catalogue, Document, uses_group};
use geonode_protocol::Code;

use super::fault::Faults;
use super::kinds::is_function;
use super::needs::calls;
use super::page::{Apply, Group};
use super::step::Done;
use crate::names::{FORM_CALLS, FORM_VALUES, Names, read_type, word};

/// What a page says of groups, while they are read.
pub(super) struct Book<'b> {
    pub(super) text: &'b str,
    pub(super) document: &'b Document,
    pub(super) catalogue: &'b Catalogue,
    pub(super) usual: Option<&'b str>,
    /// The objects on which the page runs something.
    pub(super) runs_on: BTreeSet<&'b str>,
    pub(super) functions: BTreeMap<String, String>,
    /// Names of the groups that each group of the page uses.
    pub(super) uses: BTreeMap<String, BTreeSet<String>>,
}

/// Groups of the file are called as those of the page, where their words mean nothing else.
pub(super) fn add_groups_of_file(functions: &mut BTreeMap<String, String>, document: &Document, names: &Names<'_>) {
    let mut words: BTreeMap<String, Option<&String>> = BTreeMap::new();
    for (name, word) in document.trees.keys().filter_map(|name| Some((name, word(name)?))) {
        words
            .entry(word)
            .and_modify(|known| *known = None)
            .or_insert(Some(name));
    }
    let is_free = |word: &str| {
        names.node_type(word).is_none()
            && !FORM_CALLS.contains(&word)
            && !FORM_VALUES.contains(&word)
            && !is_function(word)
            && read_type(word, names.catalogue()).is_none()
    };
    for (word, name) in words {
        if let Some(name) = name.filter(|_| is_free(&word)) {
            functions.entry(word).or_insert_with(|| name.clone());
        }
    }
}

impl Book<'_> {
    pub(super) fn find_uses(&mut self, groups: &[Group<'_>], names: &Names<'_>) {
        for call in calls(self.text) {
            let Some(around) = groups.iter().find(|group| group.at <= call.at && call.at < group.end) else {
                continue;
            };
            // A call that is a node's name never means a function, whatever that is called.
            let is_node = names.node_type(&call.function).is_some();
            let function = self.functions.get(&call.function).filter(|_| !is_node);
            let group = call.group.or_else(|| function.cloned());
            let group = group.map(|name| self.functions.get(&name).cloned().unwrap_or(name));
            self.uses.entry(around.name.clone()).or_default().extend(group);
        }
        // What an edit leaves in its group it uses as well.
        for group in groups.iter().filter(|group| group.function.is_none()) {
            let inside = self.inside_in_file(&group.name);
            self.uses.entry(group.name.clone()).or_default().extend(inside);
        }
    }

    /// The groups that one of the file uses, at any depth.
    fn inside_in_file(&self, group: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![group];
        while let Some(name) = open.pop() {
            let nodes = self.document.trees.get(name).into_iter().flat_map(|tree| &tree.nodes);
            for inner in nodes.filter_map(Node::group) {
                if found.insert(inner.to_owned()) {
                    open.push(inner);
                }
            }
        }
        found
    }

    /// The groups of the page, those that others use first.
    pub(super) fn order(&self, groups: &[Group<'_>], faults: &mut Faults) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = (0..groups.len()).collect();
        while !open.is_empty() {
            let waits = |number: usize| {
                let used = groups.get(number).and_then(|group| self.uses.get(&group.name));
                let mut others = open
                    .iter()
                    .filter(|other| **other != number)
                    .filter_map(|other| groups.get(*other));
                let own = groups.get(number).map(|group| group.name.as_str());
                // An edit after a function means what that made.
                let is_later = |name: &str| {
                    let mut before = open.iter().filter(|other| **other < number);
                    before.any(|other| groups.get(*other).is_some_and(|group| group.name == name))
                };
                own.is_some_and(is_later)
                    || used.is_some_and(|used| {
                        others.any(|other| used.contains(&other.name)) || own.is_some_and(|own| used.contains(own))
                    })
            };
            let Some(place) = open.iter().rposition(|number| !waits(*number)) else {
                let group = open.first().and_then(|number| groups.get(*number))?;
                let message = format!("The group “{}” would contain itself.", group.name);
                faults.error(
                    Code::Cycle,
                    group.at,
                    message,
                    "Let groups use each other in one direction.",
                );
                return None;
            };
            order.push(open.remove(place));
        }
        Some(order)
    }

    /// The groups of the page that a group uses, at any depth, those that others use first.
    pub(super) fn below<'d>(&self, root: &str, done: &'d [Done]) -> Vec<&'d Done> {
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        let mut open = vec![root];
        while let Some(name) = open.pop() {
            for used in self.uses.get(name).into_iter().flatten() {
                if done.iter().any(|group| group.name == *used) && wanted.insert(used) {
                    open.push(used);
                }
            }
        }
        done.iter()
            .filter(|group| wanted.contains(group.name.as_str()))
            .collect()
    }

    /// Object and modifier of a group: what the page says, else where it runs.
    pub(super) fn target(
        &self,
        group: &str,
        apply: Option<&Apply>,
        root: &Done,
        faults: &mut Faults,
    ) -> Option<(String, String)> {
        let object = apply.and_then(|apply| apply.object.as_deref());
        let modifier = apply.and_then(|apply| apply.modifier.as_deref());
        let runs = |name: &str| {
            let modifiers = self
                .document
                .objects
                .get(name)
                .into_iter()
                .flat_map(|object| &object.modifiers);
            let mut modifiers = modifiers.filter(|one| modifier.is_none_or(|wanted| one.name == wanted));
            let found = modifiers.find(|one| {
                let tree = one.node_group.as_deref();
                tree == Some(group) || uses_group(tree, group, self.document)
            });
            found.map(|one| (name.to_owned(), one.name.clone()))
        };
        let candidates = || {
            object.or(self.usual).into_iter().chain(
                self.document
                    .objects
                    .keys()
                    .map(String::as_str)
                    .filter(|_| object.is_none()),
            )
        };
        if root.edits
            && let Some(found) = candidates().find_map(runs)
        {
            return Some(found);
        }
        let Some(object) = object.or_else(|| self.usual.filter(|_| apply.is_some())) else {
            let fix = format!("Add a line: apply(\"{group}\", object=\"…\", modifier=\"{group}\").");
            faults.error(
                Code::MissingField,
                root.at,
                format!("The page does not say on which object “{group}” runs."),
                fix,
            );
            return None;
        };
        Some((object.to_owned(), modifier.unwrap_or(group).to_owned()))
    }

    /// The name of a modifier's group: of a copy that it gets for itself, since others use the group, a free one.
    pub(super) fn own_name(&self, group: &str, single_user: bool) -> String {
        let shared = |info: &TreeInfo| single_user && info.users > 1;
        if !self.document.tree_info.get(group).is_some_and(shared) {
            return group.to_owned();
        }
        let named = self.document.names.get("node_group");
        let taken =
            |name: &String| self.document.trees.contains_key(name) || named.is_some_and(|names| names.contains(name));
        let mut numbers = 1..=self.document.trees.len() + named.map_or(0, BTreeSet::len) + 1;
        let free = numbers.find_map(|number| Some(format!("{group}.{number:03}")).filter(|name| !taken(name)));
        free.unwrap_or_else(|| group.to_owned())
    }
}

/// Whether `apply` is about a group.
pub(super) fn means(apply: &Apply, group: &str, groups: usize) -> bool {
    match &apply.group {
        Some(name) => name == group,
        None => groups == 1,
    }
}
