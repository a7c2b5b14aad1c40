//! Changes to the artist's work beyond what the steps of an edit name, in words for the artist's approval.
//!
//! Editing named nodes of the target tree needs no approval. An edit that cuts the artist's nodes or inputs off from the output, removes
//! nodes or links that no step names, or resets a value that was set by hand, does.

use std::collections::{HashMap, HashSet};

use petgraph::Direction;
use serde_json::Value;

use crate::blank::is_blank;
use crate::documents::delta::ModifierInput;
use crate::documents::{Document, Made};
use crate::ir::{Node, Side, Tree};
use crate::model::{TreeModel, Wire};
use crate::moves::Moves;
use crate::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};
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
    /// Nodes that an operation removed without naming them.
    pub removed: Vec<String>,
    /// Links that Blender removes with the items of a node that an operation drops without naming them, as ends of nodes and sockets.
    pub dropped: HashSet<[String; 4]>,
    /// The same, each with the operation and its node; the plan may link what they fed anew.
    pub forgotten: Vec<(usize, String, [String; 4])>,
    /// Links that stay and carry nothing, since a mode took one of their sockets out of use.
    pub idle: HashSet<[String; 4]>,
    /// Links that an operation removed since it found no place for them.
    pub cut: HashSet<[String; 4]>,
    /// Nodes whose animation goes on in a group that they are moved into.
    pub carried: HashSet<String>,
    /// Nodes that an operation moves into a group, and the node of that group.
    pub moved: HashMap<String, String>,
    /// Group nodes that an operation replaces by the nodes of their group, and those nodes.
    pub dissolved: HashMap<String, Vec<String>>,
    /// Sockets of the interface that were there before and that an operation removes, in words.
    pub sockets: Vec<String>,
}

/// Why the artist is asked about a step; empty if only the assistant's own work changes. `before` is the state before the plan, `moves`
/// what earlier steps of it moved.
pub(crate) fn questions(
    model: &TreeModel,
    unsaid: &Unsaid,
    target: &Target,
    inputs: &[ModifierInput],
    (before, moves): (&Document, &Moves),
) -> Vec<String> {
    let source = target.copy_of.as_ref().unwrap_or(&model.name);
    let made = before.tree_info.get(source).and_then(|info| info.made.as_ref());
    let present = Present::new(model, source, before, moves);
    let theirs = &|id: &str| present.is_the_artists(id);
    let mut questions = Vec::new();
    let after = feeding_now(model, unsaid);
    let cut = cut_off(model, unsaid, &after, theirs);
    if !cut.is_empty() {
        questions.push(format!(
            "{} of “{}” would no longer reach the output.",
            listed(&cut),
            model.name
        ));
    }
    let inputs_cut = inputs_cut_off(model, unsaid, &after, theirs);
    if !inputs_cut.is_empty() {
        questions.push(format!(
            "What comes from the object or the modifier at {} of “{}” would no longer reach the output.",
            listed(&inputs_cut),
            model.name
        ));
    }
    let gone = |[from, out, to, input]: &&[String; 4]| model.find((from, out), (to, input)).is_none();
    let mut dropped: Vec<String> = unsaid
        .dropped
        .iter()
        .chain(unsaid.cut.iter().filter(gone))
        .filter(|[from, _, to, _]| present.has(from) && present.has(to))
        .filter(|[from, _, to, _]| theirs(from) || theirs(to))
        .map(|[from, _, to, _]| format!("{from} → {to}"))
        .collect();
    dropped.sort();
    if !dropped.is_empty() {
        let dropped: Vec<&str> = dropped.iter().map(String::as_str).collect();
        questions.push(format!(
            "It cuts the links {} of “{}”, which no step names.",
            listed(&dropped),
            model.name
        ));
    }
    let others = before.tree_info.get(source).map_or(0, |info| info.users);
    let others = others.saturating_sub(u32::from(!target.assign_tree));
    if others > 0 && target.copy_of.is_none() {
        questions.extend(unsaid.sockets.iter().map(|socket| {
            format!(
                "It removes {socket} of “{}”, which is used in other places too ({others}); their links and values at it are lost.",
                model.name
            )
        }));
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
    questions.extend(
        inputs
            .iter()
            .filter_map(|input| turned_back(input, model, before, made)),
    );
    if let Some(left) = made.and_then(|made| made.left.as_ref()) {
        questions.extend(reset(model, left));
    }
    questions
}

/// The nodes that were there before the plan: those of the tree, and those that the plan moved into it.
struct Present<'a> {
    model: &'a TreeModel,
    source: &'a str,
    before: &'a Document,
    moves: &'a Moves,
    own: HashSet<&'a str>,
}

impl<'a> Present<'a> {
    fn new(model: &'a TreeModel, source: &'a str, before: &'a Document, moves: &'a Moves) -> Self {
        let nodes = before.trees.get(source).into_iter().flat_map(|tree| &tree.nodes);
        Self {
            model,
            source,
            before,
            moves,
            own: nodes.map(|node| node.id.as_str()).collect(),
        }
    }

    /// Tree and ID under which the node was known before the plan; none if the plan makes it.
    fn origin(&self, id: &str) -> Option<(String, String)> {
        let (tree, own) = self.model.origin(id);
        let (tree, own) = self.moves.origin(&tree, &own);
        if tree == self.model.name || tree == self.source {
            return self.own.contains(own).then(|| (self.source.to_owned(), own.to_owned()));
        }
        let mut nodes = self.before.trees.get(tree)?.nodes.iter();
        nodes
            .any(|node| node.id == own)
            .then(|| (tree.to_owned(), own.to_owned()))
    }

    fn has(&self, id: &str) -> bool {
        self.origin(id).is_some()
    }

    /// Whether the node is the artist's: no run created it, or the whole tree is the artist's.
    fn is_the_artists(&self, id: &str) -> bool {
        self.origin(id).is_some_and(|(tree, id)| {
            let info = self.before.tree_info.get(&tree);
            info.and_then(|info| info.made.as_ref())
                .is_none_or(|made| !made.owns(&id))
        })
    }
}

/// The artist's nodes that still exist but no longer contribute to the output, except those that a step unlinks by name. A node in a group
/// contributes if the group does, and a group whose nodes took its place if one of these does.
fn cut_off<'m>(
    model: &'m TreeModel,
    unsaid: &Unsaid,
    after: &HashSet<&str>,
    theirs: impl Fn(&str) -> bool,
) -> Vec<&'m str> {
    let before = feeding_before(&model.before);
    let nodes = model.before.nodes.iter();
    nodes
        .filter(|node| !matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE))
        .map(|node| node.id.as_str())
        .filter(|id| before.contains(id) && !after.contains(id) && theirs(id))
        .filter(|id| match (unsaid.moved.get(*id), unsaid.dissolved.get(*id)) {
            _ if model.node(id).is_some() => true,
            (Some(group), _) => model.node(group).is_some() && !after.contains(group.as_str()),
            (None, Some(nodes)) => !nodes.is_empty() && !nodes.iter().any(|node| after.contains(node.as_str())),
            (None, None) => false,
        })
        .filter(|id| is_unsaid(id, unsaid))
        .collect()
}

/// Whether a step does more to the links from a node than unlinking it by name.
fn is_unsaid(id: &str, unsaid: &Unsaid) -> bool {
    unsaid.replaced.contains(id) || !unsaid.unlinked.contains(id)
}

/// Inputs of the tree that reached the output through nodes which still do, and no longer reach it. Of a blank tree, nothing is lost.
fn inputs_cut_off<'m>(
    model: &'m TreeModel,
    unsaid: &Unsaid,
    after: &HashSet<&str>,
    theirs: impl Fn(&str) -> bool,
) -> Vec<&'m str> {
    let ends: HashSet<&str> = model
        .before
        .nodes
        .iter()
        .filter(|node| node.kind == GROUP_INPUT_TYPE && theirs(&node.id) && is_unsaid(&node.id, unsaid))
        .map(|node| node.id.as_str())
        .collect();
    if ends.is_empty() || is_blank(&model.before) {
        return Vec::new();
    }
    let before = feeding_before(&model.before);
    let wires = model.wires();
    let reach: HashSet<&str> = wires
        .iter()
        .filter(|(from, wire, to)| {
            let input = model.node(from).is_some_and(|node| node.kind == GROUP_INPUT_TYPE);
            input && after.contains(to) && !wire.muted && !is_dropped(unsaid, from, wire, to)
        })
        .map(|(_, wire, _)| wire.from_socket.as_str())
        .collect();
    let links = model.before.links.iter().filter(|link| !link.muted);
    let lost: HashSet<&str> = links
        .filter(|link| ends.contains(link.from.0.as_str()) && before.contains(link.to.0.as_str()))
        .filter(|link| after.contains(link.to.0.as_str()) && !reach.contains(link.from.1.as_str()))
        .map(|link| link.from.1.as_str())
        .collect();
    let inputs = model.interface_sockets(Side::Input);
    inputs
        .filter(|item| lost.contains(item.identifier.as_str()))
        .map(|item| item.name.as_str())
        .collect()
}

fn is_dropped(unsaid: &Unsaid, from: &str, wire: &Wire, to: &str) -> bool {
    let is_it = |ends: &[String; 4]| {
        let [a, out, b, input] = ends;
        a == from && *out == wire.from_socket && b == to && *input == wire.to_socket
    };
    unsaid.dropped.iter().chain(&unsaid.idle).any(is_it)
}

fn feeding_before(tree: &Tree) -> HashSet<&str> {
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
    seen
}

fn feeding_now<'m>(model: &'m TreeModel, unsaid: &Unsaid) -> HashSet<&'m str> {
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
            let flows = incoming.filter(|(_, wire, from)| !wire.muted && !is_dropped(unsaid, from, wire, id));
            open.extend(flows.map(|(_, _, from)| from));
            open.extend(pairs.get(id).into_iter().flatten());
        }
    }
    seen
}

/// The Group Outputs; of several, the active ones.
fn ends<'n>(nodes: impl Iterator<Item = &'n Node>) -> Vec<&'n str> {
    let outputs: Vec<_> = nodes.filter(|node| node.kind == GROUP_OUTPUT_TYPE).collect();
    let inactive = |node: &&&Node| outputs.len() > 1 && node.props.get("is_active_output") == Some(&Value::Bool(false));
    outputs
        .iter()
        .filter(|node| !inactive(node))
        .map(|node| node.id.as_str())
        .collect()
}

/// The question about a modifier's input that was set by hand: its value is no longer the one that a run left, or, in a tree of the
/// artist's where none did, not the interface's default.
fn turned_back(input: &ModifierInput, model: &TreeModel, document: &Document, made: Option<&Made>) -> Option<String> {
    let modifiers = &document.objects.get(&input.object)?.modifiers;
    let modifier = modifiers.iter().find(|modifier| modifier.name == input.modifier)?;
    let now = modifier.inputs.get(&input.identifier)?;
    let item = model.interface.iter().find(|item| item.identifier == input.identifier);
    let left = modifier.left.as_ref().and_then(|left| left.get(&input.identifier));
    // A modifier of the assistant's that was renamed has nothing left, but its tree.
    let is_theirs = made.is_none_or(|made| !made.as_left && made.left.is_none());
    if left.is_none() && !is_theirs {
        return None;
    }
    let untouched = match left.or_else(|| item?.props.get("default_value")) {
        Some(value) => same(value, now),
        None => is_fresh(now),
    };
    if untouched || same(now, &input.value) {
        return None;
    }
    let name = item.map_or(input.identifier.as_str(), |item| item.name.as_str());
    Some(format!(
        "“{name}” of the modifier “{}” was set to {} by hand; it becomes {}.",
        input.modifier,
        told(now),
        told(&input.value)
    ))
}

/// A value as an artist reads it: numbers with four digits behind the point, as Blender's fields show them at most.
fn told(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            // A tiny one would become nothing.
            if number != 0.0 && number.abs() < 0.001 {
                return format!("{number:e}");
            }
            let text = format!("{number:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Value::Array(parts) => format!("[{}]", parts.iter().map(told).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Whether this is the default of a new socket, which descriptions of interfaces leave out.
fn is_fresh(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(on) => !on,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        // Colours are opaque.
        Value::Array(parts) => parts.iter().take(3).all(is_fresh),
        Value::Object(_) => false,
    }
}

/// The questions about values of nodes that are no longer those that a run `left`, and that the step sets again.
fn reset(model: &TreeModel, left: &Tree) -> Vec<String> {
    let left: HashMap<&str, &Node> = left.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let value = |node: &Node, side: Side, socket: &str| {
        let states = if side == Side::Input {
            &node.inputs
        } else {
            &node.outputs
        };
        states.get(socket).and_then(|state| state.get("value")).cloned()
    };
    let alike = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        _ => a == b,
    };
    let words = |value: Option<Value>| value.map_or_else(|| "its default".to_owned(), |value| told(&value));
    let mut questions = Vec::new();
    for node in &model.before.nodes {
        let (Some(then), Some(after)) = (left.get(node.id.as_str()), model.node(&node.id)) else {
            continue;
        };
        let inputs = node.inputs.keys().chain(then.inputs.keys());
        let outputs = node.outputs.keys().chain(then.outputs.keys());
        let sockets = inputs.map(|name| (Side::Input, name));
        let mut sockets: Vec<(Side, &String)> = sockets.chain(outputs.map(|name| (Side::Output, name))).collect();
        sockets.sort();
        sockets.dedup();
        for (side, input) in sockets {
            let (was, now) = (value(then, side, input), value(node, side, input));
            let wanted = value(after, side, input);
            if !alike(&was, &now) && !alike(&now, &wanted) {
                questions.push(format!(
                    "“{input}” of the node “{}” was set to {} by hand; it becomes {}.",
                    node.id,
                    words(now),
                    words(wanted)
                ));
            }
        }
    }
    questions
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_told_as_fields_show_them() {
        let cases = [
            (json!(1.0 / 3.0), "0.3333"),
            (json!(5.0), "5"),
            (json!(-100.0), "-100"),
            (json!(0.0), "0"),
            (json!(1e-10), "1e-10"),
            (json!(12), "12"),
            (json!("High"), "\"High\""),
            (json!([0.5, 1.0]), "[0.5, 1]"),
        ];
        for (value, text) in cases {
            assert_eq!(told(&value), text, "{value}");
        }
    }
}
