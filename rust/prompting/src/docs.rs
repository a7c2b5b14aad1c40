//! Short documentation of nodes from the catalogue: only the properties that matter and the available sockets.
//!
//! A socket is one short text: `Density:Float=10 0…`. `#Value_001` is the identifier where names repeat, `!` an input that takes one
//! value and no field, `A|B` are items of a menu, `0…1` bounds, `+` an input that takes several links.

use std::fmt::Write as _;

use geonode_graph::Catalogue;
use geonode_graph::catalogue::{NodeType, Property, Socket, State};
use geonode_graph::ir::Map as Props;
use geonode_protocol::Code;
use serde_json::{Map, Value, json};

use crate::search;

/// Most node types in one answer.
const MAX_DOCS: usize = 4;

/// Most node types that a search names.
const MAX_FOUND: usize = 20;

/// Properties of every node that do not affect the result.
const LOOKS: [&str; 5] = ["use_custom_color", "color", "hide", "mute", "warning_propagation"];

/// Bounds from here on are those of the number's type, or of its slider.
const NO_BOUND: f64 = 9_999.0;

/// Why the documentation of a node cannot be given; the message lists what exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocsError {
    /// This Blender has no such node type.
    #[error("This Blender has no node type {name:?}.{near} `search_nodes` finds types by words.")]
    NodeType {
        /// The requested name.
        name: String,
        /// Types of a similar name, as a sentence with a space before it, or nothing.
        near: String,
    },
    /// The node has no such property.
    #[error("{name} has no property {key:?}. It has: {known}.")]
    Property {
        /// The node type.
        name: String,
        /// The requested name.
        key: String,
        /// The properties that it has.
        known: String,
    },
    /// The property has no such item.
    #[error("{key} of {name} is one of: {items}.")]
    Item {
        /// The node type.
        name: String,
        /// The property.
        key: String,
        /// The items that it has.
        items: String,
    },
}

impl DocsError {
    /// The stable code.
    pub const fn code(&self) -> Code {
        match self {
            Self::NodeType { .. } => Code::UnknownNodeType,
            Self::Property { .. } => Code::UnknownProperty,
            Self::Item { .. } => Code::InvalidEnum,
        }
    }
}

/// Names and labels of what a search finds.
pub fn find_nodes(query: &str, catalogue: &Catalogue) -> Value {
    let found = search::ranked(query, catalogue);
    let nodes: Vec<Value> = found
        .iter()
        .take(MAX_FOUND)
        .map(|(name, node)| json!({"bl_idname": name, "label": node.label}))
        .collect();
    json!({"nodes": nodes, "left_out": found.len().saturating_sub(MAX_FOUND)})
}

/// Documentation of the node types that a search finds, in the state of new nodes.
pub fn document_found(query: &str, catalogue: &Catalogue) -> Vec<Value> {
    let found = search::ranked(query, catalogue).into_iter().take(MAX_DOCS);
    found.map(|(name, node)| of(name, node, &Props::default())).collect()
}

/// Documentation of one node type with these properties.
///
/// # Errors
/// `unknown_node_type`, `unknown_property` or `invalid_enum`, with what exists.
pub fn document_node(name: &str, properties: &Map<String, Value>, catalogue: &Catalogue) -> Result<Value, DocsError> {
    let Some(node) = catalogue.nodes.get(name) else {
        let near = search::ranked(name, catalogue);
        let near: Vec<&str> = near.into_iter().take(5).map(|(name, _)| name).collect();
        let near = if near.is_empty() {
            String::new()
        } else {
            format!(" Near: {}.", near.join(", "))
        };
        return Err(DocsError::NodeType {
            name: name.to_owned(),
            near,
        });
    };
    for (key, value) in properties {
        let Some(property) = node.properties.get(key) else {
            let known: Vec<&str> = shown(node).map(|(name, _)| name).collect();
            return Err(DocsError::Property {
                name: name.to_owned(),
                key: key.clone(),
                known: known.join(", "),
            });
        };
        let items: Vec<&str> = property.items.iter().map(|(id, _)| id.as_str()).collect();
        if property.kind == "enum" && !value.as_str().is_some_and(|value| items.contains(&value)) {
            return Err(DocsError::Item {
                name: name.to_owned(),
                key: key.clone(),
                items: items.join(", "),
            });
        }
    }
    let props = properties
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Ok(of(name, node, &props))
}

fn of(name: &str, node: &NodeType, props: &Props) -> Value {
    let state = node.state(props);
    let mut out = json!({"bl_idname": name, "label": node.label});
    let properties: Map<String, Value> = shown(node)
        .map(|(name, property)| (name.to_owned(), brief(property).into()))
        .collect();
    if let Some(map) = out.as_object_mut() {
        if !properties.is_empty() {
            map.insert("properties".into(), properties.into());
        }
        if !node.state_properties.is_empty() {
            map.insert("sockets_depend_on".into(), json!(node.state_properties));
        }
        if !node.collections.is_empty() {
            map.insert(
                "collections".into(),
                node.collections.keys().map(String::as_str).collect(),
            );
        }
        map.insert("inputs".into(), side(&state.inputs, true).into());
        map.insert("outputs".into(), side(&state.outputs, false).into());
        let hidden = elsewhere(node, state);
        if !hidden.is_empty() {
            map.insert("in_other_modes".into(), json!(hidden));
        }
    }
    out
}

fn shown(node: &NodeType) -> impl Iterator<Item = (&str, &Property)> {
    let all = node.properties.iter().map(|(name, property)| (name.as_str(), property));
    all.filter(|(name, _)| !LOOKS.contains(name))
}

/// Items or type of a property, and its default: `RANDOM|POISSON`, the default first; `bool=false`.
fn brief(property: &Property) -> String {
    let default = property.default.as_str().unwrap_or_default();
    if property.items.is_empty() {
        return format!("{}={}", property.kind, short(&property.default));
    }
    let items = property.items.iter().map(|(id, _)| id.as_str());
    let (first, others): (Vec<&str>, Vec<&str>) = items.partition(|id| *id == default);
    [first, others].concat().join("|")
}

/// A value as short text.
fn short(value: &Value) -> String {
    match value {
        Value::Array(parts) => format!("[{}]", parts.iter().map(short).collect::<Vec<_>>().join(",")),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| number.to_string()),
        other => other.to_string(),
    }
}

/// The available sockets of one side.
fn side(sockets: &[Socket], inputs: bool) -> Vec<String> {
    let there: Vec<&Socket> = sockets
        .iter()
        .filter(|socket| socket.available && !socket.name.is_empty())
        .collect();
    let several = |name: &str| there.iter().filter(|other| other.name == name).count() > 1;
    let one = |socket: &&Socket| {
        let mut out = socket.name.clone();
        if several(&socket.name) {
            let _ = write!(out, "#{}", socket.identifier);
        }
        let kind = socket.kind.trim_start_matches("NodeSocket");
        let _ = write!(out, ":{kind}");
        if inputs && kind != "Geometry" && socket.structure.as_deref() == Some("single") {
            out.push('!');
        }
        if socket.multi {
            out.push('+');
        }
        if let Some(default) = socket.default.as_ref().filter(|_| !socket.hide_value) {
            let _ = write!(out, "={}", short(default));
        }
        let items: Vec<&str> = socket.items.iter().filter_map(Value::as_str).collect();
        if !items.is_empty() {
            let _ = write!(out, " {}", items.join("|"));
        }
        let bound = |bound: Option<f64>| {
            bound
                .filter(|bound| bound.abs() < NO_BOUND)
                .map(|bound| bound.to_string())
        };
        if let (low, high @ Some(_)) | (low @ Some(_), high) = (bound(socket.min), bound(socket.max)) {
            let _ = write!(out, " {}…{}", low.unwrap_or_default(), high.unwrap_or_default());
        }
        out
    };
    there.iter().map(one).collect()
}

/// The types that a prompt surely needs, one line each, in about `limit` bytes; empty when it names none.
pub fn needed(prompt: &str, catalogue: &Catalogue, limit: usize) -> String {
    let mut text = String::new();
    for (name, node) in search::needed(prompt, catalogue) {
        let line = line(name, node);
        if text.len() + line.len() <= limit {
            text.push_str(&line);
        }
    }
    text
}

/// One type in a line: label and type, properties, inputs, outputs.
fn line(name: &str, node: &NodeType) -> String {
    let state = node.state(&Props::default());
    let mut text = format!("{} ({name})", node.label);
    for (key, property) in shown(node) {
        let _ = write!(text, " .{key}={}", brief(property));
    }
    let _ = write!(
        text,
        " | {} -> {}",
        side(&state.inputs, true).join(", "),
        side(&state.outputs, false).join(", ")
    );
    let hidden = elsewhere(node, state);
    if !hidden.is_empty() {
        let _ = write!(text, " | in other modes: {}", hidden.join(", "));
    }
    text.push('\n');
    text
}

/// Labels of the types whose mode is an input of type Menu in this Blender, where a property of others states it.
pub fn with_menus(catalogue: &Catalogue) -> Vec<&str> {
    let menu = |node: &&NodeType| {
        let inputs = node.states.first().into_iter().flat_map(|state| &state.inputs);
        node.collections.is_empty() && inputs.into_iter().any(|socket| socket.kind == "NodeSocketMenu")
    };
    let mut labels: Vec<&str> = catalogue
        .nodes
        .values()
        .filter(menu)
        .map(|node| node.label.as_str())
        .collect();
    labels.sort_unstable();
    labels
}

/// Names of inputs that the node has, but not with these properties.
fn elsewhere<'n>(node: &'n NodeType, state: &State) -> Vec<&'n str> {
    let here = |name: &str| {
        state
            .inputs
            .iter()
            .any(|socket| socket.available && socket.name == name)
    };
    let mut names: Vec<&str> = Vec::new();
    for socket in node.states.iter().flat_map(|state| &state.inputs) {
        let name = socket.name.as_str();
        if socket.available && !name.is_empty() && !here(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn catalogue(version: &str) -> Catalogue {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../addon/geonode_assistant/data/catalogue"
        );
        Catalogue::from_json(&std::fs::read_to_string(format!("{folder}/{version}.json")).unwrap()).unwrap()
    }

    fn names(side: &Value) -> Vec<&str> {
        let sockets = side.as_array().unwrap().iter();
        sockets
            .map(|socket| socket.as_str().unwrap().split([':', '#']).next().unwrap())
            .collect()
    }

    #[test]
    fn only_the_sockets_of_the_current_mode_are_documented() {
        let catalogue = catalogue("5.2");
        let kind = "GeometryNodeDistributePointsOnFaces";
        let fresh = document_node(kind, &Map::new(), &catalogue).unwrap();
        assert_eq!(names(&fresh["inputs"]), ["Mesh", "Selection", "Density", "Seed"]);
        assert_eq!(fresh["sockets_depend_on"][0], "distribute_method");
        assert_eq!(
            fresh["in_other_modes"],
            json!(["Distance Min", "Density Max", "Density Factor"])
        );
        let props = json!({"distribute_method": "POISSON"});
        let poisson = document_node(kind, props.as_object().unwrap(), &catalogue).unwrap();
        assert_eq!(
            names(&poisson["inputs"]),
            [
                "Mesh",
                "Selection",
                "Distance Min",
                "Density Max",
                "Density Factor",
                "Seed"
            ]
        );
        assert_eq!(poisson["inputs"][2], "Distance Min:Float!=0 0…");
        assert_eq!(fresh["properties"]["distribute_method"], "RANDOM|POISSON");
        assert!(fresh["properties"].get("hide").is_none());
        let math = document_node("ShaderNodeMath", &Map::new(), &catalogue).unwrap();
        assert_eq!(math["inputs"][1], "Value#Value_001:Float=0.5");
    }

    #[test]
    fn every_node_of_every_mode_fits_a_conversation() {
        let catalogue = catalogue("5.2");
        let (mut most, mut examined) = (0, 0);
        for (name, kind) in &catalogue.nodes {
            most = most.max(of(name, kind, &Props::default()).to_string().len());
            examined += 1;
        }
        assert!(
            examined > 200 && most < 12_000,
            "{examined} types, the longest has {most} bytes"
        );
    }

    #[test]
    fn a_prompt_is_given_the_lines_that_it_needs_within_a_limit() {
        let catalogue = catalogue("5.2");
        let text = needed("scatter 200 rocks", &catalogue, 2_000);
        assert!(text.len() <= 2_000);
        let first = text.lines().next().unwrap();
        assert!(first.starts_with(
            "Distribute Points on Faces (GeometryNodeDistributePointsOnFaces) .distribute_method=RANDOM|POISSON"
        ));
        assert!(
            first.contains(
                " | Mesh:Geometry, Selection:Bool, Density:Float=10 0…, Seed:Int!=0 -> Points:Geometry, Normal:Vector"
            ),
            "{first}"
        );
        assert!(text.contains("Instance on Points (GeometryNodeInstanceOnPoints)"));
        assert_eq!(needed("scatter", &catalogue, 10), "");
    }

    #[test]
    fn modes_that_are_inputs_are_those_of_this_blender() {
        assert!(with_menus(&catalogue("5.2")).contains(&"Resample Curve"));
        assert!(with_menus(&catalogue("4.2")).is_empty());
    }

    #[test]
    fn searches_find_types_and_mistakes_get_suggestions() {
        let catalogue = catalogue("5.2");
        assert_eq!(
            find_nodes("distribute points faces", &catalogue)["nodes"][0]["bl_idname"],
            "GeometryNodeDistributePointsOnFaces"
        );
        let math = find_nodes("Math", &catalogue);
        assert_eq!(math["nodes"][0]["bl_idname"], "ShaderNodeMath");
        assert!(math["nodes"].as_array().unwrap().len() > 3);
        let points = find_nodes("points", &catalogue);
        assert!(points["nodes"].as_array().unwrap().len() == MAX_FOUND && points["left_out"].as_u64() > Some(5));
        assert_eq!(find_nodes("zzzzqq", &catalogue)["nodes"], json!([]));
        let error = document_node("GeometryNodeDistribute", &Map::new(), &catalogue).unwrap_err();
        assert!(
            error.code() == Code::UnknownNodeType && error.to_string().contains("GeometryNodeDistributePointsOnFaces")
        );
        let props = json!({"operation": "PLUS"});
        let error = document_node("ShaderNodeMath", props.as_object().unwrap(), &catalogue).unwrap_err();
        assert!(
            error.code() == Code::InvalidEnum && error.to_string().contains("ADD"),
            "{error}"
        );
        let props = json!({"mode": "X"});
        assert_eq!(
            document_node("ShaderNodeMath", props.as_object().unwrap(), &catalogue)
                .unwrap_err()
                .code(),
            Code::UnknownProperty
        );
    }
}
