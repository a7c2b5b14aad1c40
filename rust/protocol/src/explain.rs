//! Says in words, with a code and a hint, why an object does not fit its schema.

use std::collections::HashSet;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Value};

use crate::codes::Code;
use crate::collect::Collector;
use crate::finding::{Change, Finding, Hint};
use crate::object_schemas::Shape;
use crate::pointer;
use crate::value::{DATA_BLOCK_KEYS, MAX_ARRAY, MAX_NUMBER};

/// Operations of one set under their names in the other.
const OTHER_NAMES: [OtherName; 6] = [
    OtherName {
        name: "add_node",
        here: "create_node",
        fields: &[("id", "node_id")],
    },
    OtherName {
        name: "create_node",
        here: "add_node",
        fields: &[("node_id", "id")],
    },
    OtherName {
        name: "remove_node",
        here: "delete_node",
        fields: &[("id", "node_id")],
    },
    OtherName {
        name: "delete_node",
        here: "remove_node",
        fields: &[("node_id", "id")],
    },
    OtherName {
        name: "set_input",
        here: "set_input_default",
        fields: &[("socket_name", "socket"), ("socket_identifier", "socket")],
    },
    OtherName {
        name: "set_input_default",
        here: "set_input",
        fields: &[("socket", "socket_name")],
    },
];

/// Reports why `value`, which lies at `base`, does not fit `shape`; nothing below the pointers `skip`, and one finding per place.
pub(crate) fn errors(shape: &Shape, value: &Value, base: &str, skip: &[String], findings: &mut Collector) {
    let mut seen = HashSet::new();
    let mistakes = |value: &Value| shape.validator.iter_errors(value).count();
    let before = mistakes(value);
    for error in shape.validator.iter_errors(value) {
        for mut found in explain(shape, &error) {
            // A proposal has to take the mistake away; a change that only moves it is none.
            if !found.changes.is_empty() {
                let mut changed = value.clone();
                let made = found.changes.iter().all(|change| change.apply(&mut changed).is_some());
                if !made || mistakes(&changed) >= before {
                    (found.hint, found.changes) = (None, Vec::new());
                }
            }
            for change in &mut found.changes {
                *change.path_mut() = pointer::join(base, change.path_mut());
            }
            let skipped = skip.iter().any(|above| {
                found
                    .path
                    .strip_prefix(above.as_str())
                    .is_some_and(|below| below.is_empty() || below.starts_with('/'))
            });
            if !skipped && seen.insert(found.path.clone()) {
                findings.error(|| Finding {
                    path: pointer::join(base, &found.path),
                    ..found
                });
            }
        }
    }
}

/// The findings for one error, with pointers relative to the object.
fn explain(shape: &Shape, error: &ValidationError<'_>) -> Vec<Finding> {
    let at = error.instance_path().as_str();
    let value = error.instance();
    let schema = parent(&shape.schema, error.schema_path().as_str());
    let fields = || {
        schema
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object)
    };
    let one = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known: Vec<&str> = fields()
                .map(|fields| fields.keys().map(String::as_str).collect())
                .unwrap_or_default();
            let unused = known.iter().copied().filter(|field| value.get(field).is_none());
            let unused: Vec<&str> = unused.collect();
            return unexpected
                .iter()
                .map(|name| unknown_field((name, value.get(name)), &known, &unused, at))
                .collect();
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let missing = missing_field(name, at);
            let properties = fields().or_else(|| shape.schema.get("properties")?.as_object());
            match properties.and_then(|fields| fields.get(name)?.get("description")?.as_str()) {
                Some(meaning) => missing.hint(Hint::explain(meaning)),
                None => missing,
            }
        }
        ValidationErrorKind::OneOfNotValid { .. } | ValidationErrorKind::OneOfMultipleValid { .. } => {
            return one_of(schema, error.kind(), value, at).into_iter().collect();
        }
        ValidationErrorKind::AnyOf { .. } => return vec![plan_value(value, at)],
        ValidationErrorKind::Enum { options } => choice(
            value,
            options.as_array().into_iter().flatten().filter_map(Value::as_str),
            at,
        ),
        ValidationErrorKind::Type { kind: expected } => {
            let expected = match expected {
                TypeKind::Single(kind) => article(&kind.to_string()),
                TypeKind::Multiple(_) => kinds(schema),
            };
            wrong_type(&expected, value, at)
        }
        ValidationErrorKind::Constant { expected_value } => Finding::error(
            Code::InvalidValue,
            at,
            format!("Only {expected_value} is allowed here."),
        ),
        ValidationErrorKind::MinLength { .. } => Finding::error(Code::EmptyString, at, "The text is empty."),
        ValidationErrorKind::Minimum { limit } => out_of_range(at, &format!("The number is below {limit}.")),
        ValidationErrorKind::Maximum { limit } => out_of_range(at, &format!("The number is above {limit}.")),
        ValidationErrorKind::ExclusiveMinimum { limit } => {
            out_of_range(at, &format!("The number must be above {limit}."))
        }
        ValidationErrorKind::ExclusiveMaximum { limit } => {
            out_of_range(at, &format!("The number must be below {limit}."))
        }
        ValidationErrorKind::MinProperties { limit } => {
            out_of_range(at, &format!("The object has fewer than {limit} fields."))
        }
        ValidationErrorKind::MinItems { limit } => {
            out_of_range(at, &format!("The array has fewer than {limit} items."))
        }
        ValidationErrorKind::MaxItems { limit } => out_of_range(at, &format!("The array has more than {limit} items.")),
        other => Finding::error(
            Code::InvalidValue,
            at,
            format!("The value does not fit ({}).", other.keyword()),
        ),
    };
    vec![one]
}

/// The finding for an unknown tag of `object`, which lies at `at`.
pub(crate) fn unknown_tag(known: &[&str], object: &Value, (name, tag): (&str, &str), code: Code, at: &str) -> Finding {
    let what = if tag == "op" { "operation" } else { "step type" };
    let path = pointer::child(at, tag);
    let finding = Finding::error(code, &*path, format!("There is no {what} {}.", shown(name)));
    let other = OTHER_NAMES
        .iter()
        .find(|other| name == other.name && known.contains(&other.here));
    match other {
        Some(other) => {
            let hint = format!("Here it is called {}.", shown(other.here));
            finding.hint(Hint::change(hint, Change::replace(at, other.rewritten(object))))
        }
        None => finding.hint(suggestion(name, known.iter().copied(), &path)),
    }
}

/// An operation that the other set calls otherwise.
struct OtherName {
    name: &'static str,
    here: &'static str,
    /// Names of fields there and here.
    fields: &'static [(&'static str, &'static str)],
}

impl OtherName {
    fn rewritten(&self, object: &Value) -> Value {
        let fields = object.as_object().into_iter().flatten();
        let renamed = fields.map(|(name, value)| {
            let here = self
                .fields
                .iter()
                .find(|(there, _)| there == name)
                .map(|(_, here)| *here);
            let value = if name == "op" {
                Value::from(self.here)
            } else {
                value.clone()
            };
            (here.unwrap_or(name).to_owned(), value)
        });
        Value::Object(renamed.collect::<Map<_, _>>())
    }
}

/// The finding for a schema's `oneOf`: a choice of words, or of fields of which exactly one is allowed. None for what should have fields and is no
/// object, since its type is said on its own.
fn one_of(schema: Option<&Value>, kind: &ValidationErrorKind, value: &Value, at: &str) -> Option<Finding> {
    let options = schema.and_then(|schema| schema.get("oneOf")).and_then(Value::as_array);
    let words: Vec<&str> = options
        .into_iter()
        .flatten()
        .filter_map(|option| option.get("const")?.as_str())
        .collect();
    if !words.is_empty() {
        return Some(choice(value, words.into_iter(), at));
    }
    if !value.is_object() {
        return None;
    }
    let fields = options
        .into_iter()
        .flatten()
        .filter_map(|option| option.pointer("/required/0")?.as_str());
    let fields: Vec<&str> = fields.collect();
    let names = list(fields.iter().copied());
    if matches!(kind, ValidationErrorKind::OneOfMultipleValid { .. }) {
        let message = format!("Only one of {names} may be given.");
        let given: Vec<&str> = fields
            .iter()
            .copied()
            .filter(|field| value.get(*field).is_some())
            .collect();
        let (kept, rest) = given.split_first().unwrap_or((&"", &[]));
        let left_out = rest.iter().map(|field| Change::remove(pointer::child(at, field)));
        let hint = Hint::changes(format!("Keep only {}.", shown(kept)), left_out);
        let second = rest.first().copied().unwrap_or_default();
        return Some(Finding::error(Code::ConflictingFields, pointer::child(at, second), message).hint(hint));
    }
    let first = fields.first().copied().unwrap_or_default();
    Some(Finding::error(
        Code::MissingField,
        pointer::child(at, first),
        format!("One of {names} is missing."),
    ))
}

/// Why no socket or property accepts `value`.
fn plan_value(value: &Value, at: &str) -> Finding {
    match value {
        Value::Null => Finding::error(Code::InvalidValue, at, "null is not a value.")
            .hint(Hint::explain("An input that no operation names keeps its value.")),
        Value::Array(items) => {
            if let Some((index, item)) = items.iter().enumerate().find(|(_, item)| !item.is_number()) {
                let finding = wrong_type("a number", item, &pointer::child(at, &index.to_string()));
                return if item.is_array() {
                    finding.hint(Hint::explain("A matrix is 16 numbers, row by row."))
                } else {
                    finding
                };
            }
            if items.is_empty() || items.len() > MAX_ARRAY {
                return out_of_range(
                    at,
                    &format!("An array has 1 to {MAX_ARRAY} numbers; this one has {}.", items.len()),
                );
            }
            let index = items.iter().position(|item| !is_finite(item)).unwrap_or_default();
            non_finite(&pointer::child(at, &index.to_string()))
        }
        Value::Object(object) => {
            let unknown = object.keys().find(|key| !DATA_BLOCK_KEYS.contains(&key.as_str()));
            if let Some(key) = unknown {
                return unknown_field((key, object.get(key)), &DATA_BLOCK_KEYS, &DATA_BLOCK_KEYS, at);
            }
            let Some((key, name)) = object.iter().next().filter(|_| object.len() == 1) else {
                return Finding::error(Code::InvalidValue, at, "A data-block reference has exactly one key.")
                    .hint(Hint::explain("It looks like {\"object\": \"Cube\"}."));
            };
            let at = pointer::child(at, key);
            if name.is_string() {
                Finding::error(Code::EmptyString, at, "The name of the data-block is empty.")
            } else {
                wrong_type("a string", name, &at)
            }
        }
        _ => non_finite(at),
    }
}

fn is_finite(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.abs() <= MAX_NUMBER)
}

fn non_finite(at: &str) -> Finding {
    Finding::error(
        Code::NonFiniteNumber,
        at,
        "The number does not fit into Blender's 32-bit floats.",
    )
}

fn unknown_field((name, value): (&str, Option<&Value>), known: &[&str], unused: &[&str], at: &str) -> Finding {
    let message = format!("The field {} does not exist here.", shown(name));
    let path = pointer::child(at, name);
    let finding = Finding::error(Code::UnknownField, &*path, message);
    if known.is_empty() {
        return finding;
    }
    match nearest(name, unused.iter().copied()) {
        Some(near) => {
            let renamed = Change::add(pointer::child(at, near), value.cloned().unwrap_or_default());
            let hint = Hint::changes(
                format!("Did you mean {}?", shown(near)),
                [renamed, Change::remove(path)],
            );
            finding.hint(hint)
        }
        None => finding.hint(Hint::explain(format!(
            "The fields are {}.",
            list(known.iter().copied())
        ))),
    }
}

pub(crate) fn missing_field(name: &str, at: &str) -> Finding {
    Finding::error(
        Code::MissingField,
        pointer::child(at, name),
        format!("The field {} is missing.", shown(name)),
    )
}

pub(crate) fn wrong_type(expected: &str, value: &Value, at: &str) -> Finding {
    let finding = Finding::error(
        Code::WrongType,
        at,
        format!("Expected {expected}, found {}.", kind(value)),
    );
    if value.is_null() {
        finding.hint(Hint::change(
            "Leave the field out if it is not needed.",
            Change::remove(at),
        ))
    } else {
        finding
    }
}

fn out_of_range(at: &str, message: &str) -> Finding {
    Finding::error(Code::OutOfRange, at, message)
}

/// The finding for a word that is not one of `options`.
fn choice<'a>(value: &Value, options: impl Iterator<Item = &'a str> + Clone, at: &str) -> Finding {
    let Some(word) = value.as_str() else {
        let hint = Hint::explain(format!("The allowed values are {}.", list(options)));
        return wrong_type("a string", value, at).hint(hint);
    };
    let message = format!("{} is not allowed here.", shown(word));
    Finding::error(Code::InvalidEnum, at, message).hint(suggestion(word, options, at))
}

fn suggestion<'a>(word: &str, options: impl Iterator<Item = &'a str> + Clone, at: &str) -> Hint {
    match nearest(word, options.clone()) {
        Some(near) => Hint::change(format!("Did you mean {}?", shown(near)), Change::replace(at, near)),
        None => Hint::explain(format!("The allowed values are {}.", list(options))),
    }
}

/// The option that `word` most likely stands for, when it is near enough to be a slip: a few letters differ, or a part is left out
/// (`object` for `object_name`) and only one option fits.
fn nearest<'a>(word: &str, options: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if word.is_empty() || word.len() > MAX_SHOWN {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let word = plain(word);
    let limit = 1.max(word.chars().count() / 3);
    let ranked = options
        .clone()
        .map(|option| (strsim::damerau_levenshtein(&word, &plain(option)), option));
    let slip = ranked
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance);
    if let Some((_, option)) = slip {
        return Some(option);
    }
    let is_part = |part: &str, of: &str| {
        let rest = of.strip_prefix(part).map(|rest| rest.starts_with('_'));
        rest.or_else(|| of.strip_suffix(part).map(|rest| rest.ends_with('_')))
            .unwrap_or(false)
    };
    let mut parts = options.filter(|option| is_part(&word, option) || is_part(option, &word));
    parts.next().filter(|_| parts.next().is_none())
}

/// The options in quotes, joined by commas.
pub(crate) fn list<'a>(options: impl Iterator<Item = &'a str>) -> String {
    options.map(shown).collect::<Vec<_>>().join(", ")
}

/// Longest name that a message repeats, in bytes.
const MAX_SHOWN: usize = 64;

/// A name in quotes, cut when it is long.
pub(crate) fn shown(name: &str) -> String {
    if name.len() <= MAX_SHOWN {
        return format!("{name:?}");
    }
    let cut: String = name.chars().take(MAX_SHOWN / 2).collect();
    format!("{:?}", format!("{cut}…"))
}

/// What kind of JSON value it is, in words.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The kinds of value that a schema allows: "an integer or an array".
fn kinds(schema: Option<&Value>) -> String {
    let kinds = schema.and_then(|schema| schema.get("type")?.as_array());
    let kinds = kinds.into_iter().flatten().filter_map(Value::as_str).map(article);
    kinds.collect::<Vec<_>>().join(" or ")
}

fn article(kind: &str) -> String {
    let vowel = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {kind}", if vowel { "an" } else { "a" })
}

/// The schema that holds the keyword at `path`, references followed.
fn parent<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    let mut here = root;
    let (above, _) = path.rsplit_once('/')?;
    for token in above.split('/').skip(1) {
        here = if token == "$ref" {
            root.pointer(here.get("$ref")?.as_str()?.strip_prefix('#')?)?
        } else {
            here.pointer(&format!("/{token}"))?
        };
    }
    Some(here)
}

/// The text with its first letter in upper case.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
