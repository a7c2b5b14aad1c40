//! Restores a reply to the form of the original schema.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::adapt::{absent, is_map, required, takes_numbers};
use super::lint::resolve;
use crate::limits;

/// A reply to the adapted schema, restored to the form of the original one. Invalid parts stay unchanged: the caller's validation
/// reports them.
pub fn restore(value: Value, schema: &Value) -> Value {
    node(value, schema, schema, 0)
}

fn node(value: Value, schema: &Value, root: &Value, nesting: usize) -> Value {
    let Some(map) = target(schema, root).filter(|_| nesting <= limits::JSON_DEPTH) else {
        return value;
    };
    if let Some(branch) = branch(&value, map, root) {
        return node(value, branch, root, nesting + 1);
    }
    match value {
        Value::Array(items) if is_map(map) => unpaired(items, map, root, nesting),
        Value::Array(items) => match map.get("items") {
            Some(item) => items
                .into_iter()
                .map(|entry| node(entry, item, root, nesting + 1))
                .collect(),
            None => Value::Array(items),
        },
        Value::Object(object) => fields(object, map, root, nesting),
        other => other,
    }
}

/// The schema that a chain of references leads to.
fn target<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a Map<String, Value>> {
    let mut schema = schema;
    for _ in 0..limits::JSON_DEPTH {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(target) => schema = resolve(root, target)?,
            None => return schema.as_object(),
        }
    }
    None
}

/// The branch of a union that the value belongs to; `None` when there is no union.
fn branch<'a>(value: &Value, map: &'a Map<String, Value>, root: &'a Value) -> Option<&'a Value> {
    if map.contains_key("properties") {
        return None;
    }
    let branches = map.get("oneOf").or_else(|| map.get("anyOf"))?.as_array()?;
    // A list of names and values may be meant as such; it is a map only if no branch is a list of such objects.
    let list = |branch: &&Value| target(branch, root).is_some_and(|branch| lists(value, branch, root));
    let any = |branch: &&Value| target(branch, root).is_some_and(|branch| means(value, branch));
    branches.iter().find(list).or_else(|| branches.iter().find(any))
}

/// Whether a branch is a list of the same kind of items as the value.
fn lists(value: &Value, map: &Map<String, Value>, root: &Value) -> bool {
    let (Value::Array(items), Some(kind)) = (value, map.get("type")) else {
        return false;
    };
    let fits = |item| match map.get("items").and_then(|part| target(part, root)) {
        Some(part) => part.get("type").is_none() || means(item, part),
        None => true,
    };
    kind == "array" && items.iter().all(fits)
}

/// Whether a value is of the kind that a branch describes: its type, and the constants that distinguish objects.
fn means(value: &Value, map: &Map<String, Value>) -> bool {
    let kind = map.get("type");
    let is = |name: &str| {
        kind.is_some_and(|kind| kind == name || kind.as_array().is_some_and(|all| all.iter().any(|one| one == name)))
    };
    match value {
        Value::Null => is("null"),
        Value::Bool(_) => is("boolean"),
        Value::Number(_) => is("number") || is("integer"),
        Value::String(_) => is("string"),
        Value::Array(items) => is("array") || (is_map(map) && items.iter().all(is_pair)),
        Value::Object(object) => {
            let properties = map.get("properties").and_then(Value::as_object);
            let mut tags = properties
                .into_iter()
                .flatten()
                .filter_map(|(name, part)| Some((name, part.get("const")?)));
            is("object") && tags.all(|(name, word)| object.get(name) == Some(word))
        }
    }
}

fn fields(object: Map<String, Value>, map: &Map<String, Value>, root: &Value, nesting: usize) -> Value {
    let properties = map.get("properties").and_then(Value::as_object);
    let others = map.get("additionalProperties");
    let required = required(map);
    let mut out = Map::new();
    for (name, mut value) in object {
        let Some(part) = properties.and_then(|all| all.get(&name)) else {
            let value = match others {
                Some(part) => node(value, part, root, nesting + 1),
                None => value,
            };
            out.insert(name, value);
            continue;
        };
        let optional = !required.contains(&name.as_str());
        if let Value::Array(items) = &mut value
            && optional
            && target(part, root).is_some_and(takes_numbers)
            && items.len() < 2
        {
            value = items.pop().unwrap_or_default();
        }
        let gone =
            optional && ((value.is_null() && !takes_null(part, root)) || absent(root, part).as_ref() == Some(&value));
        if !gone {
            out.insert(name, node(value, part, root, nesting + 1));
        }
    }
    Value::Object(out)
}

fn takes_null(part: &Value, root: &Value) -> bool {
    target(part, root).is_some_and(|map| {
        means(&Value::Null, map) || map.get("const") == Some(&Value::Null) || branch(&Value::Null, map, root).is_some()
    })
}

/// `[{"name", "value"}]` as the map that it represents; `None` if a name occurs twice.
fn unpaired(items: Vec<Value>, map: &Map<String, Value>, root: &Value, nesting: usize) -> Value {
    let names: HashSet<&str> = items
        .iter()
        .filter(|item| is_pair(item))
        .filter_map(|item| item.get("name")?.as_str())
        .collect();
    if names.len() != items.len() {
        return Value::Array(items);
    }
    let part = map.get("additionalProperties");
    let mut out = Map::new();
    for item in items {
        if let Value::Object(mut pair) = item
            && let (Some(Value::String(name)), Some(value)) = (pair.shift_remove("name"), pair.shift_remove("value"))
        {
            let value = match part {
                Some(part) => node(value, part, root, nesting + 1),
                None => value,
            };
            out.insert(name, value);
        }
    }
    Value::Object(out)
}

fn is_pair(item: &Value) -> bool {
    item.as_object().is_some_and(|pair| {
        pair.len() == 2 && pair.get("name").is_some_and(Value::is_string) && pair.contains_key("value")
    })
}
