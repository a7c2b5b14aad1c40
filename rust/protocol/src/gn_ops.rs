//! `GN_OPS`: small edits of the tree on a modifier.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumDiscriminants, EnumString};

use crate::rule::Rule;
use crate::shapes::{
    AddGroup, AddZone, EditZone, GroupIo, GroupNodes, MakeMaterial, MakeObject, OrderLinks, Properties, RemoveZone,
    ReplaceNode, SetItems, SetProperty, UngroupNodes,
};
use crate::value::PlanValue;

/// Payload of a `GN_OPS` step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GnOps {
    /// Version of the operation set; always 1.
    #[serde(deserialize_with = "crate::plan::whole_number")]
    #[schemars(extend("const" = 1))]
    pub v: u8,
    /// The modifier whose tree is edited.
    pub target: ModifierTarget,
    /// Gives the modifier a copy of its own first when its node group has other users, so that they stay as they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-since" = "1.1"))]
    pub single_user: bool,
    /// Operations, carried out in order.
    pub ops: Vec<GnOp>,
}

impl GnOps {
    /// Whether the step may make the modifier when it is missing.
    pub fn may_create_modifier(&self) -> bool {
        let creates = |op: &GnOp| matches!(op, GnOp::EnsureTarget(target) if target.allow_create_modifier);
        self.ops.iter().any(creates)
    }
}

/// Object and modifier of a `GN_OPS` step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModifierTarget {
    /// Name of the object.
    #[schemars(length(min = 1))]
    pub object_name: String,
    /// Name of the Geometry Nodes modifier.
    #[schemars(length(min = 1))]
    pub modifier_name: String,
    /// A group that the modifier's tree uses, at any depth, which is edited instead of the tree itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-since" = "1.2"))]
    pub node_group_name: Option<String>,
}

/// One operation of a `GN_OPS` step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, EnumDiscriminants)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[strum_discriminants(
    name(GnOpKind),
    vis(pub(crate)),
    derive(EnumString),
    strum(serialize_all = "snake_case")
)]
pub enum GnOp {
    /// Makes sure that the modifier and its tree exist.
    EnsureTarget(EnsureTarget),
    /// Creates a missing Group Input or Output and keeps one Group Output.
    EnsureSingleGroupIo {},
    /// Adds a node.
    AddNode(AddNode),
    /// Removes a node; its neighbours are not reconnected.
    RemoveNode(RemoveNode),
    /// Adds a link.
    Link(GnLink),
    /// Removes a link.
    Unlink(GnUnlink),
    /// Sets the value of an input; a link on it stays.
    SetInput(SetInput),
    /// Removes nodes from which no output is reachable.
    CleanupUnused {},
    /// Sets a property of a node.
    #[schemars(extend("x-since" = "1.1"))]
    SetProperty(SetProperty),
    /// Creates, changes or removes a socket of the interface.
    #[schemars(extend("x-since" = "1.1"))]
    SetGroupIo(Box<GroupIo>),
    /// Adds a zone.
    #[schemars(extend("x-since" = "1.1"))]
    AddZone(AddZone),
    /// Edits the items of a zone.
    #[schemars(extend("x-since" = "1.1"))]
    EditZone(EditZone),
    /// Removes a zone.
    #[schemars(extend("x-since" = "1.1"))]
    RemoveZone(RemoveZone),
    /// Adds a group node.
    #[schemars(extend("x-since" = "1.1"))]
    AddGroup(AddGroup),
    /// Sets the dynamic items of a node.
    #[schemars(extend("x-since" = "1.1"))]
    SetItems(SetItems),
    /// Adds a frame around nodes.
    #[schemars(extend("x-since" = "1.1"))]
    AddFrame(AddFrame),
    /// Sets an input of the modifier.
    #[schemars(extend("x-since" = "1.1"))]
    SetModifierInput(SetModifierInput),
    /// Replaces a node by one of another type.
    #[schemars(extend("x-since" = "1.2"))]
    ReplaceNode(ReplaceNode),
    /// Sets the order of the links into an input that takes several.
    #[schemars(extend("x-since" = "1.2"))]
    OrderLinks(OrderLinks),
    /// Moves nodes into a group with their links.
    #[schemars(extend("x-since" = "1.2"))]
    GroupNodes(GroupNodes),
    /// Moves nodes out of a group with their links.
    #[schemars(extend("x-since" = "1.2"))]
    UngroupNodes(UngroupNodes),
    /// Makes a material.
    #[schemars(extend("x-since" = "1.2"))]
    MakeMaterial(MakeMaterial),
    /// Makes the object of the target.
    #[schemars(extend("x-since" = "1.2"))]
    MakeObject(MakeObject),
    /// Orders the sockets and panels of the interface.
    #[schemars(extend("x-since" = "1.2"))]
    ArrangeInterface(ArrangeInterface),
    /// Sets properties of the tree itself.
    #[schemars(extend("x-since" = "1.2"))]
    SetTree(SetTree),
}

impl GnOpKind {
    /// What holds for the fields of the operation beyond its schema.
    pub(crate) fn rules(self) -> &'static [Rule] {
        match self {
            Self::AddNode | Self::AddZone | Self::AddGroup | Self::AddFrame => &[Rule::NewId("id")],
            Self::SetGroupIo => &[Rule::MinBelowMax],
            Self::ArrangeInterface
            | Self::CleanupUnused
            | Self::EditZone
            | Self::EnsureSingleGroupIo
            | Self::EnsureTarget
            | Self::GroupNodes
            | Self::Link
            | Self::MakeMaterial
            | Self::MakeObject
            | Self::OrderLinks
            | Self::RemoveNode
            | Self::RemoveZone
            | Self::ReplaceNode
            | Self::SetInput
            | Self::SetItems
            | Self::SetModifierInput
            | Self::SetProperty
            | Self::SetTree
            | Self::UngroupNodes
            | Self::Unlink => &[],
        }
    }
}

/// Makes sure that the target exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnsureTarget {
    /// Whether a missing modifier may be created.
    #[serde(default)]
    pub allow_create_modifier: bool,
}

/// Adds a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddNode {
    /// Stable ID of the node from now on.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Type, for example `GeometryNodeMeshCube`.
    #[schemars(length(min = 1))]
    pub bl_idname: String,
    /// Place in the editor, in editor units; laid out automatically when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -3.402_823_5e38, max = 3.402_823_5e38))]
    pub x: Option<f64>,
    /// Place in the editor, in editor units; laid out automatically when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -3.402_823_5e38, max = 3.402_823_5e38))]
    pub y: Option<f64>,
    /// Label in the editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Properties, set in this order.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    #[serde(deserialize_with = "crate::shapes::properties")]
    #[schemars(with = "std::collections::BTreeMap<String, PlanValue>", extend("x-since" = "1.1"))]
    pub properties: Properties,
}

/// Removes a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveNode {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub id: String,
}

/// A link between two sockets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GnLink {
    /// Stable ID of the source node.
    #[schemars(length(min = 1))]
    pub from_node: String,
    /// Identifier or unambiguous name of its output.
    #[schemars(length(min = 1))]
    pub from_socket: String,
    /// Stable ID of the destination node.
    #[schemars(length(min = 1))]
    pub to_node: String,
    /// Identifier or unambiguous name of its input.
    #[schemars(length(min = 1))]
    pub to_socket: String,
    /// Whether the link is muted, so that it carries nothing; one that is there is changed. If absent, that stays as it is, and a new one is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.2"))]
    pub muted: Option<bool>,
}

/// A link that is removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GnUnlink {
    /// Stable ID of the source node.
    #[schemars(length(min = 1))]
    pub from_node: String,
    /// Identifier or unambiguous name of its output.
    #[schemars(length(min = 1))]
    pub from_socket: String,
    /// Stable ID of the destination node.
    #[schemars(length(min = 1))]
    pub to_node: String,
    /// Identifier or unambiguous name of its input.
    #[schemars(length(min = 1))]
    pub to_socket: String,
}

/// Sets the value of an input, or of the output of a Value node; exactly one of `socket_name` and `socket_identifier` is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["socket_name"]}, {"required": ["socket_identifier"]}]))]
pub struct SetInput {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// Name of the input in the UI; identifiers are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub socket_name: Option<String>,
    /// Identifier of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-since" = "1.1"))]
    pub socket_identifier: Option<String>,
    /// The new value.
    #[schemars(with = "PlanValue")]
    pub value: Value,
}

/// Adds a frame around nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddFrame {
    /// ID of the frame.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Label in the editor.
    pub label: String,
    /// Stable IDs of nodes that it is put around; those that it holds already stay in it.
    #[schemars(inner(length(min = 1)))]
    pub node_ids: Vec<String>,
    /// Stable IDs of nodes inside that leave it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-since" = "1.2"))]
    pub remove_node_ids: Vec<String>,
}

/// Orders the sockets and panels of the interface; panels that are not there are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrangeInterface {
    /// All of them from top to bottom, each panel before what is in it. Sockets that are left out follow in their present order, and panels
    /// that are left out are removed, their sockets are not. Blender shows the sockets of a panel above the panels in it.
    pub items: Vec<InterfacePlace>,
}

/// A socket or panel of the interface at its place; exactly one of `input`, `output` and `panel` is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["input"]}, {"required": ["output"]}, {"required": ["panel"]}]))]
pub struct InterfacePlace {
    /// Name of an input in the UI, or its identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub input: Option<String>,
    /// Name of an output in the UI, or its identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub output: Option<String>,
    /// Name of a panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub panel: Option<String>,
    /// In how many panels it lies; the innermost is the last one before it that lies in one less.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(max = 64))]
    pub depth: u32,
    /// Properties of a panel: `description`, `default_closed`.
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    #[serde(deserialize_with = "crate::shapes::properties")]
    #[schemars(with = "std::collections::BTreeMap<String, PlanValue>")]
    pub properties: Properties,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(depth: &u32) -> bool {
    *depth == 0
}

/// Sets properties of the tree itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetTree {
    /// Properties by RNA name, such as `description`, `is_tool`, `is_modifier`.
    #[serde(deserialize_with = "crate::shapes::properties")]
    #[schemars(with = "std::collections::BTreeMap<String, PlanValue>")]
    pub properties: Properties,
}

/// Sets an input of the modifier; exactly one of `name` and `identifier` is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["name"]}, {"required": ["identifier"]}]))]
pub struct SetModifierInput {
    /// Name of the interface input in the UI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// Identifier of the interface input, for example `Socket_2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub identifier: Option<String>,
    /// The new value.
    #[schemars(with = "PlanValue")]
    pub value: Value,
}
