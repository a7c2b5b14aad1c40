//! What nodes are called that come out of groups: it is known when all is read that the page makes, takes away, gathers and dissolves.

use std::collections::BTreeMap;

use geonode_graph::freed_ids;
use geonode_graph::ir::{Node, Tree};
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};
use geonode_protocol::{Code, GnOp, Severity};

use super::fault::Fault;
use super::reader::Reader;
use crate::names::Variables;

impl Reader<'_, '_, '_> {
    /// Says what the nodes of the groups are called that the page dissolves.
    pub(crate) fn tell_released(&mut self) {
        let mut tree = self.draft.tree();
        let mut told: Vec<(&str, usize, Vec<String>)> = Vec::new();
        for extra in &self.extras {
            match &extra.op {
                GnOp::GroupNodes(op) => {
                    tree.nodes.retain(|node| !op.node_ids.contains(&node.id));
                    tree.nodes.push(Node {
                        id: op.id.clone(),
                        ..Node::default()
                    });
                }
                GnOp::UngroupNodes(op) => {
                    let group = tree.nodes.iter().find(|node| node.id == op.id).and_then(Node::group);
                    if let Some(inner) = group.and_then(|group| self.draft.scope.trees.get(group)) {
                        told.push((&op.id, extra.at, dissolve(&mut tree, &op.id, inner)));
                    }
                }
                _ => {}
            }
        }
        let variables = Variables::new(&tree, self.names.catalogue());
        for (group, place, freed) in told {
            let words: Vec<&str> = freed.iter().filter_map(|id| variables.variable(id)).collect();
            if words.is_empty() {
                continue;
            }
            let group = self.variables.variable(group).unwrap_or(group);
            let message = format!("What was in “{group}” is now called {}.", words.join(", "));
            let fault = Fault::new(Code::NodesReleased, place, message, Code::NodesReleased.fix());
            self.faults.add(Fault {
                severity: Severity::Info,
                ..fault
            });
        }
    }
}

/// Puts the nodes of a group in the place of its node, and gives the IDs that they have then.
fn dissolve(tree: &mut Tree, id: &str, inner: &Tree) -> Vec<String> {
    let is_end = |node: &&Node| matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
    let members = || inner.nodes.iter().filter(|node| !is_end(node));
    let taken = tree.nodes.iter().map(|node| node.id.clone()).collect();
    let freed: BTreeMap<String, String> = freed_ids(taken, id, members().map(|node| node.id.as_str()));
    tree.nodes.retain(|node| node.id != id);
    tree.nodes.extend(members().map(|node| Node {
        id: freed.get(&node.id).unwrap_or(&node.id).clone(),
        pair: node.pair.as_ref().map(|pair| freed.get(pair).unwrap_or(pair).clone()),
        ..node.clone()
    }));
    freed.into_values().collect()
}
