//! A tree prepared for propagation: its nodes in the order of evaluation, every input with its sources.

use std::collections::HashMap;

use geonode_graph::catalogue::NodeType;
use geonode_graph::ir::{Item, Node, Side, Tree};
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope};
use serde_json::Value;

/// An output of a node: (index of the node, index of the output).
pub(crate) type Source = (usize, usize);

/// An input.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub identifier: String,
    pub name: String,
    /// Base RNA name.
    pub kind: String,
    /// The value while nothing is linked.
    pub value: Option<Value>,
    /// The value on a new node.
    pub fresh: Option<Value>,
    pub sources: Vec<Source>,
}

/// An output.
#[derive(Debug, Clone)]
pub(crate) struct Exit {
    pub identifier: String,
    pub name: String,
    /// Base RNA name; empty when it is not known.
    pub kind: String,
}

/// The nodes between the two ends of a zone.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    /// Index of the input node.
    pub input: usize,
    /// Indices of the nodes inside, in the order of evaluation.
    pub body: Vec<usize>,
}

/// A node.
#[derive(Debug)]
pub(crate) struct Ready<'a> {
    pub node: &'a Node,
    pub kind: Option<&'a NodeType>,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Exit>,
    /// On the output node of a zone.
    pub zone: Option<Zone>,
}

/// A tree.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub name: &'a str,
    pub nodes: Vec<Ready<'a>>,
    /// The nodes that the Group Output needs, each after those that it needs itself; nodes of a cycle are left out.
    pub order: Vec<usize>,
    /// The active Group Output.
    pub output: Option<usize>,
}

/// Reads a tree.
pub(crate) fn prepare<'a>(name: &'a str, tree: &'a Tree, scope: Scope<'a>) -> Prepared<'a> {
    let index: HashMap<&str, usize> = tree
        .nodes
        .iter()
        .enumerate()
        .map(|(at, n)| (n.id.as_str(), at))
        .collect();
    let zone_output = |node: &Node| tree.nodes.get(*index.get(node.pair.as_deref()?)?);
    let mut nodes: Vec<Ready<'a>> = tree
        .nodes
        .iter()
        .map(|node| ready(node, zone_output(node), &tree.interface, scope))
        .collect();
    for link in tree.links.iter().filter(|link| !link.muted) {
        let (Some(from), Some(to)) = (index.get(link.from.0.as_str()), index.get(link.to.0.as_str())) else {
            continue;
        };
        let Some(exit) = nodes.get_mut(*from).map(|node| node.exit(&link.from.1)) else {
            continue;
        };
        if let Some(slot) = nodes.get_mut(*to).map(|node| node.slot_mut(&link.to.1)) {
            slot.sources.push((*from, exit));
        }
    }
    let output = active_output(&nodes);
    let pairs: HashMap<usize, usize> = tree
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(at, node)| Some((*index.get(node.pair.as_deref()?)?, at)))
        .collect();
    let order = output.map_or_else(Vec::new, |output| order(&nodes, &pairs, output));
    for (&output, &input) in &pairs {
        let body = body(&nodes, &pairs, &order, input, output);
        if let Some(node) = nodes.get_mut(output) {
            node.zone = Some(Zone { input, body });
        }
    }
    Prepared {
        name,
        nodes,
        order,
        output,
    }
}

fn ready<'a>(node: &'a Node, zone_output: Option<&Node>, interface: &[Item], scope: Scope<'a>) -> Ready<'a> {
    let value = |state: Option<&geonode_graph::ir::Map>| state.and_then(|state| state.get("value")).cloned();
    let inputs = scope.sockets_of(node, zone_output, interface, Side::Input);
    let outputs = scope.sockets_of(node, zone_output, interface, Side::Output);
    Ready {
        node,
        kind: scope.node_type(node),
        inputs: inputs
            .iter()
            .map(|socket| Slot {
                identifier: socket.identifier.clone(),
                name: socket.name.clone(),
                kind: socket.kind.clone(),
                value: value(node.inputs.get(&socket.identifier)).or_else(|| socket.default.clone()),
                fresh: socket.default.clone(),
                sources: Vec::new(),
            })
            .collect(),
        outputs: outputs
            .iter()
            .map(|socket| Exit {
                identifier: socket.identifier.clone(),
                name: socket.name.clone(),
                kind: socket.kind.clone(),
            })
            .collect(),
        zone: None,
    }
}

impl Ready<'_> {
    /// Index of an output; one that is not known is added.
    fn exit(&mut self, identifier: &str) -> usize {
        if let Some(at) = self.outputs.iter().position(|exit| exit.identifier == identifier) {
            return at;
        }
        self.outputs.push(Exit {
            identifier: identifier.to_owned(),
            name: String::new(),
            kind: String::new(),
        });
        self.outputs.len() - 1
    }

    /// An input; one that is not known is added.
    fn slot_mut(&mut self, identifier: &str) -> &mut Slot {
        let at = match self.inputs.iter().position(|slot| slot.identifier == identifier) {
            Some(at) => at,
            None => {
                self.inputs.push(Slot {
                    identifier: identifier.to_owned(),
                    name: identifier
                        .split_once('=')
                        .map_or(identifier, |(_, name)| name)
                        .to_owned(),
                    kind: String::new(),
                    value: None,
                    fresh: None,
                    sources: Vec::new(),
                });
                self.inputs.len() - 1
            }
        };
        #[expect(clippy::indexing_slicing, reason = "the position was found, or is the last one")]
        &mut self.inputs[at]
    }

    /// True for a node that only passes its input on.
    pub(crate) fn muted(&self) -> bool {
        self.node.props.get("mute").and_then(Value::as_bool) == Some(true)
            && !matches!(self.node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE)
    }
}

fn active_output(nodes: &[Ready<'_>]) -> Option<usize> {
    let is_output = |node: &Ready<'_>| node.node.kind == GROUP_OUTPUT_TYPE;
    let active = |node: &Ready<'_>| node.node.props.get("is_active_output").and_then(Value::as_bool) != Some(false);
    nodes
        .iter()
        .position(|node| is_output(node) && active(node))
        .or_else(|| nodes.iter().position(is_output))
}

/// Nodes that a node waits for: the sources of its inputs, and the other end of its zone.
fn needs<'n>(
    nodes: &'n [Ready<'_>],
    pairs: &HashMap<usize, usize>,
    at: usize,
) -> impl Iterator<Item = usize> + use<'n> {
    let sources = nodes.get(at).into_iter().flat_map(|node| &node.inputs);
    sources
        .flat_map(|slot| slot.sources.iter().map(|(from, _)| *from))
        .chain(pairs.get(&at).copied())
}

/// Everything that `output` needs, in the order of evaluation.
fn order(nodes: &[Ready<'_>], pairs: &HashMap<usize, usize>, output: usize) -> Vec<usize> {
    let mut wanted = vec![false; nodes.len()];
    let mut waiting = vec![0usize; nodes.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut todo = vec![output];
    while let Some(at) = todo.pop() {
        if std::mem::replace(wanted.get_mut(at).unwrap_or(&mut true), true) {
            continue;
        }
        for from in needs(nodes, pairs, at) {
            if let (Some(count), Some(list)) = (waiting.get_mut(at), users.get_mut(from)) {
                *count += 1;
                list.push(at);
            }
            todo.push(from);
        }
    }
    let free = |at: &usize| wanted.get(*at) == Some(&true) && waiting.get(*at) == Some(&0);
    let mut order: Vec<usize> = (0..nodes.len()).filter(free).collect();
    let mut next = 0;
    while let Some(at) = order.get(next).copied() {
        next += 1;
        for user in users.get(at).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(*user) {
                *count -= 1;
                if *count == 0 {
                    order.push(*user);
                }
            }
        }
    }
    order
}

/// The nodes on a path from one end of a zone to the other.
fn body(
    nodes: &[Ready<'_>],
    pairs: &HashMap<usize, usize>,
    order: &[usize],
    input: usize,
    output: usize,
) -> Vec<usize> {
    let mut after = vec![false; nodes.len()];
    for at in order {
        let follows = *at == input || needs(nodes, pairs, *at).any(|from| after.get(from) == Some(&true));
        if let Some(mark) = after.get_mut(*at) {
            *mark = follows;
        }
    }
    let mut before = vec![false; nodes.len()];
    for at in order.iter().rev() {
        if *at == output || before.get(*at) == Some(&true) {
            for from in needs(nodes, pairs, *at) {
                if let Some(mark) = before.get_mut(from) {
                    *mark = true;
                }
            }
        }
    }
    let inside = |at: &usize| after.get(*at) == Some(&true) && before.get(*at) == Some(&true);
    let ends = [input, output];
    order
        .iter()
        .copied()
        .filter(|at| inside(at) && !ends.contains(at))
        .collect()
}
