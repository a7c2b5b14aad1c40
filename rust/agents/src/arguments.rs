//! Arguments as clients mean them: what their makers send for "nothing", and objects that arrive as text.

use serde_json::Value;

/// Takes out `null` where an argument may be absent and cannot be null (clients with strict schemas send every argument), and reads an
/// object that was sent as its JSON text. What is still wrong is for the schema to refuse.
pub(crate) fn meant(schema: &Value, arguments: &mut Value) {
    let (Some(fields), Some(known)) = (
        arguments.as_object_mut(),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return;
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let kind = |name: &str| {
        known
            .get(name)
            .and_then(|field| field.get("type"))
            .and_then(Value::as_str)
    };
    fields.retain(|name, value| !value.is_null() || is_required(name) || matches!(kind(name), None | Some("null")));
    for (name, value) in fields.iter_mut() {
        if kind(name) == Some("object")
            && let Some(read) = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok())
            && read.is_object()
        {
            *value = read;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_is_absent_and_an_object_may_be_text() {
        let schema = json!({
            "properties": {
                "plan": {"type": "object"},
                "object": {"type": "string"},
                "any": {},
            },
            "required": ["plan"],
        });
        for (given, read) in [
            (json!({"plan": {}, "object": null}), json!({"plan": {}})),
            (json!({"plan": "{\"a\": 1}"}), json!({"plan": {"a": 1}})),
            (json!({"plan": null, "any": null}), json!({"plan": null, "any": null})),
            (
                json!({"plan": "[1]", "object": "{}"}),
                json!({"plan": "[1]", "object": "{}"}),
            ),
            (json!({"other": null}), json!({"other": null})),
            (json!(7), json!(7)),
        ] {
            let mut arguments = given.clone();
            meant(&schema, &mut arguments);
            assert_eq!(arguments, read, "{given}");
        }
    }
}
