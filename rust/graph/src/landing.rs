//! Where a plan lands: what it makes anew never goes into what is there already, whatever that is called.
//!
//! A step that names nodes of its target edits it. A step that only makes nodes makes something new: where the name of its modifier or
//! node group is taken, it gets the next free one. The same plan again finds what it left: all that it says stands there.

use std::collections::BTreeSet;

use foldhash::{HashSet, HashSetExt};
use geonode_protocol::{Action, Code, Finding, Plan, Step};
use serde_json::{Map, Value, json};

use crate::blank::is_blank;
use crate::documents::{Document, Modifier, Object, TreeInfo};
use crate::ir::Tree;
use crate::numbering::{free, numbered_names};
use crate::ops::{Mention, mentions};
use crate::renaming::{RenamedObject, rename};
use crate::sink::Sink;
use crate::target::{Asked, NEW_OBJECT, makes_object, uses_group};

/// Whether a plan, carried out on a document, leaves the tree of this name and the inputs of the modifiers as they are.
pub(crate) type ChangesNothing<'c> = &'c dyn Fn(&Plan, &Document, &str) -> bool;

/// The plan with the names under which it lands; none when they are those that it gives. Steps with an index in `exact` edit what they name.
pub(crate) fn land(
    plan: &Plan,
    document: &Document,
    exact: &BTreeSet<usize>,
    changes_nothing: ChangesNothing<'_>,
    sink: &mut Sink,
) -> Option<Plan> {
    let mut landing = Landing {
        plan,
        document,
        changes_nothing,
        decided: HashSet::new(),
        groups: HashSet::new(),
        moves: Vec::new(),
        objects: Vec::new(),
        done: Vec::new(),
    };
    for (index, step) in plan.steps.iter().enumerate() {
        landing.decide(index, step, exact.contains(&index));
    }
    if landing.moves.is_empty() && landing.objects.is_empty() && landing.done.is_empty() {
        return None;
    }
    let mut json = serde_json::to_value(plan).ok()?;
    for done in &landing.done {
        let path = format!("/steps/{}/payload/target/modifier_name", done.step);
        sink.push(Finding::info(Code::NameTaken, path, done.to_string()));
        let steps = json.get_mut("steps").and_then(Value::as_array_mut);
        for step in steps.into_iter().flatten() {
            done.empty(step);
        }
    }
    for moved in &landing.moves {
        let path = format!("/steps/{}/payload/target/modifier_name", moved.step);
        let code = match moved.why {
            Why::RunsIt => Code::Repaired,
            Why::Taken | Why::Again => Code::NameTaken,
        };
        sink.push(Finding::info(code, path, moved.to_string()));
        let steps = json
            .get_mut("steps")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten();
        for (at, step) in steps.enumerate().skip(moved.step) {
            if let Some(payload) = step.get_mut("payload") {
                moved.rename(payload, &format!("/steps/{at}/payload"), sink);
            }
        }
    }
    for object in &landing.objects {
        object.carry_out(&mut json, sink);
    }
    serde_json::from_value(json).ok()
}

/// A target that lands under other names.
struct Move<'p> {
    step: usize,
    object: &'p str,
    modifier: (&'p str, String),
    group: Option<(&'p str, String)>,
    why: Why,
}

/// Why a target lands under another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The name is that of something else.
    Taken,
    /// A run of the same plan left it there.
    Again,
    /// The modifier that runs the node group which the step edits has this name.
    RunsIt,
}

impl std::fmt::Display for Move<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (asked, given) = &self.modifier;
        if self.why == Why::RunsIt {
            let group = self.group.as_ref().map_or("", |(asked, _)| *asked);
            return write!(
                f,
                "“{group}” runs in the modifier “{given}” of “{}”; the step edits it there",
                self.object
            );
        }
        if self.why == Why::Again {
            return write!(
                f,
                "the modifier “{given}” of “{}” is the one that this plan made for “{asked}”",
                self.object
            );
        }
        if given != asked {
            return write!(
                f,
                "“{}” already has a modifier “{asked}”, which stays as it is; the new one is “{given}”",
                self.object
            );
        }
        let (asked, given) = self
            .group
            .as_ref()
            .map_or(("", ""), |(asked, given)| (*asked, given.as_str()));
        write!(
            f,
            "there is already a node group “{asked}”, which stays as it is; the new one is “{given}”"
        )
    }
}

impl Move<'_> {
    /// Renames target and references in a step's payload.
    fn rename(&self, payload: &mut Value, path: &str, sink: &mut Sink) {
        let new = |fields: &Map<String, Value>, key: &str, part: &str| {
            let is = |key: &str, text: &str| fields.get(key).and_then(Value::as_str) == Some(text);
            let group = self.group.as_ref().filter(|(asked, _)| part == *asked);
            match (key, group) {
                ("modifier_name", _) if is("object_name", self.object) && is("modifier_name", self.modifier.0) => {
                    Some(self.modifier.1.as_str())
                }
                ("node_group_name" | "node_group", Some((_, given))) => Some(given.as_str()),
                _ => None,
            }
        };
        rename(payload, path, &new, sink);
    }
}

/// A target that a run of the same plan made and that was worked on by hand since: it stays as it is.
struct Done<'p> {
    step: usize,
    object: &'p str,
    modifier: &'p str,
    /// What the modifier is called now.
    present: &'p str,
}

impl std::fmt::Display for Done<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "this plan already made “{}” of “{}”; what was changed there by hand since stays",
            self.present, self.object
        )
    }
}

impl Done<'_> {
    /// Removes the operations of a step if it is about this target.
    fn empty(&self, step: &mut Value) {
        let is = |key: &str, text: &str| {
            let at = format!("/payload/target/{key}");
            step.pointer(&at).and_then(Value::as_str) == Some(text)
        };
        if !(is("object_name", self.object) && is("modifier_name", self.modifier)) {
            return;
        }
        for list in ["operations", "ops"] {
            let place = step.pointer_mut(&format!("/payload/{list}"));
            if let Some(operations) = place.and_then(Value::as_array_mut) {
                operations.clear();
            }
        }
    }
}

struct Landing<'p, 'c> {
    plan: &'p Plan,
    document: &'p Document,
    changes_nothing: ChangesNothing<'c>,
    /// Targets of the steps so far, as object and modifier.
    decided: HashSet<(&'p str, &'p str)>,
    /// Node groups that the steps so far make or edit.
    groups: HashSet<&'p str>,
    moves: Vec<Move<'p>>,
    /// Objects that the plan makes under other names than it gives.
    objects: Vec<RenamedObject<'p>>,
    done: Vec<Done<'p>>,
}

impl<'p> Landing<'p, '_> {
    /// Whether the modifier's tree uses the group, at any depth: naming it is an edit.
    fn is_in_the_tree_of(&self, object: &str, modifier: &str, group: &str) -> bool {
        let on = self.document.objects.get(object);
        let one = on.and_then(|on| on.modifiers.iter().find(|one| one.name == modifier));
        uses_group(one.and_then(|one| one.node_group.as_deref()), group, self.document)
    }

    /// The object, unless all names are free there. One that the plan makes is blank, whatever has its name.
    fn object_with_names(&self, object: &str, group: Option<&str>, step: &Step) -> Option<&'p Object> {
        let on = match self.document.objects.get(object) {
            Some(_) if let Some(made) = self.objects.iter().find(|made| made.asked == object) => {
                self.document.objects.get(&made.given).unwrap_or(&NEW_OBJECT)
            }
            None if makes_object(&step.action) => &*NEW_OBJECT,
            known => known?,
        };
        (!on.modifiers.is_empty() || group.is_some_and(|group| self.exists(group))).then_some(on)
    }

    fn decide(&mut self, index: usize, step: &'p Step, is_exact: bool) {
        let Some(Asked {
            object,
            modifier,
            group,
            may_create,
            single_user,
        }) = Asked::of(&step.action)
        else {
            return;
        };
        if group.is_some_and(|group| self.is_in_the_tree_of(object, modifier, group)) {
            return;
        }
        if makes_object(&step.action) && !self.objects.iter().any(|made| made.asked == object) {
            self.place_object(index, object, modifier, group.filter(|_| is_exact), &step.action);
        }
        let known_group = group.is_some_and(|group| !self.groups.insert(group));
        if !self.decided.insert((object, modifier)) || is_exact || single_user || !may_create {
            return;
        }
        let Some(on) = self.object_with_names(object, group, step) else {
            return;
        };
        let written = Written::of(&step.action);
        let present = on.modifiers.iter().find(|one| one.name == modifier);
        if let Some(group) = group.filter(|_| !known_group && present.is_none() && !written.only_makes())
            && let Some(user) = on.modifiers.iter().find(|one| one.node_group.as_deref() == Some(group))
        {
            self.moves.push(Move {
                step: index,
                object,
                modifier: (modifier, user.name.clone()),
                group: Some((group, group.to_owned())),
                why: Why::RunsIt,
            });
            return;
        }
        if written.ids().next().is_none() {
            return;
        }
        let runs = present.and_then(|one| one.node_group.as_deref());
        let modifier_taken = present.is_some_and(|one| match runs {
            Some(runs) => group.is_some_and(|group| group != runs) && !known_group || self.is_taken(runs, 1),
            None => one.kind != "NODES",
        });
        let group_taken = group.is_some_and(|group| !known_group && runs != Some(group) && self.is_of_somebody(group));
        let meant = runs.filter(|runs| group.is_none_or(|group| group == *runs));
        let renamed = self.objects.iter().find(|made| made.asked == object);
        let known = renamed.and_then(|made| self.document.objects.get_key_value(&made.given));
        let step = Wanted {
            object,
            present: known.map(|(name, _)| name.as_str()),
            modifier,
            written,
        };
        if !(modifier_taken || group_taken || present.is_none() && self.target_of_the_same_plan(on, &step).is_some()) {
            return;
        }
        if let Some((one, tree)) = present.zip(meant)
            && self.is_again(&step, one, tree)
        {
            self.note_done(index, &step, one, tree);
            return;
        }
        let again = self.target_of_the_same_plan(on, &step);
        let written = &step.written;
        let edits = written.sets_inputs || !written.named.is_empty();
        let elsewhere = again.is_some() && !meant.is_some_and(|tree| self.holds(tree, written));
        if edits && !elsewhere {
            return; // a name that fits nothing is the preflight's to refuse
        }
        if let Some((one, tree)) = again {
            self.note_done(index, &step, one, tree);
        }
        let (new_modifier, new_group) = match again {
            Some((modifier, tree)) => (modifier.name.clone(), group.map(|_| tree.to_owned())),
            None => (
                if modifier_taken {
                    free(modifier, |name| on.modifiers.iter().any(|one| one.name == name))
                } else {
                    modifier.to_owned()
                },
                group.map(|group| {
                    if self.exists(group) && !known_group {
                        free(group, |name| self.exists(name))
                    } else {
                        group.to_owned()
                    }
                }),
            ),
        };
        self.moves.push(Move {
            step: index,
            object,
            modifier: (modifier, new_modifier),
            group: group.zip(new_group),
            why: if again.is_some() { Why::Again } else { Why::Taken },
        });
    }

    /// Gives an object that the plan makes the name of the one that it made before, which runs the tree that the step `edits` or what the
    /// same plan left; else, where another has its name, the next free one.
    fn place_object(&mut self, index: usize, object: &'p str, modifier: &'p str, edits: Option<&str>, action: &Action) {
        let taken = |name: &str| {
            let names = self.document.names.get("object");
            self.document.objects.contains_key(name) || names.is_some_and(|names| names.contains(name))
        };
        if !taken(object) {
            return;
        }
        let written = Written::of(action);
        let is_it = |name: &String| {
            let Some((name, on)) = self.document.objects.get_key_value(name) else {
                return false;
            };
            let step = Wanted {
                object,
                present: Some(name),
                modifier,
                written: written.clone(),
            };
            let mut modifiers = on.modifiers.iter();
            let runs_it = edits.is_some() && modifiers.any(|one| one.node_group.as_deref() == edits);
            runs_it || self.target_of_the_same_plan(on, &step).is_some()
        };
        let before = std::iter::once(object.to_owned())
            .chain(numbered_names(object))
            .find(is_it);
        match before {
            Some(name) if name == object => {}
            before => self.objects.push(RenamedObject {
                step: index,
                asked: object,
                again: before.is_some(),
                given: before.unwrap_or_else(|| free(object, taken)),
            }),
        }
    }

    /// Whether there is such a group that no run made, or that has content or users.
    fn is_of_somebody(&self, group: &str) -> bool {
        let is_ours = self.info(group).is_some_and(|info| info.made.is_some());
        self.exists(group) && (!is_ours || self.is_taken(group, 0))
    }

    /// Whether a tree has content, or more users than its `own`.
    fn is_taken(&self, name: &str, own: u32) -> bool {
        let blank = self.document.trees.get(name).is_some_and(is_blank);
        !blank || self.info(name).is_some_and(|info| info.users > own)
    }

    /// Whether the modifier runs what the plan made: all that the plan says stood there when runs left the tree. The run that made it
    /// may change it freely.
    fn is_again(&self, step: &Wanted<'_>, on: &Modifier, tree: &str) -> bool {
        let Some(made) = self.info(tree).and_then(|info| info.made.as_ref()) else {
            return false;
        };
        if !step.written.ids().any(|id| made.nodes.contains(id)) {
            return false;
        }
        if made.this_run {
            return true;
        }
        let left = match &made.left {
            Some(left) => Some(left),
            None => self.document.trees.get(tree).filter(|_| made.as_left),
        };
        left.is_some_and(|left| self.says_the_same(step, on, tree, left).unwrap_or(false))
    }

    /// Whether the plan's steps for a target change nothing of a tree that runs left, nor of the modifier's inputs.
    fn says_the_same(&self, step: &Wanted<'_>, on: &Modifier, name: &str, left: &Tree) -> Option<bool> {
        let object = step.present.unwrap_or(step.object);
        let mut json = serde_json::to_value(self.plan).ok()?;
        let steps = json.get_mut("steps")?.as_array_mut()?;
        let target = |step: &Value, key: &str| {
            let target = step.pointer("/payload/target")?;
            Some(target.get(key)?.as_str()?.to_owned())
        };
        steps.retain(|one| {
            target(one, "object_name").as_deref() == Some(step.object)
                && target(one, "modifier_name").as_deref() == Some(step.modifier)
        });
        for one in steps {
            let to = one.pointer_mut("/payload/target")?.as_object_mut()?;
            to.insert("object_name".to_owned(), Value::from(object));
            to.insert("modifier_name".to_owned(), Value::from(on.name.as_str()));
            if let Some(group) = to.get_mut("node_group_name") {
                *group = Value::from(name);
            }
            restate(one)?;
        }
        let plan: Plan = serde_json::from_value(json).ok()?;
        let mut document = self.document.clone();
        document.trees.insert(name.to_owned(), left.clone());
        let modifiers = &mut document.objects.get_mut(object)?.modifiers;
        let there = modifiers.iter_mut().find(|one| one.name == on.name)?;
        if let Some(inputs) = &on.left {
            there.inputs.clone_from(inputs);
        }
        Some((self.changes_nothing)(&plan, &document, name))
    }

    /// Whether the step names, without making it, a node of this tree.
    fn holds(&self, name: &str, written: &Written) -> bool {
        let nodes = self.document.trees.get(name).into_iter().flat_map(|tree| &tree.nodes);
        nodes.into_iter().any(|node| written.named.contains(&node.id))
    }

    /// The modifier and tree that a plan with these nodes left on the object, whatever the modifier is called now.
    fn target_of_the_same_plan(&self, on: &'p Object, step: &Wanted<'_>) -> Option<(&'p Modifier, &'p str)> {
        let tree_of = |one: &'p Modifier| Some((one, one.node_group.as_deref()?));
        let named = on.modifiers.iter().filter(|one| one.name == step.modifier);
        let renamed = on.modifiers.iter().filter(|one| one.name != step.modifier);
        let mut candidates = named.chain(renamed).filter_map(tree_of);
        candidates.find(|(one, tree)| self.is_again(step, one, tree))
    }

    /// Leaves a target as it is if it was worked on by hand since the same plan made it.
    fn note_done(&mut self, index: usize, step: &Wanted<'p>, one: &'p Modifier, tree: &str) {
        let made = self.info(tree).and_then(|info| info.made.as_ref());
        let turned = one.left.as_ref().is_some_and(|left| *left != one.inputs);
        let edits = step.written.made.is_empty();
        if !edits && made.is_some_and(|made| !made.this_run && (made.left.is_some() || turned)) {
            self.done.push(Done {
                step: index,
                object: step.object,
                modifier: step.modifier,
                present: one.name.as_str(),
            });
        }
    }

    fn info(&self, name: &str) -> Option<&'p TreeInfo> {
        self.document.tree_info.get(name)
    }

    fn exists(&self, name: &str) -> bool {
        self.document.trees.contains_key(name)
            || self
                .document
                .names
                .get("node_group")
                .is_some_and(|names| names.contains(name))
    }
}

/// What a step wants, and where.
struct Wanted<'p> {
    object: &'p str,
    /// What the object is called that is looked at, if not the same.
    present: Option<&'p str>,
    modifier: &'p str,
    written: Written,
}

/// Sets the properties of new nodes by operations of their own too: a node that is there already keeps those it has.
fn restate(step: &mut Value) -> Option<()> {
    let payload = step.get_mut("payload")?.as_object_mut()?;
    let list = if payload.contains_key("operations") {
        "operations"
    } else {
        "ops"
    };
    let operations = payload.get_mut(list)?.as_array_mut()?;
    let mut all = Vec::with_capacity(operations.len());
    for operation in operations.drain(..) {
        let id = operation.get("node_id").or_else(|| operation.get("id")).cloned();
        let properties = operation.get("properties").and_then(Value::as_object).cloned();
        all.push(operation);
        for (name, value) in properties.into_iter().flatten() {
            all.push(json!({"op": "set_property", "node_id": id, "property": name, "value": value}));
        }
    }
    *operations = all;
    Some(())
}

/// What the operations of a step make, and whether they name what is there.
#[derive(Clone)]
struct Written {
    made: BTreeSet<String>,
    /// Nodes that they do not make.
    named: BTreeSet<String>,
    /// They set inputs of the modifier that they do not make.
    sets_inputs: bool,
}

impl Written {
    fn of(action: &Action) -> Self {
        let mut made = BTreeSet::new();
        let mut named: Vec<&str> = Vec::new();
        let (mut sockets, mut inputs) = (HashSet::new(), Vec::new());
        for mention in mentions(action) {
            match mention {
                Mention::NewNode(id) => drop(made.insert(id.to_owned())),
                Mention::NewZone(id) => made.extend(["", ".in", ".out"].map(|end| format!("{id}{end}"))),
                Mention::Node(id) | Mention::Zone(id) => named.push(id),
                Mention::Socket(name) => drop(sockets.insert(name)),
                Mention::ModifierInput(input) => inputs.push(input),
                Mention::NodeGroup(_) | Mention::UnusedNodes => {}
            }
        }
        let known = |id: &str| matches!(id, "group_input" | "group_output") || made.contains(id);
        let named = named.into_iter().filter(|id| !known(id)).map(str::to_owned).collect();
        let sets_inputs = inputs.iter().any(|input| !sockets.contains(input));
        Self {
            made,
            named,
            sets_inputs,
        }
    }

    /// Whether they make something new and name nothing that is there.
    fn only_makes(&self) -> bool {
        !self.made.is_empty() && self.named.is_empty() && !self.sets_inputs
    }

    /// All nodes that they speak of.
    fn ids(&self) -> impl Iterator<Item = &String> {
        self.made.iter().chain(&self.named)
    }
}
