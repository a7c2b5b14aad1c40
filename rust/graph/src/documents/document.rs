//! The state that a plan is compiled against (`FORMATS.md`, "Document").

use std::collections::BTreeSet;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::modifier::{Made, Modifier};
use super::scene::Scene;
use crate::ir::{Map, Tree};

/// Blender's answer to an `inspect`, limited to what a plan's targets need.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    /// Hash of all of this, computed by the host: equal for equal state.
    #[serde(default)]
    pub fingerprint: String,
    /// Sizes of objects and collections.
    #[serde(default)]
    pub scene: Scene,
    /// What the materials look like whose names a plan gives to new ones: by name the values of their Principled BSDF, as fields of
    /// `make_material`; nothing of one of which anything else is not as in a new one.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub materials: IndexMap<String, Map>,
}

/// An object that a plan may name: whether it may be edited, and its modifiers in stack order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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

/// Further data about a tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    /// The traces of runs in it; `None` for a tree that the artist created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// What of its nodes is animated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub animated: Vec<Animated>,
}

/// A value of a node that keyframes or a driver set, or that a driver of anything in the file reads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Animated {
    /// The node.
    pub node: String,
    /// Identifier of the input or output; `None` for a property of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// Name of the socket, or the property.
    pub name: String,
    /// What sets or reads it.
    pub by: AnimatedBy,
    /// The data-block whose driver reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
}

/// What sets an animated value, or depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnimatedBy {
    /// Keyframes of the tree's action.
    #[default]
    Keyframes,
    /// A driver.
    Driver,
    /// Keyframes of an action that a strip of the nonlinear animation plays.
    Strip,
    /// A driver that reads it.
    Reader,
    /// A driver of a data-block that is linked from another file and reads it: it cannot follow.
    Linked,
}
