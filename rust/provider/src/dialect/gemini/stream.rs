//! Streamed replies of Gemini's interface: whole reply objects, and no mark but the end of the stream after a finish reason.

use super::chunk::{Collected, parse_chunk};
use crate::dialect::interface::{Reader, Step};
use crate::error::ProviderError;
use crate::reply::StreamEvent;
use crate::sse::SseEvent;
use crate::text::Joiner;

#[derive(Default)]
pub(super) struct ContentReader {
    collected: Collected,
    text: Joiner,
    spoke: bool,
}

impl ContentReader {
    fn emit(&mut self, text: String, out: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            self.spoke = true;
            out.push(StreamEvent::Text { text });
        }
    }
}

impl Reader for ContentReader {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<StreamEvent>) -> Result<Step, ProviderError> {
        let data = event.data.trim_ascii();
        // Some servers in between add the mark of another dialect.
        if data.is_empty() || data == b"[DONE]" {
            return Ok(Step::Idle);
        }
        let progress = self.collected.add(parse_chunk(data)?);
        for piece in std::mem::take(&mut self.collected.text) {
            self.text.push(&piece);
        }
        let text = self.text.take();
        self.emit(text, out);
        Ok(if progress { Step::Content } else { Step::Idle })
    }

    fn end_of_stream(&mut self, out: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        if self.collected.finish.is_none() && !self.collected.blocked {
            return Err(ProviderError::bad_response(
                "The answer ended in the middle. The server may have been stopped; send again.",
            ));
        }
        let rest = self.text.finish();
        self.emit(rest, out);
        if let (false, Some(why)) = (self.spoke, self.collected.why.take()) {
            self.emit(why, out);
        }
        let finish_reason = self.collected.finish_reason();
        let calls = std::mem::take(&mut self.collected.calls);
        out.extend(calls.into_iter().map(|call| StreamEvent::ToolCall { call }));
        // Every piece carries figures; the last ones count.
        out.extend(self.collected.usage.map(|usage| StreamEvent::Usage { usage }));
        out.push(StreamEvent::End {
            finish_reason,
            model: std::mem::take(&mut self.collected.model),
            request_id: None,
        });
        Ok(())
    }
}
