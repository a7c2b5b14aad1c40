//! What of a preset follows from the words of a prompt, so that a change leaves everything else as it is.

use serde_json::Value;

use crate::expr::{self, Scope};
use crate::preset::{Parameter, ParameterKind};
use crate::roles::Thing;
use crate::template::Read;

/// Whether the prompt gives the parameter, or the thing that a name of the template is about.
pub(crate) fn is_said(read: &Read, name: &str) -> bool {
    let thing = matches!(
        read.cast.thing,
        Some(Thing::Object(_) | Thing::Collection(_) | Thing::Shape(_, Some(_)))
    );
    // Its size follows from it, but may have been turned since.
    let of_thing = name.starts_with("thing.") && name != "thing.dims";
    let name = name.strip_prefix("said.").unwrap_or(name);
    read.values.contains_key(name) || read.shifts.contains_key(name) || thing && of_thing && !read.cast.kept
}

/// The names that the value of an expression follows from; of a condition, those of the branch that holds.
pub(crate) fn names<'v>(expression: Option<&'v Value>, scope: &Scope) -> Vec<&'v str> {
    let all = |parts: &'v [Value]| parts.iter().flat_map(|part| names(Some(part), scope)).collect();
    match expression {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(parts)) => match parts.as_slice() {
            [Value::String(operator), ..] if operator == "'" => Vec::new(),
            [Value::String(operator), test, yes, no] if operator == "if" => {
                let holds = expr::eval(test, scope).is_ok_and(|value| expr::truthy(&value));
                let branch = if holds { yes } else { no };
                let test = (!lacks_another(test, scope)).then_some(test);
                [test, Some(branch)]
                    .into_iter()
                    .flat_map(|part| names(part, scope))
                    .collect()
            }
            [Value::String(_), operands @ ..] => all(operands),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Whether a test asks for several values of which one is not given: “wide” alone decides nothing then.
fn lacks_another(test: &Value, scope: &Scope) -> bool {
    let given =
        |part: &Value| matches!(part.as_array().map(Vec::as_slice), Some([Value::String(word), _]) if word == "given");
    match test.as_array().map(Vec::as_slice) {
        Some([Value::String(operator), parts @ ..]) if operator == "and" => parts
            .iter()
            .filter(|part| given(part))
            .any(|part| expr::eval(part, scope).is_ok_and(|value| !expr::truthy(&value))),
        _ => false,
    }
}

/// Whether the value is one that a prompt or a hand sets, not one that follows from others or names what is copied.
pub(crate) const fn is_set(parameter: &Parameter) -> bool {
    !matches!(
        parameter.kind,
        ParameterKind::Derived | ParameterKind::Object | ParameterKind::Collection | ParameterKind::Value
    )
}
