//! Streamed replies of Anthropic's interface.

use serde::Deserialize;
use serde_json::{Value, json};

use super::fault::fault;
use super::reply::{Block, Counted, Reply, explanation, finish_reason};
use crate::dialect::interface::{Reader, Step, arguments, or_default, parse};
use crate::error::ProviderError;
use crate::message::ToolCall;
use crate::reply::StreamEvent;
use crate::sse::SseEvent;
use crate::text::{Joiner, RawText};

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "or_default")]
    index: usize,
    #[serde(default)]
    message: Option<Reply>,
    #[serde(default)]
    content_block: Option<Block>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    text: Option<RawText>,
    #[serde(default)]
    partial_json: Option<RawText>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    stop_details: Option<Value>,
}

/// A tool call whose arguments are still coming.
struct OpenCall {
    index: usize,
    id: String,
    name: String,
    /// Arguments that came with its beginning, as servers that do not send pieces give them.
    whole: Option<Value>,
    pieces: Joiner,
}

#[derive(Default)]
pub(super) struct MessagesReader {
    text: Joiner,
    has_text: bool,
    calls: Vec<OpenCall>,
    model: String,
    finish: Option<String>,
    why: Option<String>,
    usage: Counted,
}

impl MessagesReader {
    fn emit(&mut self, text: String, out: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            self.has_text = true;
            out.push(StreamEvent::Text { text });
        }
    }

    fn delta(&mut self, index: usize, delta: &Delta, out: &mut Vec<StreamEvent>) {
        if let Some(text) = &delta.text {
            self.text.push(text);
            let text = self.text.take();
            self.emit(text, out);
        }
        // The last one, since some servers give every call the same number.
        let open = self.calls.iter_mut().rfind(|call| call.index == index);
        if let (Some(piece), Some(call)) = (&delta.partial_json, open) {
            call.pieces.push(piece);
        }
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Step {
        let rest = self.text.finish();
        self.emit(rest, out);
        if let (false, Some(why)) = (self.has_text, self.why.take()) {
            self.emit(why, out);
        }
        for mut call in std::mem::take(&mut self.calls) {
            let pieces = call.pieces.finish();
            let arguments = match call.whole {
                Some(whole) if pieces.trim().is_empty() => whole,
                _ => arguments(pieces),
            };
            out.push(StreamEvent::ToolCall {
                call: ToolCall {
                    id: call.id,
                    name: call.name,
                    arguments,
                },
            });
        }
        out.extend(self.usage.usage().map(|usage| StreamEvent::Usage { usage }));
        let model = std::mem::take(&mut self.model);
        out.push(StreamEvent::End {
            finish_reason: finish_reason(self.finish.as_deref()),
            model,
            request_id: None,
        });
        Step::End
    }
}

impl Reader for MessagesReader {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<StreamEvent>) -> Result<Step, ProviderError> {
        if event.data.trim_ascii().is_empty() {
            return Ok(Step::Idle);
        }
        let event: Event = parse(&event.data)?;
        match (event.kind.as_str(), event.delta, event.content_block) {
            ("message_start", ..) => {
                if let Some(message) = event.message {
                    self.model = message.model.unwrap_or_default();
                    self.usage.add(message.usage.as_ref());
                }
                Ok(Step::Idle)
            }
            ("content_block_start", _, Some(block)) if block.kind == "tool_use" => {
                let (id, name) = (block.id.unwrap_or_default(), block.name.unwrap_or_default());
                self.calls.push(OpenCall {
                    index: event.index,
                    id,
                    name,
                    whole: block.input.filter(Value::is_object),
                    pieces: Joiner::default(),
                });
                Ok(Step::Content)
            }
            ("content_block_delta", Some(delta), _) => {
                self.delta(event.index, &delta, out);
                Ok(Step::Content)
            }
            ("message_delta", delta, _) => {
                self.usage.add(event.usage.as_ref());
                if let Some(delta) = delta {
                    self.why = delta.stop_details.as_ref().and_then(explanation);
                    self.finish = delta.stop_reason.or(self.finish.take());
                }
                Ok(Step::Content)
            }
            ("message_stop", ..) => Ok(self.end(out)),
            ("error", ..) => Err(fault(0, &json!({"error": event.error}))),
            _ => Ok(Step::Idle),
        }
    }
}
