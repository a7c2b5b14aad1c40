//! Refuses members of modules that are not on the list, modules as values, and changes to modules.
//!
//! Why: every member of a module that is passed on can be reached by name; a changed module stays changed after the run.
//! Example: `x = bpy`, `math.pi = 3`, `random._os.system("…")`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprAttribute, ExprContext};

use super::{attributes, types};
use crate::checker::{Checker, READABLE, Rule};
use crate::expressions::{attr_range, chain};
use crate::policy::Known;

const RULE: Rule = Rule {
    name: "modules",
    code: Code::ScriptModule,
};

/// Returns whether the inner expressions still have to be visited.
pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) -> bool {
    match expr {
        Expr::Name(one) if one.ctx == ExprContext::Load => {
            let Some(module) = cx.names.modules.get(one.id.as_str()) else {
                return true;
            };
            let text = format!("The module {module} may not be used as a value.");
            cx.refuse(
                &RULE,
                one.range,
                text,
                format!("Write `{}.NAME` where it is used.", one.id),
            );
            true
        }
        Expr::Attribute(one) => {
            let Some((root, parts)) = chain(expr) else { return true };
            if let Some(member) = cx.names.members.get(root.id.as_str()) {
                if one.ctx != ExprContext::Load && parts.len() == 1 {
                    let text = format!("{member} belongs to a module; the change would outlive the run.");
                    cx.refuse(&RULE, one.range, text, "Keep the value in a variable.");
                }
                return true;
            }
            let Some(module) = cx.names.modules.get(root.id.as_str()).cloned() else {
                return true;
            };
            members(cx, one, module, &parts);
            false
        }
        _ => true,
    }
}

/// Judges `module.a.b.c` from the left: modules by their lists, then attributes of a value.
fn members(cx: &mut Checker<'_>, whole: &ExprAttribute, mut path: String, parts: &[&ExprAttribute]) {
    let mut rest = parts.iter();
    while let Some(part) = rest.next() {
        let name = part.attr.as_str();
        let at = attr_range(part);
        let full = format!("{path}.{name}");
        if cx.policy.is_module(&full) && may_contain(cx, &path, name) {
            path = full;
            continue;
        }
        match path.as_str() {
            "bpy.ops" => {
                let named: Vec<&str> = parts.iter().map(|one| one.attr.as_str()).collect();
                let ops = named.iter().position(|one| *one == name).unwrap_or(0);
                let full = format!("bpy.ops.{}", named.get(ops..).unwrap_or_default().join("."));
                super::operators::passed_on(cx, whole, &full);
                return;
            }
            "bpy.types" => {
                types::check(cx, whole, name, at);
            }
            _ if allowed(cx, &path, name) => {
                if whole.ctx != ExprContext::Load && part.range == whole.range {
                    let text = format!("{full} belongs to a module; the change would outlive the run.");
                    cx.refuse(&RULE, at, text, "Keep the value in a variable.");
                }
            }
            "bpy.app" => {
                let known = cx.policy.reviewed.app.get(name).copied();
                let (what, instead) = known.unwrap_or(("what a script does not need", "Leave it out"));
                cx.refuse(
                    &RULE,
                    at,
                    format!("bpy.app.{name} reaches {what}."),
                    format!("Do this: {instead}."),
                );
                return;
            }
            _ => {
                let hint = hint(cx, &path, name);
                cx.refuse(&RULE, at, format!("{full} is not allowed in safe mode."), hint);
                return;
            }
        }
        let mut full = full;
        for part in rest.by_ref() {
            full = format!("{full}.{}", part.attr);
            if full == READABLE && part.ctx == ExprContext::Load {
                continue;
            }
            attributes::attribute(cx, part.attr.as_str(), part.ctx, attr_range(part), part.range);
        }
        return;
    }
    cx.refuse(
        &RULE,
        whole.range,
        format!("The module {path} may not be used as a value."),
        format!("Write `{path}.NAME` where it is used."),
    );
}

/// Whether a module lists a submodule: `bpy.ops`, but not a module that another one happens to have imported.
fn may_contain(cx: &Checker<'_>, module: &str, name: &str) -> bool {
    cx.policy
        .reviewed
        .modules
        .get(module)
        .is_some_and(|members| members.contains(name))
}

fn allowed(cx: &Checker<'_>, module: &str, name: &str) -> bool {
    if module == "bmesh.ops" {
        return cx.policy.bmesh_ops.look(name, cx.bit) == Known::Allowed;
    }
    may_contain(cx, module, name)
}

/// What to use instead of a member that is not allowed.
pub(crate) fn hint(cx: &Checker<'_>, module: &str, name: &str) -> String {
    if let Some(instead) = cx.policy.reviewed.instead.get(format!("{module}.{name}").as_str()) {
        return format!("Use instead: {instead}.");
    }
    if let Some(instead) = cx.policy.reviewed.instead.get(module) {
        return format!("Use instead: {instead}.");
    }
    let members = cx.policy.reviewed.modules.get(module);
    let near = members
        .into_iter()
        .flatten()
        .filter(|known| strsim::damerau_levenshtein(known, name) <= 2)
        .min();
    match (near, module) {
        (Some(near), _) => format!("Did you mean {module}.{near}?"),
        (None, "bpy") => "A script may use bpy.data, bpy.context, bpy.ops, bpy.types and bpy.app.version.".to_owned(),
        (None, _) => format!("Compute it with other functions of {module}, or with plain Python."),
    }
}
