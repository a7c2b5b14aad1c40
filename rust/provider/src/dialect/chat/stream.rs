//! Streamed replies of Chat Completions.

use super::chunk::{Calls, finish_reason, parse_chunk, read_usage};
use crate::dialect::interface::{Reader, Step};
use crate::dialect::openai_error;
use crate::error::ProviderError;
use crate::reply::{FinishReason, StreamEvent, Usage};
use crate::sse::SseEvent;
use crate::text::Joiner;

#[derive(Default)]
pub(super) struct ChatReader {
    text: Joiner,
    calls: Calls,
    model: String,
    finish: Option<String>,
    refused: bool,
    usage: Option<Usage>,
}

impl ChatReader {
    fn emit(text: String, out: &mut Vec<StreamEvent>) -> bool {
        let some = !text.is_empty();
        if some {
            out.push(StreamEvent::Text { text });
        }
        some
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Step {
        Self::emit(self.text.finish(), out);
        out.extend(
            self.calls
                .finish()
                .into_iter()
                .map(|call| StreamEvent::ToolCall { call }),
        );
        let finish_reason = if self.refused {
            FinishReason::Refused
        } else {
            finish_reason(self.finish.as_deref())
        };
        out.push(StreamEvent::End {
            finish_reason,
            model: std::mem::take(&mut self.model),
            request_id: None,
        });
        Step::End
    }
}

impl Reader for ChatReader {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<StreamEvent>) -> Result<Step, ProviderError> {
        if event.data.trim_ascii() == b"[DONE]" {
            return Ok(self.end(out));
        }
        if event.data.trim_ascii().is_empty() {
            return Ok(Step::Idle);
        }
        if event.name == "error" {
            return Err(openai_error::refusal(0, &event.data));
        }
        let chunk = parse_chunk(&event.data)?;
        let mut progress = false;
        if let Some(model) = chunk.model.filter(|_| self.model.is_empty()) {
            self.model = model;
        }
        for choice in chunk.choices.into_iter().flatten().filter(|choice| choice.index == 0) {
            if let Some(delta) = choice.delta {
                progress |= delta.thinks();
                if let Some(refusal) = delta.refusal.filter(|refusal| !refusal.is_empty()) {
                    self.refused = true;
                    self.text.push(&refusal);
                }
                if let Some(content) = &delta.content {
                    self.text.push(content);
                }
                progress |= Self::emit(self.text.take(), out);
                for (place, piece) in delta.tool_calls.into_iter().flatten().enumerate() {
                    progress = true;
                    self.calls.piece(place, piece);
                }
            }
            if let Some(finish) = choice.finish_reason {
                progress |= self.finish.is_none();
                self.finish = Some(finish);
            }
        }
        let usage = chunk.usage.as_ref().and_then(read_usage);
        if usage.is_some() && usage != self.usage {
            self.usage = usage;
            out.extend(usage.map(|usage| StreamEvent::Usage { usage }));
        }
        Ok(if progress { Step::Content } else { Step::Idle })
    }
}
