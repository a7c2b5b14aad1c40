//! A modifier, as all documents describe it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ir::{Map, Tree};

/// A modifier of an object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modifier {
    /// Name, unique on the object.
    pub name: String,
    /// RNA type; `NODES` for Geometry Nodes.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its node group; only Geometry Nodes modifiers have one.
    #[serde(default)]
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub node_group: Option<String>,
    /// Values of its inputs by name, of the target's, the active and the selected objects, in the context only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Map>,
    /// Values of its inputs by socket identifier; not in the context.
    #[serde(default)]
    #[schemars(skip_serializing_if = "Map::is_empty")]
    pub inputs: Map,
    /// Those values as a run left them; `None` where no run did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Map>,
    /// Identifiers of the inputs that keyframes or drivers set; not in the context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub animated: Vec<String>,
    /// The traces of runs in its tree, in the context only; `None` for a tree that the artist created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// Whether its tree has a mark of a run that does not count: it was renamed, copied or appended. In the context only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lapsed: bool,
    /// The messages of its nodes, in evidence only; `None` where Blender has no such list (4.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<NodeWarning>>,
}

/// The traces that runs left in a tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// Whether the tree is exactly as the run left it; otherwise it was changed by hand, or the artist created it.
    pub as_left: bool,
    /// Digest of the prompt that it was created for.
    #[serde(default)]
    pub by: String,
    /// IDs of the nodes that runs created in it; not in the context.
    #[serde(default)]
    #[schemars(skip_serializing_if = "BTreeSet::is_empty")]
    pub nodes: BTreeSet<String>,
    /// Identifiers of the inputs and outputs that plans called `@…` when they made them, by those names; not in the context.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sockets: BTreeMap<String, String>,
    /// Identifier of the run that wrote the mark; not in the context.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The tree as runs left it, where it is another now; not in the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Tree>,
    /// The present run made them, which may change them freely.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub this_run: bool,
}

impl Made {
    /// Whether runs made the node, or left all of the tree as it is.
    pub fn owns(&self, id: &str) -> bool {
        self.as_left || self.nodes.contains(id)
    }
}

/// A message of a node from evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeWarning {
    /// `ERROR`, `WARNING` or `INFO`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text of the message.
    pub message: String,
}
