//! The inputs of nodes that were observed while a stack of modifiers was followed, to find nodes without effect.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::acts_on::{rule, rules};
use crate::components::{Components, Kinds};
use crate::flow::Flow;
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
    /// Name of the input whose field chooses by number or by chance inside of instances that show the same geometry, so that all of them
    /// are treated alike; only where every evaluation does so.
    pub shared: Option<String>,
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
        let mut received: Vec<ReceivedGeometry> = rules(inputs)
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
        received.extend(picked(inputs));
        let missing = missing(inputs);
        let shared = shared(inputs);
        let needs = NEEDED.iter().any(|(kind, _)| *kind == inputs.kind());
        if received.is_empty() && !needs && shared.is_none() {
            return;
        }
        let key = (tree.to_owned(), inputs.ready.node.id.clone());
        match self.nodes.get_mut(&key) {
            None => {
                let first = Observation {
                    received,
                    missing,
                    shared,
                };
                self.nodes.insert(key, first);
            }
            Some(known) => {
                if missing.is_none() {
                    known.missing = None;
                }
                if shared.is_none() {
                    known.shared = None;
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

/// What Instance on Points receives at “Instance” where it picks one for each point: instances, of which each is a choice.
fn picked(inputs: &Inputs<'_>) -> Option<ReceivedGeometry> {
    let at = inputs.position("Instance")?;
    let slot = inputs.ready.inputs.get(at)?;
    let picks = inputs.kind() == "GeometryNodeInstanceOnPoints" && inputs.truth("Pick Instance") == Some(true);
    let kinds = inputs.kinds_at(Some(at));
    (picks && !slot.sources.is_empty() && kinds != Kinds::NONE).then(|| ReceivedGeometry {
        socket: slot.name.clone(),
        kinds,
        acts_on: Components::INSTANCES,
        acts: kinds.own.meets(Components::INSTANCES),
        linked: true,
    })
}

/// The input by which a node chooses among the elements inside of instances alike in all of them.
fn shared(inputs: &Inputs<'_>) -> Option<String> {
    let given = inputs.main_kinds();
    let only_instances = given.own == Components::INSTANCES;
    let acts = match inputs.kind() {
        "GeometryNodeDeleteGeometry" | "GeometryNodeSeparateGeometry" => inputs.mode("domain", "Domain") != "instance",
        _ => rule(inputs).is_some_and(|rule| rule.deep && given.inside.meets(rule.acts_on)),
    };
    let main = inputs.main();
    let alike = main.instances > 1.0 && main.inside.elements() > ALIKE * main.referred.elements();
    if !(only_instances && acts && alike) {
        return None;
    }
    let mut slots = inputs.ready.inputs.iter().zip(&inputs.flows);
    let by_number = |flow: &Flow| flow.field.as_ref().is_some_and(|field| field.is_by_number());
    slots
        .find(|(_, flows)| flows.iter().any(by_number))
        .map(|(slot, _)| slot.name.clone())
}

/// How much more is shown than there is where instances show the same.
const ALIKE: f64 = 1.5;

fn missing(inputs: &Inputs<'_>) -> Option<MissingData> {
    let (_, socket) = NEEDED.iter().find(|(kind, _)| *kind == inputs.kind())?;
    inputs.is_null(socket).then(|| MissingData {
        socket: (*socket).to_owned(),
        source: inputs.flow(socket).and_then(|flow| flow.source.clone()),
        linked: inputs.linked(socket),
    })
}
