//! A modifier, wherever a document tells of one.

use std::collections::BTreeSet;

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
    /// Those values as a run left them; none where no run did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Map>,
    /// What runs left of its tree, in the context only; none for a tree of the artist's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// What its nodes say, in evidence only; none where Blender has no such list (4.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<NodeWarning>>,
}

/// What is left of a tree that a run made or wrote into.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// It is exactly what the run left; else it was changed by hand, or is the artist's own.
    pub as_left: bool,
    /// Digest of the words that it was made for.
    #[serde(default)]
    pub by: String,
    /// IDs of the nodes that runs made in it; the context does not tell them.
    #[serde(default)]
    #[schemars(skip_serializing_if = "BTreeSet::is_empty")]
    pub nodes: BTreeSet<String>,
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
