//! The inputs of nodes that were observed while a stack of modifiers was followed, to find nodes without effect.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::acts_on::rules;
use crate::components::{Components, Kinds};
use crate::inputs::Inputs;

/// What one geometry input received, over all evaluations of its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedGeometry {
    /// Name of the input.
    pub socket: String,
    /// Everything that it may have received.
    pub kinds: Kinds,
    /// Everything that the node would act on there.
    pub acts_on: Components,
    /// Whether the node may have found something to act on.
    pub acts: bool,
    /// Whether something is linked to it.
    pub linked: bool,
}

/// A data-block that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingData {
    /// Name of the input.
    pub socket: String,
    /// The modifier's input that the value comes from, if any.
    pub source: Option<Arc<str>>,
    /// Whether something is linked to the input, which may be meant to stay empty.
    pub linked: bool,
}

/// What one node received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observation {
    /// By geometry input.
    pub received: Vec<ReceivedGeometry>,
    /// The data-block without which the node does nothing; `None` when it was set at least once.
    pub missing: Option<MissingData>,
}

/// What all nodes received, by tree and node.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    nodes: IndexMap<(String, String), Observation>,
}

/// Inputs without which a node does nothing.
const NEEDED: &[(&str, &str)] = &[
    ("GeometryNodeObjectInfo", "Object"),
    ("GeometryNodeCollectionInfo", "Collection"),
    ("GeometryNodeSetMaterial", "Material"),
    ("GeometryNodeImageTexture", "Image"),
    ("GeometryNodeImageInfo", "Image"),
];

impl Observations {
    /// Every node that was evaluated, as (tree, node, what it received).
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Observation)> {
        self.nodes
            .iter()
            .map(|((tree, node), given)| (tree.as_str(), node.as_str(), given))
    }

    /// Records one evaluation.
    pub(crate) fn note(&mut self, tree: &str, inputs: &Inputs<'_>) {
        let received: Vec<ReceivedGeometry> = rules(inputs)
            .filter_map(|rule| {
                let at = match rule.secondary {
                    Some(name) => inputs.position(name),
                    None => inputs.first_geometry(),
                }?;
                let slot = inputs.ready.inputs.get(at)?;
                let kinds = inputs.kinds_at(Some(at));
                let linked = !slot.sources.is_empty();
                Some(ReceivedGeometry {
                    socket: slot.name.clone(),
                    kinds,
                    acts_on: rule.acts_on,
                    acts: rule.acts(kinds) || rule.optional && !linked,
                    linked,
                })
            })
            .collect();
        let missing = missing(inputs);
        let needs = NEEDED.iter().any(|(kind, _)| *kind == inputs.kind());
        if received.is_empty() && !needs {
            return;
        }
        let key = (tree.to_owned(), inputs.ready.node.id.clone());
        match self.nodes.get_mut(&key) {
            None => drop(self.nodes.insert(key, Observation { received, missing })),
            Some(known) => {
                if missing.is_none() {
                    known.missing = None;
                }
                for one in received {
                    match known.received.iter_mut().find(|was| was.socket == one.socket) {
                        Some(was) => was.merge(&one),
                        None => known.received.push(one),
                    }
                }
            }
        }
    }
}

impl ReceivedGeometry {
    fn merge(&mut self, other: &Self) {
        self.kinds = self.kinds.or(other.kinds);
        self.acts_on = self.acts_on.or(other.acts_on);
        self.acts |= other.acts;
        self.linked |= other.linked;
    }
}

fn missing(inputs: &Inputs<'_>) -> Option<MissingData> {
    let (_, socket) = NEEDED.iter().find(|(kind, _)| *kind == inputs.kind())?;
    inputs.is_null(socket).then(|| MissingData {
        socket: (*socket).to_owned(),
        source: inputs.flow(socket).and_then(|flow| flow.source.clone()),
        linked: inputs.linked(socket),
    })
}
