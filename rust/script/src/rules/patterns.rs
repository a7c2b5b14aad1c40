//! Refuses patterns that read refused attributes.
//!
//! Why: `case A(x=y)` reads the attribute `x`, and asks the class whether it matches.
//! Example: `case object(__class__=c): …`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprContext, Pattern, Ranged};

use super::{attributes, types};
use crate::checker::{Checker, Rule};

const RULE: Rule = Rule {
    name: "patterns",
    code: Code::ScriptAttribute,
};

pub(crate) fn check(cx: &mut Checker<'_>, pattern: &Pattern) {
    types::pattern(cx, pattern);
    let Pattern::MatchClass(one) = pattern else { return };
    if !matches!(&*one.cls, Expr::Name(_) | Expr::Attribute(_)) {
        cx.refuse(
            &RULE,
            one.cls.range(),
            "The class in a pattern must be a plain name.",
            "Use if and isinstance().",
        );
    }
    for name in &one.kwd_attrs {
        attributes::attribute(cx, name.as_str(), ExprContext::Load, one.range, one.range);
    }
}
