//! Refuses handlers that swallow the signal by which a script is stopped.
//!
//! Why: the time limit and the artist's Esc arrive as an exception that is not an `Exception`.
//! Example: `except: pass`, `finally: continue`

use geonode_protocol::Code;
use rustpython_parser::ast::{ExceptHandler, Expr, Ranged, Stmt};
use rustpython_parser::text_size::TextRange;

use crate::checker::{Checker, Rule};
use crate::tree::{self, Node, Visitor};

const RULE: Rule = Rule {
    name: "exceptions",
    code: Code::ScriptException,
};

pub(crate) fn check(cx: &mut Checker<'_>, stmt: &Stmt) {
    if let Stmt::FunctionDef(def) = stmt
        && let [decorator] = def.decorator_list.as_slice()
        && cx
            .full_name(decorator)
            .is_some_and(|full| full == "contextlib.contextmanager")
    {
        // Only the context manager has its generator, and never drops it.
        let mut leaving = Leaving(Vec::new());
        tree::suite(&mut leaving, &def.body);
        for range in leaving.0 {
            cx.grant_at(range);
        }
    }
    if let Stmt::With(one) = stmt
        && waits(&[&one.body])
        && !cx.is_granted(one.range)
    {
        cx.refuse(
            &RULE,
            one.range,
            "A generator that yields inside `with` leaves it when it is discarded, after the script.",
            "Yield outside of the `with` statement.",
        );
    }
    let Stmt::Try(one) = stmt else { return };
    for ExceptHandler::ExceptHandler(handler) in &one.handlers {
        match handler.type_.as_deref() {
            None => cx.refuse(
                &RULE,
                handler.range,
                "A bare `except:` also catches what stops the script.",
                "Write `except Exception:`.",
            ),
            Some(Expr::Tuple(tuple)) => tuple.elts.iter().for_each(|one| caught(cx, one)),
            Some(one) => caught(cx, one),
        }
    }
    leaves(cx, &one.finalbody, false);
    let handlers = one
        .handlers
        .iter()
        .map(|ExceptHandler::ExceptHandler(handler)| &handler.body);
    let parts = [&one.body, &one.orelse, &one.finalbody]
        .into_iter()
        .chain(handlers)
        .collect::<Vec<_>>();
    if !one.finalbody.is_empty() && waits(&parts) && !cx.is_granted(one.range) {
        cx.refuse(
            &RULE,
            one.range,
            "A generator that yields inside `try` runs its `finally` when it is discarded, after the script.",
            "Yield outside of the `try` statement that has a `finally`.",
        );
    }
}

/// Whether a generator waits within these statements.
fn waits(parts: &[&Vec<Stmt>]) -> bool {
    let mut waits = Waits(false);
    for part in parts {
        tree::suite(&mut waits, part);
    }
    waits.0
}

/// The statements of a function, except inner functions, that do something when they are left.
struct Leaving(Vec<TextRange>);

impl<'t> Visitor<'t> for Leaving {
    fn visit(&mut self, node: Node<'t>) -> bool {
        match node {
            Node::Stmt(stmt @ (Stmt::Try(_) | Stmt::With(_))) => self.0.push(stmt.range()),
            Node::Expr(Expr::Lambda(_)) | Node::Stmt(Stmt::FunctionDef(_)) => return false,
            _ => {}
        }
        true
    }
}

/// Whether the statements of a function, except inner functions, contain a `yield`.
struct Waits(bool);

impl<'t> Visitor<'t> for Waits {
    fn visit(&mut self, node: Node<'t>) -> bool {
        match node {
            Node::Expr(Expr::Yield(_) | Expr::YieldFrom(_)) => self.0 = true,
            Node::Expr(Expr::Lambda(_)) | Node::Stmt(Stmt::FunctionDef(_)) => return false,
            _ => {}
        }
        true
    }
}

/// An exception must be caught by name: a computed one could be anything.
fn caught(cx: &mut Checker<'_>, expr: &Expr) {
    let named = match expr {
        Expr::Name(one) => {
            cx.policy.reviewed.builtins.contains(one.id.as_str())
                || (cx.names.classes.contains(one.id.as_str()) && cx.names.bound.get(one.id.as_str()) == Some(&1))
        }
        _ => false,
    };
    if !named {
        cx.refuse(
            &RULE,
            expr.range(),
            "Exceptions can only be caught by their names.",
            "Write `except Exception:`, `except ValueError:` or the name of a class of the script.",
        );
    }
}

/// Statements that leave `finally`, and so drop the active exception.
fn leaves(cx: &mut Checker<'_>, body: &[Stmt], in_loop: bool) {
    for stmt in body {
        match stmt {
            Stmt::Return(_) => left(cx, stmt),
            Stmt::Break(_) | Stmt::Continue(_) if !in_loop => left(cx, stmt),
            Stmt::If(one) => {
                leaves(cx, &one.body, in_loop);
                leaves(cx, &one.orelse, in_loop);
            }
            Stmt::For(one) => {
                leaves(cx, &one.body, true);
                leaves(cx, &one.orelse, in_loop);
            }
            Stmt::While(one) => {
                leaves(cx, &one.body, true);
                leaves(cx, &one.orelse, in_loop);
            }
            Stmt::With(one) => leaves(cx, &one.body, in_loop),
            Stmt::Match(one) => one.cases.iter().for_each(|case| leaves(cx, &case.body, in_loop)),
            Stmt::Try(one) => {
                for part in [&one.body, &one.orelse, &one.finalbody] {
                    leaves(cx, part, in_loop);
                }
                for ExceptHandler::ExceptHandler(handler) in &one.handlers {
                    leaves(cx, &handler.body, in_loop);
                }
            }
            _ => {}
        }
    }
}

fn left(cx: &mut Checker<'_>, stmt: &Stmt) {
    cx.refuse(
        &RULE,
        stmt.range(),
        "Leaving `finally` with a jump drops the exception that stops the script.",
        "Put this after the `try` statement.",
    );
}
