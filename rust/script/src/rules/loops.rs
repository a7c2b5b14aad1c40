//! Refuses loops that never end.
//!
//! Why: a script runs in Blender's main thread. The time limit stops other loops, but this one certainly reaches it.
//! Example: `while True: x += 1`

use geonode_protocol::Code;
use rustpython_parser::ast::{Constant, ExceptHandler, Expr, Stmt, StmtFor};

use crate::checker::{Checker, Rule};
use crate::fold::fold;

const RULE: Rule = Rule {
    name: "loops",
    code: Code::ScriptEndless,
};
const ENDLESS: &[&str] = &["itertools.count", "itertools.cycle"];

pub(crate) fn check(cx: &mut Checker<'_>, stmt: &Stmt) {
    match stmt {
        Stmt::While(one) if always(cx, &one.test) && !ends(&one.body, true) => cx.refuse(
            &RULE,
            one.range,
            "This loop never ends: nothing in it breaks, returns or raises.",
            "Use `for i in range(N)`, or a condition that becomes false.",
        ),
        Stmt::For(one) => over(cx, one),
        _ => {}
    }
}

fn over(cx: &mut Checker<'_>, one: &StmtFor) {
    let endless = match &*one.iter {
        Expr::Call(call) => {
            let twice = matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "iter") && call.args.len() == 2;
            twice
                || cx
                    .full_name(&call.func)
                    .is_some_and(|full| ENDLESS.contains(&full.as_str()))
        }
        _ => false,
    };
    if endless && !ends(&one.body, true) {
        cx.refuse(
            &RULE,
            one.range,
            "This loop never ends.",
            "Use `for i in range(N)`, or break out of it.",
        );
    }
    let Expr::Name(list) = &*one.iter else { return };
    let grows = one.body.iter().any(|stmt| match stmt {
        Stmt::Expr(call) => match &*call.value {
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) => {
                    matches!(method.attr.as_str(), "append" | "extend" | "insert")
                        && matches!(&*method.value, Expr::Name(name) if name.id == list.id)
                }
                _ => false,
            },
            _ => false,
        },
        _ => false,
    });
    if grows && !ends(&one.body, true) {
        cx.refuse(
            &RULE,
            one.range,
            "This loop never ends: it appends to the list that it iterates over.",
            "Append to another list, or loop over a copy.",
        );
    }
}

fn always(cx: &Checker<'_>, test: &Expr) -> bool {
    match test {
        Expr::Constant(one) => match &one.value {
            Constant::Bool(value) => *value,
            Constant::Str(value) => !value.is_empty(),
            _ => fold(test, &cx.names.constants)
                .and_then(crate::fold::Folded::number)
                .is_some_and(|value| value != 0.0),
        },
        _ => false,
    }
}

/// Whether something in the body of a loop can end it.
fn ends(body: &[Stmt], innermost: bool) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Return(_) | Stmt::Raise(_) | Stmt::Assert(_) => true,
        // Waits until the next item is requested.
        Stmt::Expr(one) => matches!(&*one.value, Expr::Yield(_) | Expr::YieldFrom(_)) || stops(&one.value),
        Stmt::Assign(one) => matches!(&*one.value, Expr::Yield(_)) || stops(&one.value),
        Stmt::Break(_) => innermost,
        Stmt::If(one) => ends(&one.body, innermost) || ends(&one.orelse, innermost),
        Stmt::With(one) => ends(&one.body, innermost),
        Stmt::Match(one) => one.cases.iter().any(|case| ends(&case.body, innermost)),
        Stmt::For(one) => ends(&one.body, false) || ends(&one.orelse, innermost),
        Stmt::While(one) => ends(&one.body, false) || ends(&one.orelse, innermost),
        Stmt::Try(one) => {
            [&one.body, &one.orelse, &one.finalbody]
                .iter()
                .any(|part| ends(part, innermost))
                || one
                    .handlers
                    .iter()
                    .any(|ExceptHandler::ExceptHandler(handler)| ends(&handler.body, innermost))
        }
        _ => false,
    })
}

/// `next(iterator)` and `x.pop()` raise when there is nothing left.
fn stops(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => match &*call.func {
            Expr::Name(one) => one.id.as_str() == "next",
            Expr::Attribute(one) => matches!(one.attr.as_str(), "pop" | "popleft"),
            _ => false,
        },
        _ => false,
    }
}
