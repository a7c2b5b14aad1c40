//! What Blender shall do for one step (`FORMATS.md`, "Delta"); each list is a phase.

use serde::Serialize;
use serde_json::Value;

use crate::ir::{ItemKind, Map, Side};

/// A socket: identifier, `@key` of an interface item that the delta adds, or `=Name`.
pub type SocketRef = String;

/// The edits of one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StepDelta {
    /// Step of the plan.
    pub step_id: String,
    /// Trees in the order in which they must be edited (a nested group before its users).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<TreeDelta>,
    /// Modifiers to create or to give a tree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<ModifierEdit>,
    /// Values of modifier inputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modifier_inputs: Vec<ModifierInput>,
}

impl StepDelta {
    /// True when nothing has to be done.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty() && self.modifiers.is_empty() && self.modifier_inputs.is_empty()
    }
}

/// Create a modifier, or give an existing one its tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModifierEdit {
    /// Object that owns it.
    pub object: String,
    /// Name of the modifier.
    pub name: String,
    /// Whether it is new.
    pub create: bool,
    /// Tree that it runs.
    pub node_group: String,
}

/// One value of a modifier's input.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModifierInput {
    /// Object.
    pub object: String,
    /// Modifier.
    pub modifier: String,
    /// Interface input.
    pub identifier: SocketRef,
    /// New value.
    pub value: Value,
}

/// One change of a tree's interface.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum InterfaceEdit {
    /// A new socket or panel, known as `key` within this delta.
    Add {
        /// `@…`
        key: String,
        /// Socket or panel.
        kind: ItemKind,
        /// Name.
        name: String,
        /// Direction of a socket.
        #[serde(skip_serializing_if = "Option::is_none")]
        in_out: Option<Side>,
        /// Base RNA name of a socket.
        #[serde(skip_serializing_if = "String::is_empty")]
        socket_type: String,
        /// Panel that holds it: identifier or `@key`.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// Default, limits, subtype ….
        props: Map,
    },
    /// Change in place.
    Change {
        /// Which.
        identifier: String,
        /// New name.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Properties that change.
        props: Map,
    },
    /// Take away.
    Remove {
        /// Which.
        identifier: String,
    },
}

/// A new node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeAdd {
    /// Stable ID, stamped on the node.
    pub id: String,
    /// `bl_idname`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

/// (node ID, socket) → (node ID, socket).
pub type LinkEdit = (String, SocketRef, String, SocketRef);

/// The edits of one tree, in the order of application.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TreeDelta {
    /// Name of the tree.
    pub tree: String,
    /// Whether it is new.
    pub create: bool,
    /// The tree that it begins as a copy of; it is new then, though `create` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<String>,
    /// Interface, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interface: Vec<InterfaceEdit>,
    /// Nodes to take away; zones whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// New nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<NodeAdd>,
    /// Existing nodes that get their ID stamped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stamp: Vec<String>,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<(String, String)>,
    /// Properties, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub props: Vec<(String, String, Value)>,
    /// Zones: input with output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<(String, String)>,
    /// Complete lists of dynamic items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<(String, String, Vec<Map>)>,
    /// Frames.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<(String, Option<String>)>,
    /// Links to take away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unlink: Vec<LinkEdit>,
    /// Values of unlinked or linked inputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, SocketRef, Value)>,
    /// Links to make, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkEdit>,
    /// Menu values: legal only once the links are made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub late_values: Vec<(String, SocketRef, Value)>,
    /// Places of new nodes, absolute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<(String, f64, f64)>,
}

impl TreeDelta {
    /// True when the tree stays as it is.
    pub fn is_empty(&self) -> bool {
        let Self {
            tree: _,
            create,
            copy_of,
            interface,
            remove,
            add,
            stamp,
            labels,
            props,
            pairs,
            items,
            parents,
            unlink,
            values,
            links,
            late_values,
            locations,
        } = self;
        !create
            && copy_of.is_none()
            && interface.is_empty()
            && remove.is_empty()
            && add.is_empty()
            && stamp.is_empty()
            && labels.is_empty()
            && props.is_empty()
            && pairs.is_empty()
            && items.is_empty()
            && parents.is_empty()
            && unlink.is_empty()
            && values.is_empty()
            && links.is_empty()
            && late_values.is_empty()
            && locations.is_empty()
    }
}
