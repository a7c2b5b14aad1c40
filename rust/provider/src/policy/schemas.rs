//! Schemas that may be sent: those that this program made or a tool registered, without references to other documents.

use std::collections::HashSet;

use serde_json::Value;

use crate::canonical;
use crate::error::ProviderError;
use crate::request::Body;

/// Schemas by the hash of their content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaList(HashSet<[u8; 32]>);

impl SchemaList {
    /// These and no others.
    pub fn of<'a>(schemas: impl IntoIterator<Item = &'a Value>) -> Self {
        Self(schemas.into_iter().map(canonical::hash).collect())
    }

    pub(super) fn check(&self, body: &Body) -> Result<(), ProviderError> {
        let tools = body.offered().map(|tool| (tool.name.as_str(), &tool.input_schema));
        for (field, schema) in body.schema.iter().map(|schema| ("schema", schema)).chain(tools) {
            let refuse = |why| {
                Err(ProviderError::SchemaNotAllowed {
                    field: field.to_owned(),
                    why,
                })
            };
            if points_elsewhere(schema) {
                return refuse("it refers to another document");
            }
            if !self.0.contains(&canonical::hash(schema)) {
                return refuse("it is not a schema of this program or of a registered tool");
            }
        }
        Ok(())
    }
}

/// Whether a `$ref` leaves the document.
fn points_elsewhere(schema: &Value) -> bool {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                let reference = fields.get("$ref").and_then(Value::as_str);
                if reference.is_some_and(|reference| !reference.starts_with('#')) {
                    return true;
                }
                open.extend(fields.values());
            }
            _ => {}
        }
    }
    false
}
