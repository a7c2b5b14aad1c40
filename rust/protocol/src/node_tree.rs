//! `NODE_TREE`: a tree described by its nodes and links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumDiscriminants, EnumString};

use crate::rule::Rule;
use crate::shapes::{
    AddGroup, AddZone, EditZone, Endpoint, GroupIo, GroupNodes, MakeMaterial, MakeObject, OrderLinks, Properties,
    RemoveZone, ReplaceNode, SetItems, SetProperty, UngroupNodes,
};
use crate::value::PlanValue;

/// Payload of a `NODE_TREE` step with operations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeTree {
    /// What is edited; modifier and node group are created if they do not exist.
    pub target: TreeTarget,
    /// Gives the modifier a copy of its own first when its node group has other users, so that they stay as they are; `node_group_name` names the copy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub single_user: bool,
    /// Operations, carried out in order.
    pub operations: Vec<NodeTreeOp>,
}

/// Payload of a `NODE_TREE` step with a page of tree text, which becomes steps with operations before it is compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TreeText {
    /// The page; it names its target.
    pub text: String,
}

/// Payload of a `NODE_TREE` step: `target` and `operations`, or `text`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename = "NodeTree", deny_unknown_fields)]
#[schemars(extend(
    "if" = {"required": ["text"]},
    "else" = {"required": ["target", "operations"]}
))]
pub(crate) struct NodeTreeFields {
    /// What is edited; modifier and node group are created if they do not exist.
    #[serde(default)]
    #[schemars(with = "TreeTarget")]
    target: Option<TreeTarget>,
    /// Gives the modifier a copy of its own first when its node group has other users, so that they stay as they are; `node_group_name` names the copy.
    #[serde(default)]
    #[schemars(extend("x-since" = "1.1"))]
    single_user: bool,
    /// Operations, carried out in order.
    #[serde(default)]
    #[schemars(with = "Vec<NodeTreeOp>")]
    operations: Option<Vec<NodeTreeOp>>,
    /// The tree, or what changes of it, as a page of tree text, which names its target itself: instead of all other fields.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1), extend("x-since" = "1.2"))]
    text: Option<String>,
}

/// The two forms of the payload.
pub(crate) enum NodeTreeForm {
    Operations(NodeTree),
    Text(TreeText),
}

impl NodeTreeFields {
    /// The payload in one of its two forms.
    ///
    /// # Errors
    /// When it has neither or both.
    pub(crate) fn form(self) -> Result<NodeTreeForm, &'static str> {
        match (self.text, self.target, self.operations) {
            (Some(text), None, None) if !self.single_user => Ok(NodeTreeForm::Text(TreeText { text })),
            (None, Some(target), Some(operations)) => Ok(NodeTreeForm::Operations(NodeTree {
                target,
                single_user: self.single_user,
                operations,
            })),
            _ => Err("the payload has either text, or target and operations"),
        }
    }
}

/// Object, modifier and node group of a `NODE_TREE` step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeTarget {
    /// Name of the object.
    #[schemars(length(min = 1))]
    pub object_name: String,
    /// Name of the Geometry Nodes modifier.
    #[schemars(length(min = 1))]
    pub modifier_name: String,
    /// Name of the node group: the modifier's tree, or from version 1.2 on a group that it uses, at any depth.
    #[schemars(length(min = 1))]
    pub node_group_name: String,
}

/// One operation of a `NODE_TREE` step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, EnumDiscriminants)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[strum_discriminants(
    name(NodeTreeOpKind),
    vis(pub(crate)),
    derive(EnumString),
    strum(serialize_all = "snake_case")
)]
pub enum NodeTreeOp {
    /// Adds a node.
    CreateNode(CreateNode),
    /// Removes a node; its neighbours are not reconnected.
    DeleteNode(DeleteNode),
    /// Sets the value of an input, or of the output of a Value node; a link on it stays.
    SetInputDefault(SetInputDefault),
    /// Sets a property of a node.
    SetProperty(SetProperty),
    /// Adds a link.
    Link(Link),
    /// Removes a link.
    Unlink(Unlink),
    /// Creates, changes or removes a socket of the interface.
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
}

impl NodeTreeOpKind {
    /// What holds for the fields of the operation beyond its schema.
    pub(crate) fn rules(self) -> &'static [Rule] {
        match self {
            Self::CreateNode => &[Rule::NewId("node_id")],
            Self::AddZone | Self::AddGroup => &[Rule::NewId("id")],
            Self::SetGroupIo => &[Rule::MinBelowMax],
            Self::DeleteNode
            | Self::EditZone
            | Self::GroupNodes
            | Self::Link
            | Self::MakeMaterial
            | Self::MakeObject
            | Self::OrderLinks
            | Self::RemoveZone
            | Self::ReplaceNode
            | Self::SetInputDefault
            | Self::SetItems
            | Self::SetProperty
            | Self::UngroupNodes
            | Self::Unlink => &[],
        }
    }
}

/// Adds a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateNode {
    /// Stable ID of the node from now on.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// Type, for example `GeometryNodeMeshCube`.
    #[schemars(length(min = 1))]
    pub bl_idname: String,
    /// Place in the editor, in editor units; laid out automatically when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -3.402_823_5e38, max = 3.402_823_5e38)))]
    pub location: Option<[f64; 2]>,
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
pub struct DeleteNode {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
}

/// Sets the value of an input, or of the output of a Value node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetInputDefault {
    /// Stable ID of the node.
    #[schemars(length(min = 1))]
    pub node_id: String,
    /// Identifier or unambiguous name of the input.
    #[schemars(length(min = 1))]
    pub socket: String,
    /// The new value.
    #[schemars(with = "PlanValue")]
    pub value: Value,
}

/// A link between two sockets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The output.
    pub from: Endpoint,
    /// The input.
    pub to: Endpoint,
    /// Whether the link is muted, so that it carries nothing; one that is there is changed. If absent, that stays as it is, and a new one is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.2"))]
    pub muted: Option<bool>,
}

/// A link that is removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unlink {
    /// The output.
    pub from: Endpoint,
    /// The input.
    pub to: Endpoint,
}
