//! OpenAI's Responses interface. Nothing is stored there (`store: false`).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::interface::{Call, Dialect, ModelPage, Reader, SchemaUse, Step, arguments, or_default, parse};
use super::{chat, openai_error};
use crate::error::ProviderError;
use crate::message::{Content, Message, Part, Role, Tool, ToolCall};
use crate::reply::{FinishReason, Response, StreamEvent, Usage};
use crate::request::ToolChoice;
use crate::schema::{self, Subset};
use crate::secret::ApiKey;
use crate::sse::SseEvent;
use crate::text::{Joiner, RawText};

/// The dialect.
pub(super) struct Responses;

impl Dialect for Responses {
    fn path(&self, _call: &Call<'_>) -> String {
        "responses".to_owned()
    }

    fn subset(&self) -> Option<&'static Subset> {
        Some(&chat::STRICT)
    }

    fn takes_advice(&self) -> bool {
        true
    }

    fn auth(&self, key: &ApiKey) -> (&'static str, String) {
        ("authorization", format!("Bearer {}", key.expose()))
    }

    fn body(&self, call: &Call<'_>) -> Value {
        let request = call.request;
        let mut body = Map::new();
        body.insert("model".into(), call.model.into());
        if let Some(system) = call.instructions() {
            body.insert("instructions".into(), system.into());
        }
        body.insert("input".into(), request.turns().flat_map(items).collect());
        body.insert("store".into(), false.into());
        if call.stream {
            body.insert("stream".into(), true.into());
        }
        match (call.schema, call.schema_use) {
            (Some(wanted), SchemaUse::Native) => {
                let strict = schema::conforms(wanted, &chat::STRICT);
                let format = json!({"type": "json_schema", "name": "reply", "strict": strict, "schema": wanted});
                body.insert("text".into(), json!({ "format": format }));
            }
            (Some(_), SchemaUse::Json) => {
                body.insert("text".into(), json!({"format": {"type": "json_object"}}));
            }
            _ => {}
        }
        if !request.tools.is_empty() {
            let tool = |tool: &Tool| {
                json!({"type": "function", "name": tool.name, "description": tool.description,
                       "parameters": tool.input_schema, "strict": schema::conforms(&tool.input_schema, &chat::STRICT)})
            };
            body.insert("tools".into(), request.tools.iter().map(tool).collect());
            if request.tool_choice == ToolChoice::None {
                body.insert("tool_choice".into(), "none".into());
            }
        }
        if let Some(limit) = request.max_tokens {
            body.insert("max_output_tokens".into(), limit.into());
        }
        // This interface has no seed.
        if let Some(temperature) = request.options.temperature {
            body.insert("temperature".into(), temperature.into());
        }
        Value::Object(body)
    }

    fn reply(&self, body: &[u8]) -> Result<Response, ProviderError> {
        let reply: Reply = parse(body)?;
        reply.checked()?.into_response()
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<ResponsesReader>::default()
    }

    fn refusal(&self, status: u16, body: &[u8]) -> ProviderError {
        openai_error::refusal(status, body)
    }

    fn models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        chat::models(body)
    }
}

/// The items of one message: its words, then its calls, or the result of a call.
fn items(message: &Message) -> Vec<Value> {
    if let (Role::Tool, Some(id)) = (message.role, &message.tool_call_id) {
        return vec![json!({"type": "function_call_output", "call_id": id, "output": message.content.text()})];
    }
    let (role, kind) = match message.role {
        Role::Assistant => ("assistant", "output_text"),
        _ => ("user", "input_text"),
    };
    let part = |part: &Part| match part {
        Part::Text { text } => json!({"type": kind, "text": text}),
        Part::Image { media_type, data } => {
            json!({"type": "input_image", "image_url": format!("data:{media_type};base64,{data}")})
        }
    };
    let parts: Vec<Value> = match &message.content {
        Content::Text(text) if text.is_empty() => Vec::new(),
        Content::Text(text) => vec![json!({"type": kind, "text": text})],
        Content::Parts(parts) => parts.iter().map(part).collect(),
    };
    let mut items = Vec::new();
    if !parts.is_empty() {
        items.push(json!({"type": "message", "role": role, "content": parts}));
    }
    items.extend(message.tool_calls.iter().map(|call| {
        json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments.to_string()})
    }));
    items
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    output: Option<Vec<Item>>,
    #[serde(default)]
    incomplete_details: Option<Value>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default, deserialize_with = "or_default", rename = "type")]
    kind: String,
    #[serde(default)]
    content: Option<Vec<ItemPart>>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<RawText>,
}

#[derive(Deserialize)]
struct ItemPart {
    #[serde(default, deserialize_with = "or_default", rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<RawText>,
    #[serde(default)]
    refusal: Option<RawText>,
}

impl Item {
    fn call(self) -> Option<ToolCall> {
        let is_call = self.kind == "function_call";
        is_call.then(|| ToolCall {
            id: self.call_id.filter(|id| !id.is_empty()).or(self.id).unwrap_or_default(),
            name: self.name.unwrap_or_default(),
            arguments: arguments(self.arguments.unwrap_or_default().text()),
        })
    }
}

impl Reply {
    /// The error that it carries, if it does.
    fn checked(self) -> Result<Self, ProviderError> {
        match &self.error {
            Some(error) if !error.is_null() => Err(openai_error::from_error(0, error)),
            _ if self.status.as_deref() == Some("failed") => Err(ProviderError::bad_response(
                "The provider gave up on this answer without saying why.",
            )),
            _ => Ok(self),
        }
    }

    fn finish_reason(&self, refused: bool, calls: bool) -> FinishReason {
        let reason = self
            .incomplete_details
            .as_ref()
            .and_then(|details| details.get("reason")?.as_str());
        match (self.status.as_deref(), reason) {
            (Some("incomplete"), Some("max_output_tokens") | None) => FinishReason::Truncated,
            (Some("incomplete"), Some("content_filter")) => FinishReason::Refused,
            _ if refused => FinishReason::Refused,
            (Some("completed"), _) if calls => FinishReason::Tool,
            (Some("completed"), _) => FinishReason::Done,
            (Some("incomplete"), Some(other)) | (Some(other), _) => FinishReason::Other(other.to_owned()),
            (None, _) => FinishReason::Other("none".to_owned()),
        }
    }

    /// `input_tokens` holds cached tokens and `output_tokens` holds reasoning already.
    fn usage(&self) -> Option<Usage> {
        let usage = self.usage.as_ref()?;
        let at = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        let read = Usage {
            input_tokens: at("/input_tokens"),
            output_tokens: at("/output_tokens"),
            cached_tokens: at("/input_tokens_details/cached_tokens"),
            cache_write_tokens: at("/input_tokens_details/cache_write_tokens"),
            reasoning_tokens: at("/output_tokens_details/reasoning_tokens"),
        };
        (read != Usage::default()).then_some(read)
    }

    fn into_response(mut self) -> Result<Response, ProviderError> {
        let Some(output) = self.output.take() else {
            return Err(ProviderError::bad_response("The answer contains no reply of a model."));
        };
        let (mut text, mut refusal, mut tool_calls) = (String::new(), String::new(), Vec::new());
        for mut item in output {
            for part in item
                .content
                .take()
                .into_iter()
                .flatten()
                .filter(|_| item.kind == "message")
            {
                match part.kind.as_str() {
                    "output_text" => text += &part.text.unwrap_or_default().text(),
                    "refusal" => refusal += &part.refusal.unwrap_or_default().text(),
                    _ => {}
                }
            }
            tool_calls.extend(item.call());
        }
        let finish_reason = self.finish_reason(!refusal.is_empty(), !tool_calls.is_empty());
        Ok(Response {
            text: if text.is_empty() { refusal } else { text },
            tool_calls,
            finish_reason,
            usage: self.usage(),
            model: self.model.unwrap_or_default(),
            request_id: None,
            notices: Vec::new(),
        })
    }
}

#[derive(Deserialize)]
struct Event {
    #[serde(default, deserialize_with = "or_default", rename = "type")]
    kind: String,
    #[serde(default)]
    delta: Option<RawText>,
    #[serde(default)]
    item: Option<Item>,
    #[serde(default)]
    response: Option<Reply>,
}

#[derive(Default)]
struct ResponsesReader {
    text: Joiner,
    refused: bool,
    called: bool,
}

impl ResponsesReader {
    fn emit(text: String, out: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            out.push(StreamEvent::Text { text });
        }
    }

    fn end(&mut self, reply: Reply, out: &mut Vec<StreamEvent>) -> Result<Step, ProviderError> {
        Self::emit(self.text.finish(), out);
        let reply = reply.checked()?;
        out.extend(reply.usage().map(|usage| StreamEvent::Usage { usage }));
        let finish_reason = reply.finish_reason(self.refused, self.called);
        out.push(StreamEvent::End {
            finish_reason,
            model: reply.model.unwrap_or_default(),
            request_id: None,
        });
        Ok(Step::End)
    }
}

impl Reader for ResponsesReader {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<StreamEvent>) -> Result<Step, ProviderError> {
        if event.data.trim_ascii().is_empty() || event.data.trim_ascii() == b"[DONE]" {
            return Ok(Step::Idle);
        }
        if event.name == "error" || event.name == "response.failed" {
            let body: Value = parse(&event.data)?;
            let error = body
                .pointer("/response/error")
                .or_else(|| body.get("error"))
                .unwrap_or(&body);
            return Err(openai_error::from_error(0, error));
        }
        let event: Event = parse(&event.data)?;
        match event.kind.as_str() {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.refused |= event.kind == "response.refusal.delta";
                self.text.push(&event.delta.unwrap_or_default());
                Self::emit(self.text.take(), out);
                Ok(Step::Content)
            }
            "response.output_item.done" => {
                let call = event.item.and_then(Item::call);
                self.called |= call.is_some();
                out.extend(call.map(|call| StreamEvent::ToolCall { call }));
                Ok(Step::Content)
            }
            "response.completed" | "response.incomplete" => match event.response {
                Some(reply) => self.end(reply, out),
                None => Err(ProviderError::bad_response("The last event of the answer is empty.")),
            },
            "response.failed" | "error" => match event.response {
                Some(reply) => Err(reply
                    .checked()
                    .err()
                    .unwrap_or_else(|| ProviderError::bad_response("The answer failed."))),
                None => Err(ProviderError::bad_response(
                    "The provider reported a failure in the middle of its answer.",
                )),
            },
            kind if kind.rsplit('.').next() == Some("delta") => Ok(Step::Content),
            _ => Ok(Step::Idle),
        }
    }
}
