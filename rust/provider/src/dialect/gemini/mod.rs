//! Gemini's generateContent interface.

mod chunk;
mod fault;
mod request;
mod stream;

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use self::chunk::{Collected, parse_chunk};
use super::interface::{Call, Dialect, ModelPage, Reader, or_default, parse};
use crate::error::ProviderError;
use crate::reply::{Model, Response};
use crate::schema::Subset;
use crate::secret::ApiKey;

/// What `responseJsonSchema` takes, as the vendor's documents and client libraries state it (2026-11).
const SUBSET: Subset = Subset {
    name: "Gemini's structured output",
    keywords: &[
        "type",
        "description",
        "title",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "enum",
        "anyOf",
        "oneOf",
        "$ref",
        "$defs",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
    ],
    closed: false,
    all_required: false,
    recursion: false,
    max_optional: usize::MAX,
    max_unions: usize::MAX,
    max_properties: usize::MAX,
    max_depth: usize::MAX,
    max_values: usize::MAX,
    max_chars: usize::MAX,
};

/// The dialect.
pub(super) struct Gemini;

impl Dialect for Gemini {
    fn path(&self, call: &Call<'_>) -> String {
        let model = resource(call.model);
        if call.stream {
            format!("{model}:streamGenerateContent?alt=sse")
        } else {
            format!("{model}:generateContent")
        }
    }

    /// Most models take only one of the two.
    fn takes_schema_with_tools(&self) -> bool {
        false
    }

    fn subset(&self) -> Option<&'static Subset> {
        Some(&SUBSET)
    }

    fn auth(&self, key: &ApiKey) -> (&'static str, String) {
        ("x-goog-api-key", key.expose().to_owned())
    }

    fn body(&self, call: &Call<'_>) -> Value {
        request::body(call)
    }

    fn reply(&self, body: &[u8]) -> Result<Response, ProviderError> {
        let chunk = parse_chunk(body)?;
        let mut collected = Collected::default();
        collected.add(chunk);
        if collected.finish.is_none() && !collected.blocked {
            return Err(ProviderError::bad_response("The answer contains no reply of a model."));
        }
        let finish_reason = collected.finish_reason();
        let mut text = crate::text::Joiner::default();
        for piece in &collected.text {
            text.push(piece);
        }
        let mut text = text.finish();
        if let (true, Some(why)) = (text.is_empty(), &collected.why) {
            text.clone_from(why);
        }
        Ok(Response {
            text,
            tool_calls: collected.calls,
            finish_reason,
            usage: collected.usage,
            model: collected.model,
            request_id: None,
            notices: Vec::new(),
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<stream::ContentReader>::default()
    }

    fn refusal(&self, status: u16, body: &[u8]) -> ProviderError {
        fault::refusal(status, body)
    }

    fn models_path(&self) -> &'static str {
        "models?pageSize=1000"
    }

    fn models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        let page: Page = parse(body)?;
        let answers = |model: &WireModel| {
            model
                .supported
                .as_ref()
                .is_none_or(|all| all.iter().any(|method| method == "generateContent"))
        };
        let models = page.models.into_iter().filter(answers).map(|model| Model {
            id: model.name.strip_prefix("models/").unwrap_or(&model.name).to_owned(),
            context_tokens: model.input_limit,
        });
        Ok(ModelPage {
            models: models.collect(),
            next: page
                .next
                .filter(|token| !token.is_empty())
                .map(|token| format!("models?pageSize=1000&pageToken={}", encoded(&token, ""))),
            either: false,
            sizes: Vec::new(),
        })
    }
}

/// Path of a model: `models/…` unless it names another kind of resource.
fn resource(model: &str) -> String {
    let (kind, name) = match model.split_once('/') {
        Some((kind @ ("models" | "tunedModels"), name)) => (kind, name),
        _ => ("models", model),
    };
    format!("{kind}/{}", encoded(name, "-_.~@"))
}

/// Percent-encodes everything but letters, digits and `free`.
fn encoded(text: &str, free: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || free.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[derive(Deserialize)]
struct Page {
    #[serde(default, deserialize_with = "or_default")]
    models: Vec<WireModel>,
    #[serde(default, rename = "nextPageToken")]
    next: Option<String>,
}

#[derive(Deserialize)]
struct WireModel {
    name: String,
    #[serde(default, rename = "inputTokenLimit")]
    input_limit: Option<u64>,
    #[serde(default, rename = "supportedGenerationMethods")]
    supported: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_name_stays_one_segment_of_the_path() {
        let table = [
            ("gemini-3-pro", "models/gemini-3-pro"),
            ("models/gemini-3-pro", "models/gemini-3-pro"),
            ("tunedModels/my-own", "tunedModels/my-own"),
            ("../../x?key=1#y", "models/..%2F..%2Fx%3Fkey%3D1%23y"),
            ("models/a/b", "models/a%2Fb"),
        ];
        for (model, path) in table {
            assert_eq!(resource(model), path);
        }
    }
}
