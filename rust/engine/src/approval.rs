//! What of a compiled plan needs the artist's word: what the plan says so itself, and what destroys work.

use geonode_graph::{Compiled, Document, StepDelta};
use geonode_protocol::{Extensions, Plan};
use serde_json::{Value, json};

use crate::settings::Settings;

/// The request that the artist is shown, or none when nothing needs approval.
pub(crate) fn request(
    plan: &Plan,
    compiled: &Compiled,
    document: &Document,
    settings: &Settings,
    extensions: &Extensions,
) -> Option<Value> {
    let mut first = None;
    let mut steps = Vec::new();
    for (step, delta) in plan.steps.iter().zip(&compiled.steps) {
        let kind = step.action.type_name();
        let by_plan = || {
            step.requires_approval
                .then(|| "The plan itself asks for approval of this step.".to_owned())
        };
        let by_type = || {
            extensions
                .requires_approval(kind)
                .then(|| format!("Steps of the type {kind} ask each time."))
        };
        let reason = destroys(delta, document, settings.destructive_nodes)
            .or_else(by_plan)
            .or_else(by_type);
        if let Some(reason) = &reason
            && first.is_none()
        {
            first = Some(format!("Step \"{}\": {reason}", step.id));
        }
        steps.push(json!({
            "step_id": step.id,
            "action_type": kind,
            "description": step.description,
            "reason": reason,
        }));
    }
    first.map(|reason| json!({"reason": reason, "steps": steps, "diff": compiled.diff}))
}

/// Why the step is destructive, if it is.
fn destroys(delta: &StepDelta, document: &Document, limit: u64) -> Option<String> {
    for tree in &delta.trees {
        let Some(before) = document.trees.get(&tree.tree) else {
            continue;
        };
        let removed = tree
            .remove
            .iter()
            .filter(|id| before.nodes.iter().any(|node| &&node.id == id))
            .count();
        if u64::try_from(removed).unwrap_or(u64::MAX) >= limit {
            return Some(format!(
                "It removes {removed} of {} nodes of \"{}\".",
                before.nodes.len(),
                tree.tree
            ));
        }
    }
    let copied = |name: &str| {
        delta
            .trees
            .iter()
            .any(|tree| tree.tree == name && tree.copy_of.is_some())
    };
    // A modifier that gets its own copy of what it runs loses nothing.
    let replaced = delta
        .modifiers
        .iter()
        .filter(|edit| !edit.create && !copied(&edit.node_group));
    for edit in replaced {
        let modifiers = document
            .objects
            .get(&edit.object)
            .map(|object| object.modifiers.as_slice())
            .unwrap_or_default();
        let runs = modifiers
            .iter()
            .find(|m| m.name == edit.name)
            .and_then(|m| m.node_group.as_deref());
        if let Some(runs) = runs
            && runs != edit.node_group
        {
            return Some(format!(
                "It replaces the tree \"{runs}\" on the modifier \"{}\" of \"{}\" by \"{}\".",
                edit.name, edit.object, edit.node_group
            ));
        }
    }
    None
}
