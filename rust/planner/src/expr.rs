//! The arithmetic of plan templates: small, total, without loops.
//!
//! In a template `{"$": EXPR}` stands for the value of EXPR. An expression is a number, a bool, a name (a string: a parameter or
//! a fact such as `thing.kind`), `["'", VALUE]` (the value itself), or `[OPERATOR, EXPR…]`.

use std::collections::HashMap;

use serde_json::{Value, json};
use thiserror::Error;

/// Names that an expression may use.
pub(crate) type Scope = HashMap<String, Value>;

/// Deepest nesting; no real template needs more.
const DEPTH: usize = 24;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ExprError {
    /// The name is neither a parameter nor a fact.
    #[error("unknown name “{0}” in an expression")]
    UnknownName(String),
    /// The operator does not exist, or not with this number of operands.
    #[error("unknown operator or wrong number of operands: {0}")]
    UnknownOperator(String),
    /// An operand is of a kind that the operator does not accept.
    #[error("operator “{0}” does not take {1}")]
    WrongOperand(String, String),
    /// The result is not finite.
    #[error("the result of “{0}” is not a finite number")]
    NotFinite(String),
    /// Nested deeper than the limit.
    #[error("an expression is nested too deeply")]
    TooDeep,
}

/// The value of an expression.
///
/// # Errors
/// An unknown name or operator, an operand of the wrong kind, or a result that is not finite.
pub(crate) fn eval(expr: &Value, scope: &Scope) -> Result<Value, ExprError> {
    eval_at(expr, scope, 0)
}

fn eval_at(expr: &Value, scope: &Scope, depth: usize) -> Result<Value, ExprError> {
    if depth > DEPTH {
        return Err(ExprError::TooDeep);
    }
    match expr {
        Value::String(name) => scope
            .get(name)
            .cloned()
            .ok_or_else(|| ExprError::UnknownName(name.clone())),
        Value::Array(parts) => {
            let Some((Value::String(operator), operands)) = parts.split_first() else {
                return Err(ExprError::UnknownOperator(expr.to_string()));
            };
            apply(operator, operands, scope, depth)
        }
        other => Ok(other.clone()),
    }
}

fn apply(operator: &str, operands: &[Value], scope: &Scope, depth: usize) -> Result<Value, ExprError> {
    let value = |expr: &Value| eval_at(expr, scope, depth + 1);
    let truth = |expr: &Value| value(expr).map(|v| truthy(&v));
    match (operator, operands) {
        ("'", [literal]) => return Ok(literal.clone()),
        ("given", [Value::String(name)]) => return Ok(json!(!scope.get(name).is_none_or(Value::is_null))),
        ("if", [test, yes, no]) => return if truth(test)? { value(yes) } else { value(no) },
        ("not", [a]) => return Ok(json!(!truth(a)?)),
        ("and", parts) => {
            for part in parts {
                if !truth(part)? {
                    return Ok(json!(false));
                }
            }
            return Ok(json!(true));
        }
        ("or", parts) => {
            for part in parts {
                if truth(part)? {
                    return Ok(json!(true));
                }
            }
            return Ok(json!(false));
        }
        _ => {}
    }
    let values = operands.iter().map(value).collect::<Result<Vec<_>, _>>()?;
    match (operator, values.as_slice()) {
        ("==", [a, b]) => return Ok(json!(same(a, b))),
        ("!=", [a, b]) => return Ok(json!(!same(a, b))),
        ("vec", [x, y, z]) => {
            return Ok(json!([
                number(operator, x)?,
                number(operator, y)?,
                number(operator, z)?
            ]));
        }
        ("scale", [v, s]) => {
            let (v, s) = (vector(operator, v)?, number(operator, s)?);
            return Ok(json!(v.map(|c| c * s)));
        }
        ("along", [v, axis]) => {
            let (v, axis) = (vector(operator, v)?, vector(operator, axis)?);
            let extent: f64 = v.iter().zip(axis).map(|(size, part)| size * part.abs()).sum();
            return finite(operator, extent);
        }
        ("+", [Value::String(first), Value::String(second)]) => return Ok(json!(format!("{first}{second}"))),
        ("largest", [v]) => return finite(operator, vector(operator, v)?.into_iter().fold(0.0, f64::max)),
        // Of a sheet, the smaller of its two sides.
        ("smallest", [v]) => {
            let sides = vector(operator, v)?;
            let flat = sides.into_iter().fold(0.0, f64::max) * 1e-6;
            let least = sides
                .into_iter()
                .filter(|side| *side > flat)
                .fold(f64::INFINITY, f64::min);
            return finite(operator, if least.is_finite() { least } else { 0.0 });
        }
        ("get", [Value::Array(list), Value::Number(index)]) => {
            let place = index
                .as_u64()
                .and_then(|i| usize::try_from(i).ok())
                .and_then(|i| list.get(i));
            return place
                .cloned()
                .ok_or_else(|| ExprError::WrongOperand(operator.to_owned(), index.to_string()));
        }
        _ => {}
    }
    let numbers = values
        .iter()
        .map(|v| number(operator, v))
        .collect::<Result<Vec<_>, _>>()?;
    let result = match (operator, numbers.as_slice()) {
        ("+", n) => n.iter().sum(),
        ("*", n) => n.iter().product(),
        ("-", [a]) => -a,
        ("-", [a, b]) => a - b,
        ("/", [a, b]) => a / b,
        ("<", [a, b]) => return Ok(json!(a < b)),
        (">", [a, b]) => return Ok(json!(a > b)),
        ("min", [a, rest @ ..]) => rest.iter().fold(*a, |m, n| m.min(*n)),
        ("max", [a, rest @ ..]) => rest.iter().fold(*a, |m, n| m.max(*n)),
        ("sqrt", [a]) => a.sqrt(),
        ("pow", [a, b]) => a.powf(*b),
        ("log", [a, base]) => a.ln() / base.ln(),
        ("round", [a]) => return whole(operator, a.round()),
        ("ceil", [a]) => return whole(operator, (a - 1e-9).ceil()),
        ("floor", [a]) => return whole(operator, (a + 1e-9).floor()),
        ("columns", [total]) => return whole(operator, columns(*total)),
        _ => return Err(ExprError::UnknownOperator(format!("{operator}/{}", values.len()))),
    };
    finite(operator, result)
}

/// Columns of the most square grid with `total` cells: exact if no side is more than twice the other, else the square
/// root rounded up.
fn columns(total: f64) -> f64 {
    let root = total.max(1.0).sqrt();
    let mut side = root.ceil();
    while side <= (root * 1.5).ceil() {
        if (total / side).fract() == 0.0 && total / side * 2.0 >= side {
            return side;
        }
        side += 1.0;
    }
    root.ceil()
}

/// Whether a value counts as true: not false, null, zero or empty.
pub(crate) fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(b) => *b,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(s) => !s.is_empty(),
        _ => true,
    }
}

/// Whether two values are equal; numbers up to rounding, whole or not.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| (a - b).abs() < 1e-12),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => a == b,
    }
}

fn number(operator: &str, value: &Value) -> Result<f64, ExprError> {
    match value {
        Value::Bool(b) => Ok(f64::from(u8::from(*b))),
        other => other
            .as_f64()
            .ok_or_else(|| ExprError::WrongOperand(operator.to_owned(), other.to_string())),
    }
}

fn vector(operator: &str, value: &Value) -> Result<[f64; 3], ExprError> {
    let wrong = || ExprError::WrongOperand(operator.to_owned(), value.to_string());
    match value.as_array().map(Vec::as_slice) {
        Some([x, y, z]) => Ok([number(operator, x)?, number(operator, y)?, number(operator, z)?]),
        _ => Err(wrong()),
    }
}

/// A float as JSON, rounded to the precision of Blender's 32-bit floats (so 0.1 × 3 gives 0.3).
pub(crate) fn finite(operator: &str, value: f64) -> Result<Value, ExprError> {
    if !value.is_finite() {
        return Err(ExprError::NotFinite(operator.to_owned()));
    }
    let text = format!("{value:.9e}");
    Ok(json!(text.parse::<f64>().unwrap_or(value)))
}

fn whole(operator: &str, value: f64) -> Result<Value, ExprError> {
    if !value.is_finite() || value.abs() > 1e15 {
        return Err(ExprError::NotFinite(operator.to_owned()));
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and within ±1e15")]
    let integer = value as i64;
    Ok(json!(integer))
}

/// Replaces every `{"$": EXPR}` inside a template; an array entry with `"when"` is kept only if that holds.
///
/// # Errors
/// As [`eval`].
pub(crate) fn substitute(template: &Value, scope: &Scope) -> Result<Value, ExprError> {
    match template {
        Value::Object(map) => {
            if let (1, Some(expr)) = (map.len(), map.get("$")) {
                return eval(expr, scope);
            }
            let mut out = serde_json::Map::new();
            for (key, value) in map.iter().filter(|(key, _)| *key != "when") {
                out.insert(key.clone(), substitute(value, scope)?);
            }
            Ok(Value::Object(out))
        }
        Value::Array(items) => {
            let mut out = Vec::with_capacity(items.len());
            for item in items {
                if let Some(test) = item.get("when")
                    && !truthy(&eval(test, scope)?)
                {
                    continue;
                }
                out.push(substitute(item, scope)?);
            }
            Ok(Value::Array(out))
        }
        other => Ok(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expr: impl Into<Value>) -> Result<Value, ExprError> {
        let scope = Scope::from([
            ("n".into(), json!(24)),
            ("axis".into(), json!([0, -1, 0])),
            ("none".into(), Value::Null),
        ]);
        eval(&expr.into(), &scope)
    }

    #[test]
    fn expressions_are_evaluated() {
        assert_eq!(value(json!(["/", ["*", "n", 3], 8])), Ok(json!(9.0)));
        assert_eq!(value(json!(["columns", "n"])), Ok(json!(6)));
        assert_eq!(value(json!(["columns", 25])), Ok(json!(5)));
        assert_eq!(value(json!(["columns", 23])), Ok(json!(5)));
        assert_eq!(value(json!(["along", ["'", [1, 2, 3]], "axis"])), Ok(json!(2.0)));
        assert_eq!(value(json!(["smallest", ["'", [3, 0, 2]]])), Ok(json!(2.0)));
        assert_eq!(value(json!(["if", ["given", "none"], 1, 2])), Ok(json!(2)));
        assert_eq!(value(json!(["*", 0.1, 3])), Ok(json!(0.3)));
        assert_eq!(
            value(json!(["+", ["'", "Matte "], ["'", "Red"]])),
            Ok(json!("Matte Red"))
        );
    }

    #[test]
    fn invalid_expressions_are_refused() {
        assert!(matches!(value(json!("m")), Err(ExprError::UnknownName(_))));
        assert!(matches!(value(json!(["/", 1, 0])), Err(ExprError::NotFinite(_))));
        assert!(matches!(
            value(json!(["frobnicate", 1])),
            Err(ExprError::UnknownOperator(_))
        ));
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!(["-", deep]);
        }
        assert_eq!(value(deep), Err(ExprError::TooDeep));
    }

    #[test]
    fn names_in_expressions_are_substituted() {
        let template = json!([{"op": "a", "value": {"$": "n"}}, {"op": "b", "when": ["given", "none"]}]);
        let scope = Scope::from([("n".into(), json!(2)), ("none".into(), Value::Null)]);
        assert_eq!(substitute(&template, &scope), Ok(json!([{"op": "a", "value": 2}])));
    }
}
