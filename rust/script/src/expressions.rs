//! Facts that follow from the form of an expression: a string literal, a chain of names, the place of an attribute.

use rustpython_parser::ast::{Constant, Expr, ExprAttribute, ExprName};
use rustpython_parser::text_size::TextRange;

/// The text of a literal.
pub(crate) fn literal(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Constant(one) => match &one.value {
            Constant::Str(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// `a.b.c` as the name `a` and the attributes `b`, `c`; `None` for anything else.
pub(crate) fn chain(expr: &Expr) -> Option<(&ExprName, Vec<&ExprAttribute>)> {
    let mut parts = Vec::new();
    let mut inner = expr;
    loop {
        match inner {
            Expr::Attribute(one) => {
                parts.push(one);
                inner = &one.value;
            }
            Expr::Name(root) => {
                parts.reverse();
                return Some((root, parts));
            }
            _ => return None,
        }
    }
}

/// The place of an attribute's name.
pub(crate) fn attr_range(one: &ExprAttribute) -> TextRange {
    let end = one.range.end();
    let length = u32::try_from(one.attr.as_str().len()).unwrap_or(0);
    let start = u32::from(end).saturating_sub(length).max(u32::from(one.range.start()));
    TextRange::new(start.into(), end)
}
