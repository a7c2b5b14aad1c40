//! The description of node trees that crosses the border (`FORMATS.md`, "Tree IR").
//!
//! The types mirror the JSON one to one; the meaning of the fields is specified there.

use indexmap::IndexMap;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the IR that this crate reads and writes.
pub const IR_VERSION: u32 = 1;

/// Length at which Blender cuts names of nodes, sockets, modifiers and trees, in bytes of UTF-8.
pub const MAX_NAME: usize = 63;

/// Groups, frames or panels that may lie in each other. Blender walks them by recursion; trees that people draw have below ten.
pub const MAX_NESTED: usize = 64;

/// A JSON object that keeps the order of its keys.
pub type Map = IndexMap<String, Value>;

/// Several trees that belong together: a root and the groups nested in it, each once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Version of the format, [`IR_VERSION`].
    pub ir: u32,
    /// Blender that wrote it, for example `[5, 2, 3]`.
    pub blender: [u32; 3],
    /// Name of the tree that was requested; `None` when several were.
    #[serde(default)]
    pub root: Option<String>,
    /// Every tree by name.
    pub trees: IndexMap<String, Tree>,
}

/// The JSON Schema of a [`Bundle`]: the form of a tree document.
pub fn schema() -> Value {
    schema_for!(Bundle).to_value()
}

/// One node tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Properties of the tree itself that differ from a new one.
    #[serde(default)]
    pub settings: Map,
    /// Sockets and panels, in the order in which they are shown.
    #[serde(default)]
    pub interface: Vec<Item>,
    /// Nodes in tree order.
    #[serde(default)]
    pub nodes: Vec<Node>,
    /// Links; those into one multi-input in the order of their `sort`.
    #[serde(default)]
    pub links: Vec<Link>,
    /// By path, what the tree and the sockets of its interface hold without any effect on the result: custom properties; only documents for
    /// rebuilding have it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub stored: Map,
}

/// Whether an interface item is a socket or a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// An input or output of the group.
    Socket,
    /// A panel that contains sockets or panels.
    Panel,
}

/// Side of a group's interface, and of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Side {
    /// Inputs.
    Input,
    /// Outputs.
    Output,
}

/// A socket or panel of a tree's interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Socket or panel.
    pub kind: ItemKind,
    /// Blender's identifier; `panel:<uid>` for panels.
    pub identifier: String,
    /// Name in the interface.
    pub name: String,
    /// Direction; none for panels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_out: Option<Side>,
    /// Base RNA name, for example `NodeSocketFloat`; empty for panels.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub socket_type: String,
    /// Identifier of the panel that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Properties that differ from a new item: default, limits, subtype, description ….
    #[serde(default)]
    pub props: Map,
}

impl Item {
    /// True for a socket on `side`.
    pub fn is_socket(&self, side: Side) -> bool {
        self.kind == ItemKind::Socket && self.in_out == Some(side)
    }
}

/// One node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Stable ID (stamp, else name).
    pub id: String,
    /// Name in Blender.
    #[serde(default)]
    pub name: String,
    /// `bl_idname`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label that the artist sees instead of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Place relative to the frame, in node-editor units.
    #[serde(default)]
    pub location: [f64; 2],
    /// Width where it differs from the type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// ID of the frame that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// On the input node of a zone: ID of its output node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    /// Properties that differ from a new node.
    #[serde(default)]
    pub props: Map,
    /// Dynamic items by collection.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub items: IndexMap<String, Vec<Map>>,
    /// Input sockets whose state differs from a new node.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<String, Map>,
    /// Output sockets whose state differs from a new node.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<String, Map>,
    /// By RNA path, what it holds without any effect on the result; only documents for rebuilding have it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub stored: Map,
}

impl Node {
    /// Its location in hundredths: the content of a frame that was moved is off by a rounding error.
    #[allow(clippy::cast_possible_truncation, reason = "places beyond 2^63 are equally far away")]
    pub fn place(&self) -> [i64; 2] {
        self.location.map(|part| (part * 100.0).round() as i64)
    }

    /// Name of the tree behind a group node.
    pub fn group(&self) -> Option<&str> {
        self.props.get("node_tree")?.get("node_group")?.as_str()
    }
}

/// One link, from an output to an input, each as (node ID, socket identifier).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Source: an output.
    pub from: (String, String),
    /// Target: an input.
    pub to: (String, String),
    /// Muted by the artist.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
    /// Order within a multi-input, as the links were made: Blender evaluates the one with the greatest number first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<i64>,
}
