//! Refuses classes that change how Python works.
//!
//! Why: metaclasses, descriptors, `__del__` and the like run code at times that no rule and no guard sees; a subclass of a type
//! of Blender is registered with it. Of Python's own types those are free whose methods a class may add to, but not replace
//! (`scripting/membrane.py`), so that guards and C see the same value.
//! Example: `class A(metaclass=M): …`, `def __del__(self): …`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, Ranged, Stmt, StmtClassDef};

use super::names::{dunder, private};
use crate::checker::{Checker, Rule};

const RULE: Rule = Rule {
    name: "classes",
    code: Code::ScriptClass,
};
const LIBRARY: &[&str] = &[
    "abc.ABC",
    "enum.Enum",
    "enum.IntEnum",
    "enum.Flag",
    "enum.IntFlag",
    "enum.StrEnum",
    "typing.NamedTuple",
    "typing.Protocol",
    "typing.TypedDict",
    "typing.Generic",
];

/// Types of Python whose methods a class may add to.
const DATA: &[&str] = &["dict", "float", "int", "list", "set", "str"];
/// What to write instead of methods that are refused.
const INSTEAD: &[(&str, &str)] = &[
    ("__new__", "Write a @classmethod that makes the object, and call that."),
    (
        "__getattr__",
        "Write a property for each name, or keep the values in a dict.",
    ),
    (
        "__getattribute__",
        "Write a property for each name, or keep the values in a dict.",
    ),
    ("__setattr__", "Write a property with a setter."),
    ("__delattr__", "Write a method that forgets the value, and call it."),
    ("__get__", "Write a property."),
    ("__set__", "Write a property with a setter."),
    (
        "__set_name__",
        "Give the name as an argument, or use __init_subclass__.",
    ),
    ("__del__", "Clean up at the end of the script, or in a `with` block."),
    ("__prepare__", "Leave the metaclass out."),
];

pub(crate) fn check(cx: &mut Checker<'_>, stmt: &Stmt) {
    match stmt {
        Stmt::ClassDef(one) => class(cx, one),
        Stmt::FunctionDef(one) => {
            let name = one.name.as_str();
            if dunder(name) && !cx.policy.reviewed.methods.contains(name) && !private(cx, name) {
                let text = format!("The method {name} runs at times that safe mode cannot guard.");
                let instead = INSTEAD.iter().find(|(method, _)| *method == name);
                let hint = instead.map_or("Use a method with an ordinary name and call it.", |(_, hint)| hint);
                cx.refuse(&RULE, one.range, text, hint);
            }
        }
        _ => {}
    }
}

fn class(cx: &mut Checker<'_>, one: &StmtClassDef) {
    for base in &one.bases {
        if !allowed(cx, base) {
            let of_blender = cx.full_name(base).is_some_and(|full| full.starts_with("bpy.types."));
            let (text, hint) = if of_blender {
                (
                    "A class derived from Blender's types registers code that outlives the run.",
                    "Write a function and call it at the end of the script.",
                )
            } else {
                (
                    "Classes may only derive from classes of the script, dict, float, int, list, set, str, exceptions, ABC, Enum and \
                     NamedTuple.",
                    "Keep the value in an attribute of the class.",
                )
            };
            // The base is judged only here.
            cx.grant(base);
            cx.refuse(&RULE, base.range(), text, hint);
        }
    }
    let typed = one
        .bases
        .iter()
        .any(|base| cx.full_name(base).is_some_and(|full| full == "typing.TypedDict"));
    // What a class of the script takes in `__init_subclass__`.
    let own = !one.bases.is_empty()
        && one
            .bases
            .iter()
            .all(|base| matches!(base, Expr::Name(name) if cx.names.classes.contains(name.id.as_str())));
    for keyword in &one.keywords {
        let named = keyword
            .arg
            .as_deref()
            .is_some_and(|name| name != "metaclass" && !name.starts_with('_'));
        if own && named {
            continue;
        }
        let plain = matches!(&keyword.value, Expr::Constant(value) if value.value.is_bool());
        if typed && plain && keyword.arg.as_deref() == Some("total") {
            continue;
        }
        cx.refuse(
            &RULE,
            keyword.range,
            "A class in safe mode cannot have a metaclass, nor arguments unless its bases are classes of the script.",
            "Leave it out.",
        );
    }
}

fn allowed(cx: &Checker<'_>, base: &Expr) -> bool {
    match base {
        Expr::Name(one) => {
            let name = one.id.as_str();
            let exception =
                (name.ends_with("Error") || name.ends_with("Warning") || matches!(name, "Exception" | "StopIteration"))
                    && cx.policy.reviewed.builtins.contains(name);
            let data = DATA.contains(&name) && !cx.names.bound.contains_key(name);
            name == "object" || data || exception || cx.names.classes.contains(name) || library(cx, base)
        }
        Expr::Subscript(one) => cx.full_name(&one.value).is_some_and(|full| full == "typing.Generic"),
        _ => library(cx, base),
    }
}

fn library(cx: &Checker<'_>, base: &Expr) -> bool {
    cx.full_name(base).is_some_and(|full| LIBRARY.contains(&full.as_str()))
}
