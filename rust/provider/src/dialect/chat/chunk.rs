//! Replies of Chat Completions, whole or in pieces.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::dialect::interface::{arguments, or_default, parse};
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
    /// `error` where the fields of an error stand here.
    #[serde(default)]
    object: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    #[serde(default, deserialize_with = "or_default")]
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
    #[serde(default)]
    reasoning: Option<IgnoredAny>,
    #[serde(default)]
    reasoning_content: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) tool_calls: Option<Vec<WireCall>>,
}

impl WireMessage {
    /// Whether the model thinks: a sign of life, never text. Servers name it in two ways, some in both.
    pub(super) fn thinks(&self) -> bool {
        self.reasoning.is_some() || self.reasoning_content.is_some()
    }
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

/// Parses a body or the data of an event; an error inside a success is the error that it names.
pub(super) fn parse_chunk(body: &[u8]) -> Result<Chunk, ProviderError> {
    let chunk: Chunk = parse(body).or_else(|error| match with_usual_calls(body) {
        Some(usual) => parse(&usual),
        None => Err(error),
    })?;
    match &chunk.error {
        Some(error) if !error.is_null() => Err(openai_error::from_error(0, error)),
        _ if chunk.object.as_deref() == Some("error") => Err(openai_error::refusal(0, body)),
        _ => Ok(chunk),
    }
}

/// The body with its tool calls as they usually are: numbers as numbers, identifiers as texts, and arguments as JSON in a text, which some
/// servers write as that JSON itself. None where nothing of that is the case.
fn with_usual_calls(body: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(body).ok()?;
    let mut changed = false;
    for choice in value.get_mut("choices")?.as_array_mut()? {
        for part in ["message", "delta"] {
            let calls = choice.get_mut(part).and_then(|message| message.get_mut("tool_calls"));
            for call in calls.and_then(Value::as_array_mut).into_iter().flatten() {
                changed |= usual(call, "index", |index| {
                    index.as_str().map(|text| text.trim().parse::<u64>().ok().into())
                });
                changed |= usual(call, "id", |id| id.is_number().then(|| id.to_string().into()));
                if let Some(function) = call.get_mut("function") {
                    let written = |given: &Value| given.is_object().then(|| given.to_string().into());
                    changed |= usual(function, "arguments", written);
                }
            }
        }
    }
    changed.then(|| value.to_string().into_bytes())
}

/// Puts another value into a field, if there is one for what it has; returns whether there is.
fn usual(fields: &mut Value, name: &str, other: impl Fn(&Value) -> Option<Value>) -> bool {
    let Some(field) = fields.get_mut(name) else {
        return false;
    };
    match other(field) {
        Some(value) => {
            *field = value;
            true
        }
        None => false,
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
pub(super) struct Calls(Vec<OpenCall>);

/// A call whose pieces are still coming.
#[derive(Default)]
struct OpenCall {
    /// Its number in the reply, if the server numbers calls.
    index: Option<usize>,
    /// Its place among the pieces that came together.
    place: usize,
    id: String,
    name: String,
    arguments: Joiner,
}

impl OpenCall {
    /// Whether a piece with this name begins another call: this one has its name already, and the other is different, or comes after
    /// complete arguments. Some servers repeat the name with every piece, others send it in pieces.
    fn ends_before(&self, name: &str, numbered: bool) -> bool {
        if name.is_empty() || self.name.is_empty() {
            return false;
        }
        let arguments = self.arguments.so_far();
        if arguments.trim().is_empty() {
            return !numbered && name != self.name;
        }
        name != self.name || serde_json::from_str::<IgnoredAny>(arguments).is_ok()
    }

    fn add(&mut self, piece: WireCall) {
        if let Some(id) = piece.id.filter(|_| self.id.is_empty()) {
            self.id = id;
        }
        let Some(function) = piece.function else { return };
        if let Some(name) = function.name.filter(|name| *name != self.name) {
            self.name.push_str(&name);
        }
        if let Some(more) = &function.arguments {
            self.arguments.push(more);
        }
    }
}

impl Calls {
    /// A call of a whole reply: each is one of its own, whatever its number.
    pub(super) fn whole(&mut self, call: WireCall) {
        let mut open = OpenCall::default();
        open.add(call);
        self.0.push(open);
    }

    /// A piece of a streamed call; `place`: its place among the pieces that came with it. Servers tell calls apart by number, by identifier,
    /// or only by beginning a name anew.
    pub(super) fn piece(&mut self, place: usize, piece: WireCall) {
        let index = piece.index;
        let known = self.continued(place, &piece).unwrap_or_else(|| {
            self.0.push(OpenCall {
                index,
                place,
                ..OpenCall::default()
            });
            self.0.len() - 1
        });
        if let Some(call) = self.0.get_mut(known) {
            call.add(piece);
        }
    }

    /// The call that a piece belongs to, if that is one of those before it.
    fn continued(&self, place: usize, piece: &WireCall) -> Option<usize> {
        let id = piece.id.as_deref().unwrap_or_default();
        let name = piece.function.as_ref().and_then(|function| function.name.as_deref());
        let last = |is: &dyn Fn(&OpenCall) -> bool| self.0.iter().rposition(is);
        let same_id = || last(&|call: &OpenCall| !id.is_empty() && call.id == id);
        let same_place = || match piece.index {
            Some(index) => last(&|call: &OpenCall| call.index == Some(index)),
            None => last(&|call: &OpenCall| call.place == place),
        };
        let at = same_id().or_else(same_place)?;
        let call = self.0.get(at)?;
        let other = !id.is_empty() && !call.id.is_empty() && call.id != id;
        let ended = call.ends_before(name.unwrap_or_default(), piece.index.is_some());
        (!other && !ended).then_some(at)
    }

    pub(super) fn finish(&mut self) -> Vec<ToolCall> {
        let mut all = std::mem::take(&mut self.0);
        // Calls without a number follow those with one; equal numbers keep the order of their arrival.
        all.sort_by_key(|call| call.index.unwrap_or(usize::MAX));
        let call = |mut call: OpenCall| ToolCall {
            id: call.id,
            name: call.name,
            arguments: arguments(call.arguments.finish()),
        };
        all.into_iter().map(call).collect()
    }
}
