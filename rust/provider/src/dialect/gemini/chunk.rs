//! Replies of Gemini's interface, whole or in pieces.

use serde::Deserialize;
use serde_json::Value;

use super::fault;
use crate::dialect::interface::{or_default, parse};
use crate::error::ProviderError;
use crate::message::ToolCall;
use crate::reply::{FinishReason, Usage};
use crate::text::RawText;

/// Ends a call's own identifier where the provider's signature of it begins: later models want the signature back with the
/// call, and the identifier is the one thing that travels there and back untouched.
pub(super) const SIGNED: char = '\u{1f}';

/// Begins an identifier that the provider did not give.
pub(super) const UNNAMED: &str = "call-";

/// What whole replies and pieces of streamed ones have told so far.
#[derive(Default)]
pub(super) struct Collected {
    /// New text; the reader takes it out.
    pub(super) text: Vec<RawText>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) model: String,
    pub(super) finish: Option<String>,
    /// The prompt itself was refused.
    pub(super) blocked: bool,
    /// Why, where the text does not say it.
    pub(super) why: Option<String>,
    pub(super) usage: Option<Usage>,
}

impl Collected {
    /// Takes in a piece; says whether the model made progress.
    pub(super) fn add(&mut self, chunk: Chunk) -> bool {
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

    pub(super) fn finish_reason(&self) -> FinishReason {
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
pub(super) struct Chunk {
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
    #[serde(default, deserialize_with = "or_default")]
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
    #[serde(default, deserialize_with = "or_default")]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<RawText>,
    /// Reasoning is never text.
    #[serde(default, deserialize_with = "or_default")]
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
    #[serde(default, deserialize_with = "or_default")]
    name: String,
    #[serde(default)]
    args: Option<Value>,
}

#[derive(Deserialize)]
struct Feedback {
    #[serde(default, rename = "blockReason")]
    block_reason: Option<String>,
}

/// Parses a body or the data of an event; an `error` inside a success is the error it names.
pub(super) fn parse_chunk(body: &[u8]) -> Result<Chunk, ProviderError> {
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
