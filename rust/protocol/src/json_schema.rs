//! A JSON Schema for data of any origin, compiled once; errors name place and rule and never quote the data.

use serde_json::Value;

/// Most errors that are reported about one value.
const MAX_ERRORS: usize = 8;

/// Most characters of one error.
const MAX_CHARS: usize = 300;

/// A schema that is ready to check values.
#[derive(Debug)]
pub struct CompiledSchema {
    schema: Value,
    validator: jsonschema::Validator,
}

impl CompiledSchema {
    /// Compiles a schema (draft 2020-12; references within the schema only).
    ///
    /// # Errors
    /// What is wrong with the schema, in a sentence.
    pub fn new(schema: Value) -> Result<Self, String> {
        let validator =
            jsonschema::draft202012::new(&schema).map_err(|error| format!("The schema is invalid: {error}."))?;
        Ok(Self { schema, validator })
    }

    /// The schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Why the value does not fit, `place: rule` each; empty when it fits.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let errors = self.validator.iter_errors(value).take(MAX_ERRORS).map(|error| {
            let at = error.instance_path().as_str().to_owned();
            let place = if at.is_empty() { "/" } else { at.as_str() };
            let text = format!("{place}: {}", error.masked());
            text.chars().take(MAX_CHARS).collect()
        });
        errors.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::CompiledSchema;

    #[test]
    fn errors_name_place_and_rule_but_not_the_value() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["b"],
                            "additionalProperties": false});
        let schema = CompiledSchema::new(schema).unwrap();
        assert!(schema.errors(&json!({"a": 1, "b": 2})).is_empty());
        assert_eq!(schema.errors(&json!({"a": 1, "b": 2, "c": 3})).len(), 1);
        let errors = schema.errors(&json!({"a": "secret words"}));
        let text = errors.join("\n");
        assert!(text.contains("/a: ") && text.contains("integer"), "{text}");
        assert!(text.contains("\"b\""), "{text}");
        assert!(!text.contains("secret"), "{text}");
        assert!(CompiledSchema::new(json!({"type": 3})).is_err());
        assert!(CompiledSchema::new(json!({"$ref": "https://example.com/x.json"})).is_err());
    }
}
