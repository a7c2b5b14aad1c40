//! Marks what removes data: the artist is asked, in every mode.
//!
//! Why: undo brings it back, but only if somebody notices.
//! Example: `bpy.data.objects.remove(obj)`, `bpy.ops.object.delete()`

use geonode_protocol::Code;
use rustpython_parser::ast::Expr;

use crate::checker::{Checker, Rule};

const RULE: Rule = Rule {
    name: "removals",
    code: Code::ScriptDestructive,
};
const OPERATORS: &[&str] = &[
    "delete",
    "delete_loose",
    "modifiers_clear",
    "constraints_clear",
    "animation_data_clear",
];

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    let Expr::Call(call) = expr else { return };
    let Expr::Attribute(method) = &*call.func else { return };
    let name = method.attr.as_str();
    let hint = "Nothing to correct: the artist is asked before the script runs.";
    if let Some(full) = cx.full_name(&call.func) {
        let operator = full.strip_prefix("bpy.ops.").is_some_and(|_| OPERATORS.contains(&name));
        let data =
            full.starts_with("bpy.data.") && matches!(name, "remove" | "batch_remove" | "orphans_purge" | "user_remap");
        if operator || data {
            cx.ask(&RULE, call.range, format!("{full}() removes data from the file."), hint);
        }
    } else if matches!(name, "batch_remove" | "orphans_purge" | "user_remap" | "clear_geometry") {
        cx.ask(
            &RULE,
            call.range,
            format!(".{name}() removes data from the file."),
            hint,
        );
    }
}
