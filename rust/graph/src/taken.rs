//! IDs of a plan's new nodes that nodes of the artist's have.
//!
//! A node that an operation adds is the present one of that ID only if runs made that one, or an earlier operation of the plan names it
//! as existing. Otherwise the artist's node stays as it is, the new one gets the next free ID, and what the plan says of the ID from
//! then on means the new one.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use geonode_protocol::{Action, Code, Finding, GnOp, NodeTreeOp, Plan, Step};
use serde_json::Value;

use crate::documents::Document;
use crate::edited::Edited;
use crate::ir::Tree;
use crate::numbering::free;
use crate::ops::{Mention, grouping, mentions, operations_of};
use crate::sink::{Repair, Sink};
use crate::sockets::{FRAME, GROUP, group_tree};

/// Fields of an operation that contain a node ID.
const FIELDS: [&str; 4] = ["node_id", "id", "from_node", "to_node"];

/// The plan with the IDs that its new nodes get; none when they are those that it gives.
///
/// Steps with an index in `exact` chose their IDs by what is there.
pub(crate) fn give_free_ids(
    plan: &Plan,
    document: &Document,
    exact: &BTreeSet<usize>,
    sink: &mut Sink,
) -> Option<Plan> {
    if document.trees.is_empty() {
        return None;
    }
    let mut ids = Ids::new(plan, document);
    for (index, step) in plan.steps.iter().enumerate() {
        ids.read(index, step, exact.contains(&index));
    }
    if ids.given.is_empty() {
        return None;
    }
    let mut json = serde_json::to_value(plan).ok()?;
    let steps = json.get_mut("steps").and_then(Value::as_array_mut)?;
    let mut now: HashMap<&str, HashMap<String, String>> = HashMap::new();
    for (index, step) in steps.iter_mut().enumerate() {
        let Some(tree) = ids.trees.get(index).copied().flatten() else {
            continue;
        };
        let Some((list, operations)) = operations_in(step) else {
            continue;
        };
        for (at, operation) in operations.iter_mut().enumerate() {
            let path = format!("/steps/{index}/payload/{list}/{at}");
            for given in ids.given.iter().filter(|given| (given.step, given.op) == (index, at)) {
                sink.push(Finding::info(Code::NameTaken, path.clone(), given.to_string()));
                let known = now.entry(given.tree).or_default();
                known.insert(given.old.to_owned(), given.new.clone());
                for end in given.ends {
                    known.insert(format!("{}{end}", given.old), format!("{}{end}", given.new));
                }
            }
            if let Some(known) = now.get(tree) {
                rename(operation, known, &path, sink);
            }
        }
    }
    serde_json::from_value(json).ok()
}

/// A new node's ID that is not the one that the plan gives.
struct Given<'p> {
    step: usize,
    op: usize,
    tree: &'p str,
    old: &'p str,
    new: String,
    /// Endings of the IDs of the nodes that are made.
    ends: &'static [&'static str],
}

impl std::fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tree, old, new, .. } = self;
        write!(
            f,
            "“{tree}” already has a node “{old}”, which stays as it is; the new one is “{new}”"
        )
    }
}

struct Ids<'p> {
    document: &'p Document,
    /// The tree whose nodes each step works on, as it is called before the plan.
    trees: Vec<Option<&'p str>>,
    edited: Edited<'p>,
    /// IDs by tree that the operations so far name as existing.
    named: HashSet<(&'p str, &'p str)>,
    /// All IDs in the plan; none of them is free.
    mentioned: HashSet<&'p str>,
    /// Type by ID of the nodes of each tree.
    kinds: HashMap<&'p str, HashMap<&'p str, &'p str>>,
    given: Vec<Given<'p>>,
}

impl<'p> Ids<'p> {
    fn new(plan: &'p Plan, document: &'p Document) -> Self {
        let mentioned = plan
            .steps
            .iter()
            .flat_map(|step| mentions(&step.action))
            .filter_map(|mention| match mention {
                Mention::NewNode(id) | Mention::NewZone(id) | Mention::Node(id) | Mention::Zone(id) => Some(id),
                Mention::Socket(_) | Mention::ModifierInput(_) | Mention::NodeGroup(_) | Mention::UnusedNodes => None,
            })
            .collect();
        Self {
            document,
            trees: Vec::new(),
            edited: Edited::new(document),
            named: HashSet::new(),
            mentioned,
            kinds: HashMap::new(),
            given: Vec::new(),
        }
    }

    fn read(&mut self, index: usize, step: &'p Step, is_exact: bool) {
        let tree = self.edited.tree_of(step);
        self.trees.push(tree);
        let Some(tree) = tree.filter(|_| !is_exact) else {
            return;
        };
        let Some(content) = self.document.trees.get(tree) else {
            return;
        };
        self.kinds.entry(tree).or_insert_with(|| {
            let nodes = content.nodes.iter();
            nodes.map(|node| (node.id.as_str(), node.kind.as_str())).collect()
        });
        for (at, operation) in operations_of(&step.action).enumerate() {
            // A group node whose ID is that of another node is a new one too.
            if let Some(grouped) = grouping(&step.action, at).filter(|grouped| !grouped.node_ids.contains(&grouped.id))
                && let Some(stands) = content.nodes.iter().find(|node| node.id == grouped.id)
                && group_tree(stands) != Some(&grouped.node_group_name)
            {
                self.make(index, at, tree, &grouped.id, &[""], Some(GROUP));
            }
            // Whoever takes nodes out of a frame means the one that they lie in.
            if let Some(frame) = opened_frame(&step.action, at, content) {
                self.named.insert((tree, frame));
            }
            for mention in operation.mentions() {
                match mention {
                    Mention::Node(id) | Mention::Zone(id) => drop(self.named.insert((tree, id))),
                    Mention::NewNode(id) if !matches!(id, "group_input" | "group_output") => {
                        self.make(index, at, tree, id, &[""], kind_of(&step.action, at));
                    }
                    Mention::NewZone(id) => self.make(index, at, tree, id, &[".in", ".out"], None),
                    Mention::NewNode(_)
                    | Mention::Socket(_)
                    | Mention::ModifierInput(_)
                    | Mention::NodeGroup(_)
                    | Mention::UnusedNodes => {}
                }
            }
        }
    }

    /// Gives a new node another ID if the artist's has this one.
    fn make(
        &mut self,
        step: usize,
        op: usize,
        tree: &'p str,
        id: &'p str,
        ends: &'static [&'static str],
        kind: Option<&str>,
    ) {
        let Some(kinds) = self.kinds.get(tree) else { return };
        let made = self.document.tree_info.get(tree).and_then(|info| info.made.as_ref());
        let full = |stem: &str, end: &str| format!("{stem}{end}");
        let theirs = |stem: &str| {
            ends.iter().any(|end| {
                let id = full(stem, end);
                kinds.contains_key(id.as_str()) && !made.is_some_and(|made| made.owns(&id))
            })
        };
        let is_named = |id: &str| self.named.contains(&(tree, id));
        let named = is_named(id) || ends.iter().any(|end| is_named(&full(id, end)));
        let known = self.given.iter().any(|given| given.tree == tree && given.old == id);
        if named || known || !theirs(id) {
            return;
        }
        // The same plan again finds the node that it left under this ID.
        let again = |stem: &str| {
            ends.iter().all(|end| {
                let found = kinds.get(full(stem, end).as_str());
                found.is_some_and(|found| kind.is_none_or(|kind| kind == *found))
            })
        };
        let new = free(id, |name| {
            let empty = ends.iter().all(|end| !kinds.contains_key(full(name, end).as_str()));
            self.mentioned.contains(name) || !(empty || !theirs(name) && again(name))
        });
        self.given.push(Given {
            step,
            op,
            tree,
            old: id,
            new,
            ends,
        });
    }
}

/// The frame of the tree that an operation takes nodes out of.
fn opened_frame<'p>(action: &'p Action, at: usize, tree: &Tree) -> Option<&'p str> {
    let Action::GnOps(payload) = action else { return None };
    let GnOp::AddFrame(op) = payload.ops.get(at)? else {
        return None;
    };
    let mut inside = tree.nodes.iter().filter(|node| node.parent.as_ref() == Some(&op.id));
    inside
        .any(|node| op.remove_node_ids.contains(&node.id))
        .then_some(&op.id)
}

/// The type of the node that an operation makes.
fn kind_of(action: &Action, at: usize) -> Option<&str> {
    match action {
        Action::NodeTree(payload) => match payload.operations.get(at)? {
            NodeTreeOp::CreateNode(op) => Some(&op.bl_idname),
            NodeTreeOp::AddGroup(_) | NodeTreeOp::GroupNodes(_) => Some(GROUP),
            _ => None,
        },
        Action::GnOps(payload) => match payload.ops.get(at)? {
            GnOp::AddNode(op) => Some(&op.bl_idname),
            GnOp::AddGroup(_) | GnOp::GroupNodes(_) => Some(GROUP),
            GnOp::AddFrame(_) => Some(FRAME),
            _ => None,
        },
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => None,
    }
}

/// The operations of a step, with the name of the field.
fn operations_in(step: &mut Value) -> Option<(&'static str, &mut Vec<Value>)> {
    let payload = step.get_mut("payload")?.as_object_mut()?;
    let list = if payload.contains_key("operations") {
        "operations"
    } else {
        "ops"
    };
    Some((list, payload.get_mut(list)?.as_array_mut()?))
}

/// Replaces the IDs in an operation.
fn rename(operation: &mut Value, known: &HashMap<String, String>, path: &str, sink: &mut Sink) {
    let Some(fields) = operation.as_object_mut() else {
        return;
    };
    let mut replace = |place: &mut Value, path: String| {
        if let Some(new) = place.as_str().and_then(|old| known.get(old)) {
            *place = Value::from(new.as_str());
            sink.repairs.push(Repair {
                path,
                value: place.clone(),
            });
        }
    };
    for field in FIELDS {
        if let Some(place) = fields.get_mut(field) {
            replace(place, format!("{path}/{field}"));
        }
    }
    let ends = fields.get_mut("from").and_then(Value::as_array_mut);
    for (at, end) in ends.into_iter().flatten().enumerate() {
        if let Some(place) = end.get_mut("node_id") {
            replace(place, format!("{path}/from/{at}/node_id"));
        }
    }
    for end in ["from", "to"] {
        if let Some(place) = fields.get_mut(end).and_then(|end| end.get_mut("node_id")) {
            replace(place, format!("{path}/{end}/node_id"));
        }
    }
    for list in ["node_ids", "remove_node_ids"] {
        let members = fields.get_mut(list).and_then(Value::as_array_mut);
        for (at, place) in members.into_iter().flatten().enumerate() {
            replace(place, format!("{path}/{list}/{at}"));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

    use geonode_protocol::{Limits, parse_plan_value};
    use geonode_testing::samples::every_operation;

    use super::*;

    /// Pointers to all strings in a value.
    fn strings(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::String(_) => found.push(path.to_owned()),
            Value::Array(all) => {
                for (at, each) in all.iter().enumerate() {
                    strings(each, &format!("{path}/{at}"), found);
                }
            }
            Value::Object(all) => {
                for (name, each) in all {
                    strings(each, &format!("{path}/{name}"), found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether an operation of the only step with operations mentions a node of this ID.
    fn mentions(step: &Value, id: &str) -> Option<bool> {
        let plan = serde_json::json!({"version": "1.2", "steps": [step], "done": true, "final_message": ""});
        let plan = parse_plan_value(&plan, &Limits::default()).plan?;
        let found = crate::ops::mentions(&plan.steps.first()?.action).any(|mention| {
            matches!(mention, Mention::NewNode(name) | Mention::NewZone(name) | Mention::Node(name) | Mention::Zone(name) if name == id)
        });
        Some(found)
    }

    #[test]
    fn every_field_with_a_node_id_is_renamed() {
        let known = HashMap::from_iter([("x_old".to_owned(), "x_new".to_owned())]);
        let mut renamed = 0;
        for step in every_operation()["steps"].as_array().unwrap() {
            let (list, operations) = {
                let payload = &step["payload"];
                let list = if payload.get("ops").is_some() {
                    "ops"
                } else {
                    "operations"
                };
                (list, payload[list].as_array().unwrap())
            };
            for operation in operations {
                let mut fields = Vec::new();
                strings(operation, "", &mut fields);
                for field in fields {
                    let mut one = step.clone();
                    let mut marked = operation.clone();
                    *marked.pointer_mut(&field).unwrap() = Value::from("x_old");
                    one["payload"][list] = Value::from(vec![marked.clone()]);
                    if mentions(&one, "x_old") != Some(true) {
                        continue;
                    }
                    rename(&mut marked, &known, "", &mut Sink::default());
                    assert_eq!(marked.pointer(&field).unwrap(), "x_new", "{field} of {operation}");
                    renamed += 1;
                }
            }
        }
        assert!(renamed > 20, "only {renamed} fields hold a node's ID");
    }
}
