//! Refuses formats that reach attributes or make enormous texts.
//!
//! Why: `"{0.__class__}".format(x)` reads an attribute that no rule sees; a width of a billion uses up all memory.
//! Example: `"{:>999999999}".format(1)`, `"%*d" % (10**9, 1)`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprBinOp, ExprCall, Operator, Ranged};

use crate::checker::{Checker, Rule};
use crate::expressions::literal;
use crate::fold::{Folded, fold};
use crate::policy::WIDTH_DIGITS;

pub(crate) const RULE: Rule = Rule {
    name: "formats",
    code: Code::ScriptFormat,
};
const WIDEST: f64 = 1000.0;
const TOO_WIDE: &str = "A width or precision in this format is larger than 999.";
const NARROWER: &str = "Use a smaller value.";

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    match expr {
        Expr::FormattedValue(one) => {
            if let Some(spec) = &one.format_spec {
                specification(cx, spec);
            }
        }
        Expr::Call(call) => called(cx, call),
        Expr::BinOp(one) if one.op == Operator::Mod => percent(cx, one),
        _ => {}
    }
}

/// `:…` of an f-string: a text, and fields in it that must be small numbers.
fn specification(cx: &mut Checker<'_>, spec: &Expr) {
    let Expr::JoinedStr(parts) = spec else { return };
    for part in &parts.values {
        match part {
            // A width that is not known here: the guard at run time checks the whole specification.
            Expr::FormattedValue(inner) => {
                let known = fold(&inner.value, &cx.names.constants).and_then(Folded::number);
                if known.is_some_and(|value| value > WIDEST) {
                    cx.refuse(&RULE, inner.range, TOO_WIDE, NARROWER);
                }
            }
            other => {
                if literal(other).is_some_and(wide) {
                    cx.refuse(&RULE, spec.range(), TOO_WIDE, NARROWER);
                }
            }
        }
    }
}

/// Whether a text has a number of more digits than a width needs.
fn wide(text: &str) -> bool {
    text.split(|c: char| !c.is_numeric())
        .any(|digits| digits.trim_start_matches('0').chars().count() > WIDTH_DIGITS)
}

fn called(cx: &mut Checker<'_>, call: &ExprCall) {
    match &*call.func {
        Expr::Attribute(method) if method.attr.as_str() == "format" => {
            let Some(text) = cx.text(&method.value) else {
                // What is passed to a function: the guard at run time looks at the text.
                if matches!(&*method.value, Expr::Name(one) if is_argument(cx, one.id.as_str())) {
                    cx.grant(&call.func);
                }
                return;
            };
            cx.grant(&call.func);
            if let Some(problem) = fields(&text) {
                cx.refuse(
                    &RULE,
                    call.range,
                    problem,
                    "Use an f-string, and compute values before it.",
                );
            }
        }
        Expr::Name(one) if one.id.as_str() == "format" => {
            if let Some(spec) = call.args.get(1)
                && cx.text(spec).is_none_or(|text| wide(&text))
            {
                cx.refuse(
                    &RULE,
                    call.range,
                    "The second argument of format() must be a short text.",
                    "Use an f-string.",
                );
            }
        }
        _ => {}
    }
}

/// Whether a name is an argument of a function everywhere.
fn is_argument(cx: &Checker<'_>, name: &str) -> bool {
    cx.names.arguments.contains(name) && !cx.names.stored.contains(name)
}

/// The problem with the fields of `"…".format(…)`, if any.
fn fields(text: &str) -> Option<&'static str> {
    let plain = text.replace("{{", "").replace("}}", "");
    for field in plain.split('{').skip(1) {
        let Some((inside, _)) = field.split_once('}') else {
            // `{:>{width}}`: the guard at run time checks the whole specification.
            let name = field.split(':').next().unwrap_or(field);
            if name.contains(['.', '[']) {
                return Some("A field of a format reads attributes that no rule can check.");
            }
            continue;
        };
        let (name, spec) = inside.split_once(':').unwrap_or((inside, ""));
        if name.contains(['.', '[']) {
            return Some("A field of a format reads attributes that no rule can check.");
        }
        if wide(spec) {
            return Some(TOO_WIDE);
        }
    }
    None
}

/// `text % values`.
fn percent(cx: &mut Checker<'_>, one: &ExprBinOp) {
    match cx.text(&one.left) {
        Some(text) => {
            let formats = text.split('%').skip(1);
            let star = formats
                .clone()
                .any(|part| part.trim_start_matches(['-', '+', ' ', '#', '0']).starts_with('*') || part.contains(".*"));
            if star
                || formats
                    .into_iter()
                    .any(|part| wide(part.split(|c: char| c.is_alphabetic()).next().unwrap_or(part)))
            {
                cx.refuse(&RULE, one.range, TOO_WIDE, NARROWER);
            }
        }
        // The guard at run time looks at the text.
        None if matches!(&*one.left, Expr::Name(_)) => {}
        None if matches!(&*one.right, Expr::Tuple(_) | Expr::Dict(_)) || matches!(&*one.left, Expr::JoinedStr(_)) => {
            cx.refuse(
                &RULE,
                one.range,
                "A format that is not a literal can use up all memory.",
                "Use an f-string.",
            );
        }
        None => {}
    }
}
