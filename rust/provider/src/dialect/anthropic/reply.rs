//! Replies of Anthropic's interface, and what whole and streamed ones have in common.

use serde::Deserialize;
use serde_json::Value;

use crate::dialect::interface::or_default;
use crate::reply::{FinishReason, Usage};
use crate::text::RawText;

#[derive(Deserialize)]
pub(super) struct Reply {
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) content: Option<Vec<Block>>,
    #[serde(default)]
    pub(super) stop_reason: Option<String>,
    #[serde(default)]
    pub(super) stop_details: Option<Value>,
    #[serde(default)]
    pub(super) usage: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Block {
    #[serde(default, deserialize_with = "or_default", rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) text: Option<RawText>,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) input: Option<Value>,
}

/// Figures so far: input comes first, later figures replace earlier ones.
#[derive(Default)]
pub(super) struct Counted {
    plain: Option<u64>,
    written: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
}

impl Counted {
    pub(super) fn add(&mut self, usage: Option<&Value>) {
        let at = |key: &str| usage.and_then(|usage| usage.get(key)?.as_u64());
        self.plain = at("input_tokens").or(self.plain);
        self.written = at("cache_creation_input_tokens").or(self.written);
        self.cached = at("cache_read_input_tokens").or(self.cached);
        self.output = at("output_tokens").or(self.output);
    }

    /// Input is counted in three separate parts here; output holds thinking already.
    pub(super) fn usage(&self) -> Option<Usage> {
        let parts = [self.plain, self.written, self.cached];
        let input = parts.iter().flatten().copied().reduce(u64::saturating_add);
        (input.is_some() || self.output.is_some()).then_some(Usage {
            input_tokens: input,
            output_tokens: self.output,
            cached_tokens: self.cached,
            cache_write_tokens: self.written,
            reasoning_tokens: None,
        })
    }
}

pub(super) fn finish_reason(raw: Option<&str>) -> FinishReason {
    match raw {
        Some("end_turn" | "stop_sequence") => FinishReason::Done,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Truncated,
        Some("tool_use" | "pause_turn") => FinishReason::Tool,
        Some("refusal") => FinishReason::Refused,
        Some(other) => FinishReason::Other(other.to_owned()),
        None => FinishReason::Other("none".to_owned()),
    }
}

pub(super) fn explanation(details: &Value) -> Option<String> {
    details.get("explanation")?.as_str().map(str::to_owned)
}
