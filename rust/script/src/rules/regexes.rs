//! Refuses patterns of `re` that can take practically forever.
//!
//! Why: a repetition inside a repetition tries every way to split the text between them.
//! Example: `re.match("(a+)+$", "a" * 40)`

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, Operator, Ranged};

use crate::checker::{Checker, Rule};

const RULE: Rule = Rule {
    name: "regexes",
    code: Code::ScriptSize,
};
const LONGEST: usize = 200;

pub(crate) fn check(cx: &mut Checker<'_>, expr: &Expr) {
    let Expr::Call(call) = expr else { return };
    let takes_pattern = cx
        .full_name(&call.func)
        .is_some_and(|full| full.starts_with("re.") && full != "re.escape");
    let Some(pattern) = call.args.first().filter(|_| takes_pattern) else {
        return;
    };
    if multiplied(pattern) {
        cx.refuse(
            &RULE,
            pattern.range(),
            "A pattern may not be multiplied.",
            "Write the pattern as a text, with a count such as {3}.",
        );
    }
    // What is no literal is looked at by the guard at run time.
    if cx.text(pattern).is_some_and(|text| !is_quick(&text)) {
        cx.refuse(
            &RULE,
            pattern.range(),
            "This pattern repeats a repetition, or is very long: matching it could take practically forever.",
            "Use a simpler pattern, or split() and startswith().",
        );
    }
}

fn multiplied(pattern: &Expr) -> bool {
    match pattern {
        Expr::BinOp(one) => one.op == Operator::Mult || multiplied(&one.left) || multiplied(&one.right),
        _ => false,
    }
}

/// Whether matching a pattern takes a time that a watchdog can wait for.
pub fn is_quick(pattern: &str) -> bool {
    pattern.len() <= LONGEST && !nested(pattern)
}

/// Whether a group that repeats or chooses something is repeated itself.
fn nested(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let repeats = |c: u8| matches!(c, b'*' | b'+' | b'{');
    let mut groups: Vec<bool> = Vec::new();
    let (mut index, mut in_set) = (0usize, false);
    while index < bytes.len() {
        match at(index) {
            b'\\' => index = index.saturating_add(1),
            b'[' if !in_set => in_set = true,
            b']' if in_set => in_set = false,
            b'(' if !in_set => groups.push(false),
            b')' if !in_set => {
                let inner = groups.pop().unwrap_or(false);
                let again = repeats(at(index.saturating_add(1)));
                if inner && again {
                    return true;
                }
                if let Some(outer) = groups.last_mut() {
                    *outer |= inner || again;
                }
            }
            c if !in_set && (repeats(c) || c == b'|' || (c == b'?' && at(index.saturating_sub(1)) != b'(')) => {
                if let Some(group) = groups.last_mut() {
                    *group = true;
                }
            }
            _ => {}
        }
        index = index.saturating_add(1);
    }
    false
}
