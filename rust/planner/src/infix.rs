//! Expressions of preset files as people write them, `max(size, 0.1) if given(size) else target.size / 20`: from Python's grammar to the
//! form that [`crate::expr`] evaluates. Nothing is executed here.

use rustpython_parser::Parse;
use rustpython_parser::ast::{self, BoolOp, CmpOp, Constant, Expr, Operator, UnaryOp};
use serde_json::{Value, json};

/// Longest expression; a preset that needs more computes a parameter first.
const MAX_BYTES: usize = 600;

/// The expression of a text, or why it is none.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("an expression has at most {MAX_BYTES} bytes"));
    }
    let parsed = Expr::parse(text.trim(), "<expression>")
        .map_err(|error| format!("“{text}” is not an expression: {}", error.error))?;
    value(&parsed).map_err(|what| format!("“{text}”: {what} cannot be used here"))
}

/// Reads every expression of a template in place: texts under `$` and `when`.
pub(crate) fn read_within(template: &mut Value) -> Result<(), String> {
    match template {
        Value::Object(fields) => {
            for (key, part) in fields {
                match part {
                    Value::String(text) if matches!(key.as_str(), "$" | "when") => *part = read(text)?,
                    other => read_within(other)?,
                }
            }
            Ok(())
        }
        Value::Array(parts) => parts.iter_mut().try_for_each(read_within),
        _ => Ok(()),
    }
}

fn value(expr: &Expr) -> Result<Value, &'static str> {
    let list = |operator: &str, operands: &[&Expr]| {
        let mut parts = vec![json!(operator)];
        for operand in operands {
            parts.push(value(operand)?);
        }
        Ok(Value::Array(parts))
    };
    match expr {
        Expr::Constant(constant) => match &constant.value {
            Constant::Bool(truth) => Ok(json!(truth)),
            Constant::Int(number) => number
                .to_string()
                .parse::<i64>()
                .map(Value::from)
                .map_err(|_| "a number of this size"),
            Constant::Float(number) => Ok(json!(number)),
            Constant::Str(text) => Ok(json!(["'", text])),
            Constant::None => Ok(Value::Null),
            _ => Err("this sort of value"),
        },
        Expr::Name(_) | Expr::Attribute(_) => path(expr).map(Value::from).ok_or("this name"),
        Expr::Call(call) if call.keywords.is_empty() => {
            let name = path(&call.func).ok_or("this call")?;
            list(&name, &call.args.iter().collect::<Vec<_>>())
        }
        Expr::BinOp(term) => {
            let operator = match term.op {
                Operator::Add => "+",
                Operator::Sub => "-",
                Operator::Mult => "*",
                Operator::Div => "/",
                Operator::Pow => "pow",
                _ => return Err("this operator"),
            };
            list(operator, &[&term.left, &term.right])
        }
        Expr::UnaryOp(term) => match term.op {
            UnaryOp::Not => list("not", &[&term.operand]),
            UnaryOp::USub => match value(&term.operand)? {
                Value::Number(number) => number.as_f64().map(|number| json!(-number)).ok_or("this number"),
                _ => list("-", &[&term.operand]),
            },
            _ => Err("this operator"),
        },
        Expr::BoolOp(term) => {
            let operator = if matches!(term.op, BoolOp::And) { "and" } else { "or" };
            list(operator, &term.values.iter().collect::<Vec<_>>())
        }
        Expr::Compare(term) => comparison(term),
        Expr::IfExp(choice) => list("if", &[&choice.test, &choice.body, &choice.orelse]),
        Expr::Tuple(tuple) => list("vec", &tuple.elts.iter().collect::<Vec<_>>()),
        Expr::Subscript(part) => list("get", &[&part.value, &part.slice]),
        _ => Err("this form"),
    }
}

fn comparison(term: &ast::ExprCompare) -> Result<Value, &'static str> {
    let ([operator], [right]) = (term.ops.as_slice(), term.comparators.as_slice()) else {
        return Err("a chain of comparisons");
    };
    let (left, right) = (value(&term.left)?, value(right)?);
    Ok(match operator {
        CmpOp::Eq => json!(["==", left, right]),
        CmpOp::NotEq => json!(["!=", left, right]),
        CmpOp::Lt => json!(["<", left, right]),
        CmpOp::Gt => json!([">", left, right]),
        CmpOp::LtE => json!(["not", [">", left, right]]),
        CmpOp::GtE => json!(["not", ["<", left, right]]),
        _ => return Err("this comparison"),
    })
}

/// A name with its dots: `thing.dims`.
fn path(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => Some(format!("{}.{}", path(&attribute.value)?, attribute.attr)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Scope, eval};

    #[test]
    fn expressions_are_read_as_python_reads_them() {
        let scope = Scope::from([
            ("size".into(), json!(2)),
            ("open".into(), Value::Null),
            ("thing.dims".into(), json!([1, 2, 4])),
        ]);
        for (text, wanted) in [
            ("1 + size * 3", json!(7.0)),
            ("-0.5", json!(-0.5)),
            ("max(size, 5) if not given(open) else 0", json!(5.0)),
            ("largest(thing.dims) / 2", json!(2.0)),
            ("size >= 2 and size < 3", json!(true)),
            ("(0, size, 1)", json!([0.0, 2.0, 1.0])),
            ("thing.dims[1]", json!(2)),
            ("'a' == 'a'", json!(true)),
            ("None", Value::Null),
        ] {
            assert_eq!(eval(&read(text).unwrap(), &scope), Ok(wanted), "{text}");
        }
        for text in ["", "1 +", "1 < 2 < 3", "f(a=1)", "[1]", "lambda: 1", "a // b"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
