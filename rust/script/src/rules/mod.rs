//! The rules: one file each, with what it refuses, why, and an example.

pub(crate) mod attributes;
pub(crate) mod bounds;
pub(crate) mod calls;
pub(crate) mod classes;
pub(crate) mod exceptions;
pub(crate) mod formats;
pub(crate) mod imports;
pub(crate) mod loops;
pub(crate) mod modules;
pub(crate) mod names;
pub(crate) mod nodes;
pub(crate) mod operators;
pub(crate) mod patterns;
pub(crate) mod regexes;
pub(crate) mod removals;
pub(crate) mod statements;
pub(crate) mod types;

use rustpython_parser::ast::{Expr, Stmt};

use crate::checker::Checker;

/// Every rule that checks statements.
pub(crate) fn statement<'t>(cx: &mut Checker<'t>, stmt: &'t Stmt) {
    statements::statement(cx, stmt);
    imports::check(cx, stmt);
    types::annotations(cx, stmt);
    classes::check(cx, stmt);
    exceptions::check(cx, stmt);
    loops::check(cx, stmt);
    bounds::statement(cx, stmt);
}

/// Every rule that checks expressions. Rules that allow something for inner expressions run at the outer node, so before these
/// are visited. Returns whether the inner expressions are visited: not those of a chain that a rule has judged as a whole.
pub(crate) fn expression<'t>(cx: &mut Checker<'t>, expr: &'t Expr) -> bool {
    statements::expression(cx, expr);
    calls::check(cx, expr);
    types::grants(cx, expr);
    operators::check(cx, expr);
    formats::check(cx, expr);
    regexes::check(cx, expr);
    bounds::check(cx, expr);
    nodes::check(cx, expr);
    removals::check(cx, expr);
    names::check(cx, expr);
    attributes::check(cx, expr);
    modules::check(cx, expr)
}
