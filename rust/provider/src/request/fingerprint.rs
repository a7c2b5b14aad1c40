//! The identity of a request.

use std::collections::HashMap;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::body::{Body, Filter, ToolChoice};
use crate::canonical;

/// SHA-256 over the ordered content of a request: interactions, instructions, filters, schema, tools, limits and options, with
/// provider and model. The same on every platform and for every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical::hex(&self.0))
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Must be increased when the document below changes its meaning, so that old keys are never mistaken for new ones.
const VERSION: u32 = 1;

impl Body {
    /// The hash of a request and its recipient. Identifiers of calls, which providers choose at random, count by their order only; the
    /// order of names in a filter does not count.
    pub fn fingerprint(&self, provider: &str, model: Option<&str>) -> Fingerprint {
        Fingerprint(canonical::hash(&self.document(provider, model)))
    }

    fn document(&self, provider: &str, model: Option<&str>) -> Value {
        let mut options = Map::new();
        if let Some(temperature) = self.options.temperature {
            options.insert("temperature".into(), json!(temperature));
        }
        if let Some(seed) = self.options.seed {
            options.insert("seed".into(), json!(seed));
        }
        let mut document = json!({
            "fingerprint": VERSION,
            "provider": provider,
            "model": model,
            "system": self.system,
            "messages": self.interactions(),
            "schema": self.schema,
            "tools": self.tools,
            "tool_filter": filter(&self.tool_filter),
            "context_filter": filter(&self.context_filter),
            "max_tokens": self.max_tokens,
            "options": options,
        });
        // Requests that were made before there was a choice, or a grammar, keep their keys.
        if let (ToolChoice::None, Some(fields)) = (self.tool_choice, document.as_object_mut()) {
            fields.insert("tool_choice".into(), "none".into());
        }
        if let (Some(grammar), Some(fields)) = (&self.grammar, document.as_object_mut()) {
            fields.insert("grammar".into(), grammar.as_str().into());
        }
        document
    }

    fn interactions(&self) -> Value {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut messages = Vec::with_capacity(self.messages.len());
        for message in &self.messages {
            let calls: Vec<Value> = message
                .tool_calls
                .iter()
                .map(|call| {
                    let next = numbers.len();
                    let number = *numbers.entry(&call.id).or_insert(next);
                    json!({"id": number, "name": call.name, "arguments": call.arguments})
                })
                .collect();
            let answers = message.tool_call_id.as_deref().and_then(|id| numbers.get(id));
            messages.push(json!({
                "role": message.role, "content": message.content, "tool_calls": calls, "tool_call_id": answers,
            }));
        }
        Value::Array(messages)
    }
}

fn filter(filter: &Filter) -> Value {
    match filter {
        Filter::All => json!("all"),
        Filter::None => json!("none"),
        Filter::Only(names) => {
            let mut names = names.clone();
            names.sort_unstable();
            names.dedup();
            json!({ "only": names })
        }
    }
}
