//! Angles that were typed in degrees: Blender takes radians, in which nobody types whole numbers beyond a full turn.

use std::f64::consts::TAU;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::ir::{Link, Node, Side, Tree};
use geonode_graph::sockets::GROUP_INPUT_TYPE;
use geonode_protocol::{Code, Severity};
use serde_json::Value;

use super::doubt::Doubt;
use crate::facts::Facts;

const ROTATION: &str = "NodeSocketRotation";
/// Subtypes of sockets that take radians.
const ANGLES: [&str; 2] = ["ANGLE", "EULER"];
/// Limits from here on mean that there is none.
const LARGEST: f64 = 1e4;
const FLOATS: [&str; 2] = ["NodeSocketFloat", "NodeSocketVector"];
/// Through how many such nodes a value is followed.
const HANDS: usize = 4;
/// Nodes whose outputs are the values of their inputs, or lie between them.
const HANDING_ON: [&str; 5] = [
    "FunctionNodeRandomValue",
    "GeometryNodeIndexSwitch",
    "GeometryNodeMenuSwitch",
    "GeometryNodeSwitch",
    "ShaderNodeCombineXYZ",
];

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let Some(catalogue) = facts.catalogue else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, tree) in facts.written_trees() {
        for node in &tree.nodes {
            let before = facts.origin(name, &node.id);
            for (identifier, state) in &node.inputs {
                let Some(value) = state.get("value") else { continue };
                let was = before.and_then(|node| node.inputs.get(identifier)?.get("value"));
                // Few values are round, so that what follows may look through all links.
                let Some(degrees) = degrees(value).filter(|_| was != Some(value)) else {
                    continue;
                };
                let leads_here = |link: &Link| link.to.0 == node.id && link.to.1 == *identifier;
                if tree.links.iter().any(leads_here) || !is_angle(tree, node, identifier, catalogue) {
                    continue;
                }
                let socket = socket_name(node, identifier, catalogue);
                found.push(doubt(
                    &format!("“{socket}” of “{}”", node.id),
                    degrees,
                    Some(node.id.clone()),
                    Some(socket),
                ));
            }
        }
    }
    found.extend(of_interfaces(facts));
    found.extend(of_modifiers(facts, catalogue));
    found
}

/// Limits of inputs that are angles by their type.
fn of_interfaces(facts: &Facts<'_>) -> Vec<Doubt> {
    let mut found = Vec::new();
    for (name, tree) in facts.written_trees() {
        let before = facts.before.trees.get(name);
        for item in tree.interface.iter().filter(|item| item.is_socket(Side::Input)) {
            let subtype = item.props.get("subtype").and_then(Value::as_str);
            if !subtype.is_some_and(|subtype| ANGLES.contains(&subtype)) {
                continue;
            }
            let was = before.and_then(|tree| tree.interface.iter().find(|was| was.identifier == item.identifier));
            let limits = ["min_value", "max_value"].into_iter().filter_map(|limit| {
                let value = item.props.get(limit)?;
                let same = was.is_some_and(|was| was.props.get(limit) == Some(value));
                degrees(value).filter(|degrees| !same && degrees.abs() < LARGEST)
            });
            if let Some(degrees) = limits.into_iter().next() {
                let place = format!("A limit of the input “{}”", item.name);
                found.push(doubt(&place, degrees, None, Some(item.name.clone())));
            }
        }
    }
    found
}

/// Angles in the inputs of modifiers that the run wrote, each with the default that it follows.
fn of_modifiers(facts: &Facts<'_>, catalogue: &Catalogue) -> Vec<Doubt> {
    let mut found = Vec::new();
    for target in facts.targets() {
        let Some(modifier) = facts.modifier(&target) else {
            continue;
        };
        let tree = modifier
            .node_group
            .as_deref()
            .and_then(|name| facts.evidence.trees.get(name));
        let objects = facts.before.objects.get(target.object);
        let before = objects.and_then(|object| object.modifiers.iter().find(|was| was.name == modifier.name));
        let Some(tree) = tree else { continue };
        for item in tree.interface.iter().filter(|item| item.is_socket(Side::Input)) {
            let subtype = item.props.get("subtype").and_then(Value::as_str);
            let value = modifier.inputs.get(&item.identifier);
            let was = before.and_then(|modifier| modifier.inputs.get(&item.identifier));
            let Some(degrees) = value.filter(|value| was != Some(*value)).and_then(degrees) else {
                continue;
            };
            let by_type = item.socket_type == ROTATION || subtype.is_some_and(|subtype| ANGLES.contains(&subtype));
            if by_type || FLOATS.contains(&item.socket_type.as_str()) && only_turns(tree, &item.identifier, catalogue) {
                let place = format!("The input “{}” of the modifier “{}”", item.name, modifier.name);
                found.push(doubt(&place, degrees, None, Some(item.name.clone())));
            }
        }
    }
    found
}

/// Whether an input of the tree is linked to angles alone.
fn only_turns(tree: &Tree, input: &str, catalogue: &Catalogue) -> bool {
    let ends = tree.nodes.iter().filter(|node| node.kind == GROUP_INPUT_TYPE);
    let is_used = |node: &&Node| {
        let mut links = tree.links.iter();
        links.any(|link| link.from.0 == node.id && link.from.1 == input)
    };
    let mut used = ends.filter(is_used).peekable();
    used.peek().is_some() && used.all(|end| all_become_angles(tree, &end.id, Some(input), catalogue, HANDS))
}

fn doubt(place: &str, degrees: f64, node: Option<String>, socket: Option<String>) -> Doubt {
    let turns = degrees / TAU;
    Doubt {
        severity: Severity::Warning,
        code: Code::Degrees,
        node,
        socket,
        cause: format!("{place} is {degrees}, which in radians is {turns:.1} full turns."),
        fix: format!("Angles are radians: 90° is pi / 2, and {degrees}° is {degrees} * pi / 180."),
    }
}

/// Whether an input takes an angle: by its type, or because all that its node hands on becomes one.
fn is_angle(tree: &Tree, node: &Node, identifier: &str, catalogue: &Catalogue) -> bool {
    becomes_angle(tree, node, identifier, catalogue, HANDS)
}

fn becomes_angle(tree: &Tree, node: &Node, identifier: &str, catalogue: &Catalogue, hands: usize) -> bool {
    let inputs = catalogue.nodes.get(&node.kind);
    let inputs = inputs
        .map(|kind| kind.state(&node.props).side(Side::Input))
        .unwrap_or_default();
    let mut inputs = inputs.iter();
    let Some(socket) = inputs.find(|socket| socket.identifier == identifier && socket.available) else {
        return false;
    };
    let subtype = socket.subtype.as_deref();
    if socket.kind == ROTATION || subtype.is_some_and(|subtype| ANGLES.contains(&subtype)) {
        return true;
    }
    // Seeds, indices and probabilities are not handed on.
    HANDING_ON.contains(&node.kind.as_str())
        && FLOATS.contains(&socket.kind.as_str())
        && subtype.is_none()
        && hands > 0
        && all_become_angles(tree, &node.id, None, catalogue, hands - 1)
}

/// Whether something is linked to a node, or to one of its outputs, and all of it takes an angle.
fn all_become_angles(tree: &Tree, node: &str, output: Option<&str>, catalogue: &Catalogue, hands: usize) -> bool {
    let from_here = |link: &&Link| link.from.0 == node && output.is_none_or(|output| link.from.1 == output);
    let mut fed = tree.links.iter().filter(from_here).peekable();
    fed.peek().is_some()
        && fed.all(|link| {
            let target = tree.nodes.iter().find(|node| node.id == link.to.0);
            target.is_some_and(|target| becomes_angle(tree, target, &link.to.1, catalogue, hands))
        })
}

fn socket_name(node: &Node, identifier: &str, catalogue: &Catalogue) -> String {
    let kind = catalogue.nodes.get(&node.kind);
    let inputs = kind
        .map(|kind| kind.state(&node.props).side(Side::Input))
        .unwrap_or_default();
    let socket = inputs.iter().find(|socket| socket.identifier == identifier);
    socket.map_or(identifier, |socket| socket.name.as_str()).to_owned()
}

/// The first number in a value that is beyond a full turn and is round as only degrees are.
fn degrees(value: &Value) -> Option<f64> {
    let numbers: Vec<f64> = match value {
        Value::Array(parts) => parts.iter().filter_map(Value::as_f64).collect(),
        one => one.as_f64().into_iter().collect(),
    };
    let is_round = |number: f64| (number * 2.0).fract().abs() < f64::EPSILON;
    numbers
        .into_iter()
        .find(|number| number.abs() > TAU && is_round(*number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_round_numbers_beyond_a_full_turn_are_degrees() {
        for (value, expected) in [
            (json!(90), Some(90.0)),
            (json!([0.0, 0.0, -45]), Some(-45.0)),
            (json!(22.5), Some(22.5)),
            (json!(4.0 * std::f64::consts::PI), None),
            (json!([1.570_796_4, 0, 6]), None),
            (json!("90"), None),
        ] {
            assert_eq!(degrees(&value), expected, "{value}");
        }
    }
}
