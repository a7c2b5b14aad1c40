//! Refuses nodes that read or write files or run scripts.
//!
//! Why: their paths are ordinary inputs, so no rule about attributes finds them.
//! Example: `tree.nodes.new("GeometryNodeImportSTL")`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall, Ranged};

use crate::checker::{Checker, Rule};
use crate::expressions::literal;
use crate::policy::fits;

const RULE: Rule = Rule {
    name: "nodes",
    code: Code::ScriptNode,
};

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    if let Expr::Call(call) = expr {
        computed(cx, call);
    }
    let Some(text) = literal(expr) else { return };
    let refused = cx
        .policy
        .reviewed
        .node_types
        .iter()
        .find(|(pattern, _)| fits(pattern, text))
        .map(|(_, why)| *why);
    if let Some(why) = refused {
        let text = format!("The node {text} is not allowed in safe mode: {why}.");
        cx.refuse(
            &RULE,
            expr.range(),
            text,
            "Create the data with other nodes or with bpy.data.",
        );
    }
}

/// `….nodes.new(…)` with a computed type.
fn computed(cx: &mut Checker<'_>, call: &ExprCall) {
    let Expr::Attribute(method) = &*call.func else { return };
    if method.attr.as_str() != "new" || !matches!(&*method.value, Expr::Attribute(one) if one.attr.as_str() == "nodes")
    {
        return;
    }
    let named = call
        .keywords
        .iter()
        .find(|one| one.arg.as_ref().is_some_and(|name| name.as_str() == "type"));
    let Some(kind) = call.args.first().or_else(|| named.map(|one| &one.value)) else {
        return;
    };
    if matches!(
        kind,
        Expr::BinOp(_) | Expr::JoinedStr(_) | Expr::Call(_) | Expr::Starred(_)
    ) {
        cx.refuse(
            &RULE,
            kind.range(),
            "The type of a node must be a literal.",
            "Write the type as one text, for example \"ShaderNodeTexNoise\".",
        );
    }
}
