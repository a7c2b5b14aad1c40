//! The edits that Blender carries out for one step (`FORMATS.md`, "Delta"); each list is a phase.

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ir::{ItemKind, Map, Side};

/// A socket: identifier, `@key` of an interface item that the delta adds, or `=Name`.
pub type SocketRef = String;

/// The edits of one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepDelta {
    /// Step of the plan.
    pub step_id: String,
    /// Materials to make, before anything uses them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<MaterialEdit>,
    /// Objects to make, before their modifiers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ObjectEdit>,
    /// Trees in the order in which they must be edited (a nested group before its users).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<TreeDelta>,
    /// Modifiers to create or to give a tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<ModifierEdit>,
    /// Values of modifier inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifier_inputs: Vec<ModifierInput>,
}

impl StepDelta {
    /// True when nothing has to be done.
    pub fn is_empty(&self) -> bool {
        self.materials.is_empty()
            && self.objects.is_empty()
            && self.trees.is_empty()
            && self.modifiers.is_empty()
            && self.modifier_inputs.is_empty()
    }
}

/// A material to make; one that has these values already is left as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialEdit {
    /// Name of the material.
    pub name: String,
    /// Red, green, blue, and alpha.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_color: Option<Vec<f64>>,
    /// Roughness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roughness: Option<f64>,
    /// Metallic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metallic: Option<f64>,
    /// How clear it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transmission: Option<f64>,
    /// How opaque it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Red, green, blue, and alpha of its light.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emission_color: Option<Vec<f64>>,
    /// Strength of its light.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emission_strength: Option<f64>,
}

/// A mesh object without geometry of its own to make in the active collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectEdit {
    /// Name of the object and its mesh.
    pub name: String,
    /// Where its origin is, in world space; at the 3D cursor if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<[f64; 3]>,
}

/// Create a modifier, or give an existing one its tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_out: Option<Side>,
        /// Base RNA name of a socket.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        socket_type: String,
        /// Panel that contains it: identifier or `@key`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// Position among the items of its panel, or of the tree; the last if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
        /// Default, limits, subtype ….
        #[serde(default)]
        props: Map,
    },
    /// Change in place.
    Change {
        /// Which.
        identifier: String,
        /// Its side, where a name stands for the identifier.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_out: Option<Side>,
        /// New name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Panel that contains it from now on, at its end: identifier or `@key`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// Properties that change.
        #[serde(default)]
        props: Map,
    },
    /// Removal.
    Remove {
        /// Which.
        identifier: String,
        /// Its side, where a name stands for the identifier.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_out: Option<Side>,
    },
    /// The order of all items, after the edits before it.
    Order {
        /// Every item, depth first.
        items: Vec<Placed>,
    },
}

/// An interface item at its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// Which: identifier, `@key`, or `=Name`.
    pub identifier: String,
    /// Its side, where a name stands for the identifier of a socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_out: Option<Side>,
    /// Panel that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// A new node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeAdd {
    /// Stable ID.
    pub id: String,
    /// `bl_idname`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name in Blender; if absent, the ID, shortened if necessary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the ID is stamped on the node; normally true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<bool>,
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

/// (node ID, socket) → (node ID, socket).
pub type LinkEdit = (String, SocketRef, String, SocketRef);

/// A link to add; the fifth entry says whether it is muted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NewLink {
    /// A link, not muted.
    Plain(LinkEdit),
    /// A link that may be muted.
    Muted((String, SocketRef, String, SocketRef, bool)),
}

impl NewLink {
    /// A link between these ends.
    pub fn new((from, out, to, input): LinkEdit, muted: bool) -> Self {
        if muted {
            Self::Muted((from, out, to, input, true))
        } else {
            Self::Plain((from, out, to, input))
        }
    }

    /// Its ends.
    pub fn ends(&self) -> (&String, &SocketRef, &String, &SocketRef) {
        match self {
            Self::Plain((from, out, to, input)) | Self::Muted((from, out, to, input, _)) => (from, out, to, input),
        }
    }
}

/// A link to add: a [`LinkEdit`], optionally with a fifth entry that says whether it is muted.
fn link_to_make(generator: &mut SchemaGenerator) -> Schema {
    let [text, muted] = [generator.subschema_for::<String>(), generator.subschema_for::<bool>()];
    json_schema!({"type": "array", "items": {
        "type": "array", "prefixItems": [text, text, text, text, muted], "items": false, "minItems": 4, "maxItems": 5,
    }})
}

/// The edits of one tree, in the order of application.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeDelta {
    /// Name of the tree.
    pub tree: String,
    /// Whether it is new.
    pub create: bool,
    /// The tree that it is copied from; it is then new although `create` is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<String>,
    /// Properties of the tree itself.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map,
    /// Interface, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interface: Vec<InterfaceEdit>,
    /// Nodes to remove; always both ends of a zone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// New nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<NodeAdd>,
    /// Existing nodes on which the ID is stamped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stamp: Vec<String>,
    /// Labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<(String, String)>,
    /// Names of nodes that stay; their IDs stay too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<(String, String)>,
    /// Properties, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub props: Vec<(String, String, Value)>,
    /// Zones: input with output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<(String, String)>,
    /// Complete lists of dynamic items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<(String, String, Vec<Map>)>,
    /// Frames.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<(String, Option<String>)>,
    /// Links to remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlink: Vec<LinkEdit>,
    /// Values of unlinked or linked inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, SocketRef, Value)>,
    /// Links to add, in order.
    #[schemars(schema_with = "link_to_make")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<NewLink>,
    /// Menu values, which are valid only after the links exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late_values: Vec<(String, SocketRef, Value)>,
    /// Sockets to hide or show, in a new tree that is built from its description.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<(String, SocketRef, bool)>,
    /// Absolute locations of new nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<(String, f64, f64)>,
    /// New nodes that come from other trees: they belong to whom they belonged there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedNode>,
    /// Keyframes and drivers that go on at another node; those of nodes that are removed are lost otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub animation: Vec<Carry>,
}

/// A node that comes from another tree as it was there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovedNode {
    /// Its ID there.
    pub from: String,
    /// That tree.
    pub tree: String,
    /// Its ID in this tree.
    pub to: String,
}

/// The animation of one node that another one takes over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Carry {
    /// The node whose animation it is.
    pub from: String,
    /// The tree of that node; if absent, this tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The node of this tree that takes it over.
    pub to: String,
    /// Inputs that take over, by identifier of the old one; if absent, all sockets under their own identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<IndexMap<String, String>>,
}

impl TreeDelta {
    /// True when nothing in the tree changes.
    pub fn is_empty(&self) -> bool {
        let Self {
            tree: _,
            create,
            copy_of,
            settings,
            interface,
            remove,
            add,
            stamp,
            labels,
            names,
            props,
            pairs,
            items,
            parents,
            unlink,
            values,
            links,
            late_values,
            hide,
            locations,
            moved,
            animation,
        } = self;
        !create
            && copy_of.is_none()
            && settings.is_empty()
            && interface.is_empty()
            && remove.is_empty()
            && add.is_empty()
            && stamp.is_empty()
            && labels.is_empty()
            && names.is_empty()
            && props.is_empty()
            && pairs.is_empty()
            && items.is_empty()
            && parents.is_empty()
            && unlink.is_empty()
            && values.is_empty()
            && links.is_empty()
            && late_values.is_empty()
            && hide.is_empty()
            && locations.is_empty()
            && moved.is_empty()
            && animation.is_empty()
    }
}
