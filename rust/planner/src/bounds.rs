//! The refusal of values that are beyond the bounds between the parameters of a preset, with all of them.

use geonode_protocol::Code;
use serde_json::Value;

use crate::change;
use crate::expr::{self, Scope};
use crate::held::{end, is_beyond, is_given};
use crate::preset::{Bound, Parameter, ParameterKind};
use crate::refusal::Refusal;
use crate::template::{Read, broken};
use crate::wording::describe;

fn given(read: &Read, parameter: &Parameter) -> bool {
    is_given(parameter, &|name| read.values.contains_key(name))
}

/// The parameters and facts that a bound follows from, computed ones replaced by what they follow from.
fn partners<'r>(read: &Read<'r>, bound: &'r Bound, scope: &Scope) -> Vec<&'r str> {
    let side = if bound.least.is_null() {
        &bound.most
    } else {
        &bound.least
    };
    let mut open = change::names(Some(side), scope);
    let mut found: Vec<&str> = Vec::new();
    while let Some(name) = open.pop() {
        let name = name.strip_prefix("said.").unwrap_or(name);
        let derived = read.entry.preset.parameter(name);
        let derived = derived.filter(|one| one.kind == ParameterKind::Derived);
        if found.contains(&name) || name == bound.of {
            continue;
        }
        found.push(name);
        open.extend(
            derived
                .into_iter()
                .flat_map(|one| change::names(Some(&one.default), scope)),
        );
    }
    found.reverse();
    found
}

/// The words that a parameter came from, in brackets.
fn words(read: &Read, parameter: &Parameter) -> String {
    let mut names = [&parameter.name].into_iter().chain(&parameter.told_by);
    let words = names.find_map(|name| read.sources.get(name));
    words.map_or_else(String::new, |words| format!(" (“{words}”)"))
}

/// The refusal of a change of a result whose values cannot go together; of a new result, [`refusal`] tells before.
///
/// # Errors
/// As [`refusal`].
pub(crate) fn of_change(read: &Read, scope: &Scope, unit: f64, reused: bool) -> Result<Option<Refusal>, Refusal> {
    if reused {
        refusal(read, scope, unit, true)
    } else {
        Ok(None)
    }
}

/// The refusal of values that cannot go together. A change of a result is judged by what it says: what was turned by hand stays.
///
/// # Errors
/// `preset_invalid` where a bound has no value.
pub(crate) fn refusal(read: &Read, scope: &Scope, unit: f64, reused: bool) -> Result<Option<Refusal>, Refusal> {
    let preset = &read.entry.preset;
    for bound in &preset.bounds {
        let Some(parameter) = preset.parameter(&bound.of) else {
            continue;
        };
        let Some(value) = scope.get(&bound.of).and_then(Value::as_f64) else {
            continue;
        };
        let Some(end) = end(bound, scope).map_err(|error| broken(&error, read.entry))? else {
            continue;
        };
        if !is_beyond(value, end) {
            continue;
        }
        let others = partners(read, bound, scope);
        let parts: Vec<&Parameter> = others.iter().filter_map(|name| preset.parameter(name)).collect();
        let said = |one: &Parameter| given(read, one) || read.shifts.contains_key(&one.name);
        if reused && !(said(parameter) || parts.iter().any(|one| said(one))) {
            continue;
        }
        let mut beside: Vec<String> = Vec::new();
        for one in parts.iter().filter(|one| one.kind != ParameterKind::Derived) {
            let measured = scope.get(&one.name).is_some_and(Value::is_number);
            if measured {
                let value = describe(read, &one.name, scope, unit);
                beside.push(format!("{} {value}{}", one.title.to_lowercase(), words(read, one)));
            }
        }
        if others.iter().any(|name| name.starts_with("target.")) && !read.cast.makes {
            beside.push(format!("the size of “{}”", read.cast.target));
        }
        let beside = if beside.is_empty() {
            String::new()
        } else {
            format!(" for {}", beside.join(" and "))
        };
        let mut at = scope.clone();
        at.insert(
            bound.of.clone(),
            expr::finite("bound", end.0).map_err(|error| broken(&error, read.entry))?,
        );
        let (much, most) = if end.1 { ("much", "most") } else { ("little", "least") };
        let message = format!(
            "{} {}{} is too {much}{beside}: {}. It can be at {most} {}. Nothing was changed.",
            parameter.title,
            describe(read, &bound.of, scope, unit),
            words(read, parameter),
            bound.why,
            describe(read, &bound.of, &at, unit),
        );
        return Ok(Some(Refusal::new(Code::OutOfRange, message)));
    }
    Ok(None)
}
