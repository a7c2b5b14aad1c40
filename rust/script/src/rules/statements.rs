//! Refuses kinds of statements and expressions that artists' scripts do not need.
//!
//! Why: `async` runs outside the run; `except*` and type aliases open ways around other rules.
//! Example: `async def main(): …`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, Ranged, Stmt};

use crate::checker::{Checker, Rule};

const RULE: Rule = Rule {
    name: "statements",
    code: Code::ScriptStatement,
};

pub(crate) fn statement(cx: &mut Checker<'_>, stmt: &Stmt) {
    let (what, hint) = match stmt {
        Stmt::AsyncFunctionDef(_) | Stmt::AsyncFor(_) | Stmt::AsyncWith(_) => {
            ("async", "Use plain functions and loops.")
        }
        Stmt::TryStar(_) => ("except*", "Use `except`."),
        Stmt::TypeAlias(_) => ("a type alias statement", "Assign it: `Name = ...`, or leave it out."),
        Stmt::FunctionDef(one) if !one.type_params.is_empty() => ("a type parameter", "Leave the type parameters out."),
        Stmt::ClassDef(one) if !one.type_params.is_empty() => ("a type parameter", "Leave the type parameters out."),
        _ => return,
    };
    cx.refuse(&RULE, stmt.range(), format!("Safe mode does not allow {what}."), hint);
}

pub(crate) fn expression(cx: &mut Checker<'_>, expr: &Expr) {
    let is_async = |generators: &[rustpython_parser::ast::Comprehension]| generators.iter().any(|one| one.is_async);
    let refused = match expr {
        Expr::Await(_) => true,
        Expr::ListComp(one) => is_async(&one.generators),
        Expr::SetComp(one) => is_async(&one.generators),
        Expr::DictComp(one) => is_async(&one.generators),
        Expr::GeneratorExp(one) => is_async(&one.generators),
        _ => false,
    };
    if refused {
        cx.refuse(
            &RULE,
            expr.range(),
            "Safe mode does not allow async.",
            "Use plain functions and loops.",
        );
    }
}
