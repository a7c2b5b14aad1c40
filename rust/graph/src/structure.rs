//! What each socket of a tree holds: one value, a field, a grid or a list. The same inference as Blender's (from 5.0 on), so that a
//! field linked to an input for single values is found before anything is applied.
//!
//! Requirements flow from right to left: an input for single values needs single values from what feeds it. What a group input
//! must be is known then, and structures flow from left to right. Zones that carry values from one round to the next are repeated until
//! nothing changes.

mod declared;
mod kind;
mod left_to_right;
mod net;
mod right_to_left;

use foldhash::HashMap;

use indexmap::IndexMap;

use crate::ir::{Node, Side, Tree};
use crate::model::TreeModel;
use crate::sockets::{Scope, group_tree};

use self::kind::Signature;
pub use self::kind::Structure;
use self::net::Net;

/// The structures of every socket of a tree.
pub(crate) struct Inferred<'a> {
    net: Net<'a>,
    inputs: Vec<Structure>,
    outputs: Vec<Structure>,
}

impl<'a> Inferred<'a> {
    /// Infers the structures of the tree that a step works on.
    pub(crate) fn of_model(scope: Scope<'a>, model: &'a TreeModel) -> Self {
        let nodes: Vec<&Node> = model.nodes().collect();
        let wires = model.wires();
        let links = wires.iter().map(|(from, wire, to)| {
            let (from, to) = ((*from, wire.from_socket.as_str()), (*to, wire.to_socket.as_str()));
            (from, to, wire.muted)
        });
        let mut groups = Groups::default();
        let net = Net::new(scope, &nodes, links, &model.interface, &mut |node| {
            groups.signature(scope, node)
        });
        Self::solve(net)
    }

    fn solve(mut net: Net<'a>) -> Self {
        let (mut inputs, mut outputs) = net.unknown();
        if !net.order.is_empty() {
            let needs = net.requirements();
            net.signature.inputs = net.group_inputs(&needs);
            net.flow(&needs, &mut inputs, &mut outputs);
            net.signature.outputs = net.group_outputs(&inputs);
        }
        net.keep_single(&mut inputs, &mut outputs);
        Self { net, inputs, outputs }
    }

    /// What the socket holds; `None` if the node has no such socket.
    pub(crate) fn of(&self, node: &str, side: Side, socket: &str) -> Option<Structure> {
        let found = self.net.find(node, side, socket)?;
        match side {
            Side::Input => self.inputs.get(found).copied(),
            Side::Output => self.outputs.get(found).copied(),
        }
    }

    /// Whether the input takes nothing but single values.
    pub(crate) fn takes_single(&self, node: &str, socket: &str) -> bool {
        self.net
            .find(node, Side::Input, socket)
            .is_some_and(|at| self.net.takes_single(at))
    }
}

/// The signatures of the groups that were inferred so far. A group that contains itself has none.
#[derive(Default)]
pub(crate) struct Groups {
    known: HashMap<String, Option<Signature>>,
}

impl Groups {
    fn signature(&mut self, scope: Scope<'_>, node: &Node) -> Option<Signature> {
        let name = group_tree(node)?;
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let tree = scope.trees.get(name)?;
        self.known.insert(name.to_owned(), None);
        let found = of_tree(scope, tree, self).net.signature;
        self.known.insert(name.to_owned(), Some(found.clone()));
        Some(found)
    }
}

fn of_tree<'a>(scope: Scope<'a>, tree: &'a Tree, groups: &mut Groups) -> Inferred<'a> {
    let nodes: Vec<&Node> = tree.nodes.iter().collect();
    let links = tree.links.iter().map(|link| {
        let (from, to) = (&link.from, &link.to);
        (
            (from.0.as_str(), from.1.as_str()),
            (to.0.as_str(), to.1.as_str()),
            link.muted,
        )
    });
    Inferred::solve(Net::new(scope, &nodes, links, &tree.interface, &mut |node| {
        groups.signature(scope, node)
    }))
}

/// Structures by node, side and socket.
pub type Structures = IndexMap<String, IndexMap<&'static str, IndexMap<String, &'static str>>>;

/// The structures of all sockets of a tree, by name as Blender has them.
pub fn structures(scope: Scope<'_>, tree: &Tree) -> Structures {
    let found = of_tree(scope, tree, &mut Groups::default());
    let mut out = Structures::new();
    for node in &tree.nodes {
        let mut sides = IndexMap::new();
        for (side, name) in [(Side::Input, "inputs"), (Side::Output, "outputs")] {
            let sockets = found.net.sockets(&node.id, side);
            let told = |socket: &str| found.of(&node.id, side, socket).map(Structure::name);
            let sockets = sockets.filter_map(|socket| Some((socket.to_owned(), told(socket)?)));
            sides.insert(name, sockets.collect());
        }
        out.insert(node.id.clone(), sides);
    }
    out
}
