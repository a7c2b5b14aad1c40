//! Refuses Blender's types, except for comparisons.
//!
//! Why: a property or a function put on a type, or a registered class, outlives the run.
//! Example: `bpy.types.Scene.my_prop = …`, `class Tool(bpy.types.Operator): …`

use geonode_protocol::Code;
use rustpython_parser::ast::{Arguments, Expr, ExprAttribute, ExprContext, Pattern, Stmt};
use rustpython_parser::text_size::TextRange;

use crate::checker::{Checker, Rule};
use crate::policy::Known;

const RULE: Rule = Rule {
    name: "types",
    code: Code::ScriptType,
};

/// Judges `bpy.types.NAME…`; `whole` is the whole expression.
pub(crate) fn check(cx: &mut Checker<'_>, whole: &ExprAttribute, name: &str, at: TextRange) {
    if cx.policy.types.look(name, cx.bit) != Known::Allowed {
        let text = format!("bpy.types.{name} is not allowed in safe mode.");
        cx.refuse(&RULE, at, text, "Compare `x.type` with a text, or leave it out.");
    } else if !(describes(whole, name) || cx.is_granted(whole.range) && whole.attr.as_str() == name) {
        outside(cx, whole.range);
    }
}

/// `bpy.types.NAME.bl_rna…`: the description of a type, which is read-only.
fn describes(whole: &ExprAttribute, name: &str) -> bool {
    let mut inner = whole;
    while let Expr::Attribute(next) = &*inner.value {
        if next.attr.as_str() == name && matches!(inner.attr.as_str(), "bl_rna") {
            return whole.ctx == ExprContext::Load;
        }
        inner = next;
    }
    false
}

fn outside(cx: &mut Checker<'_>, range: TextRange) {
    cx.refuse(
        &RULE,
        range,
        "Blender's types may not be used as values: changes to them, and classes derived from them, outlive the run.",
        "Use them only in isinstance(x, bpy.types.NAME), in annotations and in `case`; keep values in custom properties, obj[\"name\"].",
    );
}

/// Allows types in `isinstance()` and `issubclass()`; refuses imported ones elsewhere.
pub(crate) fn grants(cx: &mut Checker<'_>, expr: &Expr) {
    match expr {
        Expr::Call(call) => {
            let compares = matches!(&*call.func, Expr::Name(one) if matches!(one.id.as_str(), "isinstance" | "issubclass")
                && !cx.names.bound.contains_key(one.id.as_str()));
            if let (true, Some(types)) = (compares, call.args.get(1)) {
                compared(cx, types);
            }
        }
        Expr::Name(one) if one.ctx == ExprContext::Load => {
            let is_type = cx
                .names
                .members
                .get(one.id.as_str())
                .is_some_and(|full| full.starts_with("bpy.types."));
            if is_type && !cx.is_granted(one.range) {
                outside(cx, one.range);
            }
        }
        _ => {}
    }
}

/// Allows types as the class of a pattern.
pub(crate) fn pattern(cx: &mut Checker<'_>, pattern: &Pattern) {
    if let Pattern::MatchClass(one) = pattern {
        plain(cx, &one.cls);
    }
}

/// Allows types in annotations.
pub(crate) fn annotations(cx: &mut Checker<'_>, stmt: &Stmt) {
    match stmt {
        Stmt::FunctionDef(one) => {
            arguments(cx, &one.args);
            if let Some(returns) = &one.returns {
                plain(cx, returns);
            }
        }
        Stmt::AnnAssign(one) => plain(cx, &one.annotation),
        _ => {}
    }
}

fn arguments(cx: &mut Checker<'_>, args: &Arguments) {
    let named = args
        .posonlyargs
        .iter()
        .chain(&args.args)
        .chain(&args.kwonlyargs)
        .map(|one| &one.def);
    let further = [args.vararg.as_deref(), args.kwarg.as_deref()].into_iter().flatten();
    for one in named.chain(further) {
        if let Some(annotation) = &one.annotation {
            plain(cx, annotation);
        }
    }
}

/// Allows types to be compared with: of `A | B` only if both sides name types, since an operator of the script would receive them.
fn compared(cx: &mut Checker<'_>, expr: &Expr) {
    match expr {
        Expr::Name(_) | Expr::Attribute(_) => cx.grant(expr),
        Expr::List(one) => one.elts.iter().for_each(|each| compared(cx, each)),
        Expr::Tuple(one) => one.elts.iter().for_each(|each| compared(cx, each)),
        Expr::BinOp(one) if foreign(cx, &one.left) && foreign(cx, &one.right) => plain(cx, expr),
        _ => {}
    }
}

/// Whether an expression names types that are not the script's.
fn foreign(cx: &Checker<'_>, expr: &Expr) -> bool {
    match expr {
        Expr::BinOp(one) => foreign(cx, &one.left) && foreign(cx, &one.right),
        Expr::Name(one) => cx.full_name(expr).is_some() || !cx.names.bound.contains_key(one.id.as_str()),
        Expr::Attribute(_) => cx.full_name(expr).is_some(),
        Expr::Constant(_) => true,
        _ => false,
    }
}

/// Allows expressions that only name types: names, tuples of names, `A | B`, `list[A]`; none that bind or call.
fn plain(cx: &mut Checker<'_>, expr: &Expr) {
    match expr {
        Expr::Name(_) | Expr::Attribute(_) => cx.grant(expr),
        Expr::List(one) => one.elts.iter().for_each(|each| plain(cx, each)),
        Expr::Tuple(one) => one.elts.iter().for_each(|each| plain(cx, each)),
        Expr::BinOp(one) => {
            plain(cx, &one.left);
            plain(cx, &one.right);
        }
        Expr::Subscript(one) => plain(cx, &one.slice),
        _ => {}
    }
}
