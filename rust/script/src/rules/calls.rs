//! Refuses calls that reach attributes by a string, and calls or uses as values of functions that create types.
//!
//! Why: `getattr(x, name)` is any attribute; `type(name, bases, body)` is any class; passed on as values, they are called where no rule sees it.
//! Example: `getattr(obj, "__cl" + "ass__")`, `map(getattr, …)`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall, ExprContext};
use rustpython_parser::text_size::TextRange;

use super::{attributes, names::dunder};
use crate::checker::{Checker, MAY_BE_ARGUMENTS, Rule};
use crate::policy::Known;

const RULE: Rule = Rule {
    name: "calls",
    code: Code::ScriptCall,
};

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    match expr {
        Expr::Call(call) => called(cx, call),
        Expr::Compare(one) => std::iter::once(&*one.left)
            .chain(&one.comparators)
            .for_each(|side| type_value(cx, side)),
        Expr::FormattedValue(one) => type_value(cx, &one.value),
        // An attribute of a class of the script, as in `type(self).count += 1`; the guards look at what it is.
        Expr::Attribute(one) if one.attr.as_str() == "__name__" || cx.names.fields.contains(one.attr.as_str()) => {
            type_value(cx, &one.value);
        }
        Expr::Name(one)
            if one.ctx == ExprContext::Load
                && cx.policy.reviewed.called_only.contains(one.id.as_str())
                && !cx.is_granted(one.range)
                && !(MAY_BE_ARGUMENTS.contains(&one.id.as_str()) && cx.names.bound.contains_key(one.id.as_str())) =>
        {
            let text = format!("{} may only be called, not passed on.", one.id);
            cx.refuse(&RULE, one.range, text, "Write a lambda or a loop that calls it.");
        }
        _ => {}
    }
}

/// Allows `type(x)` if its result is only inspected.
fn type_value(cx: &mut Checker<'_>, expr: &Expr) {
    if matches!(expr, Expr::Call(call) if matches!(&*call.func, Expr::Name(one) if one.id.as_str() == "type")) {
        cx.grant(expr);
    }
}

fn called(cx: &mut Checker<'_>, call: &ExprCall) {
    // `type(x)(y)`: the guards decide by the class whether a script may make objects of it, as for any value that is called.
    type_value(cx, &call.func);
    let Expr::Name(name) = &*call.func else { return };
    match name.id.as_str() {
        // A function of the script by such a name would receive the type.
        "print" | "str" | "repr" | "isinstance" if cx.names.bound.contains_key(name.id.as_str()) => {}
        "print" | "str" | "repr" => call.args.iter().for_each(|one| type_value(cx, one)),
        "isinstance" => call.args.get(1).into_iter().for_each(|one| type_value(cx, one)),
        "getattr" | "hasattr" | "setattr" | "delattr" => {
            cx.grant(&call.func);
            by_text(cx, call, name.id.as_str());
        }
        "type" => {
            cx.grant(&call.func);
            let single = call.args.len() == 1 && call.keywords.is_empty() && !starred(call);
            if !single || !cx.is_granted(call.range) {
                cx.refuse(
                    &RULE,
                    call.range,
                    "type() creates types, and types may not be used as values.",
                    "Use isinstance(x, NAME), `type(x) is NAME`, or type(x).__name__.",
                );
            }
        }
        "super" => {
            cx.grant(&call.func);
            // A class of the script and its instance, as older scripts write it, mean the same as no arguments.
            let own = matches!(&*call.args, [Expr::Name(class), Expr::Name(_)] if cx.names.classes.contains(class.id.as_str()));
            if !(call.args.is_empty() || own) || !call.keywords.is_empty() {
                cx.refuse(
                    &RULE,
                    call.range,
                    "super() with arguments other than a class of the script and its instance reaches other classes.",
                    "Write super() without arguments.",
                );
            }
        }
        "format" => cx.grant(&call.func),
        _ => {}
    }
}

fn starred(call: &ExprCall) -> bool {
    call.args.iter().any(|one| matches!(one, Expr::Starred(_)))
}

fn by_text(cx: &mut Checker<'_>, call: &ExprCall, function: &str) {
    let known = call.args.get(1).filter(|_| !starred(call) && call.keywords.is_empty());
    let texts = known.and_then(|name| cx.text(name).map(|text| vec![text]).or_else(|| choices(cx, name)));
    let group = call.args.first().and_then(|one| cx.full_name(one));
    if let Some(group) = group.filter(|full| full.starts_with("bpy.ops.") && matches!(function, "getattr" | "hasattr"))
        && let (Some(name), Some(first)) = (known, call.args.first())
        && (texts.is_some() || guarded(name))
    {
        cx.grant(first);
        let family = group.trim_start_matches("bpy.ops.").to_owned();
        for name in texts.iter().flatten() {
            super::operators::operator_name(cx, &format!("{family}.{name}"), call.range);
        }
        if texts.is_none() {
            super::operators::family(cx, &family, call.range);
        }
        super::removals::by_text(cx, call, &group, texts.as_deref());
        return;
    }
    if texts.is_none() && known.is_some_and(guarded) {
        return;
    }
    let Some(texts) = texts else {
        cx.refuse(
            &RULE,
            call.range,
            format!("{function}() with a computed name can reach any attribute."),
            "Write the name as a text in the call, loop over a tuple of texts, or write `obj.name`.",
        );
        return;
    };
    let ctx = match function {
        "setattr" => ExprContext::Store,
        "delattr" => ExprContext::Del,
        _ => ExprContext::Load,
    };
    for text in texts {
        attributes::attribute(cx, &text, ctx, call.range, call.range);
    }
}

/// Whether a computed name is left to the guard at run time, which checks it against the same list: the name of a loop, an argument, a
/// table; not a string that is composed elsewhere.
fn guarded(name: &Expr) -> bool {
    match name {
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => true,
        Expr::JoinedStr(one) => one
            .values
            .first()
            .and_then(crate::expressions::literal)
            .is_some_and(|text| text.starts_with(|c: char| c.is_ascii_lowercase())),
        _ => false,
    }
}

/// The strings that a loop assigns to a name, if all of them are literals.
fn choices(cx: &Checker<'_>, expr: &Expr) -> Option<Vec<String>> {
    let Expr::Name(one) = expr else { return None };
    cx.names
        .choices
        .get(one.id.as_str())
        .map(|texts| texts.iter().map(|text| (*text).to_owned()).collect())
}

/// Judges the name of a keyword argument, which may set an attribute.
pub(crate) fn keyword(cx: &mut Checker<'_>, name: &str, range: TextRange) {
    let own = cx.names.bound.contains_key(name) || cx.names.attributes.contains(name);
    if dunder(name) {
        let text = format!("The argument {name} belongs to the interpreter.");
        cx.refuse(&RULE, range, text, "Leave it out.");
    } else if !own && cx.policy.attributes.look(name, cx.bit) == Known::Refused("path") && name != "path" {
        let text = format!("The argument {name} is a path to a file or a folder.");
        cx.refuse(
            &RULE,
            range,
            text,
            "Safe mode has no access to files: create the data in the script.",
        );
    }
}
