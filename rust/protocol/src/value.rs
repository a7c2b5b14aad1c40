//! Values of sockets and properties in a plan.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// Keys of a reference to a data-block: `{"object": "Cube"}`.
pub const DATA_BLOCK_KEYS: [&str; 5] = ["object", "collection", "material", "image", "node_group"];

/// Longest array value: a 4 × 4 matrix.
pub(crate) const MAX_ARRAY: usize = 16;

/// Largest number that is finite in Blender's 32-bit floats.
pub(crate) const MAX_NUMBER: f64 = 3.402_823_5e38;

/// Schema of a plan value; the Rust side keeps [`serde_json::Value`].
pub(crate) struct PlanValue;

impl JsonSchema for PlanValue {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let name = serde_json::json!({"type": "string", "minLength": 1});
        let keys: serde_json::Map<String, Value> = DATA_BLOCK_KEYS
            .iter()
            .map(|key| ((*key).to_owned(), name.clone()))
            .collect();
        json_schema!({
            "description": "A number, bool, string (also enum and menu items), an array of numbers (vector, colour, rotation as \
                XYZ Euler radians, 16 numbers for a matrix), or a data-block such as {\"object\": \"Cube\"}.",
            "anyOf": [
                {"type": ["number", "boolean", "string"], "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
                {
                    "type": "array",
                    "items": {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
                    "minItems": 1,
                    "maxItems": MAX_ARRAY
                },
                {"type": "object", "properties": keys, "minProperties": 1, "maxProperties": 1, "additionalProperties": false}
            ]
        })
    }
}

/// A reference to a data-block, read from a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataBlock<'a> {
    /// One of [`DATA_BLOCK_KEYS`].
    pub kind: &'a str,
    /// Name of the data-block in the file.
    pub name: &'a str,
}

/// The data-block that `value` refers to, if it has the form `{kind: name}` with one known kind.
pub fn data_block(value: &Value) -> Option<DataBlock<'_>> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let (kind, name) = object.iter().next()?;
    let name = name.as_str()?;
    DATA_BLOCK_KEYS
        .contains(&kind.as_str())
        .then_some(DataBlock { kind, name })
}
