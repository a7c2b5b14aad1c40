//! Directions that are linked to rotations: Blender reads their three numbers as angles.

use std::collections::HashMap;

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Node, Side};
use geonode_protocol::{Code, Severity};

use super::doubt::Doubt;
use crate::facts::Facts;

const ROTATION: &str = "NodeSocketRotation";
const VECTOR: &str = "NodeSocketVector";
/// Names of outputs that are directions on every node.
const DIRECTIONS: [&str; 3] = ["Normal", "Tangent", "True Normal"];

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let Some(catalogue) = facts.catalogue else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, tree) in facts.written_trees() {
        let before = facts.before.trees.get(name);
        let nodes: HashMap<&str, &Node> = tree.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let socket = |id: &str, side: Side, identifier: &str| -> Option<(&Node, &Socket)> {
            let node = *nodes.get(id)?;
            let sockets = catalogue.nodes.get(&node.kind)?.state(&node.props).side(side);
            let mut sockets = sockets.iter();
            let socket = sockets.find(|socket| socket.identifier == identifier && socket.available)?;
            Some((node, socket))
        };
        for link in &tree.links {
            let source = socket(&link.from.0, Side::Output, &link.from.1);
            let is_direction = |socket: &Socket| socket.kind == VECTOR && DIRECTIONS.contains(&socket.name.as_str());
            let Some((from, source)) = source.filter(|(_, socket)| is_direction(socket)) else {
                continue;
            };
            let Some((to, target)) = socket(&link.to.0, Side::Input, &link.to.1) else {
                continue;
            };
            // Such links are few, so that all of those before may be looked through.
            if target.kind == ROTATION && !before.is_some_and(|before| before.links.contains(link)) {
                found.push(Doubt {
                    severity: Severity::Warning,
                    code: Code::DirectionAsRotation,
                    node: Some(to.id.clone()),
                    socket: Some(target.name.clone()),
                    cause: format!(
                        "“{}” of “{}” is fed by the direction “{}” of “{}”, whose numbers are read as angles.",
                        target.name, to.id, source.name, from.id
                    ),
                    fix: "Turn the direction into a rotation: align_rotation_to_vector(axis=\"Z\", vector=…)."
                        .to_owned(),
                });
            }
        }
    }
    found
}
