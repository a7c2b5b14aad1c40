//! Where a plan lands: what it makes anew never goes into what is there already, whatever that is called.
//!
//! A step that names nodes of its target edits it. A step that only makes nodes makes something new: where the name of its modifier or
//! node group is taken, it gets the next free one. The same plan again finds what it left by its nodes.

use std::collections::{BTreeSet, HashSet};

use geonode_protocol::{Action, Code, Finding, Plan, Step};
use serde_json::Value;

use crate::documents::{Document, Modifier, Object, TreeInfo};
use crate::ir::MAX_NAME;
use crate::ops::{Mention, mentions};
use crate::sink::{Repair, Sink, escape};
use crate::sockets::{GROUP_INPUT, GROUP_OUTPUT};

/// The plan with the names under which it lands; none when they are those that it gives.
pub(crate) fn land(plan: &Plan, document: &Document, sink: &mut Sink) -> Option<Plan> {
    let mut landing = Landing {
        document,
        decided: HashSet::new(),
        groups: HashSet::new(),
        moves: Vec::new(),
    };
    for (index, step) in plan.steps.iter().enumerate() {
        landing.decide(index, step);
    }
    if landing.moves.is_empty() {
        return None;
    }
    let mut json = serde_json::to_value(plan).ok()?;
    for moved in &landing.moves {
        let path = format!("/steps/{}/payload/target/modifier_name", moved.step);
        sink.push(Finding::info(Code::NameTaken, path, moved.to_string()));
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
    serde_json::from_value(json).ok()
}

/// A target that lands under other names.
struct Move<'p> {
    step: usize,
    object: &'p str,
    modifier: (&'p str, String),
    group: Option<(&'p str, String)>,
    /// A run of the same plan left it.
    again: bool,
}

impl std::fmt::Display for Move<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (asked, given) = &self.modifier;
        if self.again {
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
    fn rename(&self, value: &mut Value, path: &str, sink: &mut Sink) {
        match value {
            Value::Array(list) => {
                for (at, part) in list.iter_mut().enumerate() {
                    self.rename(part, &format!("{path}/{at}"), sink);
                }
            }
            Value::Object(fields) => {
                let is = |key: &str, text: &str| fields.get(key).and_then(Value::as_str) == Some(text);
                let here = is("object_name", self.object) && is("modifier_name", self.modifier.0);
                for (key, part) in fields.iter_mut() {
                    let at = format!("{path}/{}", escape(key));
                    let group = self.group.as_ref().filter(|(asked, _)| part.as_str() == Some(asked));
                    let new = match (key.as_str(), group) {
                        ("modifier_name", _) if here => Some(&self.modifier.1),
                        ("node_group_name" | "node_group", Some((_, given))) => Some(given),
                        _ => None,
                    };
                    match new {
                        Some(new) if part.as_str() == Some(new) => {}
                        Some(new) => {
                            *part = Value::from(new.as_str());
                            sink.repairs.push(Repair {
                                path: at,
                                value: part.clone(),
                            });
                        }
                        None => self.rename(part, &at, sink),
                    }
                }
            }
            _ => {}
        }
    }
}

struct Landing<'p> {
    document: &'p Document,
    /// Targets of the steps so far, as object and modifier.
    decided: HashSet<(&'p str, &'p str)>,
    /// Node groups that the steps so far make or edit.
    groups: HashSet<&'p str>,
    moves: Vec<Move<'p>>,
}

impl<'p> Landing<'p> {
    fn decide(&mut self, index: usize, step: &'p Step) {
        let (object, modifier, group, may_create, single_user) = match &step.action {
            Action::NodeTree(payload) => (
                payload.target.object_name.as_str(),
                payload.target.modifier_name.as_str(),
                Some(payload.target.node_group_name.as_str()),
                true,
                payload.single_user,
            ),
            Action::GnOps(payload) => (
                payload.target.object_name.as_str(),
                payload.target.modifier_name.as_str(),
                None,
                payload.may_create_modifier(),
                payload.single_user,
            ),
            Action::Python(_) | Action::Added(_) => return,
        };
        let known_group = group.is_some_and(|group| !self.groups.insert(group));
        if !self.decided.insert((object, modifier)) || single_user || !may_create {
            return;
        }
        let Some(on) = self.document.objects.get(object) else {
            return;
        };
        let written = Written::of(&step.action);
        if written.ids().next().is_none() {
            return;
        }
        let present = on.modifiers.iter().find(|one| one.name == modifier);
        let runs = present.and_then(|one| one.node_group.as_deref());
        let modifier_taken = present.is_some_and(|one| match runs {
            Some(runs) => group.is_some_and(|group| group != runs) && !known_group || self.is_taken(runs, 1),
            None => one.kind != "NODES",
        });
        let group_taken = group
            .is_some_and(|group| !known_group && runs != Some(group) && self.exists(group) && self.is_taken(group, 0));
        let meant = runs.filter(|runs| group.is_none_or(|group| group == *runs));
        if !(modifier_taken || group_taken) || meant.is_some_and(|tree| self.is_again(tree, &written)) {
            return;
        }
        let again = self.target_of_the_same_plan(on, modifier, &written);
        let edits = written.sets_inputs || !written.named.is_empty();
        let elsewhere = again.is_some() && !meant.is_some_and(|tree| self.holds(tree, &written));
        if edits && !elsewhere {
            return; // a name that fits nothing is the preflight's to refuse
        }
        let (new_modifier, new_group) = match again {
            Some((modifier, tree)) => (modifier.to_owned(), group.map(|_| tree.to_owned())),
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
            again: again.is_some(),
        });
    }

    /// Whether a tree has content, or more users than its `own`.
    fn is_taken(&self, name: &str, own: u32) -> bool {
        let ends = |kind: &str| matches!(kind, GROUP_INPUT | GROUP_OUTPUT);
        let blank = self
            .document
            .trees
            .get(name)
            .is_some_and(|tree| tree.nodes.iter().all(|node| ends(&node.kind)));
        !blank || self.info(name).is_some_and(|info| info.users > own)
    }

    /// Whether the step makes what runs made in this tree already.
    fn is_again(&self, name: &str, written: &Written) -> bool {
        let made = self.info(name).and_then(|info| info.made.as_ref());
        made.is_some_and(|made| written.ids().any(|id| made.nodes.contains(id)))
    }

    /// Whether the step names, without making it, a node of this tree.
    fn holds(&self, name: &str, written: &Written) -> bool {
        let nodes = self.document.trees.get(name).into_iter().flat_map(|tree| &tree.nodes);
        nodes.into_iter().any(|node| written.named.contains(&node.id))
    }

    /// The modifier and tree that a plan with these nodes left on the object when its name was taken.
    fn target_of_the_same_plan<'d>(
        &'d self,
        on: &'d Object,
        modifier: &str,
        written: &Written,
    ) -> Option<(&'d str, &'d str)> {
        let numbered = |name: &str| {
            let number = name.strip_prefix(modifier).and_then(|rest| rest.strip_prefix('.'));
            number.is_some_and(|digits| digits.len() >= 3 && digits.bytes().all(|digit| digit.is_ascii_digit()))
        };
        let tree_of = |one: &'d Modifier| Some((one.name.as_str(), one.node_group.as_deref()?));
        let mut candidates = on
            .modifiers
            .iter()
            .filter(|one| one.name == modifier || numbered(&one.name))
            .filter_map(tree_of);
        candidates.find(|(_, tree)| self.is_again(tree, written))
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

/// What the operations of a step make, and whether they name what is there.
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
                Mention::Node(id) => named.push(id),
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

    /// All nodes that they speak of.
    fn ids(&self) -> impl Iterator<Item = &String> {
        self.made.iter().chain(&self.named)
    }
}

/// The next numbered name that is free, as Blender would number it.
fn free(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut stem = wanted;
    while stem.len() + 4 > MAX_NAME {
        let Some((at, _)) = stem.char_indices().next_back() else {
            break;
        };
        stem = stem.get(..at).unwrap_or_default();
    }
    (1..10_000)
        .map(|n| format!("{stem}.{n:03}"))
        .find(|name| !taken(name))
        .unwrap_or_else(|| wanted.to_owned())
}
