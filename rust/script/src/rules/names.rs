//! Refuses names of the interpreter, and names that are not defined.
//!
//! Why: `eval`, `open`, `__import__` and the like are names; so are `__builtins__` and `__loader__`. Another binding of a
//! refused name is refused too, because it can be absent when the name is read.
//! Example: `eval("1 + 1")`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprContext};
use rustpython_parser::text_size::TextRange;

use crate::checker::{Checker, MAY_BE_ARGUMENTS, Rule};
use crate::tree::{Binding, How};

const RULE: Rule = Rule {
    name: "names",
    code: Code::ScriptName,
};

/// Harmful built-in names of Python, with what to do instead.
const HARMFUL: &[(&str, &str)] = &[
    (
        "eval",
        "Compute the value in the script; for a list of numbers write the list",
    ),
    ("exec", "Write the statements themselves"),
    ("compile", "Write the statements themselves"),
    ("open", "Keep the data in the script: safe mode has no access to files"),
    ("input", "Put the value into a variable at the top"),
    ("globals", "Use variables and dicts"),
    ("locals", "Use variables and dicts"),
    ("vars", "Name the attributes"),
    ("breakpoint", "Use print()"),
    ("help", "Leave it out"),
    ("exit", "Let the script end, or return from a function"),
    ("quit", "Let the script end, or return from a function"),
    ("memoryview", "Use a list or numpy"),
    ("copyright", "Leave it out"),
    ("credits", "Leave it out"),
    ("license", "Leave it out"),
    (
        "BaseException",
        "Use Exception: the exception that stops a script must not be caught",
    ),
    ("BaseExceptionGroup", "Use Exception"),
    ("ExceptionGroup", "Use Exception"),
    (
        "KeyboardInterrupt",
        "Use Exception: the exception that stops a script must not be caught",
    ),
    ("SystemExit", "Let the script end, or return from a function"),
    ("GeneratorExit", "Use Exception"),
    ("aiter", "Use plain loops"),
    ("anext", "Use plain loops"),
];

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    let Expr::Name(one) = expr else { return };
    let name = one.id.as_str();
    if one.ctx != ExprContext::Load {
        bound(cx, name, one.range);
        return;
    }
    if let Some((_, instead)) = HARMFUL.iter().find(|(harmful, _)| *harmful == name) {
        cx.refuse(
            &RULE,
            one.range,
            format!("{name} is not allowed in safe mode."),
            format!("{instead}."),
        );
    } else if dunder(name) {
        if private(cx, name) {
            return;
        }
        // `__rmul__ = __mul__` in the body of a class.
        let method = cx.policy.reviewed.methods.contains(name) && cx.names.bound.contains_key(name);
        if name != "__name__" && !method {
            let text = format!("{name} belongs to the interpreter.");
            cx.refuse(&RULE, one.range, text, "Leave it out.");
        }
    } else if !known(cx, name) {
        cx.refuse(
            &RULE,
            one.range,
            format!("{name} is not defined in the script, and safe mode does not offer it."),
            "Define or import it first, or correct the spelling.",
        );
    }
}

fn known(cx: &Checker<'_>, name: &str) -> bool {
    cx.policy.reviewed.builtins.contains(name)
        || cx.policy.reviewed.called_only.contains(name)
        || cx.names.bound.contains_key(name)
}

pub(crate) fn binding(cx: &mut Checker<'_>, binding: &Binding<'_>) {
    if binding.how == How::Import && binding.name.contains('.') {
        return;
    }
    if binding.how == How::Import && binding.name == "*" {
        return;
    }
    if binding.how == How::Argument && MAY_BE_ARGUMENTS.contains(&binding.name) {
        return;
    }
    bound(cx, binding.name, binding.range);
}

fn bound(cx: &mut Checker<'_>, name: &str, range: TextRange) {
    if HARMFUL.iter().any(|(harmful, _)| *harmful == name) || cx.policy.reviewed.called_only.contains(name) {
        let text = format!("{name} is a built-in name of Python that must keep its meaning.");
        cx.refuse(
            &RULE,
            range,
            text,
            format!("Choose another name, for example `{name}_value`."),
        );
    } else if dunder(name) && !cx.policy.reviewed.methods.contains(name) && !private(cx, name) {
        let text = format!("{name} belongs to the interpreter.");
        cx.refuse(&RULE, range, text, "Use a name without double underscores.");
    } else if cx.names.contested.contains(name) {
        let text = format!("{name} is imported and also has another meaning.");
        cx.refuse(
            &RULE,
            range,
            text,
            format!("Use different names, for example `{name}_value`."),
        );
    }
}

/// Whether a name is private to a class of the script: Python adds the name of the class. Outside of one it stays as it is, and is refused when
/// the code is compared with its text.
pub(crate) fn private(cx: &Checker<'_>, name: &str) -> bool {
    dunder(name) && !name.ends_with("__") && cx.names.fields.contains(name)
}

/// Whether a name has double underscores on both sides.
pub(crate) fn dunder(name: &str) -> bool {
    name.starts_with("__")
}
