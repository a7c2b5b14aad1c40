//! Replies of Chat Completions, whole or in pieces.

use serde::Deserialize;
use serde_json::Value;

use crate::dialect::interface::{arguments, parse};
use crate::dialect::openai_error;
use crate::error::ProviderError;
use crate::message::ToolCall;
use crate::reply::{FinishReason, Usage};
use crate::text::{Joiner, RawText};

/// A whole reply or a piece of a streamed one: the two differ only in `message` and `delta`.
#[derive(Deserialize)]
pub(super) struct Chunk {
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) choices: Option<Vec<Choice>>,
    #[serde(default)]
    pub(super) usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    pub(super) index: u64,
    #[serde(default)]
    pub(super) message: Option<WireMessage>,
    #[serde(default)]
    pub(super) delta: Option<WireMessage>,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct WireMessage {
    #[serde(default)]
    pub(super) content: Option<RawText>,
    #[serde(default)]
    pub(super) refusal: Option<RawText>,
    /// Only looked at as a sign of life: reasoning is never text.
    #[serde(default, alias = "reasoning")]
    pub(super) reasoning_content: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    pub(super) tool_calls: Option<Vec<WireCall>>,
}

#[derive(Deserialize)]
pub(super) struct WireCall {
    #[serde(default)]
    index: Option<usize>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<WireFunction>,
}

#[derive(Deserialize)]
struct WireFunction {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<RawText>,
}

/// Parses a body or the data of an event; an `error` inside a success is the error it names.
pub(super) fn parse_chunk(body: &[u8]) -> Result<Chunk, ProviderError> {
    let chunk: Chunk = parse(body)?;
    match &chunk.error {
        Some(error) if !error.is_null() => Err(openai_error::from_error(0, error)),
        _ => Ok(chunk),
    }
}

pub(super) fn finish_reason(raw: Option<&str>) -> FinishReason {
    match raw {
        Some("stop") => FinishReason::Done,
        Some("length") => FinishReason::Truncated,
        Some("tool_calls" | "function_call") => FinishReason::Tool,
        Some("content_filter") => FinishReason::Refused,
        Some(other) => FinishReason::Other(other.to_owned()),
        None => FinishReason::Other("none".to_owned()),
    }
}

/// `prompt_tokens` holds cached tokens and `completion_tokens` holds reasoning already.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let at = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let read = Usage {
        input_tokens: at("/prompt_tokens"),
        output_tokens: at("/completion_tokens"),
        cached_tokens: at("/prompt_tokens_details/cached_tokens"),
        cache_write_tokens: at("/prompt_tokens_details/cache_write_tokens"),
        reasoning_tokens: at("/completion_tokens_details/reasoning_tokens"),
    };
    (read != Usage::default()).then_some(read)
}

/// Tool calls, put together from their pieces.
#[derive(Default)]
pub(super) struct Calls(Vec<(usize, String, String, Joiner)>);

impl Calls {
    pub(super) fn add(&mut self, position: usize, piece: WireCall) {
        let index = piece.index.unwrap_or(position);
        let known = self.0.iter().position(|(at, ..)| *at == index).unwrap_or_else(|| {
            self.0.push((index, String::new(), String::new(), Joiner::default()));
            self.0.len() - 1
        });
        let Some((_, id, name, arguments)) = self.0.get_mut(known) else {
            return;
        };
        if let Some(text) = piece.id.filter(|_| id.is_empty()) {
            *id = text;
        }
        if let Some(function) = piece.function {
            name.push_str(&function.name.unwrap_or_default());
            if let Some(more) = &function.arguments {
                arguments.push(more);
            }
        }
    }

    pub(super) fn finish(&mut self) -> Vec<ToolCall> {
        let mut all = std::mem::take(&mut self.0);
        all.sort_by_key(|(index, ..)| *index);
        let call = |(_, id, name, mut pieces): (usize, String, String, Joiner)| ToolCall {
            id,
            name,
            arguments: arguments(pieces.finish()),
        };
        all.into_iter().map(call).collect()
    }
}
