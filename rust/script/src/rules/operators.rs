//! Refuses operators that are not on the list, operators as values, and calls that wait for the artist.
//!
//! Why: operators open, save, export, quit, install, evaluate Python texts; `INVOKE_…` waits for a mouse.
//! Example: `bpy.ops.wm.save_mainfile()`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprAttribute, ExprCall, Ranged};

use crate::bindings::literal;
use crate::checker::{Checker, Rule};
use crate::policy::{Known, fits};

const RULE: Rule = Rule {
    name: "operators",
    code: Code::ScriptOperator,
};

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    let Expr::Call(call) = expr else { return };
    let Some(full) = cx.full_name(&call.func) else { return };
    let Some(name) = full.strip_prefix("bpy.ops.") else {
        return;
    };
    // The whole chain is judged here.
    cx.grant(&call.func);
    let (operator, polled) = match name.strip_suffix(".poll") {
        Some(operator) => (operator, true),
        None => (name, false),
    };
    operator_name(cx, operator, call);
    if !polled {
        arguments(cx, operator, call);
    }
}

fn operator_name(cx: &mut Checker<'_>, name: &str, call: &ExprCall) {
    let range = call.func.range();
    let (text, hint) = match cx.policy.operators.look(name, cx.bit) {
        Known::Allowed => return,
        Known::Elsewhere if cx.names.adaptive => return,
        Known::Refused(cause) => (
            format!(
                "bpy.ops.{name} is not allowed in safe mode: {}.",
                reason(cx, name, cause)
            ),
            "Work on bpy.data directly, or leave this to the artist.".to_owned(),
        ),
        Known::Elsewhere => (
            format!("bpy.ops.{name} does not exist in this version of Blender."),
            "Use what this version has, for example through bpy.data.".to_owned(),
        ),
        Known::Unknown => (
            format!("bpy.ops.{name} is no operator that safe mode knows."),
            cx.suggestion(&cx.policy.operators, name).map_or_else(
                || "Work on bpy.data directly.".to_owned(),
                |near| format!("Did you mean bpy.ops.{near}?"),
            ),
        ),
    };
    cx.refuse(&RULE, range, text, hint);
}

fn reason(cx: &Checker<'_>, name: &str, cause: &str) -> String {
    let decided = cx.policy.reviewed.operators_refused.iter();
    match cause {
        "path" => "it takes a path to a file".to_owned(),
        "module" => {
            let group = name.split('.').next().unwrap_or(name);
            format!("bpy.ops.{group} is not about the contents of the scene")
        }
        _ => decided
            .filter(|(pattern, _)| fits(pattern, name))
            .map(|(_, why)| (*why).to_owned())
            .min()
            .unwrap_or_else(|| "it is not on the list".to_owned()),
    }
}

fn arguments(cx: &mut Checker<'_>, name: &str, call: &ExprCall) {
    for one in &call.args {
        let fine = match literal(one) {
            Some(text) => text.starts_with("EXEC_"),
            None => matches!(one, Expr::Constant(constant) if constant.value.is_bool()),
        };
        if !fine {
            cx.refuse(
                &RULE,
                one.range(),
                format!("bpy.ops.{name} may not wait for the artist or take a context here."),
                "Give its properties by keyword only; for another context use `with bpy.context.temp_override(...)`.",
            );
        }
    }
    for keyword in &call.keywords {
        if keyword.arg.is_none() {
            cx.refuse(
                &RULE,
                keyword.range,
                format!("The arguments of bpy.ops.{name} must be written out."),
                "Name each of them: `size=2.0`.",
            );
        }
    }
}

/// Refuses an operator that is not called at once.
pub(crate) fn unless_called(cx: &mut Checker<'_>, whole: &ExprAttribute) {
    if !cx.is_granted(whole.range) {
        cx.refuse(
            &RULE,
            whole.range,
            "An operator is called where it is named, and not passed on.",
            "Write `bpy.ops.GROUP.NAME(...)`.",
        );
    }
}
