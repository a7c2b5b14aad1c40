//! The target of a step: object, modifier and tree, and whether they can be edited.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use geonode_protocol::{Action, Change, Code, Finding, GnOp, Hint, NodeTreeOp, Step, Version};
use serde_json::json;

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
    /// The step makes the object.
    pub new_object: bool,
    pub modifier: String,
    /// The modifier does not exist.
    pub new_modifier: bool,
    /// The modifier is new, or has no tree yet, or another one.
    pub assign_tree: bool,
    /// The tree is created as a copy of this one, which the modifier shares with others.
    pub copy_of: Option<String>,
}

/// An object that a plan makes, before it has any modifier.
pub(crate) static NEW_OBJECT: LazyLock<Object> = LazyLock::new(|| Object {
    kind: "MESH".to_owned(),
    library: false,
    modifiers: Vec::new(),
});

/// The target that a step asks for.
pub(crate) struct Asked<'p> {
    pub object: &'p str,
    pub modifier: &'p str,
    pub group: Option<&'p str>,
    pub may_create: bool,
    pub single_user: bool,
}

impl<'p> Asked<'p> {
    pub(crate) fn of(action: &'p Action) -> Option<Self> {
        match action {
            Action::NodeTree(payload) => Some(Self {
                object: &payload.target.object_name,
                modifier: &payload.target.modifier_name,
                group: Some(&payload.target.node_group_name),
                may_create: true,
                single_user: payload.single_user,
            }),
            Action::GnOps(payload) => Some(Self {
                object: &payload.target.object_name,
                modifier: &payload.target.modifier_name,
                group: payload.target.node_group_name.as_deref(),
                may_create: payload.may_create_modifier(),
                single_user: payload.single_user,
            }),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => None,
        }
    }
}

/// A refusal: where, what, and what to do.
struct Refusal(Code, &'static str, String, Advised);

/// What to do about a target that cannot be used.
enum Advised {
    /// To know this.
    Explain(&'static str),
    /// To name this in the field instead.
    Name(String),
    /// The same, for a reason.
    NameBecause(String, String),
    /// To leave the field out.
    LeaveOut(&'static str),
    /// To leave `single_user` out.
    NotSingle(&'static str),
    /// To begin with an operation that makes the modifier.
    Begin,
    /// That the artist does this; a plan can only choose another target.
    ByHand(&'static str),
}

impl Advised {
    fn finding(self, finding: Finding, field: &str, sink: &Sink) -> Finding {
        let path = sink.at_target(field);
        let hint = match self {
            Self::Explain(text) => Hint::explain(text),
            Self::Name(near) => Hint::change(format!("Did you mean “{near}”?"), Change::replace(path, near)),
            Self::NameBecause(name, text) => Hint::change(text, Change::replace(path, name)),
            Self::LeaveOut(text) => Hint::change(text, Change::remove(path)),
            Self::NotSingle(text) => Hint::change(text, Change::remove(sink.at_payload("single_user"))),
            Self::Begin => {
                let begin = json!({"op": "ensure_target", "allow_create_modifier": true});
                let change = Change::add(sink.at_payload("ops/0"), begin);
                Hint::change("Begin with ensure_target and `allow_create_modifier: true`.", change)
            }
            Self::ByHand(text) => return finding.by_hand(text),
        };
        finding.hint(hint)
    }
}

/// Finds object, modifier and tree of a step; reports what is missing or not editable.
/// `made`: trees that the plan made before.
pub(crate) fn resolve_target(
    step: &Step,
    state: &Document,
    made: &BTreeSet<String>,
    sink: &mut Sink,
) -> Option<(Target, TreeModel)> {
    let Asked {
        object: object_name,
        modifier: modifier_name,
        group: group_name,
        may_create,
        single_user,
    } = Asked::of(&step.action)?;
    let new_object = makes_object(&step.action) && !state.objects.contains_key(object_name);
    let object = if new_object {
        check_new(object_name).map(|()| &*NEW_OBJECT)
    } else {
        editable_object(object_name, state)
    };
    let resolved = object.and_then(|object| {
        let modifier = usable_modifier(object_name, object, modifier_name, may_create)?;
        let present = modifier.and_then(|modifier| modifier.node_group.as_deref());
        if let Some(nested) = group_name.filter(|name| uses_group(present, name, state)) {
            if single_user {
                let message =
                    format!("a copy for one user is of the modifier's tree, not of the group “{nested}” in it");
                let hint =
                    Advised::NotSingle("Leave single_user out: a step that names the modifier's tree can copy that.");
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
            let inside = near.filter(|near| uses_group(present, near, state));
            let tree = "Leave node_group_name out: then the step edits the tree of the modifier.";
            let hint = inside.map_or(Advised::LeaveOut(tree), Advised::Name);
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
        runs_the_group(modifier_name, present, group_name, single_user, state)?;
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
            let finding = Finding::error(code, sink.at_target(field), message);
            sink.errors += 1;
            sink.push(hint.finding(finding, field, sink));
            // What else is wrong with the step does not depend on its object.
            match group_name.filter(|_| field == "object_name") {
                Some(named) if editable_tree(named, state).is_ok() => (named.to_owned(), true, true, None),
                _ => return None,
            }
        }
    };
    // A copy has no users yet, so nobody else changes with it; and what the plan made itself, it may change.
    let inside = uses_in(present_tree(step, state), &name, state);
    let own_users = u32::from(!assign_tree).max(inside);
    let shared = state.tree_info.get(&name).is_some_and(|info| info.users > own_users);
    if shared && !made.contains(&name) && !sets_only_the_modifier(step) {
        warn_of_users(&name, group_name.is_some(), present_tree(step, state), state, sink);
    }
    let target = Target {
        object: object_name.to_owned(),
        new_object,
        modifier: modifier_name.to_owned(),
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

/// Warns that others use the group too; proposes a copy of it where it is the tree that the modifier runs.
fn warn_of_users(name: &str, is_named: bool, present: Option<&str>, state: &Document, sink: &mut Sink) {
    let path = sink.at_target("node_group_name");
    let message = format!("the node group “{name}” has other users too; they change with it");
    if uses_group(present, name, state) || present.is_none() {
        sink.warn(Code::SharedNodeGroup, path, message);
        return;
    }
    let version = Change::add("/version", Version::CURRENT.text().into());
    let single = Change::add(sink.at_payload("single_user"), true.into());
    let named = is_named.then(|| Change::replace(&*path, free_name(name, state)));
    let changes = [version, single].into_iter().chain(named);
    let hint = Hint::changes("`single_user: true` makes a copy, under a name of its own", changes);
    sink.warn_with(Code::SharedNodeGroup, path, message, hint);
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

/// How many group nodes of a tree use a group.
fn uses_in(tree: Option<&str>, group: &str, state: &Document) -> u32 {
    let nodes = tree
        .and_then(|name| state.trees.get(name))
        .into_iter()
        .flat_map(|tree| &tree.nodes);
    let uses = nodes.filter(|node| node.group() == Some(group)).count();
    u32::try_from(uses).unwrap_or(u32::MAX)
}

/// Inputs of a modifier are the object's own, also where its tree is linked.
fn sets_only_the_modifier(step: &Step) -> bool {
    let Action::GnOps(payload) = &step.action else {
        return false;
    };
    let mut ops = payload.ops.iter();
    ops.all(|op| matches!(op, GnOp::SetModifierInput(_) | GnOp::EnsureTarget(_)))
}

/// Whether a step makes the object of its target.
pub fn makes_object(action: &Action) -> bool {
    object_maker(action).is_some()
}

/// The operation of a step that makes the object of its target.
pub(crate) fn object_maker(action: &Action) -> Option<usize> {
    match action {
        Action::NodeTree(payload) => {
            let mut ops = payload.operations.iter();
            ops.position(|op| matches!(op, NodeTreeOp::MakeObject(_)))
        }
        Action::GnOps(payload) => {
            let mut ops = payload.ops.iter();
            ops.position(|op| matches!(op, GnOp::MakeObject(_)))
        }
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => None,
    }
}

fn check_new(object_name: &str) -> Result<(), Refusal> {
    if object_name.len() <= MAX_NAME && !object_name.contains('\0') {
        return Ok(());
    }
    let message = format!(
        "Blender does not keep the name of an object whole that has more than {MAX_NAME} bytes or the character NUL"
    );
    let hint = Advised::Explain("Any shorter name will do.");
    Err(Refusal(Code::BadName, "object_name", message, hint))
}

fn editable_object<'d>(name: &str, state: &'d Document) -> Result<&'d Object, Refusal> {
    let Some(object) = state.objects.get(name) else {
        let near = nearest(
            name,
            state.names.get("object").into_iter().flatten().map(String::as_str),
        );
        let hint = near.map_or(
            Advised::Explain(
                "The objects of the scene are in the context. make_object makes a new one; on a page, apply(…, object=new(\"Name\")) does.",
            ),
            Advised::Name,
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
        let hint = Advised::ByHand("Make it local or create a library override first.");
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
            Advised::ByHand("Choose a mesh or curve object."),
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
            Advised::Explain("Any shorter name will do."),
        ));
    }
    let Some(modifier) = object.modifiers.iter().find(|modifier| modifier.name == name) else {
        if may_create {
            return Ok(None);
        }
        let near = nearest(name, object.modifiers.iter().map(|modifier| modifier.name.as_str()));
        let hint = near.map_or(Advised::Begin, Advised::Name);
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
            Advised::Explain("A name that no modifier has makes a new one."),
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
    state: &Document,
) -> Result<(), Refusal> {
    match (present, wanted) {
        (Some(present), Some(wanted)) if present != wanted => {
            let message = format!("the modifier “{modifier}” runs the node group “{present}”, not “{wanted}”");
            let hint = if single_user {
                let free = free_name(wanted, state);
                let text = format!("“{wanted}” exists already; “{free}” is free.");
                Advised::NameBecause(free, text)
            } else {
                let text = format!("Name the node group “{present}”; another one needs another modifier.");
                Advised::NameBecause(present.to_owned(), text)
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
            let free = free_name(shared, state);
            let text = format!("Give the copy a name of its own, for example “{free}”.");
            let hint = Advised::NameBecause(free, text);
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
            Advised::Explain("Any shorter name will do."),
        ));
    }
    let Some(info) = state.tree_info.get(name) else {
        return Ok(());
    };
    if info.library {
        let message = format!("the node group “{name}” is linked from another file and cannot be edited");
        let hint = Advised::ByHand("Make it local, or let the result go into a new node group.");
        return Err(Refusal(Code::LibraryData, "node_group_name", message, hint));
    }
    if !info.kind.is_empty() && info.kind != "GeometryNodeTree" {
        let message = format!("“{name}” is not a Geometry Nodes tree");
        let free = free_name(name, state);
        let hint = Advised::NameBecause(free.clone(), format!("“{free}” is free."));
        return Err(Refusal(Code::UnknownNodeGroup, "node_group_name", message, hint));
    }
    Ok(())
}

/// The wanted name, or the next numbered one that no node group has.
fn free_name(wanted: &str, state: &Document) -> String {
    let taken = state.names.get("node_group");
    numbered(wanted, |name| taken.is_some_and(|names| names.contains(name)))
}

/// The wanted name, or the next numbered one that is not taken.
pub(crate) fn numbered(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbers = (1_u64..).map(|number| format!("{wanted}.{number:03}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbers);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| wanted.to_owned())
}
