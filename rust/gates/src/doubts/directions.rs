//! Directions that are linked to rotations: Blender reads their three numbers as angles.

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
        for link in &tree.links {
            if before.is_some_and(|before| before.links.contains(link)) {
                continue;
            }
            let node = |id: &str| tree.nodes.iter().find(|node| node.id == id);
            let socket = |node: &'_ Node, side: Side, identifier: &str| -> Option<Socket> {
                let sockets = catalogue.nodes.get(&node.kind)?.state(&node.props).side(side);
                let mut sockets = sockets.iter();
                sockets
                    .find(|socket| socket.identifier == identifier && socket.available)
                    .cloned()
            };
            let (Some(from), Some(to)) = (node(&link.from.0), node(&link.to.0)) else {
                continue;
            };
            let source = socket(from, Side::Output, &link.from.1);
            let target = socket(to, Side::Input, &link.to.1);
            let (Some(source), Some(target)) = (source, target) else {
                continue;
            };
            let is_direction = source.kind == VECTOR && DIRECTIONS.contains(&source.name.as_str());
            if is_direction && target.kind == ROTATION {
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
