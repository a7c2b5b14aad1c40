//! Shapes that `NODE_TREE` and `GN_OPS` operations share.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::value::PlanValue;

/// Reserved node ID of the tree's Group Input.
pub const GROUP_INPUT_ID: &str = "group_input";
/// Reserved node ID of the tree's Group Output.
pub const GROUP_OUTPUT_ID: &str = "group_output";

/// RNA property name → value, in the order given (a property may decide which others exist).
pub type Properties = Map<String, Value>;

/// Reads properties into a map of exactly their number: a map that grows reserves room for at least three, more than most nodes set.
pub(crate) fn properties<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Properties, D::Error> {
    Ok(Properties::deserialize(deserializer)?.into_iter().collect())
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// Socket identifier, or its name in the UI where that is unambiguous.
    #[schemars(length(min = 1))]
    pub socket: String,
}

/// Sets an RNA property of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetProperty {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// RNA name of the property, for example `operation`.
    #[schemars(length(min = 1))]
    pub property: String,
    /// The new value.
    #[schemars(with = "PlanValue")]
    pub value: Value,
}

/// Side of the tree's interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// An input of the tree, shown in the modifier.
    Input,
    /// An output of the tree.
    Output,
}

/// Creates, changes or removes a socket of the tree's interface; found by name and direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "if" = {"properties": {"remove": {"const": true}}, "required": ["remove"]},
    "else" = {"required": ["socket_type"]}
))]
pub struct GroupIo {
    /// Side of the interface.
    pub direction: Direction,
    /// Name in the UI.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Identifier of the socket, which then gets the name; where several of one side share a name. One that begins with `@` makes another
    /// socket of that name, and is what the step's other operations call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2), extend("x-since" = "1.2"))]
    pub identifier: Option<String>,
    /// Base RNA name of the socket type, for example `NodeSocketFloat`; required unless `remove` is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub socket_type: Option<String>,
    /// Default value, also set on every modifier and group node that uses the tree when the input is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PlanValue")]
    pub default: Option<Value>,
    /// Lowest value in the UI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -3.402_823_5e38, max = 3.402_823_5e38))]
    pub min: Option<f64>,
    /// Highest value in the UI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -3.402_823_5e38, max = 3.402_823_5e38))]
    pub max: Option<f64>,
    /// Subtype such as `DISTANCE`, `ANGLE`, `FACTOR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub subtype: Option<String>,
    /// Name of the interface panel that contains the socket; created if it does not exist. An existing socket is moved into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-since" = "1.1"))]
    pub panel: Option<String>,
    /// Other properties of the socket by RNA name, such as `description`, `hide_value`, `structure_type`.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    #[serde(deserialize_with = "properties")]
    #[schemars(with = "std::collections::BTreeMap<String, PlanValue>", extend("x-since" = "1.2"))]
    pub properties: Properties,
    /// Removes the socket instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-since" = "1.1"))]
    pub remove: bool,
}

/// Kind of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZoneKind {
    /// Repeat zone.
    Repeat,
    /// Simulation zone.
    Simulation,
    /// For-each-element zone; its items are the generation items unless their `part` says otherwise.
    ForEach,
    /// Closure; its items are its outputs unless their `part` says otherwise.
    #[schemars(extend("x-since" = "1.2"))]
    Closure,
}

/// Which items of a zone are meant, where it has several lists. A link names an item of one list as `part.Name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ZonePart {
    /// What a for-each zone or a closure takes in.
    Input,
    /// What a for-each zone stores on the geometry that it iterates over.
    Main,
    /// The geometry that a for-each zone generates, and attributes of it.
    Generation,
    /// What a closure gives out.
    Output,
}

/// A value that a zone carries through its iterations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneItem {
    /// Name in the UI.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Base RNA name of the socket type, for example `NodeSocketGeometry`.
    #[schemars(length(min = 1))]
    pub socket_type: String,
    /// The list that contains it, for for-each zones (`generation` if absent) and closures (`output` if absent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.2"))]
    pub part: Option<ZonePart>,
}

/// Adds a zone: the paired nodes `<id>.in` and `<id>.out`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddZone {
    /// ID of the zone.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Kind of the zone.
    pub kind: ZoneKind,
    /// The complete list of items of each part that occurs; a default item of the same name is reused, others are removed.
    pub items: Vec<ZoneItem>,
}

/// Adds items to a zone and removes others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditZone {
    /// ID of the zone, or of either of its nodes.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Items to add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_items: Vec<ZoneItem>,
    /// Names of the items to remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)))]
    pub remove_items: Vec<String>,
    /// The list that the items are removed from and added to, for for-each zones (`generation` if absent) and closures (`output` if absent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.2"))]
    pub part: Option<ZonePart>,
}

/// Removes a zone, both of its nodes at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveZone {
    /// ID of the zone, or of either of its nodes.
    #[schemars(length(min = 1))]
    pub id: String,
}

/// Adds a group node that uses an existing node group or one created by an earlier step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddGroup {
    /// ID of the new node.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Name of the node group.
    #[schemars(length(min = 1))]
    pub node_group_name: String,
}

/// Makes the object of the step's target: a mesh object without geometry of its own, for the modifier to fill. One that this plan made before is used again;
/// where another object has the name, the new one gets the next free name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeObject {
    /// Where its origin is, in world space; at the 3D cursor if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -3.402_823_5e38, max = 3.402_823_5e38)))]
    pub location: Option<[f64; 3]>,
}

/// Makes a material with a Principled BSDF; what is left out is as in a new one. One that has these values already is left as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeMaterial {
    /// Name of the material, which later values of this plan may use.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Red, green, blue (linear), and alpha where it is not 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 3, max = 4), inner(range(min = 0.0, max = 3.402_823_5e38)))]
    pub base_color: Option<Vec<f64>>,
    /// From 0, a mirror, to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 3.402_823_5e38))]
    pub roughness: Option<f64>,
    /// From 0 to 1, metal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 3.402_823_5e38))]
    pub metallic: Option<f64>,
    /// From 0 to 1, clear as glass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 3.402_823_5e38))]
    pub transmission: Option<f64>,
    /// From 0, invisible, to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 3.402_823_5e38))]
    pub alpha: Option<f64>,
    /// Colour of the light that it emits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 3, max = 4), inner(range(min = 0.0, max = 3.402_823_5e38)))]
    pub emission_color: Option<Vec<f64>>,
    /// Strength of that light.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 3.402_823_5e38))]
    pub emission_strength: Option<f64>,
}

/// Sets the dynamic items of a node (menu, capture, switch, bundle items, …).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetItems {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// RNA name of the collection, for example `capture_items` or `enum_items`.
    #[schemars(length(min = 1))]
    pub collection: String,
    /// The complete wanted list; each item is named by its RNA fields, for example `{"name": "Height", "socket_type": "NodeSocketFloat"}`.
    #[schemars(with = "Vec<std::collections::BTreeMap<String, PlanValue>>")]
    pub items: Vec<Properties>,
}

/// Replaces a node by one of another type under the same ID. Links and values stay where the new type has a socket of that identifier or
/// name, or a single one of that type; the others are named in a warning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceNode {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// The new type, for example `GeometryNodeMeshCube`.
    #[schemars(length(min = 1))]
    pub bl_idname: String,
    /// Properties of the new node, set in this order.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    #[serde(deserialize_with = "crate::shapes::properties")]
    #[schemars(with = "std::collections::BTreeMap<String, PlanValue>")]
    pub properties: Properties,
}

/// Sets the order of the links into an input that takes several, such as that of Join Geometry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderLinks {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// Identifier or unambiguous name of the input.
    #[schemars(length(min = 1))]
    pub socket: String,
    /// The outputs that are linked to it, the one that is evaluated first at first; those that are not named follow in their present order. Of
    /// links that nothing orders, the last one made is evaluated first.
    pub from: Vec<Endpoint>,
}

/// Moves nodes into a group with their links, which lead through new sockets of the group. Without nodes the group is only made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupNodes {
    /// ID of the group node: a new one, or one that uses the group.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Name of the node group, which is made if the group node is new.
    #[schemars(length(min = 1))]
    pub node_group_name: String,
    /// Stable IDs of the nodes; of a zone, both ends.
    #[schemars(inner(length(min = 1)))]
    pub node_ids: Vec<String>,
}

/// Replaces a group node by copies of the nodes of its group, with their links; the group itself stays as it is for its other users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UngroupNodes {
    /// Stable ID of the group node.
    #[schemars(length(min = 1))]
    pub id: String,
}
