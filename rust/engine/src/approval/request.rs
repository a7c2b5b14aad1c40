//! The parts of a compiled plan that need approval: steps for which the plan asks, destructive steps, steps that cost too much, and
//! every plan if the artist wants to see each one first.

use geonode_cost::Risk;
use geonode_graph::{Catalogue, Compiled, Document, StepDelta, Topic, operations};
use geonode_protocol::{Action, Extensions, Plan, PythonMode, Step};
use geonode_run::{ApprovalRequest, AskedDryRun, AskedOperation, AskedStep, AskedTopic};

use crate::approval::choice::{operation_id, step_id};
use crate::approval::script;
use crate::approval::summary::summary;
use crate::settings::Settings;

/// The data for a request.
pub(crate) struct Subject<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) document: &'a Document,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) settings: &'a Settings,
    pub(crate) extensions: &'a Extensions,
    /// Version of Blender.
    pub(crate) blender: &'a str,
    /// Whether every plan is shown, even if it needs no approval.
    pub(crate) preview: bool,
    /// Nobody reads the request.
    pub(crate) unattended: bool,
}

/// The request for the artist, or `None` when nothing needs approval.
pub(crate) fn request(subject: &Subject<'_>, compiled: &Compiled, risk: Option<&Risk>) -> Option<ApprovalRequest> {
    let dear = risk.map(|risk| expensive_step(compiled, risk));
    let mut reasons = Vec::new();
    let mut steps = Vec::new();
    for (at, (step, delta)) in subject.plan.steps.iter().zip(&compiled.steps).enumerate() {
        let destroyed = destructive_reason(delta, subject.document, subject.settings.destructive_nodes);
        let script = match &step.action {
            Action::Python(script) => Some(script::describe(script, subject.blender)),
            Action::NodeTree(_) | Action::TreeText(_) | Action::GnOps(_) | Action::Added(_) => None,
        };
        let destructive = destroyed.is_some() || script.as_ref().is_some_and(|script| script.destructive);
        let runs = script.as_ref().map(|script| script.reason.clone());
        let asks = compiled.questions.iter().filter(|(step, _)| *step == at);
        let intrudes = asks.map(|(_, words)| words.as_str()).collect::<Vec<_>>().join(" ");
        let intrudes = (!intrudes.is_empty()).then_some(intrudes);
        let own = destroyed.or(runs).or_else(|| step_reason(step, subject.extensions));
        let cost = risk
            .filter(|_| dear == Some(at))
            .map(|risk| format!("{} {}", risk.cause, risk.fix));
        let reason = [own, intrudes, cost]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        let reason = (!reason.is_empty()).then_some(reason);
        if let Some(reason) = &reason {
            reasons.push(format!("Step “{}”: {reason}", step.id));
        }
        steps.push(AskedStep {
            id: step_id(at),
            step_id: step.id.clone(),
            action_type: step.action.type_name().to_owned(),
            description: step.description.clone(),
            destructive,
            reason,
            operations: listed(at, step, subject),
            script: script.map(|script| script.shown),
        });
    }
    if reasons.is_empty() && subject.preview {
        reasons.push("Every plan is shown before it is applied.".to_owned());
    }
    let reason = (!reasons.is_empty()).then(|| reasons.join(" "))?;
    let why = untried(subject.plan);
    Some(ApprovalRequest {
        reason,
        summary: summary(subject.plan, subject.document, compiled),
        steps,
        diff: compiled.diff.clone(),
        dry_run: Some(AskedDryRun {
            available: why.is_none(),
            required: script::tried_first(
                subject.plan,
                subject.settings.try_scripts,
                subject.unattended,
                subject.blender,
            ),
            why,
            result: None,
        }),
        ..ApprovalRequest::default()
    })
}

/// Why no dry run of the plan is possible, if so.
pub(crate) fn untried(plan: &Plan) -> Option<String> {
    if plan.steps.is_empty() {
        return Some("Everything is left out, so there is nothing for a dry run.".to_owned());
    }
    plan.steps.iter().find_map(|step| match &step.action {
        Action::Added(_) => Some(format!(
            "Steps of the type {} are run by an extension that is loaded in this Blender only.",
            step.action.type_name()
        )),
        Action::Python(script) if script.mode == PythonMode::Trusted => {
            Some("A dry run cannot contain a trusted script.".to_owned())
        }
        Action::NodeTree(_) | Action::TreeText(_) | Action::GnOps(_) | Action::Python(_) => None,
    })
}

/// The reasons of the steps of a request.
pub(crate) fn reasons(request: &ApprovalRequest) -> Vec<String> {
    request.steps.iter().filter_map(|step| step.reason.clone()).collect()
}

/// Each operation with its ID; a step without operations is listed itself.
fn listed(at: usize, step: &Step, subject: &Subject<'_>) -> Vec<AskedOperation> {
    operations(step, subject.document, subject.catalogue)
        .into_iter()
        .enumerate()
        .filter_map(|(index, operation)| {
            let id = operation_id(&step.action, at, index)?;
            Some(AskedOperation {
                id,
                words: operation.words,
                destructive: operation.destructive,
                topic: match operation.topic {
                    Topic::NewNodes => AskedTopic::NewNodes,
                    Topic::Interface => AskedTopic::Interface,
                    Topic::Changes => AskedTopic::Changes,
                    Topic::Removals => AskedTopic::Removals,
                },
                needs: operation
                    .needs
                    .into_iter()
                    .filter_map(|other| operation_id(&step.action, at, other))
                    .collect(),
            })
        })
        .collect()
}

/// Why the plan or the step's type asks for approval.
fn step_reason(step: &Step, extensions: &Extensions) -> Option<String> {
    let kind = step.action.type_name();
    if step.requires_approval {
        return Some("The plan asks for approval of this step.".to_owned());
    }
    extensions
        .requires_approval(kind)
        .then(|| format!("Steps of the type {kind} need approval each time."))
}

/// The step that needs approval for its cost: the last one that writes the expensive tree, otherwise the last step.
fn expensive_step(compiled: &Compiled, risk: &Risk) -> usize {
    let writes = |delta: &StepDelta| {
        delta.trees.iter().any(|tree| tree.tree == risk.tree)
            || delta.modifier_inputs.iter().any(|input| input.object == risk.object)
    };
    let last = compiled.steps.len().saturating_sub(1);
    compiled.steps.iter().rposition(writes).unwrap_or(last)
}

/// Why the step counts as destructive, if it does: it removes at least `limit` nodes that existed before the plan, or replaces the tree of a
/// modifier. Fewer nodes that a step names are an ordinary edit, although each operation that removes one is marked.
fn destructive_reason(delta: &StepDelta, document: &Document, limit: u64) -> Option<String> {
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
                "It removes {removed} of {} nodes of “{}”.",
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
    // A modifier that gets its own copy of its node group loses nothing.
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
                "It replaces the tree “{runs}” on the modifier “{}” of “{}” with “{}”.",
                edit.name, edit.object, edit.node_group
            ));
        }
    }
    None
}
