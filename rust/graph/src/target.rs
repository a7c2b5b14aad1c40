//! What a step edits: object, modifier, tree; and whether they can be edited at all.

use geonode_protocol::{Action, Code, Step};

use crate::document::{Document, Modifier, Object};
use crate::model::TreeModel;
use crate::near::nearest;
use crate::ops::{MAX_NAME, Op, Work};
use crate::sink::Sink;

/// Object types that carry Geometry Nodes modifiers.
const MODIFIABLE: &[&str] = &[
    "MESH",
    "CURVE",
    "CURVES",
    "SURFACE",
    "FONT",
    "POINTCLOUD",
    "VOLUME",
    "GREASEPENCIL",
];

/// The target of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub object: String,
    pub modifier: String,
    /// The modifier is not there.
    pub new_modifier: bool,
    /// The modifier is new, or runs no tree yet.
    pub assign_tree: bool,
}

/// A refusal: where, what, and what to do.
struct Refusal(Code, &'static str, String, String);

/// Finds object, modifier and tree of a step; reports what is missing or not editable.
pub(crate) fn resolve_target(
    step: &Step,
    ops: &[Op<'_>],
    state: &Document,
    sink: &mut Sink,
) -> Option<(Target, TreeModel)> {
    let (object_name, modifier_name, group_name) = match &step.action {
        Action::NodeTree(payload) => {
            let target = &payload.target;
            (
                &target.object_name,
                &target.modifier_name,
                Some(target.node_group_name.as_str()),
            )
        }
        Action::GnOps(payload) => (&payload.target.object_name, &payload.target.modifier_name, None),
        Action::Python(_) => return None,
    };
    let may_create = group_name.is_some() || ops.iter().any(|op| matches!(op, Op::EnsureTarget { create: true }));
    let resolved = editable_object(object_name, state).and_then(|object| {
        let modifier = usable_modifier(object_name, object, modifier_name, group_name, may_create)?;
        let present = modifier.and_then(|modifier| modifier.node_group.as_deref());
        let name = match group_name.or(present) {
            Some(name) => name.to_owned(),
            None => free_name(modifier_name, state),
        };
        editable_tree(&name, state)?;
        Ok((name, modifier.is_none(), present.is_none()))
    });
    let (name, new_modifier, assign_tree) = match resolved {
        Ok(found) => found,
        Err(Refusal(code, field, message, hint)) => {
            let path = sink.at_target(field);
            sink.error(code, path, message, Some(hint));
            return None;
        }
    };
    let own_users = u32::from(!assign_tree);
    if state.tree_info.get(&name).is_some_and(|info| info.users > own_users) {
        let path = sink.at_target("node_group_name");
        sink.warn(
            Code::SharedNodeGroup,
            path,
            format!("the node group “{name}” has other users too; they change with it"),
        );
    }
    let target = Target {
        object: object_name.clone(),
        modifier: modifier_name.clone(),
        new_modifier,
        assign_tree,
    };
    let tree = state.trees.get(&name);
    Some((
        target,
        TreeModel::new(&name, tree.cloned().unwrap_or_default(), tree.is_none()),
    ))
}

fn editable_object<'d>(name: &str, state: &'d Document) -> Result<&'d Object, Refusal> {
    let Some(object) = state.objects.get(name) else {
        let near = nearest(
            name,
            state.names.get("object").into_iter().flatten().map(String::as_str),
        );
        let hint = near.map_or_else(
            || "name an object of the scene".to_owned(),
            |near| format!("did you mean “{near}”?"),
        );
        return Err(Refusal(
            Code::UnknownObject,
            "object_name",
            format!("there is no object “{name}”"),
            hint,
        ));
    };
    if object.library {
        let message = format!("“{name}” is linked from another file and cannot be edited");
        let hint = "make it local or a library override first".to_owned();
        return Err(Refusal(Code::LibraryData, "object_name", message, hint));
    }
    if !MODIFIABLE.contains(&object.kind.as_str()) {
        let message = format!(
            "“{name}” is of the type {}, which carries no Geometry Nodes modifier",
            object.kind
        );
        return Err(Refusal(
            Code::ObjectTypeUnsupported,
            "object_name",
            message,
            "choose a mesh or curve object".to_owned(),
        ));
    }
    Ok(object)
}

fn usable_modifier<'d>(
    object_name: &str,
    object: &'d Object,
    name: &str,
    group_name: Option<&str>,
    may_create: bool,
) -> Result<Option<&'d Modifier>, Refusal> {
    if name.len() > MAX_NAME {
        let message = format!("a modifier's name may have {MAX_NAME} bytes");
        return Err(Refusal(
            Code::BadName,
            "modifier_name",
            message,
            "choose a shorter name".to_owned(),
        ));
    }
    let Some(modifier) = object.modifiers.iter().find(|modifier| modifier.name == name) else {
        if may_create {
            return Ok(None);
        }
        let near = nearest(name, object.modifiers.iter().map(|modifier| modifier.name.as_str()));
        let begin = "begin with ensure_target and allow_create_modifier: true";
        let hint = near.map_or_else(
            || begin.to_owned(),
            |near| format!("did you mean “{near}”? Else {begin}"),
        );
        let message = format!("“{object_name}” has no modifier “{name}”");
        return Err(Refusal(Code::TargetMissing, "modifier_name", message, hint));
    };
    if modifier.kind != "NODES" {
        let message = format!(
            "the modifier “{name}” is not a Geometry Nodes modifier but {}",
            modifier.kind
        );
        return Err(Refusal(
            Code::TargetMissing,
            "modifier_name",
            message,
            "choose another modifier name".to_owned(),
        ));
    }
    match (modifier.node_group.as_deref(), group_name) {
        (Some(present), Some(wanted)) if present != wanted => {
            let message = format!("the modifier “{name}” runs the node group “{present}”, not “{wanted}”");
            let hint = format!("name the node group “{present}”, or choose another modifier name");
            Err(Refusal(Code::TargetMissing, "node_group_name", message, hint))
        }
        _ => Ok(Some(modifier)),
    }
}

fn editable_tree(name: &str, state: &Document) -> Result<(), Refusal> {
    if name.len() > MAX_NAME {
        let message = format!("a node group's name may have {MAX_NAME} bytes");
        return Err(Refusal(
            Code::BadName,
            "node_group_name",
            message,
            "choose a shorter name".to_owned(),
        ));
    }
    let Some(info) = state.tree_info.get(name) else {
        return Ok(());
    };
    if info.library {
        let message = format!("the node group “{name}” is linked from another file and cannot be edited");
        let hint = "use another node group name, or make it local".to_owned();
        return Err(Refusal(Code::LibraryData, "node_group_name", message, hint));
    }
    if !info.kind.is_empty() && info.kind != "GeometryNodeTree" {
        let message = format!("“{name}” is not a Geometry Nodes tree");
        let hint = "use another node group name".to_owned();
        return Err(Refusal(Code::UnknownNodeGroup, "node_group_name", message, hint));
    }
    Ok(())
}

/// The wanted name, or the next numbered one that is free.
fn free_name(wanted: &str, state: &Document) -> String {
    let taken = state.names.get("node_group");
    let is_taken = |name: &str| taken.is_some_and(|names| names.contains(name));
    // One of more candidates than there are names must be free.
    let candidates = taken.map_or(0, std::collections::BTreeSet::len) + 1;
    std::iter::once(wanted.to_owned())
        .chain((1..=candidates).map(|n| format!("{wanted}.{n:03}")))
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| wanted.to_owned())
}

impl Work<'_> {
    /// Resolving the target has done the work; without leave, a missing modifier was refused there.
    pub(crate) fn ensure_target(&mut self, create: bool) {
        debug_assert!(create || !self.target.new_modifier);
    }
}
