//! Short documentation of nodes from the catalogue, in the words of tree text: only the properties that matter and the available sockets.
//!
//! A socket is one short text: `density: Float=10 0…`. `!` marks an input that takes one value and no field, `A|B` are items of a menu,
//! `0…1` bounds, `+` an input that takes several links.

use std::fmt::Write as _;

use geonode_graph::Catalogue;
use geonode_graph::catalogue::{NodeType, Property, Socket, State};
use geonode_graph::ir::Map as Props;
use geonode_protocol::Code;
use geonode_text::names::word;
use geonode_text::{Names, SocketNames};
use serde_json::{Map, Value, json};

use crate::search::Index;

/// Most node types in one answer.
const MAX_DOCS: usize = 4;

/// Most node types that a search names.
const MAX_FOUND: usize = 20;

/// Properties of every node that do not affect the result.
const LOOKS: [&str; 5] = ["use_custom_color", "color", "hide", "mute", "warning_propagation"];

/// Bounds from here on are those of the number's type, or of its slider.
const NO_BOUND: f64 = 999.0;

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

/// What a search finds: calls on a page, types and labels.
pub fn find_nodes(query: &str, index: &Index) -> Value {
    let found = index.ranked(query);
    let nodes = found.iter().take(MAX_FOUND);
    let nodes: Vec<Value> = nodes
        .map(|kind| json!({"call": kind.call, "bl_idname": kind.name, "label": kind.label}))
        .collect();
    json!({"nodes": nodes, "left_out": found.len().saturating_sub(MAX_FOUND)})
}

/// Documentation of the node types that a search finds, in the state of new nodes.
pub fn document_found(query: &str, index: &Index, catalogue: &Catalogue) -> Vec<Value> {
    let found = index.ranked(query).into_iter().take(MAX_DOCS);
    let names = Names::new(catalogue);
    let found = found.filter_map(|kind| catalogue.nodes.get_key_value(&kind.name));
    found
        .map(|(name, node)| of(name, node, &Props::default(), &names))
        .collect()
}

/// Documentation of one node type, named by its `bl_idname` or its call on a page, with these properties.
///
/// # Errors
/// `unknown_node_type`, `unknown_property` or `invalid_enum`, with what exists.
pub fn document_node(
    name: &str,
    properties: &Map<String, Value>,
    index: &Index,
    catalogue: &Catalogue,
) -> Result<Value, DocsError> {
    let names = Names::new(catalogue);
    let name = names.node_type(name).unwrap_or(name);
    let Some(node) = catalogue.nodes.get(name) else {
        let near = index.ranked(name).into_iter().take(5);
        let near: Vec<&str> = near.map(|kind| kind.name.as_str()).collect();
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
    Ok(of(name, node, &props, &names))
}

fn of(name: &str, node: &NodeType, props: &Props, names: &Names<'_>) -> Value {
    let state = node.state(props);
    let mut out = json!({"call": names.call(name), "bl_idname": name, "label": node.label});
    let properties: Map<String, Value> = shown(node)
        .map(|(property, brief_of)| (keyword(name, property, names), brief(brief_of).into()))
        .collect();
    if let Some(map) = out.as_object_mut() {
        if !properties.is_empty() {
            map.insert("properties".into(), properties.into());
        }
        if !node.state_properties.is_empty() {
            map.insert("sockets_depend_on".into(), json!(node.state_properties));
        }
        if !node.collections.is_empty() {
            let lists = node.collections.keys().map(|list| items(name, list, names));
            map.insert("collections".into(), lists.collect());
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

pub(crate) fn shown(node: &NodeType) -> impl Iterator<Item = (&str, &Property)> {
    let all = node.properties.iter().map(|(name, property)| (name.as_str(), property));
    all.filter(|(name, _)| !LOOKS.contains(name))
}

/// What a property is called on a page: a keyword, or a key of `props` where it cannot be one.
pub(crate) fn keyword(kind: &str, property: &str, names: &Names<'_>) -> String {
    if names.is_shadowed(kind, property) {
        format!("props={{\"{property}\"}}")
    } else {
        property.to_owned()
    }
}

/// What a list of items is called on a page; one that is no keyword with the items of a new node, as far as they differ in more than modes.
pub(crate) fn items(kind: &str, list: &str, names: &Names<'_>) -> String {
    if let Some(word) = names.items_keyword(kind, list) {
        return word.to_owned();
    }
    let known = names.catalogue().nodes.get(kind);
    let known = known.and_then(|kind| kind.collections.get(list));
    let fresh = known.map_or(&[][..], |known| &known.fresh);
    let entry = |fields: &geonode_graph::ir::Map| {
        let said = fields.iter().filter(|(_, value)| !value.is_string());
        let said: Vec<String> = said
            .map(|(name, value)| format!("\"{name}\": {}", short(value)))
            .collect();
        format!("{{{}}}", said.join(", "))
    };
    let entries: Vec<String> = fresh.iter().map(entry).collect();
    format!("props={{\"{list}\": [{}]}}", entries.join(", "))
}

/// Items or type of a property, and its default: `RANDOM|POISSON`, the default first; `bool=False`.
pub(crate) fn brief(property: &Property) -> String {
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
        Value::Array(parts) => format!("({})", parts.iter().map(short).collect::<Vec<_>>().join(",")),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Null => "None".to_owned(),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| number.to_string()),
        other => other.to_string(),
    }
}

/// The available sockets of one side.
pub(crate) fn side(sockets: &[Socket], inputs: bool) -> Vec<String> {
    let words = SocketNames::of(sockets);
    let there = sockets
        .iter()
        .enumerate()
        .filter(|(_, socket)| socket.available && !socket.name.is_empty());
    let one = |(place, socket): (usize, &Socket)| {
        let kind = socket.kind.trim_start_matches("NodeSocket");
        let mut out = format!("{}: {kind}", words.word_at(place).unwrap_or_default());
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
    there.map(one).collect()
}

/// Words of inputs that the node has, but not with these properties.
pub(crate) fn elsewhere(node: &NodeType, state: &State) -> Vec<String> {
    let here = |name: &str| {
        state
            .inputs
            .iter()
            .any(|socket| socket.available && socket.name == name)
    };
    let mut names: Vec<String> = Vec::new();
    for socket in node.states.iter().flat_map(|state| &state.inputs) {
        if !socket.available || socket.name.is_empty() || here(&socket.name) {
            continue;
        }
        if let Some(word) = word(&socket.name).filter(|word| !names.contains(word)) {
            names.push(word);
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
            .map(|socket| socket.as_str().unwrap().split(':').next().unwrap())
            .collect()
    }

    #[test]
    fn only_the_sockets_of_the_current_mode_are_documented() {
        let catalogue = catalogue("5.2");
        let index = Index::new(&catalogue);
        let kind = "GeometryNodeDistributePointsOnFaces";
        let fresh = document_node(kind, &Map::new(), &index, &catalogue).unwrap();
        assert_eq!(names(&fresh["inputs"]), ["mesh", "selection", "density", "seed"]);
        assert_eq!(fresh["sockets_depend_on"][0], "distribute_method");
        assert_eq!(
            fresh["in_other_modes"],
            json!(["distance_min", "density_max", "density_factor"])
        );
        let props = json!({"distribute_method": "POISSON"});
        let poisson = document_node(kind, props.as_object().unwrap(), &index, &catalogue).unwrap();
        assert_eq!(
            names(&poisson["inputs"]),
            [
                "mesh",
                "selection",
                "distance_min",
                "density_max",
                "density_factor",
                "seed"
            ]
        );
        assert_eq!(poisson["inputs"][2], "distance_min: Float!=0 0…");
        assert_eq!(fresh["properties"]["distribute_method"], "RANDOM|POISSON");
        assert!(fresh["properties"].get("hide").is_none());
        let math = document_node("ShaderNodeMath", &Map::new(), &index, &catalogue).unwrap();
        assert_eq!(math["inputs"][1], "value_001: Float=0.5");
    }

    #[test]
    fn every_node_of_every_mode_fits_a_conversation() {
        let catalogue = catalogue("5.2");
        let names = Names::new(&catalogue);
        let (mut most, mut examined) = (0, 0);
        for (name, kind) in &catalogue.nodes {
            most = most.max(of(name, kind, &Props::default(), &names).to_string().len());
            examined += 1;
        }
        assert!(
            examined > 200 && most < 12_000,
            "{examined} types, the longest has {most} bytes"
        );
    }

    #[test]
    fn searches_find_types_and_mistakes_get_suggestions() {
        let catalogue = catalogue("5.2");
        let index = Index::new(&catalogue);
        let found = find_nodes("distribute points faces", &index);
        assert_eq!(found["nodes"][0]["bl_idname"], "GeometryNodeDistributePointsOnFaces");
        assert_eq!(found["nodes"][0]["call"], "distribute_points_on_faces");
        let (by_call, by_type) = ("distribute_points_on_faces", "GeometryNodeDistributePointsOnFaces");
        let [by_call, by_type] = [by_call, by_type].map(|name| document_node(name, &Map::new(), &index, &catalogue));
        assert_eq!(by_call.unwrap(), by_type.unwrap());
        let math = find_nodes("Math", &index);
        assert_eq!(math["nodes"][0]["bl_idname"], "ShaderNodeMath");
        assert!(math["nodes"].as_array().unwrap().len() > 3);
        let points = find_nodes("points", &index);
        assert!(points["nodes"].as_array().unwrap().len() == MAX_FOUND && points["left_out"].as_u64() > Some(5));
        assert_eq!(find_nodes("zzzzqq", &index)["nodes"], json!([]));
        let error = document_node("GeometryNodeDistribute", &Map::new(), &index, &catalogue).unwrap_err();
        assert!(
            error.code() == Code::UnknownNodeType && error.to_string().contains("GeometryNodeDistributePointsOnFaces")
        );
        let props = json!({"operation": "PLUS"});
        let error = document_node("ShaderNodeMath", props.as_object().unwrap(), &index, &catalogue).unwrap_err();
        assert!(
            error.code() == Code::InvalidEnum && error.to_string().contains("ADD"),
            "{error}"
        );
        let props = json!({"mode": "X"});
        assert_eq!(
            document_node("ShaderNodeMath", props.as_object().unwrap(), &index, &catalogue)
                .unwrap_err()
                .code(),
            Code::UnknownProperty
        );
    }
}
