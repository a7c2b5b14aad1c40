//! A call as a model makes it, and its outcome.

use geonode_protocol::Code;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::ToolError;

/// A call as the model sent it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Identifier to which the result belongs.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments: an object, or its JSON text.
    pub arguments: Value,
}

impl Call {
    /// The normalised ID of the tool: trimmed and in lower case, without a leading `functions.`.
    pub(crate) fn tool(&self) -> String {
        let name = self.name.trim().to_ascii_lowercase();
        name.strip_prefix("functions.").unwrap_or(&name).to_owned()
    }

    /// The arguments as an object: JSON text is parsed, missing arguments are `{}`. Nothing is guessed.
    pub(crate) fn input(&self, limit: usize) -> Result<Value, ToolError> {
        let wrong = |text: String| Err(ToolError::new(Code::ToolValidationError, text));
        let read = match &self.arguments {
            Value::Null => json!({}),
            Value::String(text) if text.trim().is_empty() => json!({}),
            Value::String(text) if text.len() > limit => return wrong(too_long(text.len(), limit)),
            Value::String(text) => match serde_json::from_str(text) {
                Ok(value) => value,
                Err(error) => return wrong(format!("The arguments are not JSON: {error}. Send one JSON object.")),
            },
            other => other.clone(),
        };
        let length = read.to_string().len();
        if length > limit {
            return wrong(too_long(length, limit));
        }
        if read.is_object() {
            Ok(read)
        } else {
            wrong("The arguments are not a JSON object. Send one, such as {}.".to_owned())
        }
    }
}

fn too_long(length: usize, limit: usize) -> String {
    format!("The arguments have {length} bytes; {limit} are allowed.")
}

/// A picture in a result; the model receives it beside the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    /// Base64 of the file.
    pub data: String,
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The result.
    Done(Value),
    /// Why there is no result.
    Failed(ToolError),
}

impl Outcome {
    /// Whether there is a result.
    pub fn ok(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// `{ok, result?, error?{code, message}}`.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Done(result) => json!({"ok": true, "result": result}),
            Self::Failed(error) => json!({"ok": false, "error": error}),
        }
    }
}

impl From<Result<Value, ToolError>> for Outcome {
    fn from(result: Result<Value, ToolError>) -> Self {
        match result {
            Ok(value) => Self::Done(value),
            Err(error) => Self::Failed(error),
        }
    }
}

/// JSON text that is equal for equal values: keys in order.
pub fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut keys: Vec<&String> = fields.keys().collect();
                keys.sort_unstable();
                let fields = keys
                    .into_iter()
                    .filter_map(|key| Some((key.clone(), sorted(fields.get(key)?))));
                Value::Object(fields.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            other => other.clone(),
        }
    }
    sorted(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Value) -> Call {
        Call {
            id: "1".into(),
            name: name.into(),
            arguments,
        }
    }

    #[test]
    fn names_and_arguments_are_normalised_without_guessing() {
        for name in ["node_docs", " Node_Docs\n", "functions.node_docs"] {
            assert_eq!(call(name, Value::Null).tool(), "node_docs");
        }
        for arguments in [Value::Null, json!(""), json!("  "), json!({}), json!("{}")] {
            assert_eq!(call("x", arguments).input(100), Ok(json!({})));
        }
        assert_eq!(call("x", json!("{\"a\": [1]}")).input(100), Ok(json!({"a": [1]})));
        for arguments in [
            json!("{\"a\": 1"),
            json!("a=1"),
            json!([1]),
            json!(3),
            json!("null"),
            json!("[{}]"),
        ] {
            let error = call("x", arguments).input(100).unwrap_err();
            assert_eq!(error.code, Code::ToolValidationError);
        }
    }

    #[test]
    fn arguments_are_bounded_at_their_edge() {
        let of = |n: usize| json!({"a": "x".repeat(n)});
        let empty = of(0).to_string().len();
        for as_text in [false, true] {
            let wrap = |value: Value| if as_text { value.to_string().into() } else { value };
            assert!(call("x", wrap(of(100 - empty))).input(100).is_ok());
            assert!(call("x", wrap(of(101 - empty))).input(100).is_err());
        }
    }

    #[test]
    fn equal_values_have_equal_text() {
        assert_eq!(
            canonical(&json!({"b": {"y": 1, "x": [2, {"q": 1, "p": 2}]}, "a": 1})),
            canonical(&json!({"a": 1, "b": {"x": [2, {"p": 2, "q": 1}], "y": 1}}))
        );
        assert_ne!(canonical(&json!([1, 2])), canonical(&json!([2, 1])));
    }
}
