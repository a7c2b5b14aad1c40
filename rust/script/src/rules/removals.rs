//! Marks code that removes data: the artist is asked, in every mode.
//!
//! Why: undo restores the data, but only if somebody notices.
//! Example: `bpy.data.objects.remove(obj)`, `bpy.ops.object.delete()`

use geonode_protocol::Code;
use rustpython_parser::ast::{Constant, Expr, ExprCall, ExprContext, Keyword};
use rustpython_parser::text_size::TextRange;

use crate::bindings::{is_fresh, is_list_of_parts, is_vertex_group};
use crate::checker::{Checker, Rule};
use crate::expressions::{chain, literal};
use crate::policy::fits;

const RULE: Rule = Rule {
    name: "removals",
    code: Code::ScriptDestructive,
};
const NODES: Rule = Rule {
    name: "removals",
    code: Code::ScriptRemovesNodes,
};
const HINT: &str = "Nothing needs to be corrected: the artist is asked before the script runs.";

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    match expr {
        Expr::Call(call) => called(cx, call),
        // `gone = bpy.data.objects.remove`, `map(meshes.remove, …)`: named here, called elsewhere.
        Expr::Attribute(one) if one.ctx == ExprContext::Load && !cx.is_asked(one.range) => {
            if let Some(full) = full(cx, expr)
                && full.starts_with("bpy.data.")
                && cx.policy.reviewed.removals.data.contains(one.attr.as_str())
            {
                ask(cx, one.range, &full);
            }
        }
        _ => {}
    }
}

/// The full name of a chain, through a name that refers to `bpy.data…`.
fn full(cx: &Checker<'_>, expr: &Expr) -> Option<String> {
    let named = cx.full_name(expr).or_else(|| {
        let (root, parts) = chain(expr)?;
        let mut full = cx.names.aliases.get(root.id.as_str())?.clone();
        for part in parts {
            full.push('.');
            full.push_str(part.attr.as_str());
        }
        Some(full)
    });
    // `bpy.context.blend_data` is `bpy.data`, whatever leads there.
    let behind = |full: String| {
        full.rsplit_once(".blend_data.")
            .map(|(_, rest)| format!("bpy.data.{rest}"))
    };
    match named {
        Some(full) => Some(behind(full.clone()).unwrap_or(full)),
        None => chain(expr).and_then(|(_, parts)| {
            let path: Vec<&str> = parts.iter().map(|part| part.attr.as_str()).collect();
            behind(format!(".{}", path.join(".")))
        }),
    }
}

fn called(cx: &mut Checker<'_>, call: &ExprCall) {
    let (name, range) = match &*call.func {
        Expr::Attribute(method) => (method.attr.as_str(), method.range),
        _ => return,
    };
    if is_part(cx, &call.func, name) {
        cx.asked_at(range);
        let text = format!(".{name}() removes a part of an object or of its data.");
        cx.ask(&RULE, call.range, text, HINT);
    } else if is_of_tree(cx, &call.func, name) {
        let text = format!(".{name}() removes nodes, also those that were there before the script.");
        cx.ask(&NODES, call.range, text, HINT);
    } else if replaces_mesh(cx, call, name) {
        cx.ask(
            &RULE,
            call.range,
            "to_mesh() replaces everything in a mesh.".to_owned(),
            HINT,
        );
    } else if deletes_elements(cx, call, name) {
        let text = "This deletes elements of a mesh that was read.".to_owned();
        cx.ask(&RULE, call.range, text, HINT);
    } else if let Some(full) = full(cx, &call.func) {
        let removals = &cx.policy.reviewed.removals;
        let operator = full.starts_with("bpy.ops.") && removals.is_operator(name)
            || full == "bpy.ops.mesh.remove_doubles" && !merges_near(call);
        let data = full.starts_with("bpy.data.") && removals.data.contains(name);
        if operator || data {
            cx.asked_at(range);
            ask(cx, call.range, &full);
        }
    } else if cx.policy.reviewed.removals.anywhere.contains(name) {
        cx.ask(
            &RULE,
            call.range,
            format!(".{name}() removes data from the file."),
            HINT,
        );
    }
}

/// `obj.modifiers.clear()`: a method that removes from a list of parts of an object, or of other data that the script has not made.
fn is_part(cx: &Checker<'_>, function: &Expr, name: &str) -> bool {
    let Expr::Attribute(method) = function else {
        return false;
    };
    matches!(name, "clear" | "remove" | "pop")
        && match &*method.value {
            Expr::Attribute(list) if is_list_of_parts(list, &cx.names, cx.policy) => true,
            Expr::Name(one) => cx.names.parts.contains(one.id.as_str()),
            one => is_vertex_group(one),
        }
}

/// `material.node_tree.nodes.clear()` of a tree that the script has not made.
fn is_of_tree(cx: &Checker<'_>, function: &Expr, name: &str) -> bool {
    let Expr::Attribute(method) = function else {
        return false;
    };
    matches!(name, "clear" | "remove")
        && match &*method.value {
            Expr::Attribute(list) => {
                cx.policy.reviewed.removals.trees.contains(list.attr.as_str()) && !is_fresh(&list.value, &cx.names)
            }
            Expr::Name(one) => cx.names.trees.contains(one.id.as_str()),
            _ => false,
        }
}

/// `bm.to_mesh(mesh)` of a `BMesh` that was not read from a mesh, into one that may have been there before.
fn replaces_mesh(cx: &Checker<'_>, call: &ExprCall, name: &str) -> bool {
    name == "to_mesh" && !cx.names.reads_meshes && call.args.first().is_some_and(|mesh| !is_fresh(mesh, &cx.names))
}

/// Functions of `bmesh.ops` that leave fewer elements.
const LESSENING: [&str; 9] = [
    "collapse",
    "delete",
    "dissolve_edges",
    "dissolve_faces",
    "dissolve_limit",
    "dissolve_verts",
    "pointmerge",
    "unsubdivide",
    "weld_verts",
];
/// How far apart vertices may be that lie in the same place for an artist; `scripting/removals.py` says the same.
const NEAR: f64 = 1e-3;

/// The value of an argument by name.
fn argument<'e>(call: &'e ExprCall, names: &[&str]) -> Option<&'e Expr> {
    let is_it = |one: &&Keyword| one.arg.as_ref().is_some_and(|name| names.contains(&name.as_str()));
    call.keywords.iter().find(is_it).map(|one| &one.value)
}

/// Whether a call merges only vertices that lie in the same place.
fn merges_near(call: &ExprCall) -> bool {
    match argument(call, &["dist", "threshold"]) {
        None => true,
        Some(Expr::Constant(one)) => match &one.value {
            Constant::Float(distance) => *distance <= NEAR,
            Constant::Int(distance) => *distance == 0.into(),
            _ => false,
        },
        Some(_) => false,
    }
}

/// Whether a function of `bmesh.ops` may leave fewer elements.
fn lessens(call: &ExprCall, name: &str) -> bool {
    let clears = |side: &str| {
        let given = argument(call, &[side]);
        given.is_some_and(|one| !matches!(one, Expr::Constant(one) if one.value == Constant::Bool(false)))
    };
    match name {
        "bisect_plane" => clears("clear_inner") || clears("clear_outer"),
        "remove_doubles" | "dissolve_degenerate" => !merges_near(call),
        _ => LESSENING.contains(&name),
    }
}

/// `bmesh.ops.delete(bm, …)`, `bm.faces.remove(face)` or `vertex[deform].clear()` in a script that reads meshes into a `BMesh`.
fn deletes_elements(cx: &Checker<'_>, call: &ExprCall, name: &str) -> bool {
    let Expr::Attribute(method) = &*call.func else {
        return false;
    };
    let elements =
        || matches!(&*method.value, Expr::Attribute(list) if matches!(list.attr.as_str(), "verts" | "edges" | "faces"));
    let operator = || {
        let full = cx.full_name(&call.func);
        full.is_some_and(|full| full.strip_prefix("bmesh.ops.") == Some(name))
    };
    let layer = |index: &Expr| matches!(index, Expr::Name(one) if cx.names.weights.contains(one.id.as_str()));
    let weights = || matches!(&*method.value, Expr::Subscript(one) if layer(&one.slice));
    let asked = name == "remove" && elements() || lessens(call, name) && operator() || name == "clear" && weights();
    cx.names.reads_meshes && asked
}

fn ask(cx: &mut Checker<'_>, range: TextRange, full: &str) {
    cx.ask(&RULE, range, format!("{full}() removes data from the file."), HINT);
}

/// An operator that is named without being called.
pub(crate) fn mention(cx: &mut Checker<'_>, full: &str, range: TextRange) {
    let removals = &cx.policy.reviewed.removals;
    if full.rsplit('.').next().is_some_and(|name| removals.is_operator(name)) {
        ask(cx, range, full);
    }
}

/// `getattr(bpy.ops.GROUP, name)`: asks if the name can be that of an operator that removes data.
pub(crate) fn by_text(cx: &mut Checker<'_>, call: &ExprCall, group: &str, names: Option<&[String]>) {
    let removals = &cx.policy.reviewed.removals;
    let removes = match names {
        Some(names) => names.iter().any(|name| removals.is_operator(name)),
        None => {
            let pattern = call.args.get(1).map_or_else(|| "*".to_owned(), pattern);
            removals.operators.iter().any(|name| fits(&pattern, name))
        }
    };
    if removes {
        ask(cx, call.range, &format!("{group}.…"));
    }
}

/// The possible results of an f-string, as a pattern.
fn pattern(expr: &Expr) -> String {
    let Expr::JoinedStr(one) = expr else {
        return "*".to_owned();
    };
    one.values.iter().map(|part| literal(part).unwrap_or("*")).collect()
}
