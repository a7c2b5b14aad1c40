//! The kinds of operations as one list, so that every decision about them is an exhaustive match.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use crate::gn_ops::GnOp;
use crate::node_tree::NodeTreeOp;

/// Kind of an operation, of either step type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each one is the operation of its name")]
pub enum OpKind {
    AddFrame,
    AddGroup,
    AddNode,
    AddZone,
    CleanupUnused,
    CreateNode,
    DeleteNode,
    EditZone,
    EnsureSingleGroupIo,
    EnsureTarget,
    Link,
    RemoveNode,
    RemoveZone,
    SetGroupIo,
    SetInput,
    SetInputDefault,
    SetItems,
    SetModifierInput,
    SetProperty,
    Unlink,
}

impl OpKind {
    /// The kind of the operation with this name on the wire.
    pub fn named(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }
}

impl From<&NodeTreeOp> for OpKind {
    fn from(op: &NodeTreeOp) -> Self {
        match op {
            NodeTreeOp::CreateNode(_) => Self::CreateNode,
            NodeTreeOp::DeleteNode(_) => Self::DeleteNode,
            NodeTreeOp::SetInputDefault(_) => Self::SetInputDefault,
            NodeTreeOp::SetProperty(_) => Self::SetProperty,
            NodeTreeOp::Link(_) => Self::Link,
            NodeTreeOp::Unlink(_) => Self::Unlink,
            NodeTreeOp::SetGroupIo(_) => Self::SetGroupIo,
            NodeTreeOp::AddZone(_) => Self::AddZone,
            NodeTreeOp::EditZone(_) => Self::EditZone,
            NodeTreeOp::RemoveZone(_) => Self::RemoveZone,
            NodeTreeOp::AddGroup(_) => Self::AddGroup,
            NodeTreeOp::SetItems(_) => Self::SetItems,
        }
    }
}

impl From<&GnOp> for OpKind {
    fn from(op: &GnOp) -> Self {
        match op {
            GnOp::EnsureTarget(_) => Self::EnsureTarget,
            GnOp::EnsureSingleGroupIo {} => Self::EnsureSingleGroupIo,
            GnOp::AddNode(_) => Self::AddNode,
            GnOp::RemoveNode(_) => Self::RemoveNode,
            GnOp::Link(_) => Self::Link,
            GnOp::Unlink(_) => Self::Unlink,
            GnOp::SetInput(_) => Self::SetInput,
            GnOp::CleanupUnused {} => Self::CleanupUnused,
            GnOp::SetProperty(_) => Self::SetProperty,
            GnOp::SetGroupIo(_) => Self::SetGroupIo,
            GnOp::AddZone(_) => Self::AddZone,
            GnOp::EditZone(_) => Self::EditZone,
            GnOp::RemoveZone(_) => Self::RemoveZone,
            GnOp::AddGroup(_) => Self::AddGroup,
            GnOp::SetItems(_) => Self::SetItems,
            GnOp::AddFrame(_) => Self::AddFrame,
            GnOp::SetModifierInput(_) => Self::SetModifierInput,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_the_schema_has_its_kind() {
        let plan = crate::schema("plan").unwrap();
        let mut kinds = std::collections::BTreeSet::new();
        for list in ["NodeTreeOp", "GnOp"] {
            for op in plan["$defs"][list]["oneOf"].as_array().unwrap() {
                let name = op["properties"]["op"]["const"].as_str().unwrap();
                kinds.insert(OpKind::named(name).unwrap_or_else(|| panic!("{name} has no kind")));
            }
        }
        assert_eq!(kinds.len(), 20, "{kinds:?}");
        assert_eq!(OpKind::named("explode"), None);
    }

    #[test]
    fn the_wire_names_the_kind() {
        let op: NodeTreeOp = serde_json::from_str(r#"{"op": "delete_node", "node_id": "a"}"#).unwrap();
        assert_eq!(
            (OpKind::from(&op), OpKind::named("delete_node")),
            (OpKind::DeleteNode, Some(OpKind::DeleteNode))
        );
        let op: GnOp = serde_json::from_str(r#"{"op": "cleanup_unused"}"#).unwrap();
        assert_eq!(OpKind::from(&op), OpKind::CleanupUnused);
    }
}
