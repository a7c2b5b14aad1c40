//! Refuses sizes that would use up all memory or freeze Blender, if they can be seen before the script runs.
//!
//! Why: a single call that creates a billion items cannot be interrupted.
//! Example: `10 ** 10 ** 10`, `"x" * 10**9`, `mod.levels = 14`

use geonode_protocol::{Code, SCRIPT_ITEMS};
use rustpython_parser::ast::{Comprehension, Expr, ExprBinOp, ExprCall, Operator, Ranged, Stmt};
use rustpython_parser::text_size::TextRange;

use crate::checker::{Checker, Rule};
use crate::fold::{Folded, fold};
use crate::policy::INTEGER_BITS;

const RULE: Rule = Rule {
    name: "bounds",
    code: Code::ScriptSize,
};
/// Greatest whole number; larger ones are useless and slow.
const NUMBER: f64 = 1e300;
const POWER: f64 = 4096.0;
/// Calls whose whole numbers are numbers of items.
const COUNTED: &[&str] = &[
    "range",
    "bytes",
    "bytearray",
    "zfill",
    "ljust",
    "rjust",
    "center",
    "expandtabs",
    "islice",
    "repeat",
    "add",
];

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    match expr {
        Expr::BinOp(one) => arithmetic(cx, one),
        Expr::Call(call) => called(cx, call),
        Expr::ListComp(one) => nested(cx, &one.generators, one.range),
        Expr::SetComp(one) => nested(cx, &one.generators, one.range),
        Expr::DictComp(one) => nested(cx, &one.generators, one.range),
        Expr::GeneratorExp(one) => nested(cx, &one.generators, one.range),
        _ => {}
    }
}

/// Values that are stored in properties that Blender multiplies by.
pub(crate) fn statement(cx: &mut Checker<'_>, stmt: &Stmt) {
    let (targets, value) = match stmt {
        Stmt::Assign(one) => (one.targets.as_slice(), &*one.value),
        Stmt::AnnAssign(one) => match &one.value {
            Some(value) => (std::slice::from_ref(&*one.target), &**value),
            None => return,
        },
        Stmt::AugAssign(one) => {
            let grows = matches!(one.op, Operator::Pow | Operator::LShift);
            let large = fold(&one.value, &cx.names.constants)
                .and_then(Folded::number)
                .is_some_and(|value| value > 64.0);
            if grows && large {
                too_large(cx, one.range, "This number");
            }
            return;
        }
        _ => return,
    };
    for target in targets {
        if let Expr::Attribute(one) = target {
            bounded(cx, one.attr.as_str(), value);
        }
    }
}

fn too_large(cx: &mut Checker<'_>, range: TextRange, what: &str) {
    let text = format!("{what} would use up all memory or freeze Blender.");
    cx.refuse(&RULE, range, text, "Use a smaller value.");
}

/// A value for a property with a bound of its own.
fn bounded(cx: &mut Checker<'_>, name: &str, value: &Expr) {
    let Some(bound) = cx.policy.reviewed.bounds.get(name).copied() else {
        return;
    };
    let Some(Folded::Int(number)) = fold(value, &cx.names.constants) else {
        return;
    };
    if number > bound {
        let text = format!("{name} = {number} would use up all memory or freeze Blender.");
        cx.refuse(&RULE, value.range(), text, format!("Use at most {bound}."));
    }
}

fn arithmetic(cx: &mut Checker<'_>, one: &ExprBinOp) {
    let right = fold(&one.right, &cx.names.constants);
    // `x ** 10**6` and `x << 10**9`, whatever x is.
    if matches!((one.op, right), (Operator::Pow, Some(Folded::Int(power))) if power > POWER)
        || matches!((one.op, right), (Operator::LShift, Some(Folded::Int(power))) if power > POWER)
    {
        too_large(cx, one.range, "This number");
        return;
    }
    let left = fold(&one.left, &cx.names.constants);
    let value = match (one.op, left, right) {
        (Operator::Mult | Operator::Pow | Operator::LShift | Operator::Add, Some(a), Some(b)) => (a, b),
        // `[x] * 10**9` with a list that is not constant is found by its other operand.
        (Operator::Mult, None, Some(Folded::Int(times))) if is_list(&one.left) && times > SCRIPT_ITEMS => {
            too_large(cx, one.range, "This list");
            return;
        }
        _ => return,
    };
    let whole = match (one.op, value) {
        (
            Operator::Mult,
            (Folded::Sequence(items), Folded::Int(times)) | (Folded::Int(times), Folded::Sequence(items)),
        ) => {
            if items * times > SCRIPT_ITEMS {
                too_large(cx, one.range, "This text or list");
            }
            return;
        }
        (Operator::Mult, (Folded::Int(a), Folded::Int(b))) => a * b,
        (Operator::Pow, (Folded::Int(a), Folded::Int(b))) => {
            if a.abs().max(1.0).log2() * b > f64::from(INTEGER_BITS) {
                too_large(cx, one.range, "This number");
            }
            return;
        }
        (Operator::LShift, (Folded::Int(a), Folded::Int(b))) => a * b.exp2(),
        _ => return,
    };
    if !whole.is_finite() || whole > NUMBER {
        too_large(cx, one.range, "This number");
    }
}

fn is_list(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::List(_) | Expr::Tuple(_) | Expr::ListComp(_) | Expr::JoinedStr(_)
    )
}

fn called(cx: &mut Checker<'_>, call: &ExprCall) {
    for keyword in &call.keywords {
        if let Some(name) = &keyword.arg {
            bounded(cx, name.as_str(), &keyword.value);
        }
    }
    let name = match &*call.func {
        Expr::Name(one) => one.id.as_str(),
        Expr::Attribute(one) => one.attr.as_str(),
        _ => return,
    };
    if name == "setattr"
        && let (Some(target), Some(value)) = (call.args.get(1).and_then(|one| cx.text(one)), call.args.get(2))
    {
        bounded(cx, &target, value);
    }
    if name == "pow" && call.args.len() == 2 {
        let large = call
            .args
            .get(1)
            .and_then(|power| fold(power, &cx.names.constants))
            .and_then(Folded::number);
        if large.is_some_and(|power| power > POWER) {
            too_large(cx, call.range, "This number");
        }
    }
    let full = cx.full_name(&call.func);
    let numeric = full
        .as_deref()
        .is_some_and(|full| full.starts_with("numpy.") && !takes_no_size(full));
    if matches!(full.as_deref(), Some("numpy.random.rand" | "numpy.random.randn")) {
        let sizes = call
            .args
            .iter()
            .filter_map(|one| fold(one, &cx.names.constants)?.number());
        if sizes.product::<f64>() > SCRIPT_ITEMS {
            too_large(cx, call.range, "So many items");
        }
    } else if numeric || COUNTED.contains(&name) {
        counted(cx, call, numeric);
    }
}

/// Functions of numpy whose whole numbers are no sizes: seeds of random numbers.
fn takes_no_size(full: &str) -> bool {
    matches!(
        full,
        "numpy.random.seed" | "numpy.random.default_rng" | "numpy.random.RandomState"
    )
}

/// Arguments that are numbers of items, each for itself or multiplied with each other.
fn counted(cx: &mut Checker<'_>, call: &ExprCall, product: bool) {
    let mut all = 1.0f64;
    for one in call
        .args
        .iter()
        .chain(call.keywords.iter().map(|keyword| &keyword.value))
    {
        let dimensions: &[Expr] = match one {
            Expr::Tuple(shape) => &shape.elts,
            Expr::List(shape) if product && shape.elts.len() < 5 => &shape.elts,
            other => std::slice::from_ref(other),
        };
        let mut size = 1.0f64;
        for dimension in dimensions {
            if let Some(Folded::Int(number)) = fold(dimension, &cx.names.constants) {
                size *= number.abs().max(1.0);
            }
        }
        all = all.max(size);
    }
    if all > SCRIPT_ITEMS {
        too_large(cx, call.range, "So many items");
    }
}

/// Ranges inside ranges of one comprehension.
fn nested(cx: &mut Checker<'_>, generators: &[Comprehension], range: TextRange) {
    let mut all = 1.0f64;
    for one in generators {
        let Expr::Call(call) = &one.iter else { continue };
        let is_range = matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "range");
        let last = if call.args.len() == 1 {
            call.args.first()
        } else {
            call.args.get(1)
        };
        if let (true, Some(Folded::Int(number))) = (is_range, last.and_then(|end| fold(end, &cx.names.constants))) {
            all *= number.abs().max(1.0);
        }
    }
    if all > SCRIPT_ITEMS {
        too_large(cx, range, "So many items");
    }
}
