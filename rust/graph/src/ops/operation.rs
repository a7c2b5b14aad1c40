//! What an operation is to the rest of the crate.

use serde_json::Value;

use super::work::Work;
use crate::catalogue::Catalogue;
use crate::ir::{Node, Tree};
use crate::summary::value;

/// Longest value that is written out, in characters.
const MAX_VALUE: usize = 60;

/// One operation, whichever payload it came from.
///
/// Nothing here has a default: whoever adds an operation decides all of it.
pub(crate) trait Operation<'p> {
    /// Carries it out on the model. One that cannot be carried out reports why and changes nothing, so that later findings stay meaningful.
    fn carry_out(&self, work: &mut Work<'_>);

    /// What it does, in plain words for an artist who accepts it or leaves it out.
    fn words(&self, before: &Before<'_>) -> String;

    /// Whether it takes away something that the tree contained before the plan.
    fn destroys(&self, before: &Tree) -> bool;

    /// Everything that it creates, names or may change. Nodes that no operation mentions are protected from the plan.
    fn mentions(&self) -> Vec<Mention<'p>>;
}

/// What an operation mentions, as the plan calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mention<'p> {
    /// A node that it creates, by its ID.
    NewNode(&'p str),
    /// A zone that it creates, by its ID; the nodes are `<id>.in` and `<id>.out`.
    NewZone(&'p str),
    /// An existing node, by its ID.
    Node(&'p str),
    /// An existing zone, by its ID or that of either end, which are both meant; or a node that may be the end of one.
    Zone(&'p str),
    /// A socket of the interface that it creates, changes or removes, by its name.
    Socket(&'p str),
    /// An input of the modifier that it sets, by its name or identifier.
    ModifierInput(&'p str),
    /// A node group that it uses, by its name.
    NodeGroup(&'p str),
    /// Any node that leads to no output: it may be removed.
    UnusedNodes,
}

/// The state before the plan, for words about it.
pub(crate) struct Before<'a> {
    /// The object that the step works on.
    pub object: &'a str,
    /// The tree that the step edits; none when it is new.
    pub tree: Option<&'a Tree>,
    pub catalogue: &'a Catalogue,
}

impl Before<'_> {
    /// The node with this ID.
    pub(super) fn node(&self, id: &str) -> Option<&Node> {
        self.tree?.nodes.iter().find(|node| node.id == id)
    }

    /// Whether there is a node with this ID.
    pub(crate) fn has_node(&self, id: &str) -> bool {
        self.node(id).is_some()
    }

    /// What the menus call a node type; the type itself when this Blender does not have it.
    pub(super) fn label<'a>(&'a self, kind: &'a str) -> &'a str {
        self.catalogue.nodes.get(kind).map_or(kind, |known| &known.label)
    }
}

/// A value in words, cut where it is long.
pub(super) fn short(new: &Value) -> String {
    let text = value(new);
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
