//! Changes to the artist's work beyond what the steps of an edit name, in words for the artist's approval.
//!
//! Editing named nodes of the target tree needs no approval. An edit that cuts the artist's nodes off from the output, removes
//! nodes that no step names, or resets a value that was set by hand, does.

use std::collections::{HashMap, HashSet};

use petgraph::Direction;

use crate::documents::delta::ModifierInput;
use crate::documents::{Document, Made};
use crate::ir::Tree;
use crate::model::TreeModel;
use crate::sockets::{GROUP_INPUT, GROUP_OUTPUT};
use crate::target::Target;
use crate::values::same;

/// Most names that a question lists.
const MAX_NAMED: usize = 3;

/// Side effects of a step's operations on nodes that they do not name.
#[derive(Debug, Default)]
pub(crate) struct Unsaid {
    /// Sources of links that a new link replaced.
    pub replaced: HashSet<String>,
    /// Sources of links that an operation removes by name.
    pub unlinked: HashSet<String>,
    /// Nodes that the cleanup removed.
    pub removed: Vec<String>,
}

/// Why the artist is asked about a step; empty if only the assistant's own work changes. `before` is the state before the plan.
pub(crate) fn questions(
    model: &TreeModel,
    unsaid: &Unsaid,
    target: &Target,
    inputs: &[ModifierInput],
    before: &Document,
) -> Vec<String> {
    let source = target.copy_of.as_ref().unwrap_or(&model.name);
    let present = before.trees.get(source).into_iter().flat_map(|tree| &tree.nodes);
    let present: HashSet<&str> = present.map(|node| node.id.as_str()).collect();
    let made = before.tree_info.get(source).and_then(|info| info.made.as_ref());
    let theirs = |id: &str| present.contains(id) && is_the_artists(id, made);
    let mut questions = Vec::new();
    let cut = cut_off(model, unsaid, theirs);
    if !cut.is_empty() {
        questions.push(format!(
            "{} of “{}” would no longer reach the output.",
            listed(&cut),
            model.name
        ));
    }
    let removed: Vec<&str> = unsaid
        .removed
        .iter()
        .map(String::as_str)
        .filter(|id| theirs(id))
        .collect();
    if !removed.is_empty() {
        questions.push(format!(
            "It removes {} of “{}”, which no step names.",
            listed(&removed),
            model.name
        ));
    }
    questions.extend(inputs.iter().filter_map(|input| turned_back(input, model, before)));
    questions
}

/// Whether the node is the artist's: no run created it, or the whole tree is the artist's.
fn is_the_artists(id: &str, made: Option<&Made>) -> bool {
    made.is_none_or(|made| !made.as_left && !made.nodes.contains(id))
}

/// The artist's nodes that still exist but no longer contribute to the output, except those that a step unlinks by name.
fn cut_off<'m>(model: &'m TreeModel, unsaid: &Unsaid, theirs: impl Fn(&str) -> bool) -> Vec<&'m str> {
    let after = feeding_now(model);
    let lost: Vec<&str> = feeding_before(&model.before)
        .into_iter()
        .filter(|id| !after.contains(id) && model.node(id).is_some() && theirs(id))
        .collect();
    let asked = |id: &&str| unsaid.replaced.contains(*id) || !unsaid.unlinked.contains(*id);
    lost.into_iter().filter(asked).collect()
}

fn feeding_before(tree: &Tree) -> Vec<&str> {
    let mut sources: HashMap<&str, Vec<&str>> = HashMap::new();
    for link in tree.links.iter().filter(|link| !link.muted) {
        sources.entry(&link.to.0).or_default().push(&link.from.0);
    }
    for node in &tree.nodes {
        if let Some(output) = &node.pair {
            sources.entry(output).or_default().push(&node.id);
        }
    }
    let mut open: Vec<&str> = ends(tree.nodes.iter());
    let mut seen: HashSet<&str> = HashSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(sources.get(id).into_iter().flatten());
        }
    }
    let content = |node: &&crate::ir::Node| {
        seen.contains(node.id.as_str()) && !matches!(node.kind.as_str(), GROUP_INPUT | GROUP_OUTPUT)
    };
    tree.nodes.iter().filter(content).map(|node| node.id.as_str()).collect()
}

fn feeding_now(model: &TreeModel) -> HashSet<&str> {
    let mut pairs: HashMap<&str, Vec<&str>> = HashMap::new();
    for node in model.nodes() {
        if let Some(output) = &node.pair {
            pairs.entry(output).or_default().push(&node.id);
        }
    }
    let mut open: Vec<&str> = ends(model.nodes());
    let mut seen = HashSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            let incoming = model.edges(id, Direction::Incoming);
            open.extend(incoming.filter(|(_, wire, _)| !wire.muted).map(|(_, _, from)| from));
            open.extend(pairs.get(id).into_iter().flatten());
        }
    }
    seen
}

/// The Group Outputs; of several, the active ones.
fn ends<'n>(nodes: impl Iterator<Item = &'n crate::ir::Node>) -> Vec<&'n str> {
    let outputs: Vec<_> = nodes.filter(|node| node.kind == GROUP_OUTPUT).collect();
    let inactive = |node: &&&crate::ir::Node| {
        outputs.len() > 1 && node.props.get("is_active_output") == Some(&serde_json::Value::Bool(false))
    };
    outputs
        .iter()
        .filter(|node| !inactive(node))
        .map(|node| node.id.as_str())
        .collect()
}

/// The question about a modifier's input whose value is no longer the one that a run set.
fn turned_back(input: &ModifierInput, model: &TreeModel, document: &Document) -> Option<String> {
    let modifiers = &document.objects.get(&input.object)?.modifiers;
    let modifier = modifiers.iter().find(|modifier| modifier.name == input.modifier)?;
    let left = modifier.left.as_ref()?.get(&input.identifier)?;
    let now = modifier.inputs.get(&input.identifier)?;
    if same(left, now) || same(now, &input.value) {
        return None;
    }
    let item = model.interface.iter().find(|item| item.identifier == input.identifier);
    let name = item.map_or(input.identifier.as_str(), |item| item.name.as_str());
    Some(format!(
        "It resets “{name}” of the modifier “{}” from {now}, which was set by hand, to {}.",
        input.modifier, input.value
    ))
}

/// The first few names, and how many more.
fn listed(ids: &[&str]) -> String {
    let shown = ids
        .iter()
        .take(MAX_NAMED)
        .map(|id| format!("“{id}”"))
        .collect::<Vec<_>>()
        .join(", ");
    match ids.len().saturating_sub(MAX_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
