//! Bounds between the parameters of a preset, and defaults that keep to them.

use serde_json::{Value, json};

use crate::expr::{self, Scope};
use crate::preset::{Bound, Parameter, ParameterKind};

/// How far beyond a bound a value may be by rounding, as a share of it.
const ROUNDING: f64 = 1e-5;

/// The end that a bound has here, and whether it is the upper one; none where it bounds nothing.
pub(crate) fn end(bound: &Bound, scope: &Scope) -> Result<Option<(f64, bool)>, expr::ExprError> {
    let upper = bound.least.is_null();
    let value = expr::eval(if upper { &bound.most } else { &bound.least }, scope)?;
    Ok(value.as_f64().map(|value| (value, upper)))
}

pub(crate) fn is_beyond(value: f64, (end, upper): (f64, bool)) -> bool {
    let slack = ROUNDING * end.abs() + 1e-9;
    if upper {
        value > end + slack
    } else {
        value < end - slack
    }
}

/// Whether the prompt gives the parameter, or another from which alone it follows.
pub(crate) fn is_given(parameter: &Parameter, said: &impl Fn(&str) -> bool) -> bool {
    said(&parameter.name) || parameter.told_by.iter().any(|name| said(name))
}

/// A default within the bounds that are known before it: those by parameters that stand before it in the file, and by the object.
pub(crate) fn within(
    bounds: &[Bound],
    parameter: &Parameter,
    value: Value,
    scope: &Scope,
    said: impl Fn(&str) -> bool,
) -> Value {
    if is_given(parameter, &said) {
        return value;
    }
    let own = bounds.iter().filter(|bound| bound.of == parameter.name);
    own.fold(value, |value, bound| {
        let Some(number) = value.as_f64() else {
            return value;
        };
        match end(bound, scope) {
            // Where nothing is possible, what is said is wrong, not this.
            Ok(Some(end)) if end.0 > 0.0 && is_beyond(number, end) => {
                let whole = matches!(parameter.kind, ParameterKind::Count | ParameterKind::Seed);
                let operator = match end.1 {
                    _ if !whole => "+",
                    true => "floor",
                    false => "ceil",
                };
                expr::eval(&json!([operator, end.0]), &Scope::new()).unwrap_or(value)
            }
            _ => value,
        }
    })
}
