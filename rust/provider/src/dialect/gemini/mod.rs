//! Gemini's generateContent interface.

mod fault;
mod request;
mod stream;

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use super::{Call, Dialect, ModelPage, Reader, parse};
use crate::error::ProviderError;
use crate::message::ToolCall;
use crate::reply::{FinishReason, Model, Response, Usage};
use crate::schema::{self, Subset};
use crate::secret::ApiKey;
use crate::text::RawText;

/// The dialect.
pub(super) struct Gemini;

/// Ends a call's own identifier where the provider's signature of it begins: later models want the signature back with the
/// call, and the identifier is the one thing that travels there and back untouched.
const SIGNED: char = '\u{1f}';

/// Begins an identifier that the provider did not give.
const UNNAMED: &str = "call-";

impl Dialect for Gemini {
    fn path(&self, call: &Call<'_>) -> String {
        let model = resource(call.model);
        if call.stream {
            format!("{model}:streamGenerateContent?alt=sse")
        } else {
            format!("{model}:generateContent")
        }
    }

    fn subset(&self) -> Option<&'static Subset> {
        Some(&schema::GEMINI)
    }

    fn auth(&self, key: &ApiKey) -> (&'static str, String) {
        ("x-goog-api-key", key.expose().to_owned())
    }

    fn body(&self, call: &Call<'_>) -> Value {
        request::body(call)
    }

    fn reply(&self, body: &[u8]) -> Result<Response, ProviderError> {
        let chunk = parse_chunk(body)?;
        let mut said = Said::default();
        said.add(chunk);
        if said.finish.is_none() && !said.blocked {
            return Err(ProviderError::bad_response("The answer holds no reply of a model."));
        }
        let finish_reason = said.finish_reason();
        let mut text = crate::text::Joiner::default();
        for piece in &said.text {
            text.push(piece);
        }
        let mut text = text.finish();
        if let (true, Some(why)) = (text.is_empty(), &said.why) {
            text.clone_from(why);
        }
        Ok(Response {
            text,
            tool_calls: said.calls,
            finish_reason,
            usage: said.usage,
            model: said.model,
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

/// What whole replies and pieces of streamed ones have told so far.
#[derive(Default)]
struct Said {
    /// New text; the reader takes it out.
    text: Vec<RawText>,
    calls: Vec<ToolCall>,
    model: String,
    finish: Option<String>,
    /// The prompt itself was refused.
    blocked: bool,
    /// Why, where the text does not say it.
    why: Option<String>,
    usage: Option<Usage>,
}

impl Said {
    /// Takes in a piece; says whether the model made progress.
    fn add(&mut self, chunk: Chunk) -> bool {
        if let Some(model) = chunk.model_version.filter(|_| self.model.is_empty()) {
            self.model = model;
        }
        if let Some(usage) = chunk.usage.as_ref().and_then(read_usage) {
            self.usage = Some(usage);
        }
        if let Some(reason) = chunk.feedback.and_then(|feedback| feedback.block_reason) {
            self.blocked = true;
            self.why = Some(format!("The provider blocked the request ({reason})."));
        }
        let Some(candidate) = chunk.candidates.into_iter().flatten().find(|one| one.index == 0) else {
            return false;
        };
        let mut progress = false;
        for part in candidate.content.into_iter().flat_map(|content| content.parts) {
            progress = true;
            self.part(part);
        }
        if let Some(reason) = candidate.finish_reason {
            progress |= self.finish.is_none();
            self.why = candidate.finish_message.or(self.why.take());
            self.finish = Some(reason);
        }
        progress
    }

    fn part(&mut self, part: Part) {
        if let Some(call) = part.call {
            let id = call
                .id
                .filter(|id| !id.is_empty())
                .unwrap_or_else(|| format!("{UNNAMED}{}", self.calls.len()));
            let id = match part.signature {
                Some(signature) => format!("{id}{SIGNED}{signature}"),
                None => id,
            };
            self.calls.push(ToolCall {
                id,
                name: call.name,
                arguments: call.args.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            });
        } else if let Some(text) = part.text.filter(|_| !part.thought) {
            self.text.push(text);
        }
    }

    fn finish_reason(&self) -> FinishReason {
        match self.finish.as_deref() {
            Some("STOP" | "FUNCTION_CALL") if !self.calls.is_empty() => FinishReason::Tool,
            Some("STOP") => FinishReason::Done,
            Some("MAX_TOKENS" | "CONTINUATION") => FinishReason::Truncated,
            Some(
                "SAFETY"
                | "RECITATION"
                | "BLOCKLIST"
                | "PROHIBITED_CONTENT"
                | "SPII"
                | "LANGUAGE"
                | "ESCALATION"
                | "PUP_LIMITED_DISABLED"
                | "MODEL_ARMOR",
            ) => FinishReason::Refused,
            Some(other) => FinishReason::Other(other.to_owned()),
            None if self.blocked => FinishReason::Refused,
            None => FinishReason::Other("none".to_owned()),
        }
    }
}

/// A whole reply or a piece of a streamed one: both have the same form.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    candidates: Option<Vec<Candidate>>,
    #[serde(default, rename = "promptFeedback")]
    feedback: Option<Feedback>,
    #[serde(default, rename = "usageMetadata")]
    usage: Option<Value>,
    #[serde(default, rename = "modelVersion")]
    model_version: Option<String>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<RawText>,
    /// Reasoning is never text.
    #[serde(default)]
    thought: bool,
    #[serde(default, rename = "thoughtSignature")]
    signature: Option<String>,
    #[serde(default, rename = "functionCall")]
    call: Option<FunctionCall>,
}

#[derive(Deserialize)]
struct FunctionCall {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    args: Option<Value>,
}

#[derive(Deserialize)]
struct Feedback {
    #[serde(default, rename = "blockReason")]
    block_reason: Option<String>,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
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

/// Parses a body or the data of an event; an `error` inside a success is the error it names.
fn parse_chunk(body: &[u8]) -> Result<Chunk, ProviderError> {
    let chunk: Chunk = parse(body)?;
    match &chunk.error {
        Some(error) if !error.is_null() => Err(fault::fault(0, error)),
        _ => Ok(chunk),
    }
}

/// `promptTokenCount` holds cached tokens already; reasoning is counted beside the answer.
fn read_usage(usage: &Value) -> Option<Usage> {
    let at = |key: &str| usage.get(key).and_then(Value::as_u64);
    let (answer, reasoning) = (at("candidatesTokenCount"), at("thoughtsTokenCount"));
    let read = Usage {
        input_tokens: at("promptTokenCount"),
        output_tokens: [answer, reasoning].into_iter().flatten().reduce(u64::saturating_add),
        cached_tokens: at("cachedContentTokenCount"),
        cache_write_tokens: None,
        reasoning_tokens: reasoning,
    };
    (read != Usage::default()).then_some(read)
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
