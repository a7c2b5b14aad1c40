//! Refuses operators that are not on the list, groups of operators as values, and calls that wait for the artist.
//!
//! Why: operators open, save, export, quit, install, evaluate Python texts; `INVOKE_…` waits for a mouse.
//! Example: `bpy.ops.wm.save_mainfile()`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprAttribute, ExprCall, ExprContext, Ranged};
use rustpython_parser::text_size::TextRange;

use crate::checker::{Checker, Rule};
use crate::expressions::literal;
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
    operator_name(cx, operator, call.func.range());
    if !polled {
        arguments(cx, operator, call);
    }
}

pub(crate) fn operator_name(cx: &mut Checker<'_>, name: &str, range: TextRange) {
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
            "Do it another way in this version, for example through bpy.data.".to_owned(),
        ),
        Known::Unknown => (
            format!("bpy.ops.{name} is not an operator that safe mode knows."),
            cx.suggestion(&cx.policy.operators, name).map_or_else(
                || "Work on bpy.data directly.".to_owned(),
                |near| format!("Did you mean bpy.ops.{near}?"),
            ),
        ),
    };
    cx.refuse(&RULE, range, text, hint);
}

/// Judges a group whose operators are named by a computed string; the guard at run time judges each name.
pub(crate) fn family(cx: &mut Checker<'_>, name: &str, range: TextRange) {
    if !cx.policy.reviewed.operator_modules.contains(name) {
        let text = format!("bpy.ops.{name} does not edit the scene.");
        cx.refuse(
            &RULE,
            range,
            text,
            "Work on bpy.data directly, or leave this to the artist.",
        );
    }
}

fn reason(cx: &Checker<'_>, name: &str, cause: &str) -> String {
    let decided = cx.policy.reviewed.operators_refused.iter();
    match cause {
        "path" => "it takes a path to a file".to_owned(),
        "module" => {
            let group = name.split('.').next().unwrap_or(name);
            format!("bpy.ops.{group} does not edit the scene")
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
}

/// Judges an operator that is not called at once: a name in a table, or one that is passed on. The guard at run time calls it, with
/// the same bounds; a group as a whole may not be used as a value.
pub(crate) fn passed_on(cx: &mut Checker<'_>, whole: &ExprAttribute, full: &str) {
    if cx.is_granted(whole.range) {
        return;
    }
    let name = full.strip_prefix("bpy.ops.").unwrap_or(full);
    if name.split('.').count() == 2 && whole.ctx == ExprContext::Load {
        operator_name(cx, name, whole.range);
        super::removals::mention(cx, full, whole.range);
    } else {
        cx.refuse(
            &RULE,
            whole.range,
            "A group of operators may not be used as a value.",
            "Write `bpy.ops.GROUP.NAME(...)`.",
        );
    }
}
