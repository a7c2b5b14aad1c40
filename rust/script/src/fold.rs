//! Evaluates the size of constant expressions: enough to find a number that would use up all memory before anything runs.

use foldhash::HashMap;
use rustpython_parser::ast::{Constant, Expr, ExprBinOp, Operator, UnaryOp};

/// A value that is known before the script runs. Numbers are rounded; too large ones are infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Folded {
    Int(f64),
    Float(f64),
    /// A text, bytes, list or tuple of this many items.
    Sequence(f64),
}

impl Folded {
    /// The number, of a number.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Int(value) | Self::Float(value) => Some(value),
            Self::Sequence(_) => None,
        }
    }
}

/// Names that are bound once, to a constant.
pub(crate) type Constants<'t> = HashMap<&'t str, Folded>;

/// The value of an expression that consists of literals and such names.
pub(crate) fn fold(expr: &Expr, constants: &Constants) -> Option<Folded> {
    match expr {
        Expr::Constant(one) => constant(&one.value),
        Expr::Name(one) => constants.get(one.id.as_str()).copied(),
        Expr::UnaryOp(one) => match (one.op, fold(&one.operand, constants)?) {
            (UnaryOp::USub, Folded::Int(value)) => Some(Folded::Int(-value)),
            (UnaryOp::USub, Folded::Float(value)) => Some(Folded::Float(-value)),
            (UnaryOp::UAdd, value) => Some(value),
            _ => None,
        },
        Expr::BinOp(one) => binary(one, constants),
        Expr::List(one) => Some(Folded::Sequence(count(one.elts.len()))),
        Expr::Tuple(one) => Some(Folded::Sequence(count(one.elts.len()))),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss, reason = "a script has fewer items than 2^52")]
fn count(items: usize) -> f64 {
    items as f64
}

fn constant(value: &Constant) -> Option<Folded> {
    match value {
        // A number too large for an f64 becomes infinite, which exceeds every limit as it should.
        Constant::Int(value) => Some(Folded::Int(value.to_string().parse().unwrap_or(f64::INFINITY))),
        Constant::Float(value) => Some(Folded::Float(*value)),
        Constant::Bool(value) => Some(Folded::Int(f64::from(u8::from(*value)))),
        Constant::Str(text) => Some(Folded::Sequence(count(text.len()))),
        Constant::Bytes(bytes) => Some(Folded::Sequence(count(bytes.len()))),
        Constant::Tuple(items) => Some(Folded::Sequence(count(items.len()))),
        Constant::None | Constant::Complex { .. } | Constant::Ellipsis => None,
    }
}

fn binary(one: &ExprBinOp, constants: &Constants) -> Option<Folded> {
    let (left, right) = (fold(&one.left, constants)?, fold(&one.right, constants)?);
    let exact = matches!((left, right), (Folded::Int(_), Folded::Int(_)));
    match (one.op, left, right) {
        (Operator::Mult, Folded::Sequence(items), Folded::Int(times))
        | (Operator::Mult, Folded::Int(times), Folded::Sequence(items)) => {
            return Some(Folded::Sequence(items * times.max(0.0)));
        }
        (Operator::Add, Folded::Sequence(a), Folded::Sequence(b)) => return Some(Folded::Sequence(a + b)),
        _ => {}
    }
    let (a, b) = (left.number()?, right.number()?);
    let value = match one.op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => a * b,
        Operator::Pow => a.powf(b),
        Operator::LShift => a * b.exp2(),
        Operator::Div => return Some(Folded::Float(a / b)),
        Operator::FloorDiv => (a / b).floor(),
        Operator::Mod
        | Operator::MatMult
        | Operator::RShift
        | Operator::BitOr
        | Operator::BitXor
        | Operator::BitAnd => return None,
    };
    Some(if exact && b >= 0.0 {
        Folded::Int(value)
    } else {
        Folded::Float(value)
    })
}
