//! A tree as the inference sees it: sockets in order, each with what it is declared to hold and with its links.

use foldhash::HashMap;

use petgraph::algo::toposort;
use petgraph::graph::{DiGraph, NodeIndex};

use super::declared::{self, Declared};
use super::kind::{Signature, Structure};
use crate::ir::{Item, Node, Side};
use crate::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE, Scope};

/// A node's kind as far as it matters here, and its sockets.
#[derive(Debug)]
pub(super) struct Joint {
    pub(super) kind: Kind,
    pub(super) inputs: std::ops::Range<usize>,
    pub(super) outputs: std::ops::Range<usize>,
    /// Position of the output node of the zone that this node begins.
    pub(super) end: Option<usize>,
}

/// Nodes with rules of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    GroupInput,
    GroupOutput,
    /// Either end of a zone whose values go round.
    Repeat,
    Simulation,
    Reroute,
    Other,
}

/// A socket.
#[derive(Debug, Default)]
pub(super) struct End<'a> {
    pub(super) declared: Declared<'a>,
    /// The other ends of its links: (socket, whether the link is muted).
    pub(super) links: Vec<(usize, bool)>,
    /// Of an output: the inputs that it follows.
    pub(super) follows: Vec<usize>,
}

/// The nodes and sockets of one tree.
pub(crate) struct Net<'a> {
    pub(super) joints: Vec<Joint>,
    pub(super) inputs: Vec<End<'a>>,
    pub(super) outputs: Vec<End<'a>>,
    /// Positions of nodes from left to right; empty if links form a ring.
    pub(super) order: Vec<usize>,
    /// Structures that the interface sets, by side; none for those to be inferred.
    pub(super) set: [Vec<Option<Structure>>; 2],
    pub(super) signature: Signature,
    by_name: HashMap<String, usize>,
}

type Place<'p> = (&'p str, &'p str);

impl<'a> Net<'a> {
    pub(super) fn new<'l>(
        scope: Scope<'a>,
        nodes: &[&Node],
        links: impl Iterator<Item = (Place<'l>, Place<'l>, bool)>,
        interface: &[Item],
        groups: &mut dyn FnMut(&Node) -> Option<Signature>,
    ) -> Self {
        let by_name: HashMap<String, usize> = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.id.clone(), at))
            .collect();
        let mut net = Self {
            joints: Vec::with_capacity(nodes.len()),
            inputs: Vec::new(),
            outputs: Vec::new(),
            order: Vec::new(),
            set: [Side::Input, Side::Output].map(|side| declared::of_interface(interface, side)),
            signature: Signature::default(),
            by_name,
        };
        for node in nodes {
            let end = node.pair.as_ref().and_then(|end| net.by_name.get(end).copied());
            let zone_output = end.and_then(|end| nodes.get(end).copied());
            let signature = groups(node);
            let sides = [Side::Input, Side::Output]
                .map(|side| declared::sockets(scope, node, zone_output, interface, side, signature.as_ref()));
            net.add(node, end, sides);
        }
        net.connect(links);
        net
    }

    fn add(&mut self, node: &Node, end: Option<usize>, sides: [Vec<Declared<'a>>; 2]) {
        let [inputs, outputs] = sides;
        let (first_input, first_output) = (self.inputs.len(), self.outputs.len());
        for declared in inputs {
            self.inputs.push(End {
                declared,
                ..End::default()
            });
        }
        for declared in outputs {
            let follows = if declared.structure != Structure::Dynamic {
                Vec::new()
            } else if let Some(some) = &declared.follows {
                let own = self.inputs.get(first_input..).unwrap_or_default();
                let place = |wanted: &String| own.iter().position(|end| end.declared.identifier == *wanted);
                some.iter()
                    .filter_map(place)
                    .map(|offset| first_input + offset)
                    .collect()
            } else {
                (first_input..self.inputs.len()).collect()
            };
            self.outputs.push(End {
                declared,
                follows,
                ..End::default()
            });
        }
        let kind = match node.kind.as_str() {
            GROUP_INPUT_TYPE => Kind::GroupInput,
            GROUP_OUTPUT_TYPE
                if node.props.get("is_active_output").and_then(serde_json::Value::as_bool) != Some(false) =>
            {
                Kind::GroupOutput
            }
            "GeometryNodeRepeatInput" | "GeometryNodeRepeatOutput" => Kind::Repeat,
            "GeometryNodeSimulationInput" | "GeometryNodeSimulationOutput" => Kind::Simulation,
            REROUTE => Kind::Reroute,
            _ => Kind::Other,
        };
        self.joints.push(Joint {
            kind,
            inputs: first_input..self.inputs.len(),
            outputs: first_output..self.outputs.len(),
            end,
        });
    }

    fn connect<'l>(&mut self, links: impl Iterator<Item = (Place<'l>, Place<'l>, bool)>) {
        let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(self.joints.len(), 0);
        for _ in &self.joints {
            graph.add_node(());
        }
        for (from, to, muted) in links {
            let (Some(output), Some(input)) = (
                self.find(from.0, Side::Output, from.1),
                self.find(to.0, Side::Input, to.1),
            ) else {
                continue;
            };
            let (Some(source), Some(target)) = (self.by_name.get(from.0), self.by_name.get(to.0)) else {
                continue;
            };
            graph.add_edge(NodeIndex::new(*source), NodeIndex::new(*target), ());
            if let Some(end) = self.outputs.get_mut(output) {
                end.links.push((input, muted));
            }
            if let Some(end) = self.inputs.get_mut(input) {
                end.links.push((output, muted));
            }
        }
        // The end of a zone comes after its beginning, whatever is linked.
        for (at, joint) in self.joints.iter().enumerate() {
            if let Some(end) = joint.end {
                graph.add_edge(NodeIndex::new(at), NodeIndex::new(end), ());
            }
        }
        self.order = toposort(&graph, None)
            .map(|order| order.into_iter().map(NodeIndex::index).collect())
            .unwrap_or_default();
    }

    /// All structures before anything is inferred, the signature's included.
    pub(super) fn unknown(&mut self) -> (Vec<Structure>, Vec<Structure>) {
        let unset = |side: &[Option<Structure>]| side.iter().map(|set| set.unwrap_or_default()).collect::<Vec<_>>();
        let [inputs, outputs] = &self.set;
        self.signature.inputs = unset(inputs);
        self.signature.outputs = unset(outputs)
            .into_iter()
            .map(|structure| (structure, Vec::new()))
            .collect();
        let dynamic = |ends: &[End<'_>]| vec![Structure::Dynamic; ends.len()];
        (dynamic(&self.inputs), dynamic(&self.outputs))
    }

    /// Whatever was inferred, some types cannot hold it.
    pub(super) fn keep_single(&self, inputs: &mut [Structure], outputs: &mut [Structure]) {
        for joint in self.joints.iter().filter(|joint| joint.kind != Kind::Reroute) {
            for at in joint.inputs.clone() {
                if let (Some(found), Some(end)) = (inputs.get_mut(at), self.inputs.get(at)) {
                    *found = end.declared.keep(*found);
                }
            }
            for at in joint.outputs.clone() {
                if let (Some(found), Some(end)) = (outputs.get_mut(at), self.outputs.get(at)) {
                    *found = end.declared.keep(*found);
                }
            }
        }
    }

    /// The outputs that feed the Group Output, with the inputs that a dynamic one follows.
    pub(super) fn group_outputs(&self, inputs: &[Structure]) -> Vec<(Structure, Vec<usize>)> {
        let end = self.joints.iter().find(|joint| joint.kind == Kind::GroupOutput);
        let [_, set] = &self.set;
        let of = |(at, set): (usize, &Option<Structure>)| match (set, end) {
            (Some(set), _) => (*set, Vec::new()),
            (None, None) => (Structure::Dynamic, Vec::new()),
            (None, Some(joint)) => {
                let socket = joint.inputs.start + at;
                match inputs.get(socket).copied().unwrap_or_default() {
                    Structure::Dynamic => (Structure::Dynamic, self.followed(socket)),
                    known => (known, Vec::new()),
                }
            }
        };
        set.iter().enumerate().map(of).collect()
    }

    /// The group inputs on which an input depends, by position in the interface.
    fn followed(&self, input: usize) -> Vec<usize> {
        let (mut seen, mut open, mut found) = (vec![false; self.inputs.len()], vec![input], Vec::new());
        while let Some(at) = open.pop() {
            match seen.get_mut(at) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            for (output, _) in self.inputs.get(at).map(|end| end.links.as_slice()).unwrap_or_default() {
                let source = self.joints.iter().find(|joint| joint.outputs.contains(output));
                match source {
                    Some(joint) if joint.kind == Kind::GroupInput => {
                        let number = output - joint.outputs.start;
                        if !found.contains(&number) {
                            found.push(number);
                        }
                    }
                    _ => open.extend(
                        self.outputs
                            .get(*output)
                            .map(|end| end.follows.as_slice())
                            .unwrap_or_default(),
                    ),
                }
            }
        }
        found
    }

    /// Position of a socket among those of its side.
    pub(super) fn find(&self, node: &str, side: Side, socket: &str) -> Option<usize> {
        let joint = self.joints.get(*self.by_name.get(node)?)?;
        let (range, ends) = match side {
            Side::Input => (&joint.inputs, &self.inputs),
            Side::Output => (&joint.outputs, &self.outputs),
        };
        let own = ends.get(range.clone())?;
        let at = own.iter().position(|end| end.declared.identifier == socket)?;
        Some(range.start + at)
    }

    pub(super) fn sockets(&self, node: &str, side: Side) -> impl Iterator<Item = &str> {
        let joint = self.by_name.get(node).and_then(|at| self.joints.get(*at));
        let own = joint.and_then(|joint| match side {
            Side::Input => self.inputs.get(joint.inputs.clone()),
            Side::Output => self.outputs.get(joint.outputs.clone()),
        });
        own.unwrap_or_default()
            .iter()
            .filter(|end| end.declared.available)
            .map(|end| end.declared.identifier.as_ref())
    }

    pub(super) fn takes_single(&self, input: usize) -> bool {
        self.inputs.get(input).is_some_and(|end| {
            let declared = &end.declared;
            declared.structure == Structure::Single && !declared.auto && !declared.always_single()
        })
    }
}
