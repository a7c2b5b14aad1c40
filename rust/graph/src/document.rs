//! The state that a plan is compiled against (`FORMATS.md`, "Document").

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::ir::{Map, Tree};
use crate::scene::Scene;

/// What Blender answered to an `inspect`: only what a plan's targets need.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Objects by name.
    #[serde(default)]
    pub objects: IndexMap<String, Object>,
    /// Trees by name, nested groups included.
    #[serde(default)]
    pub trees: IndexMap<String, Tree>,
    /// Users and origin of each tree.
    #[serde(default)]
    pub tree_info: IndexMap<String, TreeInfo>,
    /// Names of all data-blocks, by kind (`object`, `collection`, …).
    #[serde(default)]
    pub names: IndexMap<String, BTreeSet<String>>,
    /// How large objects and collections are.
    #[serde(default)]
    pub scene: Scene,
}

/// An object and its modifiers, in stack order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// RNA type, for example `MESH`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Linked from a library: not editable.
    #[serde(default)]
    pub library: bool,
    /// The stack.
    #[serde(default)]
    pub modifiers: Vec<Modifier>,
}

/// One modifier.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Modifier {
    /// Name, unique on the object.
    pub name: String,
    /// RNA type; `NODES` for Geometry Nodes.
    #[serde(rename = "type")]
    pub kind: String,
    /// The tree it runs.
    #[serde(default)]
    pub node_group: Option<String>,
    /// Values of its inputs by socket identifier.
    #[serde(default)]
    pub inputs: Map,
}

/// What else is known about a tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeInfo {
    /// Users in the file.
    #[serde(default)]
    pub users: u32,
    /// Linked from a library: not editable.
    #[serde(default)]
    pub library: bool,
    /// RNA type of the tree.
    #[serde(default, rename = "type")]
    pub kind: String,
}
