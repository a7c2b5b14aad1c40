//! Refuses attributes that are not on the list, wherever they are read, written, deleted or named by text.
//!
//! Why: some attributes of any object lead to its class, the interpreter, files, handlers or preferences. A name is on the list only
//! when it is safe on every object that a script can reach in this Blender; so no guess about the object is needed.
//! Example: `().__class__`, `f.gi_frame`, `scene.render.filepath`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprContext};
use rustpython_parser::text_size::TextRange;

use super::names::dunder;
use crate::checker::{Checker, Rule};
use crate::expressions::{attr_range, chain};
use crate::policy::Known;

const RULE: Rule = Rule {
    name: "attributes",
    code: Code::ScriptAttribute,
};

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    if let Expr::Call(call) = expr
        && of_self(&call.func)
    {
        cx.grant(&call.func);
    }
    let Expr::Attribute(one) = expr else { return };
    // `x.__class__.__name__` is a string; `self.__class__.count` is `type(self).count`, and the guards decide by the class what it gives.
    if let Expr::Attribute(class) = &*one.value
        && class.attr.as_str() == "__class__"
        && (one.attr.as_str() == "__name__" && one.ctx == ExprContext::Load || of_self(&one.value))
    {
        cx.grant(&one.value);
    }
    // A chain that begins with a module is judged as a whole.
    if chain(expr).is_some_and(|(root, _)| cx.names.modules.contains_key(root.id.as_str())) {
        return;
    }
    let of_own_object = cx.names.fields.contains(one.attr.as_str()) && may_be_own_object(cx, &one.value);
    judge(
        cx,
        one.attr.as_str(),
        one.ctx,
        attr_range(one),
        one.range,
        of_own_object,
    );
}

/// Whether an expression is `self.__class__`.
fn of_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Attribute(class) if class.attr.as_str() == "__class__"
        && matches!(&*class.value, Expr::Name(one) if one.id.as_str() == "self"))
}

/// Whether an expression may be an object of one of the script's classes, as far as the text shows: a name that the script binds to
/// anything but an import, or such an object's attribute. The guards decide by the type.
fn may_be_own_object(cx: &Checker<'_>, expr: &Expr) -> bool {
    match expr {
        Expr::Name(one) => {
            let name = one.id.as_str();
            cx.names.bound.contains_key(name)
                && !cx.names.members.contains_key(name)
                && !cx.names.aliases.contains_key(name)
        }
        Expr::Attribute(one) => cx.names.fields.contains(one.attr.as_str()) && may_be_own_object(cx, &one.value),
        Expr::Subscript(one) => may_be_own_object(cx, &one.value),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Name(one) if cx.names.classes.contains(one.id.as_str()))
        }
        _ => false,
    }
}

/// Judges the name of an attribute at a place. `whole` is the range of the expression that contains it.
pub(crate) fn attribute(cx: &mut Checker<'_>, name: &str, ctx: ExprContext, at: TextRange, whole: TextRange) {
    judge(cx, name, ctx, at, whole, false);
}

fn judge(cx: &mut Checker<'_>, name: &str, ctx: ExprContext, at: TextRange, whole: TextRange, of_own_object: bool) {
    if dunder(name) && !name.ends_with("__") && cx.names.attributes.contains(name) {
        // A private attribute of a class of the script: Python adds the name of the class.
        return;
    }
    if dunder(name) {
        if name == "__class__" && ctx == ExprContext::Load && cx.is_granted(whole) {
            return;
        }
        if ctx != ExprContext::Load || !cx.policy.reviewed.dunder_read.contains(name) {
            let text = format!(".{name} leads to the interpreter behind an object.");
            cx.refuse(
                &RULE,
                at,
                text,
                "Leave it out; isinstance() compares types, and print() shows values.",
            );
        }
        return;
    }
    if is_input(name) {
        return;
    }
    let own = cx.names.attributes.contains(name);
    if name.starts_with('_') {
        if !own && !cx.policy.reviewed.underscored.contains(name) {
            let text = format!(".{name} is private to another object.");
            cx.refuse(&RULE, at, text, "Use a public attribute.");
        }
        return;
    }
    if name == "format" {
        if !cx.is_granted(whole) && !of_own_object {
            let text = ".format of a text that is not a literal can reach any attribute.";
            cx.refuse(&super::formats::RULE, at, text, "Use an f-string.");
        }
        return;
    }
    match cx.policy.attributes.look(name, cx.bit) {
        Known::Allowed => {}
        // Blender itself reports that it does not exist; a script that checks first is written for several versions.
        Known::Elsewhere if cx.names.adaptive => {}
        Known::Unknown | Known::Elsewhere | Known::Refused("elsewhere") if own => {}
        // No object that a script may use has it: there it raises what the script catches.
        Known::Unknown if cx.names.tried.contains(name) => {}
        // Only objects of types that a script may use so have it; on any other the guards refuse it, by its type.
        Known::Unknown if is_of_listed_type(cx, name) => {}
        // On every other object the guards of the script refuse it, by its type.
        _ if of_own_object => {}
        known => refused(cx, name, known, own, at),
    }
}

/// Members of listed types whose names other types use for what a script must not reach.
const ELSEWHERE: [&str; 1] = ["fields"];

/// Whether a type that is not Blender's has a member of this name that a script may use.
fn is_of_listed_type(cx: &Checker<'_>, name: &str) -> bool {
    !ELSEWHERE.contains(&name)
        && !cx.policy.reviewed.attributes_refused.contains_key(name)
        && cx.policy.members.types.values().any(|members| members.contains(&name))
}

/// The identifier of an input of a modifier, which is an attribute from 5.2 on: `modifier.properties.inputs.Socket_2.value`.
fn is_input(name: &str) -> bool {
    name.strip_prefix("Socket_")
        .is_some_and(|number| (1..=4).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit()))
}

fn refused(cx: &mut Checker<'_>, name: &str, known: Known, own: bool, at: TextRange) {
    let decided = cx.policy.reviewed.attributes_refused.get(name).copied();
    let (text, mut hint) = match (decided, known) {
        (Some((what, instead)), _) => (format!(".{name} reaches {what}."), format!("Do this: {instead}.")),
        (None, Known::Refused("path")) => (
            format!(".{name} is, or takes, a path to a file or a folder."),
            "Safe mode has no access to files: create the data in the script.".to_owned(),
        ),
        (None, Known::Refused("type")) => (
            format!(".{name} leads to a part of Blender that scripts must not touch."),
            "Leave it to the artist.".to_owned(),
        ),
        (None, Known::Refused("function")) => (
            format!(".{name}() is not among the functions that safe mode allows."),
            "Do it another way, for example with plain properties.".to_owned(),
        ),
        (None, Known::Elsewhere) => (
            format!(".{name} does not exist in this version of Blender."),
            "Use an attribute that this version has.".to_owned(),
        ),
        (None, _) => (
            format!(".{name} is not an attribute that safe mode knows."),
            cx.suggestion(&cx.policy.attributes, name).map_or_else(
                || "Use a property that Blender documents for this version.".to_owned(),
                |near| format!("Did you mean .{near}?"),
            ),
        ),
    };
    if own {
        hint = format!("If it is an attribute of your own class, give it another name, for example `{name}_value`.");
    }
    cx.refuse(&RULE, at, text, hint);
}
