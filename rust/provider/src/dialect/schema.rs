//! Which schemas a provider takes as they are.

use serde_json::Value;

use crate::limits;

/// Keywords that strict mode of the Chat Completions and Responses interfaces does not know.
const NOT_STRICT: &[&str] = &[
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "prefixItems",
];

/// Whether a schema satisfies strict mode: a root object without `anyOf`, every object closed and all of its properties
/// required. Others are sent without `strict`, which leaves the judgement to the caller's validation.
pub(super) fn is_strict(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object") && schema.get("anyOf").is_none() && strict(schema, 0)
}

/// Whether a schema uses only what every constrained output knows: strict, without references, bounds and formats.
pub(super) fn is_plain(schema: &Value) -> bool {
    is_strict(schema) && plain(schema)
}

/// Keywords of a plain schema.
const PLAIN: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "description",
    "title",
];

/// Recursion is bounded: `is_strict` has looked at the depth.
fn plain(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    object.iter().all(|(keyword, value)| {
        PLAIN.contains(&keyword.as_str())
            && match keyword.as_str() {
                "properties" => value.as_object().is_some_and(|all| all.values().all(plain)),
                "anyOf" => value.as_array().is_some_and(|all| all.iter().all(plain)),
                "items" => plain(value),
                _ => true,
            }
    })
}

fn strict(schema: &Value, depth: usize) -> bool {
    let Some(object) = schema.as_object() else { return false };
    if depth > limits::JSON_DEPTH || NOT_STRICT.iter().any(|keyword| object.contains_key(*keyword)) {
        return false;
    }
    // A reference stands alone.
    if object.contains_key("$ref") && object.len() > 1 {
        return false;
    }
    let is_object = object.get("type").is_some_and(|kind| {
        kind == "object"
            || kind
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
    });
    if is_object || object.contains_key("properties") {
        let closed = object.get("additionalProperties") == Some(&Value::Bool(false));
        let required = object
            .get("required")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let none = serde_json::Map::new();
        let properties = object.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let all = properties
            .keys()
            .all(|name| required.iter().any(|entry| entry == name.as_str()));
        if !closed || !all {
            return false;
        }
    }
    let named = ["properties", "$defs", "definitions"]
        .iter()
        .filter_map(|key| object.get(*key)?.as_object());
    let listed = object.get("anyOf").and_then(Value::as_array);
    named
        .flat_map(serde_json::Map::values)
        .chain(listed.into_iter().flatten())
        .chain(object.get("items"))
        .all(|part| strict(part, depth + 1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_closed_and_complete_objects_are_strict() {
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                            "additionalProperties": false});
        assert!(is_strict(&closed));
        let table = [
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            json!({"type": "object", "properties": {"a": {}}, "required": [], "additionalProperties": false}),
            json!({"type": "array", "items": closed}),
            json!({"type": "object", "additionalProperties": false, "allOf": [closed]}),
            json!({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"],
                   "additionalProperties": false}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "description": "x"}}, "required": ["a"],
                   "additionalProperties": false}),
            json!(true),
        ];
        for schema in table {
            assert!(!is_strict(&schema), "{schema}");
        }
    }
}
