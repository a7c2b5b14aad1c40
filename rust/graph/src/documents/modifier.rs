//! A modifier, wherever a document tells of one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ir::Map;

/// A modifier of an object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modifier {
    /// Name, unique on the object.
    pub name: String,
    /// RNA type; `NODES` for Geometry Nodes.
    #[serde(rename = "type")]
    pub kind: String,
    /// The tree that it runs; only Geometry Nodes modifiers have one.
    #[serde(default)]
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub node_group: Option<String>,
    /// Values of its inputs by socket identifier; the context does not tell them.
    #[serde(default)]
    #[schemars(skip_serializing_if = "Map::is_empty")]
    pub inputs: Map,
    /// What its nodes say, in evidence only; none where Blender has no such list (4.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<NodeWarning>>,
}

/// What a node says during evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeWarning {
    /// `ERROR`, `WARNING` or `INFO`.
    #[serde(rename = "type")]
    pub kind: String,
    /// In words.
    pub message: String,
}
