//! Refuses imports that are not on the list.
//!
//! Why: a module can give access to files, processes, the network or the interpreter itself. Star imports bind names that cannot be checked.
//! Example: `import os`

use geonode_protocol::Code;
use rustpython_parser::ast::{Stmt, StmtImportFrom};
use rustpython_parser::text_size::TextRange;

use crate::checker::{Checker, Rule};
use crate::policy::Known;

const RULE: Rule = Rule {
    name: "imports",
    code: Code::ScriptImport,
};

pub(crate) fn check(cx: &mut Checker<'_>, stmt: &Stmt) {
    match stmt {
        Stmt::Import(one) => {
            for alias in &one.names {
                let name = alias.name.as_str();
                if !cx.policy.is_module(name) {
                    module(cx, name, alias.range);
                } else if name.contains('.') && alias.asname.is_none() {
                    // `import a.b` binds `a`, which is judged where it is used.
                }
            }
        }
        Stmt::ImportFrom(one) => from(cx, one),
        _ => {}
    }
}

fn module(cx: &mut Checker<'_>, name: &str, range: TextRange) {
    let first = name.split('.').next().unwrap_or(name);
    let instead = cx
        .policy
        .reviewed
        .instead
        .get(name)
        .or_else(|| cx.policy.reviewed.instead.get(first));
    let hint = instead.map_or_else(
        || format!("Use what is allowed: {}.", listed(cx)),
        |instead| format!("Use instead: {instead}."),
    );
    cx.refuse(
        &RULE,
        range,
        format!("The module {name} is not allowed in safe mode."),
        hint,
    );
}

fn listed(cx: &Checker<'_>) -> String {
    let mut names: Vec<&str> = cx
        .policy
        .reviewed
        .modules
        .keys()
        .copied()
        .filter(|name| !name.contains(['.', '_']))
        .collect();
    names.sort_unstable();
    names.join(", ")
}

fn from(cx: &mut Checker<'_>, one: &StmtImportFrom) {
    let module_name = one.module.as_ref().map_or("", |module| module.as_str());
    if module_name.is_empty() || one.level.is_some_and(|level| level.to_u32() > 0) {
        cx.refuse(
            &RULE,
            one.range,
            "A relative import reaches the add-on itself.",
            "Import an allowed module by its name.",
        );
        return;
    }
    if !cx.policy.is_module(module_name) {
        module(cx, module_name, one.range);
        return;
    }
    for alias in &one.names {
        let name = alias.name.as_str();
        if name == "*" {
            cx.refuse(
                &RULE,
                alias.range,
                format!("`from {module_name} import *` binds names that cannot be checked."),
                format!("Name what you use: `from {module_name} import NAME`."),
            );
        } else if !member(cx, module_name, name) {
            cx.refuse(
                &RULE,
                alias.range,
                format!("{module_name}.{name} is not allowed in safe mode."),
                super::modules::hint(cx, module_name, name),
            );
        }
    }
}

fn member(cx: &Checker<'_>, module: &str, name: &str) -> bool {
    match module {
        "bpy.types" => cx.policy.types.look(name, cx.bit) == Known::Allowed,
        "bmesh.ops" => cx.policy.bmesh_ops.look(name, cx.bit) == Known::Allowed,
        "bpy.ops" => false,
        _ => cx
            .policy
            .reviewed
            .modules
            .get(module)
            .is_some_and(|members| members.contains(name)),
    }
}
