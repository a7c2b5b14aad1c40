//! From a page to the steps of a plan: its groups in the order in which they depend on each other, each as operations.

use std::collections::{BTreeMap, BTreeSet};

use geonode_graph::documents::TreeInfo;
use geonode_graph::ir::{Node, Side, Tree};
use geonode_graph::sockets::{FRAME, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE, Scope};
use geonode_graph::{Catalogue, Document, nearest, settled_name, uses_group};
use geonode_protocol::{
    Action, AddGroup, Code, Expectation, Finding, GnOp, GnOps, GroupNodes, MakeMaterial, Measure, ModifierTarget,
    NodeTree, NodeTreeOp, SetModifierInput, TreeTarget,
};
use indexmap::IndexMap;
use rustpython_parser::Mode;
use rustpython_parser::Tok;
use rustpython_parser::ast::Stmt;
use rustpython_parser::lexer::lex;

use super::draft::Draft;
use super::fault::{Faults, Lines};
use super::operations::{Written, blank};
use super::page::{Apply, Group, Page};
use super::reader::Reader;
use super::syntax::parse;
use crate::names::{FORM_VALUES, Names, SocketNames, Variables, word};

/// Types of the nodes that arithmetic, comparisons and logic on a page make.
const OPERATORS: [&str; 5] = [
    "ShaderNodeMath",
    "ShaderNodeVectorMath",
    "FunctionNodeIntegerMath",
    "FunctionNodeBooleanMath",
    "FunctionNodeCompare",
];

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
    /// Findings, their paths being lines and columns.
    pub findings: Vec<Finding>,
}

/// What must be known of the file before a page can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Objects that the page names.
    pub objects: BTreeSet<String>,
    /// Groups that it names.
    pub trees: BTreeSet<String>,
    /// Whether it changes a group without saying where that runs.
    pub target: bool,
}

/// The names on a page, without reading its groups.
pub fn needs(text: &str) -> Needs {
    let mut faults = Faults::default();
    let statements = parse(text, |_| false, &mut faults);
    let page = Page::of(&statements, &mut faults);
    let mut needs = Needs::default();
    for apply in &page.applies {
        needs.objects.extend(apply.object.clone());
        needs.trees.extend(apply.group.clone());
    }
    needs.trees.extend(page.groups.iter().map(|group| group.name.clone()));
    needs
        .trees
        .extend(calls(text).into_iter().filter_map(|call| call.group));
    needs.target = page.applies.iter().all(|apply| apply.object.is_none());
    needs
}

/// A call that may mean a group.
struct Called {
    at: usize,
    function: String,
    group: Option<String>,
}

/// The calls on a page with their offsets; of `group("Name")` the name.
fn calls(text: &str) -> Vec<Called> {
    let tokens: Vec<_> = lex(text, Mode::Module).map_while(Result::ok).collect();
    let mut found = Vec::new();
    for (number, (token, range)) in tokens.iter().enumerate() {
        let Tok::Name { name } = token else { continue };
        let after = |further: usize| tokens.get(number + further).map(|(token, _)| token);
        if after(1) != Some(&Tok::Lpar)
            || number > 0 && matches!(tokens.get(number - 1), Some((Tok::Dot | Tok::Def, _)))
        {
            continue;
        }
        let group = match after(2) {
            Some(Tok::String { value, .. }) if name == "group" => Some(value.clone()),
            _ => None,
        };
        found.push(Called {
            at: usize::from(range.start()),
            function: name.clone(),
            group,
        });
    }
    found
}

/// Reads a page against the file. `usual` is the object that is meant where the page names none.
pub fn read_page(text: &str, document: &Document, catalogue: &Catalogue, usual: Option<&str>) -> ReadPage {
    let mut faults = Faults::default();
    let statements = parse(text, |name| names_in_file(document, name), &mut faults);
    let mut read = ReadPage::default();
    let lines = Lines::of(text);
    let steps = if faults.failed() {
        None
    } else {
        Some(Book::open(text, &statements, document, catalogue, usual, &mut faults))
    };
    if let Some((steps, page)) = steps {
        read.message = page.message;
        read.expects = page.expects;
        read.measures = page.measures;
        if !faults.failed() {
            let place = |at: usize| lines.place(at);
            read.steps = steps
                .into_iter()
                .map(|step| PageStep {
                    places: step.places.into_iter().map(place).collect(),
                    target: place(step.at),
                    action: step.action,
                    edits: step.edits,
                    asks: step.asks,
                })
                .collect();
        }
    }
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

/// A step with offsets.
struct RawStep {
    action: Action,
    places: Vec<usize>,
    at: usize,
    edits: bool,
    asks: Vec<String>,
}

impl RawStep {
    /// Puts what the page makes beside trees before all that uses it.
    fn make(&mut self, materials: &[(MakeMaterial, usize)]) {
        let made = materials.iter().map(|(made, _)| made.clone());
        match &mut self.action {
            Action::NodeTree(payload) => {
                payload.operations.splice(0..0, made.map(NodeTreeOp::MakeMaterial));
            }
            Action::GnOps(payload) => {
                payload.ops.splice(0..0, made.map(GnOp::MakeMaterial));
            }
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return,
        }
        self.places.splice(0..0, materials.iter().map(|(_, at)| *at));
    }

    fn asking(mut self, asks: &[String]) -> Self {
        self.asks = asks.to_vec();
        self
    }
}

/// A group that was read.
struct Done {
    name: String,
    written: Written,
    tree: Tree,
    /// Whether there was a tree of this name that it changes.
    edits: bool,
    at: usize,
    /// What it does to the artist's work without naming it.
    asks: Vec<String>,
}

/// What a page says of groups, while they are read.
struct Book<'b> {
    text: &'b str,
    document: &'b Document,
    catalogue: &'b Catalogue,
    usual: Option<&'b str>,
    functions: BTreeMap<String, String>,
    /// Names of the groups that each group of the page uses.
    uses: BTreeMap<String, BTreeSet<String>>,
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
        let functions = page.functions();
        let mut book = Self {
            text,
            document,
            catalogue,
            usual,
            functions,
            uses: BTreeMap::new(),
        };
        if page.groups.is_empty() && page.applies.is_empty() {
            let fix =
                "Describe a tree: `def name(geometry: Geometry) -> Geometry:`, then apply(\"Name\", object=\"Plane\").";
            faults.error(Code::TextForm, 0, "The page describes no group.", fix);
        }
        let names = Names::new(catalogue);
        book.find_uses(&page.groups, &names);
        let steps = match book.order(&page.groups, faults) {
            Some(order) if !faults.failed() => book.steps(&page, &order, &names, faults),
            _ => Vec::new(),
        };
        (steps, page)
    }

    fn find_uses(&mut self, groups: &[Group<'_>], names: &Names<'_>) {
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
    }

    /// The groups of the page, those that others use first.
    fn order(&self, groups: &[Group<'_>], faults: &mut Faults) -> Option<Vec<usize>> {
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
                used.is_some_and(|used| {
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

    fn steps(&self, page: &Page<'_>, order: &[usize], names: &Names<'_>, faults: &mut Faults) -> Vec<RawStep> {
        let mut trees = self.document.trees.clone();
        let mut done: Vec<Done> = Vec::new();
        for number in order {
            let Some(group) = page.groups.get(*number) else {
                continue;
            };
            // An edit after a function means what that made.
            let read = self.group(group, names, &trees, faults);
            if let Some(read) = read {
                trees.insert(read.name.clone(), read.tree.clone());
                done.push(read);
            }
        }
        if faults.failed() {
            return Vec::new();
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
            self.root(root, apply, &done, &mut steps, faults);
        }
        for (apply, _) in page.applies.iter().zip(applied).filter(|(_, known)| !known) {
            self.apply_alone(apply, &done, &trees, &mut steps, faults);
        }
        if let Some(first) = steps.first_mut() {
            first.make(&faults.materials);
        }
        steps
    }

    fn group(
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
                let near = nearest(&group.name, trees.keys().map(String::as_str));
                let fix = near.map_or_else(
                    || "Describe a new group with `def`.".to_owned(),
                    |near| format!("Did you mean “{near}”?"),
                );
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
            reader.parameters_of_present();
            reader.body(group.body);
            let written = reader.operations(present);
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
        let present = present.filter(|tree| self.is_meant(tree, group, names));
        let draft = Draft::new(scope, present, group.at);
        let mut reader = Reader::new(names, &self.functions, draft, false, faults);
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

    /// The question about a function that describes a tree anew: what of the artist's it does not mention goes, or gets its default.
    fn rewritten(&self, name: &str, before: &Tree, after: &Tree, written: &Written) -> Option<String> {
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

    /// Whether a function describes the tree that is there. It does if that is empty, and if they have a node in common: of the
    /// artist's, most nodes of one or the other and more than one, since a name may be the same by chance.
    fn is_meant(&self, tree: &Tree, group: &Group<'_>, names: &Names<'_>) -> bool {
        let nodes = || {
            let is_end = |kind: &str| matches!(kind, GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
            tree.nodes.iter().filter(move |node| !is_end(&node.kind))
        };
        if nodes().next().is_none() {
            return true;
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

    /// The steps for a group that no other of the page uses, and for those that it uses.
    fn root(&self, root: &Done, apply: Option<&Apply>, done: &[Done], steps: &mut Vec<RawStep>, faults: &mut Faults) {
        let at = apply.map_or(root.at, |apply| apply.at);
        let Some((object, modifier)) = self.target(&root.name, apply, root, faults) else {
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
        if let Some(apply) = apply {
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

    /// The groups of the page that a group uses, at any depth, those that others use first.
    fn below<'d>(&self, root: &str, done: &'d [Done]) -> Vec<&'d Done> {
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
    fn target(&self, group: &str, apply: Option<&Apply>, root: &Done, faults: &mut Faults) -> Option<(String, String)> {
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
    fn own_name(&self, group: &str, single_user: bool) -> String {
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

    /// `apply` of a group that the page does not describe: the modifier runs it, with these inputs.
    fn apply_alone(
        &self,
        apply: &Apply,
        done: &[Done],
        trees: &IndexMap<String, Tree>,
        steps: &mut Vec<RawStep>,
        faults: &mut Faults,
    ) {
        let object = apply.object.as_deref().or(self.usual);
        let runs = |name: &str| {
            let modifiers = self
                .document
                .objects
                .get(name)
                .into_iter()
                .flat_map(|object| &object.modifiers);
            let mut modifiers = modifiers.filter(|one| one.node_group.is_some());
            modifiers.find(|one| match (&apply.modifier, &apply.group) {
                (Some(modifier), _) => one.name == *modifier,
                (None, Some(group)) => one.node_group.as_ref() == Some(group),
                (None, None) => true,
            })
        };
        let known = object.and_then(runs);
        let group = apply
            .group
            .clone()
            .or_else(|| known.and_then(|one| one.node_group.clone()));
        let (Some(object), Some(group)) = (object, group) else {
            let fix = "Write apply(\"Group\", object=\"Plane\", modifier=\"Name\", inputs={\"count\": 250}).";
            return faults.error(
                Code::MissingField,
                apply.at,
                "apply(…) names no group and object that are known.",
                fix,
            );
        };
        let Some(tree) = trees.get(&group) else {
            let near = nearest(&group, trees.keys().map(String::as_str));
            let fix = near.map_or_else(
                || "Describe it with `def`.".to_owned(),
                |near| format!("Did you mean “{near}”?"),
            );
            return faults.error(
                Code::UnknownNodeGroup,
                apply.at,
                format!("There is no node group “{group}”."),
                fix,
            );
        };
        let modifier = apply
            .modifier
            .clone()
            .or_else(|| known.map(|one| one.name.clone()))
            .unwrap_or_else(|| group.clone());
        let on = Target {
            object,
            modifier: &modifier,
            at: apply.at,
        };
        let values = inputs(apply, tree, faults);
        let runs_it = known.is_some_and(|one| one.name == modifier && one.node_group.as_ref() == Some(&group));
        let described = done.iter().any(|done| done.name == group && !done.edits);
        if !runs_it || apply.single_user {
            let name = self.own_name(&group, apply.single_user);
            steps.push(on.node_tree(&name, Vec::new(), apply.single_user, !described));
        }
        if !values.is_empty() {
            steps.push(on.gn_ops(None, values, false, !described));
        }
    }
}

fn is_layout(kind: &str) -> bool {
    matches!(kind, FRAME | REROUTE)
}

/// Whether `apply` is about a group.
fn means(apply: &Apply, group: &str, groups: usize) -> bool {
    match &apply.group {
        Some(name) => name == group,
        None => groups == 1,
    }
}

/// The steps that fill a group which others use.
fn fill(child: &Done, on: &Target<'_>, steps: &mut Vec<RawStep>) {
    if !child.written.tree.is_empty() {
        let step = on.node_tree(&child.name, child.written.tree.clone(), false, child.edits);
        steps.push(step.asking(&child.asks));
    }
    if !child.written.later.is_empty() {
        steps.push(on.gn_ops(Some(&child.name), child.written.later.clone(), false, child.edits));
    }
}

/// Values of the modifier's inputs.
fn inputs(apply: &Apply, tree: &Tree, faults: &mut Faults) -> Vec<(GnOp, usize)> {
    let items: Vec<_> = tree
        .interface
        .iter()
        .filter(|item| item.is_socket(Side::Input))
        .collect();
    let words = SocketNames::avoiding(
        items
            .iter()
            .map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
        FORM_VALUES,
    );
    let mut ops = Vec::new();
    for (key, value, at) in &apply.inputs {
        let place = items
            .iter()
            .position(|item| item.name == *key)
            .or_else(|| words.place(key));
        let Some(item) = place.and_then(|place| items.get(place)) else {
            let known: Vec<&str> = words.words().collect();
            let fix = nearest(key, known.iter().copied()).map_or_else(
                || format!("The inputs are: {}.", known.join(", ")),
                |near| format!("Did you mean “{near}”?"),
            );
            faults.error(Code::UnknownInput, *at, format!("The group has no input “{key}”."), fix);
            continue;
        };
        let is_new = item.identifier.starts_with(['@', '=']);
        let is_shared = items.iter().filter(|other| other.name == item.name).count() > 1;
        let identifier = if item.identifier.starts_with('@') {
            settled_name(&tree.interface, item)
        } else {
            item.identifier.clone()
        };
        let by_name = is_new && !is_shared;
        let op = SetModifierInput {
            name: by_name.then(|| item.name.clone()),
            identifier: (!by_name).then_some(identifier),
            value: value.clone(),
        };
        ops.push((GnOp::SetModifierInput(op), *at));
    }
    ops
}

/// Whether a step makes a group.
fn makes(step: &RawStep, group: &str) -> bool {
    let Action::NodeTree(payload) = &step.action else {
        return false;
    };
    let mut ops = payload.operations.iter();
    ops.any(|op| matches!(op, NodeTreeOp::GroupNodes(op) if op.node_group_name == group))
}

/// Where steps work.
struct Target<'t> {
    object: &'t str,
    modifier: &'t str,
    at: usize,
}

impl Target<'_> {
    fn node_tree(&self, group: &str, ops: Vec<(NodeTreeOp, usize)>, single_user: bool, edits: bool) -> RawStep {
        let (operations, places) = ops.into_iter().unzip();
        RawStep {
            action: Action::NodeTree(NodeTree {
                target: TreeTarget {
                    object_name: self.object.to_owned(),
                    modifier_name: self.modifier.to_owned(),
                    node_group_name: group.to_owned(),
                },
                single_user,
                operations,
            }),
            places,
            at: self.at,
            edits,
            asks: Vec::new(),
        }
    }

    fn gn_ops(&self, group: Option<&str>, ops: Vec<(GnOp, usize)>, single_user: bool, edits: bool) -> RawStep {
        let (ops, places) = ops.into_iter().unzip();
        RawStep {
            action: Action::GnOps(GnOps {
                v: 1,
                target: ModifierTarget {
                    object_name: self.object.to_owned(),
                    modifier_name: self.modifier.to_owned(),
                    node_group_name: group.map(str::to_owned),
                },
                single_user,
                ops,
            }),
            places,
            at: self.at,
            edits,
            asks: Vec::new(),
        }
    }
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
