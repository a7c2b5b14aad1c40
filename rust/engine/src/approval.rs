//! What of a compiled plan needs the artist's word: what the plan says so itself, what destroys work, and what costs too much.

use geonode_graph::cost::Risk;
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
    risk: Option<&Risk>,
) -> Option<Value> {
    let dear = risk.map(|risk| dear_step(compiled, risk));
    let mut reasons = Vec::new();
    let mut steps = Vec::new();
    for (at, (step, delta)) in plan.steps.iter().zip(&compiled.steps).enumerate() {
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
        let own = destroys(delta, document, settings.destructive_nodes)
            .or_else(by_plan)
            .or_else(by_type);
        let cost = risk
            .filter(|_| dear == Some(at))
            .map(|risk| format!("{} {}", risk.cause, risk.fix));
        let reason = [own, cost].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let reason = (!reason.is_empty()).then_some(reason);
        if let Some(reason) = &reason {
            reasons.push(format!("Step \"{}\": {reason}", step.id));
        }
        steps.push(json!({
            "step_id": step.id,
            "action_type": kind,
            "description": step.description,
            "reason": reason,
        }));
    }
    let reason = (!reasons.is_empty()).then(|| reasons.join(" "))?;
    Some(json!({"reason": reason, "steps": steps, "diff": compiled.diff}))
}

/// The step that is asked about for its cost: the last one that writes the dear tree, else the last of all.
fn dear_step(compiled: &Compiled, risk: &Risk) -> usize {
    let writes = |delta: &StepDelta| {
        delta.trees.iter().any(|tree| tree.tree == risk.tree)
            || delta.modifier_inputs.iter().any(|input| input.object == risk.object)
    };
    let last = compiled.steps.len().saturating_sub(1);
    compiled.steps.iter().rposition(writes).unwrap_or(last)
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
