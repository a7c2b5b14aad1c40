//! The target of a step: object, modifier and tree, and whether they can be edited.

use std::collections::HashSet;

use geonode_protocol::{Action, Code, GnOp, Step};

use crate::documents::{Document, Modifier, Object};
use crate::ir::MAX_NAME;
use crate::model::TreeModel;
use crate::near::nearest;
use crate::sink::Sink;

/// Object types that can have Geometry Nodes modifiers.
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
    /// The modifier does not exist.
    pub new_modifier: bool,
    /// The modifier is new, or has no tree yet, or another one.
    pub assign_tree: bool,
    /// The tree is created as a copy of this one, which the modifier shares with others.
    pub copy_of: Option<String>,
}

/// A refusal: where, what, and what to do.
struct Refusal(Code, &'static str, String, String);

/// Finds object, modifier and tree of a step; reports what is missing or not editable.
pub(crate) fn resolve_target(step: &Step, state: &Document, sink: &mut Sink) -> Option<(Target, TreeModel)> {
    let (object_name, modifier_name, group_name, single_user, may_create) = match &step.action {
        Action::NodeTree(payload) => {
            let target = &payload.target;
            (
                &target.object_name,
                &target.modifier_name,
                Some(target.node_group_name.as_str()),
                payload.single_user,
                true,
            )
        }
        Action::GnOps(payload) => {
            let target = &payload.target;
            (
                &target.object_name,
                &target.modifier_name,
                target.node_group_name.as_deref(),
                payload.single_user,
                payload.may_create_modifier(),
            )
        }
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return None,
    };
    let resolved = editable_object(object_name, state).and_then(|object| {
        let modifier = usable_modifier(object_name, object, modifier_name, may_create)?;
        let present = modifier.and_then(|modifier| modifier.node_group.as_deref());
        if let Some(nested) = group_name.filter(|name| uses_group(present, name, state)) {
            if single_user {
                let message = format!("`single_user` copies the modifier's tree, not the group “{nested}” in it");
                let hint =
                    "leave single_user out, or make the copy in a step that names the modifier's tree".to_owned();
                return Err(Refusal(Code::TargetMissing, "node_group_name", message, hint));
            }
            editable_tree(nested, state)?;
            return Ok((nested.to_owned(), false, false, None));
        }
        if let (Action::GnOps(_), Some(wanted)) = (&step.action, group_name)
            && present != Some(wanted)
        {
            let message = format!("the tree of the modifier “{modifier_name}” does not use a node group “{wanted}”");
            let near = nearest(wanted, state.trees.keys().map(String::as_str));
            let hint = near.map_or_else(
                || "name a group that the tree uses, or leave node_group_name out".to_owned(),
                |near| format!("did you mean “{near}”?"),
            );
            return Err(Refusal(Code::UnknownNodeGroup, "node_group_name", message, hint));
        }
        let copied = present.filter(|_| single_user);
        let copy = copied
            .map(|shared| copy_name(shared, group_name, state))
            .transpose()?
            .flatten();
        if let Some(name) = copy {
            return Ok((name, false, true, copied.map(str::to_owned)));
        }
        runs_the_group(modifier_name, present, group_name, single_user)?;
        let name = match group_name.or(present) {
            Some(name) => name.to_owned(),
            None => free_name(modifier_name, state),
        };
        if !sets_only_the_modifier(step) {
            editable_tree(&name, state)?;
        }
        Ok((name, modifier.is_none(), present.is_none(), None))
    });
    let (name, new_modifier, assign_tree, copy_of) = match resolved {
        Ok(found) => found,
        Err(Refusal(code, field, message, hint)) => {
            let path = sink.at_target(field);
            sink.error(code, path, message, Some(hint));
            return None;
        }
    };
    // A copy has no users yet, so nobody else changes with it.
    let own_users = u32::from(!assign_tree);
    if state.tree_info.get(&name).is_some_and(|info| info.users > own_users) {
        let path = sink.at_target("node_group_name");
        let copy = if uses_group(present_tree(step, state), &name, state) {
            ""
        } else {
            " (`single_user: true` makes a copy)"
        };
        let message = format!("the node group “{name}” has other users too; they change with it{copy}");
        sink.warn(Code::SharedNodeGroup, path, message);
    }
    let target = Target {
        object: object_name.clone(),
        modifier: modifier_name.clone(),
        new_modifier,
        assign_tree,
        copy_of,
    };
    let tree = state.trees.get(target.copy_of.as_ref().unwrap_or(&name));
    Some((
        target,
        TreeModel::new(&name, tree.cloned().unwrap_or_default(), tree.is_none()),
    ))
}

/// The tree that the modifier of a step runs.
fn present_tree<'d>(step: &Step, state: &'d Document) -> Option<&'d str> {
    let (object, modifier) = match &step.action {
        Action::NodeTree(payload) => (&payload.target.object_name, &payload.target.modifier_name),
        Action::GnOps(payload) => (&payload.target.object_name, &payload.target.modifier_name),
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => return None,
    };
    let on = state.objects.get(object)?;
    let one = on.modifiers.iter().find(|one| one.name == *modifier)?;
    one.node_group.as_deref()
}

/// Whether the tree uses a group of this name, at any depth.
pub fn uses_group(tree: Option<&str>, group: &str, state: &Document) -> bool {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut open: Vec<&str> = tree.into_iter().collect();
    while let Some(name) = open.pop() {
        let nodes = state.trees.get(name).into_iter().flat_map(|tree| &tree.nodes);
        for inner in nodes.filter_map(|node| node.group()) {
            if inner == group && Some(inner) != tree {
                return true;
            }
            if seen.insert(inner) {
                open.push(inner);
            }
        }
    }
    false
}

/// Inputs of a modifier are the object's own, also where its tree is linked.
fn sets_only_the_modifier(step: &Step) -> bool {
    let Action::GnOps(payload) = &step.action else {
        return false;
    };
    let mut ops = payload.ops.iter();
    ops.all(|op| matches!(op, GnOp::SetModifierInput(_) | GnOp::EnsureTarget(_)))
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
        let hint = "make it local or create a library override first".to_owned();
        return Err(Refusal(Code::LibraryData, "object_name", message, hint));
    }
    if !MODIFIABLE.contains(&object.kind.as_str()) {
        let message = format!(
            "“{name}” is of the type {}, which cannot carry a Geometry Nodes modifier",
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
        let begin = "begin with ensure_target and `allow_create_modifier: true`";
        let hint = near.map_or_else(
            || begin.to_owned(),
            |near| format!("did you mean “{near}”? Otherwise {begin}"),
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
    Ok(Some(modifier))
}

/// The tree that the plan names must be the modifier's, if it has one.
fn runs_the_group(
    modifier: &str,
    present: Option<&str>,
    wanted: Option<&str>,
    single_user: bool,
) -> Result<(), Refusal> {
    match (present, wanted) {
        (Some(present), Some(wanted)) if present != wanted => {
            let message = format!("the modifier “{modifier}” runs the node group “{present}”, not “{wanted}”");
            let hint = if single_user {
                format!("“{wanted}” exists already: give the copy a name that is free, or name “{present}”")
            } else {
                format!("name the node group “{present}”, or choose another modifier name")
            };
            Err(Refusal(Code::TargetMissing, "node_group_name", message, hint))
        }
        _ => Ok(()),
    }
}

/// The name of the copy that `single_user` asks for; `None` when the tree has no other users, or is already the copy.
fn copy_name(shared: &str, wanted: Option<&str>, state: &Document) -> Result<Option<String>, Refusal> {
    let info = state.tree_info.get(shared);
    let alone = info.is_none_or(|info| info.users <= 1 && !info.library);
    match wanted {
        None if alone => Ok(None),
        None => Ok(Some(free_name(shared, state))),
        Some(wanted) if wanted == shared && alone => Ok(None),
        Some(wanted) if wanted == shared => {
            let message = format!("“{shared}” has other users, and its copy cannot have the same name");
            let hint = format!(
                "give the copy a name of its own, for example “{}”",
                free_name(shared, state)
            );
            Err(Refusal(Code::SharedNodeGroup, "node_group_name", message, hint))
        }
        Some(wanted) => {
            let free = !state.trees.contains_key(wanted)
                && state
                    .names
                    .get("node_group")
                    .is_none_or(|names| !names.contains(wanted));
            if free {
                editable_tree(wanted, state)?;
            }
            Ok(free.then(|| wanted.to_owned()))
        }
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
    // There are more candidates than names, so one must be free.
    let candidates = taken.map_or(0, std::collections::BTreeSet::len) + 1;
    std::iter::once(wanted.to_owned())
        .chain((1..=candidates).map(|n| format!("{wanted}.{n:03}")))
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| wanted.to_owned())
}
