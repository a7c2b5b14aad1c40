//! How a JSON Schema is generated from a Rust type.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schema of a type, as JSON Schema 2020-12.
pub(crate) fn of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12()
        .with_transform(Strict)
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// A field that may be absent may not be null.
#[derive(Clone)]
struct Strict;

impl Transform for Strict {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(object) = schema.as_object_mut() {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(options)) = object.get_mut("anyOf") {
                options.retain(|option| option.get("type").is_none_or(|kind| kind != "null"));
                if let [only] = options.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    object.extend(only.as_object().cloned().unwrap_or_default());
                }
            }
        }
        transform_subschemas(self, schema);
    }
}
