//! Short documentation of nodes from the catalogue: only the properties that matter and the available sockets.

use std::cmp::Reverse;

use geonode_graph::Catalogue;
use geonode_graph::catalogue::{NodeType, Property, Socket, State};
use geonode_graph::ir::Map as Props;
use geonode_protocol::Code;
use serde_json::{Map, Value, json};

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

/// Node types whose name or label holds most of the words, the nearest first; a type's exact name or label stands alone.
fn search<'c>(query: &str, catalogue: &'c Catalogue) -> Vec<(&'c str, &'c NodeType)> {
    let lower = query.trim().to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut found: Vec<_> = catalogue
        .nodes
        .iter()
        .filter_map(|(name, node)| {
            let (label, id) = (node.label.to_lowercase(), name.to_lowercase());
            let hits = words
                .iter()
                .filter(|word| label.contains(**word) || id.contains(**word))
                .count();
            let whole = label.split_whitespace().filter(|part| words.contains(part)).count();
            let exact = label == lower || id == lower;
            (hits > 0).then_some(((exact, hits, whole), name.as_str(), node))
        })
        .collect();
    found.sort_by_key(|(score, name, node)| (Reverse(*score), node.label.len(), *name));
    if found.first().is_some_and(|((exact, ..), ..)| *exact) {
        found.retain(|((exact, ..), ..)| *exact);
    }
    found.into_iter().map(|(_, name, node)| (name, node)).collect()
}

/// Names and labels of what a search finds.
pub fn find_nodes(query: &str, catalogue: &Catalogue) -> Value {
    let found = search(query, catalogue);
    let nodes: Vec<Value> = found
        .iter()
        .take(MAX_FOUND)
        .map(|(name, node)| json!({"bl_idname": name, "label": node.label}))
        .collect();
    json!({"nodes": nodes, "left_out": found.len().saturating_sub(MAX_FOUND)})
}

/// Documentation of the node types that a search finds, in the state of new nodes.
pub fn document_found(query: &str, catalogue: &Catalogue) -> Vec<Value> {
    let found = search(query, catalogue).into_iter().take(MAX_DOCS);
    found.map(|(name, node)| of(name, node, &Props::default())).collect()
}

/// Documentation of one node type with these properties.
///
/// # Errors
/// `unknown_node_type`, `unknown_property` or `invalid_enum`, with what exists.
pub fn document_node(name: &str, properties: &Map<String, Value>, catalogue: &Catalogue) -> Result<Value, DocsError> {
    let Some(node) = catalogue.nodes.get(name) else {
        let near = search(name, catalogue);
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
        .map(|(name, property)| (name.to_owned(), brief(property)))
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
        map.insert("inputs".into(), side(&state.inputs));
        map.insert("outputs".into(), side(&state.outputs));
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

fn brief(property: &Property) -> Value {
    let mut out = Map::new();
    if property.items.is_empty() {
        out.insert("type".into(), property.kind.as_str().into());
    } else {
        out.insert(
            "items".into(),
            property.items.iter().map(|(id, _)| id.as_str()).collect(),
        );
    }
    out.insert("default".into(), property.default.clone());
    out.into()
}

fn side(sockets: &[Socket]) -> Value {
    let there: Vec<&Socket> = sockets.iter().filter(|socket| socket.available).collect();
    let one = |socket: &&Socket| {
        let mut out = Map::new();
        out.insert("name".into(), socket.name.as_str().into());
        if socket.identifier != socket.name || there.iter().filter(|other| other.name == socket.name).count() > 1 {
            out.insert("identifier".into(), socket.identifier.as_str().into());
        }
        out.insert("type".into(), socket.kind.trim_start_matches("NodeSocket").into());
        if let Some(default) = socket.default.as_ref().filter(|_| !socket.hide_value) {
            out.insert("default".into(), default.clone());
        }
        for (key, bound) in [("min", socket.min), ("max", socket.max)] {
            if let Some(bound) = bound.filter(|bound| bound.abs() < NO_BOUND) {
                out.insert(key.into(), bound.into());
            }
        }
        if let Some(subtype) = &socket.subtype {
            out.insert("subtype".into(), subtype.as_str().into());
        }
        if !socket.items.is_empty() {
            out.insert("items".into(), socket.items.clone().into());
        }
        if let Some(structure) = socket
            .structure
            .as_ref()
            .filter(|structure| structure.as_str() != "dynamic")
        {
            out.insert("structure".into(), structure.as_str().into());
        }
        if socket.multi {
            out.insert("several_links".into(), true.into());
        }
        Value::from(out)
    };
    there.iter().map(one).collect()
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
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../addon/geonode_assistant/data/catalogue/5.2.json"
        );
        Catalogue::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn names(side: &Value) -> Vec<&str> {
        side.as_array()
            .unwrap()
            .iter()
            .map(|socket| socket["name"].as_str().unwrap())
            .collect()
    }

    #[test]
    fn only_the_sockets_of_the_current_mode_are_documented() {
        let catalogue = catalogue();
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
        assert_eq!(poisson["inputs"][2]["subtype"], "DISTANCE");
        assert!(fresh["properties"].get("hide").is_none());
        let math = document_node("ShaderNodeMath", &Map::new(), &catalogue).unwrap();
        assert_eq!(math["inputs"][1]["identifier"], "Value_001");
    }

    #[test]
    fn every_node_of_every_mode_fits_a_conversation() {
        let catalogue = catalogue();
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
    fn searches_find_types_and_mistakes_get_suggestions() {
        let catalogue = catalogue();
        assert_eq!(
            find_nodes("distribute points faces", &catalogue)["nodes"][0]["bl_idname"],
            "GeometryNodeDistributePointsOnFaces"
        );
        assert_eq!(find_nodes("Math", &catalogue)["nodes"].as_array().unwrap().len(), 1);
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
