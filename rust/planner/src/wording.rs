//! Texts for the artist about an offline plan: its description and its final message.

use serde_json::Value;

use crate::change::is_said;
use crate::expr::{self, Scope};
use crate::naming::Names;
use crate::preset::{Parameter, ParameterKind, Sentence};
use crate::refusal::Refusal;
use crate::roles::Thing;
use crate::template::{Read, broken};
use crate::values::{PromptValue, plain};

/// A parameter in words.
pub(crate) fn describe(read: &Read, name: &str, scope: &Scope, unit: f64) -> String {
    let value = scope.get(name).cloned().unwrap_or(Value::Null);
    let Some(parameter) = read.entry.preset.parameter(name) else {
        return value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    };
    if let Some(PromptValue::Choice(key, _)) = read.values.get(name) {
        return key.clone();
    }
    match (parameter.of.unwrap_or(parameter.kind), &value) {
        (ParameterKind::Length, v) => format!("{} m", plain(v.as_f64().unwrap_or(0.0) * unit)),
        (ParameterKind::Angle, v) => format!("{}°", plain(v.as_f64().unwrap_or(0.0).to_degrees())),
        (ParameterKind::Choice, v) => read
            .entry
            .slots
            .iter()
            .find(|slot| slot.parameter.name == name)
            .and_then(|slot| slot.options.iter().find(|(_, option, _)| expr::same(option, v)))
            .map_or_else(|| v.to_string(), |(key, _, _)| key.clone()),
        (_, Value::Bool(b)) => if *b { "on" } else { "off" }.to_owned(),
        (_, Value::Number(n)) => plain(n.as_f64().unwrap_or(0.0)),
        (_, Value::String(s)) => s.clone(),
        (_, v) => v.to_string(),
    }
}

/// A text of the preset with its names and parameters in words.
pub(crate) fn sentence(text: &str, read: &Read, scope: &Scope, unit: f64) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        match name {
            "target" => out.push_str(&read.cast.target),
            "thing" => {
                let (before, name, after) = match &read.cast.thing {
                    Some(Thing::Object(name) | Thing::Collection(name)) => ("“", name, "”"),
                    Some(Thing::Shape(key, _)) => ("built-in ", key, ""),
                    Some(Thing::Itself) | None => ("“", &read.cast.target, "”"),
                };
                out.extend([before, name, after]);
            }
            name => {
                let value = describe(read, name, scope, unit);
                out.push_str(&value);
                if value == "1"
                    && let Some((noun, after)) = noun_after(tail)
                {
                    let one = read.library.language.singular(noun);
                    out.extend([" ", &one]);
                    rest = after;
                    continue;
                }
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The noun that follows a number, and what follows that: “holes” and “ of 2 m”.
fn noun_after(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(' ')?;
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    Some(rest.split_at(end)).filter(|(noun, _)| noun.len() > 3)
}

/// What is placed, in words.
pub(crate) fn thing(read: &Read) -> Option<String> {
    Some(match read.cast.thing.as_ref()? {
        Thing::Object(name) | Thing::Collection(name) => format!("“{name}”"),
        Thing::Shape(key, _) => format!("built-in {key}"),
        Thing::Itself => format!("“{}”", read.cast.target),
    })
}

/// The sentences of the preset that hold: those that are notes, or the others.
pub(crate) fn said(read: &Read, scope: &Scope, unit: f64, notes: bool) -> Result<Vec<String>, Refusal> {
    holding(read, scope, unit, |line| line.note == notes)
}

/// The sentences of the preset that hold and are also said of a change.
pub(crate) fn said_of_change(read: &Read, scope: &Scope, unit: f64) -> Result<Vec<String>, Refusal> {
    holding(read, scope, unit, |line| line.of_changes)
}

fn holding(read: &Read, scope: &Scope, unit: f64, wanted: impl Fn(&Sentence) -> bool) -> Result<Vec<String>, Refusal> {
    let mut parts = Vec::new();
    for line in read.entry.preset.plan.done.iter().filter(|line| wanted(line)) {
        let holds =
            line.when.is_null() || expr::truthy(&expr::eval(&line.when, scope).map_err(|e| broken(&e, read.entry))?);
        if holds {
            parts.push(sentence(&line.text, read, scope, unit));
        }
    }
    Ok(parts)
}

/// The final message of a plan.
pub(crate) fn message(
    read: &Read,
    scope: &Scope,
    unit: f64,
    assumed: &[String],
    remarks: &[String],
    names: &Names,
) -> Result<String, Refusal> {
    let mut parts = said(read, scope, unit, false)?;
    if !assumed.is_empty() {
        let list: Vec<String> = assumed
            .iter()
            .filter_map(|name| {
                let title = &read.entry.preset.parameter(name)?.title;
                Some(format!(
                    "{} {}",
                    title.to_lowercase(),
                    describe(read, name, scope, unit)
                ))
            })
            .collect();
        parts.push(format!("Assumed (default): {}.", list.join(", ")));
    }
    parts.extend(remarks.iter().cloned());
    parts.push(format!(
        "All of it can be changed in the modifier “{}”.",
        names.modifier
    ));
    Ok(parts.join(" "))
}

/// The final message after a change of the last result.
pub(crate) fn changed(read: &Read, scope: &Scope, unit: f64, remarks: &[String], names: &Names) -> String {
    let mut parts = vec![done_to(read, scope, unit, names)];
    parts.extend(remarks.iter().cloned());
    parts.push(format!(
        "All of it can be changed in the modifier “{}”.",
        names.modifier
    ));
    parts.join(" ")
}

/// The final message where the last result has already what was asked for.
pub(crate) fn unchanged(read: &Read, scope: &Scope, unit: f64, names: &Names) -> String {
    let said = done_to(read, scope, unit, names);
    let said = said.replace(" now has: ", " has that already: ");
    let said = said.replace(" Its other values stay as they are.", "");
    format!("{said} Nothing was changed.")
}

/// The parameters that change with those that the prompt names: “depth 0.6 m (was 1.2 m)”.
pub(crate) fn with_them(read: &Read, scope: &Scope, unit: f64, also: &[(&Parameter, Value)]) -> Vec<String> {
    let one = |(parameter, before): &(&Parameter, Value)| {
        let mut then = scope.clone();
        then.insert(parameter.name.clone(), before.clone());
        format!(
            "{} {} (was {})",
            parameter.title.to_lowercase(),
            describe(read, &parameter.name, scope, unit),
            describe(read, &parameter.name, &then, unit)
        )
    };
    also.iter().map(one).collect()
}

/// What a change of the last result does.
pub(crate) fn done_to(read: &Read, scope: &Scope, unit: f64, names: &Names) -> String {
    let thing = match &read.cast.thing {
        _ if read.cast.kept => None,
        Some(Thing::Object(name) | Thing::Collection(name)) => Some(format!("“{name}”")),
        Some(Thing::Shape(key, Some(_))) => Some(format!("built-in {key}")),
        Some(Thing::Itself | Thing::Shape(_, None)) | None => None,
    };
    let values = read
        .entry
        .preset
        .parameters
        .iter()
        .filter(|parameter| is_said(read, &parameter.name));
    let values = values.map(|parameter| {
        format!(
            "{} {}",
            parameter.title.to_lowercase(),
            describe(read, &parameter.name, scope, unit)
        )
    });
    let said: Vec<String> = thing.into_iter().chain(values).collect();
    if said.is_empty() {
        format!(
            "“{}” of “{}” stays as it is: the words change nothing of it.",
            names.modifier, read.cast.target
        )
    } else {
        let rest = if names.also.is_empty() && placed_anew(read) {
            "Its other values stay as they are; the copies are placed anew.".to_owned()
        } else if names.also.is_empty() {
            "Its other values stay as they are.".to_owned()
        } else {
            format!("With that changes: {}. The rest stays as it is.", names.also.join(", "))
        };
        format!(
            "“{}” of “{}” now has: {}. {rest}",
            names.modifier,
            read.cast.target,
            said.join(", ")
        )
    }
}

/// Whether chance places copies, and by the size, distance or number that changes.
fn placed_anew(read: &Read) -> bool {
    let parameters = || read.entry.preset.parameters.iter();
    let by_chance = parameters().any(|one| one.kind == ParameterKind::Seed) && read.entry.preset.thing.is_some();
    let spaced =
        |one: &Parameter| one.sizes_things || one.counts_things || one.spaces_things || one.name.starts_with("scale");
    by_chance && parameters().any(|one| spaced(one) && is_said(read, &one.name))
}
