//! What a plan that states a result anew changes of it: the difference to what runs left, so that what was done by hand since stays.

use geonode_protocol::{Action, Code, Finding, Plan};
use serde_json::{Map, Value};

use crate::catalogue::Catalogue;
use crate::compile::compile_in_place;
use crate::documents::Document;
use crate::ir::{Item, Side, Tree};

/// Fields by which `set_group_io` finds its socket; the others are what it changes.
const FINDING: [&str; 4] = ["op", "direction", "name", "socket_type"];

/// What a plan that states a result anew changes of it.
#[derive(Debug)]
pub struct Difference {
    /// The plan without what was said already.
    pub plan: Plan,
    /// What the artist is told: values that stay unset, since their inputs were removed by hand.
    pub remarks: Vec<Finding>,
}

/// The plan without the operations that the trees of its targets already said when runs left them. Inputs that were renamed by hand
/// since are called by their new names; those that were removed stay removed where the tree was made for the same prompt, whose digest
/// is `words`. None if no step is about a tree that runs left.
pub fn difference(plan: &Plan, document: &Document, catalogue: &Catalogue, words: &str) -> Option<Difference> {
    let mut json = serde_json::to_value(plan).ok()?;
    let mut found = false;
    let mut remarks = Vec::new();
    for (index, step) in plan.steps.iter().enumerate() {
        let (target, edits) = match &step.action {
            Action::NodeTree(payload) => (
                (
                    payload.target.object_name.as_str(),
                    payload.target.modifier_name.as_str(),
                ),
                true,
            ),
            Action::GnOps(payload) => (
                (
                    payload.target.object_name.as_str(),
                    payload.target.modifier_name.as_str(),
                ),
                false,
            ),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => continue,
        };
        let Some(since) = Since::of(target, document) else {
            continue;
        };
        found = true;
        let place = json.pointer_mut(&format!(
            "/steps/{index}/payload/{}",
            if edits { "operations" } else { "ops" }
        ));
        let Some(operations) = place.and_then(Value::as_array_mut) else {
            continue;
        };
        if edits {
            let said = Said {
                plan: &one_step(plan, index)?,
                shadow: &since.as_left(document),
                tree: since.name,
                catalogue,
            };
            operations.retain_mut(|operation| {
                !said.holds(operation) && !since.is_removed(operation) && said.reduce(operation)
            });
        }
        if since.by == words {
            operations.retain(|operation| match since.removed_input(operation) {
                Some(name) => {
                    let message = format!(
                        "The input “{name}” of “{}” was removed by hand and stays removed.",
                        since.name
                    );
                    let path = format!("/steps/{index}/payload");
                    remarks.push(Finding::info(Code::UnknownInput, path, message));
                    false
                }
                None => true,
            });
        }
        for operation in operations {
            since.rename(operation);
        }
    }
    if !found {
        return None;
    }
    let plan = serde_json::from_value(json).ok()?;
    Some(Difference { plan, remarks })
}

/// A tree that runs left, and what it is now.
struct Since<'d> {
    name: &'d str,
    left: &'d Tree,
    now: &'d Tree,
    /// Digest of the prompt that it was made for.
    by: &'d str,
}

impl<'d> Since<'d> {
    fn of((object, modifier): (&str, &str), document: &'d Document) -> Option<Self> {
        let modifiers = &document.objects.get(object)?.modifiers;
        let name = modifiers
            .iter()
            .find(|one| one.name == modifier)?
            .node_group
            .as_deref()?;
        let made = document.tree_info.get(name)?.made.as_ref()?;
        let now = document.trees.get(name)?;
        let left = match &made.left {
            _ if made.this_run => return None,
            Some(left) => left,
            None if made.as_left => now,
            None => return None,
        };
        Some(Self {
            name,
            left,
            now,
            by: &made.by,
        })
    }

    /// The state before the work by hand.
    fn as_left(&self, document: &Document) -> Document {
        let mut document = document.clone();
        document.trees.insert(self.name.to_owned(), self.left.clone());
        document
    }

    /// The present name of an input or output that had this name.
    fn name_of(&self, name: &str, side: Side) -> Option<&'d str> {
        let known = |item: &&Item| item.is_socket(side) && item.name == name;
        let then = self.left.interface.iter().find(known)?;
        let is_it = |item: &&Item| item.identifier == then.identifier;
        Some(self.now.interface.iter().find(is_it)?.name.as_str())
    }

    /// Whether the operation is about an input or output that was removed by hand; setting its value then says that it is missing.
    fn is_removed(&self, operation: &Value) -> bool {
        let text = |key: &str| operation.get(key).and_then(Value::as_str);
        let side = if text("direction") == Some("output") {
            Side::Output
        } else {
            Side::Input
        };
        let known = |tree: &Tree, name: &str| {
            tree.interface
                .iter()
                .any(|item| item.is_socket(side) && item.name == name)
        };
        text("op") == Some("set_group_io")
            && text("name").is_some_and(|name| known(self.left, name) && self.name_of(name, side).is_none())
    }

    /// The input of the modifier that the operation sets, if it was removed by hand.
    fn removed_input<'o>(&self, operation: &'o Value) -> Option<&'o str> {
        let text = |key: &str| operation.get(key).and_then(Value::as_str);
        let name = text("name").filter(|_| text("op") == Some("set_modifier_input"))?;
        let known = |tree: &Tree| {
            tree.interface
                .iter()
                .any(|item| item.is_socket(Side::Input) && item.name == name)
        };
        (known(self.left) && !known(self.now) && self.name_of(name, Side::Input).is_none()).then_some(name)
    }

    /// Names the inputs and outputs of the tree as they are called now.
    fn rename(&self, operation: &mut Value) {
        let Some(fields) = operation.as_object_mut() else {
            return;
        };
        let text = |fields: &Map<String, Value>, key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        let side = match (text(fields, "op").as_deref(), text(fields, "direction").as_deref()) {
            (Some("set_group_io"), Some("output")) => Some(Side::Output),
            (Some("set_group_io" | "set_modifier_input"), _) => Some(Side::Input),
            _ => None,
        };
        if let (Some(side), Some(name)) = (side, text(fields, "name"))
            && let Some(new) = self.name_of(&name, side)
        {
            fields.insert("name".to_owned(), Value::from(new));
        }
        for end in ["from", "to"] {
            let Some(end) = fields.get_mut(end).and_then(Value::as_object_mut) else {
                continue;
            };
            let side = match text(end, "node_id").as_deref() {
                Some("group_input") => Side::Input,
                Some("group_output") => Side::Output,
                _ => continue,
            };
            if let Some(new) = text(end, "socket").and_then(|name| self.name_of(&name, side)) {
                end.insert("socket".to_owned(), Value::from(new));
            }
        }
    }
}

/// A plan with one of the steps only.
fn one_step(plan: &Plan, index: usize) -> Option<Value> {
    let mut json = serde_json::to_value(plan).ok()?;
    let steps = json.get_mut("steps")?.as_array_mut()?;
    let step = steps.get(index)?.clone();
    *steps = vec![step];
    Some(json)
}

/// What a tree already said when runs left it.
struct Said<'s> {
    plan: &'s Value,
    shadow: &'s Document,
    tree: &'s str,
    catalogue: &'s Catalogue,
}

impl Said<'_> {
    /// Whether the operation would have changed nothing.
    fn holds(&self, operation: &Value) -> bool {
        let mut plan = self.plan.clone();
        let Some(place) = plan.pointer_mut("/steps/0/payload/operations") else {
            return false;
        };
        *place = Value::Array(vec![operation.clone()]);
        let Ok(plan) = serde_json::from_value::<Plan>(plan) else {
            return false;
        };
        let compiled = compile_in_place(&plan, self.shadow, self.catalogue);
        compiled.ok() && !compiled.changes(self.shadow, self.tree, self.catalogue)
    }

    /// Leaves only the fields of an input or output that it would have changed; always true.
    fn reduce(&self, operation: &mut Value) -> bool {
        let Some(fields) = operation.as_object_mut() else {
            return true;
        };
        if fields.get("op").and_then(Value::as_str) != Some("set_group_io") {
            return true;
        }
        let (finding, changing): (Map<String, Value>, Map<String, Value>) = std::mem::take(fields)
            .into_iter()
            .partition(|(key, _)| FINDING.contains(&key.as_str()));
        if !self.holds(&Value::Object(finding.clone())) {
            // It makes the socket.
            *fields = finding.into_iter().chain(changing).collect();
            return true;
        }
        fields.extend(finding.clone());
        for (key, value) in changing {
            let mut alone = finding.clone();
            alone.insert(key.clone(), value.clone());
            if !self.holds(&Value::Object(alone)) {
                fields.insert(key, value);
            }
        }
        true
    }
}
