//! From a page to the steps of a plan: its groups in the order in which they depend on each other, each as operations.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashSet, HashSetExt as _};
use geonode_graph::ir::Tree;
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope};
use geonode_graph::{Catalogue, Document, did_you_mean};
use geonode_protocol::{Action, AddGroup, Code, Expectation, Finding, GnOp, GroupNodes, Measure, NodeTreeOp};
use indexmap::IndexMap;
use rustpython_parser::ast::{Stmt, StmtFunctionDef};

use super::book::{Book, add_groups_of_file, means};
use super::draft::Draft;
use super::fault::{Faults, Lines};
use super::needs::calls;
use super::operations::blank;
use super::page::{Apply, Group, Page};
use super::reader::Reader;
use super::step::{Done, RawStep, Target, fill, inputs, makes};
use super::syntax::parse;
use crate::names::{Names, word};

/// A step that a page asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct PageStep {
    /// What the step does.
    pub action: Action,
    /// Line and column in the page of each operation.
    pub places: Vec<String>,
    /// Line and column of what names the target.
    pub target: String,
    /// Whether it changes what is there: its names mean exactly that.
    pub edits: bool,
    /// What it does to the artist's work without naming it, in words for the artist's approval.
    pub asks: Vec<String>,
}

/// A page that was read.
#[derive(Debug, Default)]
pub struct ReadPage {
    /// What the artist is told.
    pub message: Option<String>,
    /// Counts that the result has.
    pub expects: Vec<Expectation>,
    /// Sizes and places that it has.
    pub measures: Vec<Measure>,
    /// The steps; empty when a finding is an error.
    pub steps: Vec<PageStep>,
    /// Where a finding is an error: steps of what can be read, which may be judged too, but not carried out.
    pub partial: Vec<PageStep>,
    /// Then the groups of which not all could be read: what is there by a name is open.
    pub open: BTreeSet<String>,
    /// Findings, their paths being lines and columns.
    pub findings: Vec<Finding>,
    /// Whether it has to be read again after its steps, since it speaks of what they move.
    pub(super) awaits: bool,
}

/// Reads a page against the file. `usual` is the object that is meant where the page names none.
pub fn read_page(text: &str, document: &Document, catalogue: &Catalogue, usual: Option<&str>) -> ReadPage {
    read_after(text, document, catalogue, usual, &Before::default())
}

/// What is known of a page before it is read.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Groups of which not all could be read on pages before it: it is open what is in them.
    pub(super) open: BTreeSet<String>,
    /// Whether it may be read again once its first part is carried out: what that moves between groups is not found before.
    pub(super) first: bool,
}

/// As [`read_page`], with what is known before.
pub(super) fn read_after(
    text: &str,
    document: &Document,
    catalogue: &Catalogue,
    usual: Option<&str>,
    before: &Before,
) -> ReadPage {
    let mut faults = Faults::default();
    faults.refused.groups.clone_from(&before.open);
    let moves = || {
        calls(text)
            .iter()
            .any(|call| matches!(call.function.as_str(), "gather" | "ungroup"))
    };
    faults.awaiting = before.first && moves();
    let statements = parse(text, |name| names_in_file(document, name), &mut faults);
    let mut read = ReadPage::default();
    let lines = Lines::of(text);
    if !faults.failed() || !statements.is_empty() {
        let (steps, page) = Book::open(text, &statements, document, catalogue, usual, &mut faults);
        read.message = page.message;
        read.expects = page.expects;
        read.measures = page.measures;
        let place = |at: usize| lines.place(at);
        let steps = steps.into_iter().map(|step| PageStep {
            places: step.places.into_iter().map(place).collect(),
            target: place(step.at),
            action: step.action,
            edits: step.edits,
            asks: step.asks,
        });
        let list = if faults.failed() {
            &mut read.partial
        } else {
            &mut read.steps
        };
        list.extend(steps);
    }
    read.open = std::mem::take(&mut faults.refused.groups);
    read.awaits = faults.awaited && !faults.failed();
    read.findings = faults.findings(&lines);
    read
}

/// Whether a word means a node or an input of a tree in the file.
fn names_in_file(document: &Document, wanted: &str) -> bool {
    let is_it = |name: &str| name.len() >= wanted.len() && word(name).as_deref() == Some(wanted);
    document.trees.values().any(|tree| {
        tree.interface.iter().any(|item| is_it(&item.name)) || tree.nodes.iter().any(|node| is_it(&node.id))
    })
}

impl<'b> Book<'b> {
    fn open(
        text: &'b str,
        statements: &'b [Stmt],
        document: &'b Document,
        catalogue: &'b Catalogue,
        usual: Option<&'b str>,
        faults: &mut Faults,
    ) -> (Vec<RawStep>, Page<'b>) {
        let page = Page::of(statements, faults);
        let names = Names::new(catalogue);
        let mut functions = page.functions();
        add_groups_of_file(&mut functions, document, &names);
        let objects = page.applies.iter().filter_map(|apply| apply.object.as_deref());
        let objects = objects.filter_map(|object| Some(document.objects.get_key_value(object)?.0.as_str()));
        let unnamed = page.applies.is_empty() || page.applies.iter().any(|apply| apply.object.is_none());
        let runs_on = objects.chain(usual.filter(|_| unnamed)).collect();
        let mut book = Self {
            text,
            document,
            catalogue,
            usual,
            runs_on,
            functions,
            uses: BTreeMap::new(),
        };
        if page.groups.is_empty() && page.applies.is_empty() && faults.refused.lines.is_empty() {
            let fix =
                "Describe a tree: `def name(geometry: Geometry) -> Geometry:`, then apply(\"Name\", object=\"Plane\").";
            faults.error(Code::TextForm, 0, "The page describes no group.", fix);
        }
        book.find_uses(&page.groups, &names);
        let steps = match book.order(&page.groups, faults) {
            Some(order) => book.steps(&page, &order, &names, faults),
            None => Vec::new(),
        };
        (steps, page)
    }

    pub(super) fn steps(
        &self,
        page: &Page<'_>,
        order: &[usize],
        names: &Names<'_>,
        faults: &mut Faults,
    ) -> Vec<RawStep> {
        let mut trees = self.document.trees.clone();
        let mut done: Vec<Done> = Vec::new();
        for number in order {
            let Some(group) = page.groups.get(*number) else {
                continue;
            };
            let errors = faults.errors();
            faults.doubting = faults.refused.groups.contains(&group.name);
            // An edit after a function means what that made.
            let read = self.group(group, names, &trees, faults);
            faults.doubting = false;
            let mut left_out = faults.refused.lines.iter();
            if faults.errors() > errors || left_out.any(|at| (group.at..group.end).contains(at)) {
                faults.refused.groups.insert(group.name.clone());
            }
            if let Some(read) = read {
                trees.insert(read.name.clone(), read.tree.clone());
                done.push(read);
            }
        }
        let used: BTreeSet<&String> = page
            .groups
            .iter()
            .filter_map(|group| self.uses.get(&group.name))
            .flatten()
            .collect();
        let mut steps = Vec::new();
        let mut applied = vec![false; page.applies.len()];
        // Modifiers come in the order of the page.
        let place = |group: &Done| page.groups.iter().position(|other| other.name == group.name);
        let mut roots: Vec<&Done> = done.iter().filter(|group| !used.contains(&group.name)).collect();
        roots.sort_by_key(|group| place(group));
        for root in roots {
            let number = page
                .applies
                .iter()
                .position(|apply| means(apply, &root.name, page.groups.len()));
            if let Some(place) = number.and_then(|number| applied.get_mut(number)) {
                *place = true;
            }
            let apply = number.and_then(|number| page.applies.get(number));
            // A line that is refused may have been the one that uses it, and its inputs may be open.
            let is_open = apply.is_none() && !page.applies.is_empty() && faults.failed();
            faults.doubting = is_open || faults.refused.groups.contains(&root.name);
            self.root(root, apply, &done, &mut steps, faults);
        }
        let alone = page.applies.iter().zip(applied).filter(|(_, known)| !known);
        for (apply, _) in alone.filter(|_| !faults.awaited).collect::<Vec<_>>() {
            let group = apply.group.as_ref();
            faults.doubting = group.is_none_or(|group| faults.refused.has(group)) && faults.failed();
            self.apply_alone(apply, &done, &trees, &mut steps, faults);
        }
        faults.doubting = false;
        for apply in &page.applies {
            let (Some(object), Some(made)) = (&apply.object, &apply.makes) else {
                continue;
            };
            if let Some(first) = steps.iter_mut().find(|step| step.works_on(object)) {
                first.make_object(made, apply.at);
            }
        }
        if let Some(first) = steps.first_mut() {
            first.make(&faults.materials);
        }
        steps
    }

    pub(super) fn group(
        &self,
        group: &Group<'_>,
        names: &Names<'_>,
        trees: &IndexMap<String, Tree>,
        faults: &mut Faults,
    ) -> Option<Done> {
        let scope = Scope {
            catalogue: names.catalogue(),
            trees,
        };
        let present = trees.get(&group.name);
        let Some(function) = group.function else {
            let Some(present) = present else {
                let fix = did_you_mean(&group.name, trees.keys().map(String::as_str))
                    .unwrap_or_else(|| "Describe a new group with `def`.".to_owned());
                faults.error(
                    Code::UnknownNodeGroup,
                    group.at,
                    format!("There is no node group “{}”.", group.name),
                    fix,
                );
                return None;
            };
            let draft = Draft::of(scope, present, group.at);
            let mut reader = Reader::new(names, &self.functions, draft, true, faults);
            reader.spoken_of = names_on(self.text);
            reader.find_toggles(group.body);
            reader.parameters_of_present();
            reader.body(group.body);
            reader.drop_emptied_panels();
            reader.tell_unfed();
            reader.tell_released();
            let written = reader.operations(present);
            let changes = !written.tree.is_empty() || !written.later.is_empty();
            reader.tell_idle(&group.name, changes, &Lines::of(self.text));
            let tree = reader.draft.tree();
            return Some(Done {
                name: group.name.clone(),
                written,
                tree,
                edits: true,
                at: group.at,
                asks: Vec::new(),
            });
        };
        if let Some(place) = left_out(self.text, group) {
            let fix = "Change it with `with edit(\"Group\"):`, and leave out what stays as it is.";
            faults.error(
                Code::TextForm,
                place,
                "Parts of this group are left out, so it cannot be read as a whole.",
                fix,
            );
            return None;
        }
        let present = present
            .filter(|tree| self.is_meant(tree, group, names) || self.is_made_of(tree, group, function, names, trees));
        let draft = Draft::new(scope, present, group.at);
        let mut reader = Reader::new(names, &self.functions, draft, false, faults);
        reader.find_toggles(group.body);
        reader.signature(function);
        reader.body(group.body);
        reader.arrange();
        let blank = blank();
        let written = reader.operations(present.unwrap_or(&blank));
        let tree = reader.draft.tree();
        let asks = present.and_then(|before| self.rewritten(&group.name, before, &tree, &written));
        Some(Done {
            name: group.name.clone(),
            written,
            tree,
            edits: present.is_some(),
            at: group.at,
            asks: asks.into_iter().collect(),
        })
    }

    /// Whether runs made all nodes of a tree, and they are those that the function makes where there is none: one that only returns a
    /// term names no node that could tell it.
    fn is_made_of(
        &self,
        tree: &Tree,
        group: &Group<'_>,
        function: &StmtFunctionDef,
        names: &Names<'_>,
        trees: &IndexMap<String, Tree>,
    ) -> bool {
        let made = self.document.tree_info.get(&group.name);
        let made = made.and_then(|info| info.made.as_ref());
        if !made.is_some_and(|made| nodes_of(tree).iter().all(|(id, _)| made.owns(id))) {
            return false;
        }
        let scope = Scope {
            catalogue: names.catalogue(),
            trees,
        };
        let mut unheard = Faults::default();
        let draft = Draft::new(scope, None, group.at);
        let mut reader = Reader::new(names, &self.functions, draft, false, &mut unheard);
        reader.find_toggles(group.body);
        reader.signature(function);
        reader.body(group.body);
        reader.arrange();
        let fresh = reader.draft.tree();
        nodes_of(&fresh) == nodes_of(tree)
    }

    /// The steps for a group that no other of the page uses, and for those that it uses.
    fn root(&self, root: &Done, apply: Option<&Apply>, done: &[Done], steps: &mut Vec<RawStep>, faults: &mut Faults) {
        let at = apply.map_or(root.at, |apply| apply.at);
        let Some((object, modifier)) = self.target(&root.name, apply, root, faults) else {
            faults.refused.groups.insert(root.name.clone());
            return;
        };
        let single_user = apply.is_some_and(|apply| apply.single_user);
        let on = Target {
            object: &object,
            modifier: &modifier,
            at,
        };
        // Groups are made and known to the tree before they are filled, from the outside in.
        let inner = self.below(&root.name, done);
        let mut outer: Vec<&Done> = vec![root];
        outer.extend(inner.iter().rev().copied());
        for parent in outer {
            let mut made: Vec<(NodeTreeOp, usize)> = Vec::new();
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            for node in &parent.tree.nodes {
                let Some(child) = node
                    .group()
                    .and_then(|name| inner.iter().find(|child| child.name == name))
                else {
                    continue;
                };
                let there = self.document.trees.get(&parent.name).filter(|_| parent.edits);
                let known = there.is_some_and(|tree| tree.nodes.iter().any(|old| old.group() == Some(&child.name)));
                if known || !seen.insert(&child.name) || child.edits && child.written.tree.is_empty() {
                    continue;
                }
                let is_first = !steps.iter().any(|step| makes(step, &child.name)) && !child.edits;
                let op = if is_first {
                    NodeTreeOp::GroupNodes(GroupNodes {
                        id: node.id.clone(),
                        node_group_name: child.name.clone(),
                        node_ids: Vec::new(),
                    })
                } else {
                    NodeTreeOp::AddGroup(AddGroup {
                        id: node.id.clone(),
                        node_group_name: child.name.clone(),
                    })
                };
                made.push((op, child.at));
            }
            if !made.is_empty() {
                steps.push(on.node_tree(&parent.name, made, false, parent.edits));
            }
        }
        for child in &inner {
            fill(child, &on, steps);
        }
        let is_whole = !root.written.tree.is_empty() || !root.edits || apply.is_some() && root.written.later.is_empty();
        if is_whole {
            let name = self.own_name(&root.name, single_user);
            let step = on.node_tree(&name, root.written.tree.clone(), single_user, root.edits);
            steps.push(step.asking(&root.asks));
        }
        let mut later = root.written.later.clone();
        if faults.awaited {
            later.retain(|(op, _)| !matches!(op, GnOp::CleanupUnused {}));
        } else if let Some(apply) = apply {
            later.extend(inputs(apply, &root.tree, faults));
        }
        if !later.is_empty() {
            // A group inside another is not what the modifier runs.
            let of_object = self
                .document
                .objects
                .get(&object)
                .into_iter()
                .flat_map(|known| &known.modifiers);
            let runs_another = of_object
                .filter(|known| known.name == modifier)
                .any(|known| known.node_group.as_ref().is_some_and(|group| *group != root.name));
            let nested = (runs_another && apply.is_none() && root.edits).then_some(root.name.as_str());
            steps.push(on.gn_ops(nested, later, single_user && !is_whole, root.edits));
        }
    }
}

/// Where a comment says that parts of a group were left out.
fn left_out(text: &str, group: &Group<'_>) -> Option<usize> {
    let body = text.get(group.at..group.end)?;
    let mut at = group.at;
    for line in body.split_inclusive('\n') {
        let plain = line.trim_start();
        if plain
            .strip_prefix('#')
            .is_some_and(|rest| rest.trim_start().starts_with('…'))
        {
            return Some(at + line.len() - plain.len());
        }
        at += line.len();
    }
    None
}

/// The words of a page that may be names of nodes: neither attributes nor keywords.
fn names_on(text: &str) -> HashSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = HashSet::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(start) = rest.find(is_part) {
        let (skipped, word) = rest.split_at(start);
        before = skipped.chars().last().unwrap_or(before);
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let is_keyword = after.starts_with('=') && !after.starts_with("==");
        if before != '.' && !is_keyword {
            names.insert(word.to_owned());
        }
        rest = after;
    }
    names
}

/// The nodes of a tree with their types, without the ends of the group.
fn nodes_of(tree: &Tree) -> BTreeSet<(&str, &str)> {
    let is_end = |kind: &str| matches!(kind, GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
    let inner = tree.nodes.iter().filter(|node| !is_end(&node.kind));
    inner.map(|node| (node.id.as_str(), node.kind.as_str())).collect()
}
