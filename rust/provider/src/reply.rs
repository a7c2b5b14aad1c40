//! Replies: text, calls, usage, and how they ended.

use geonode_protocol::Code;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::ToolCall;

/// How a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// Complete.
    Done,
    /// Cut off at a token limit.
    Truncated,
    /// The model waits for tool results.
    Tool,
    /// The model or a filter declined; the text says so.
    Refused,
    /// The provider's own word.
    Other(String),
}

impl FinishReason {
    /// The inverse of [`Self::wire`]; an unknown word without `other:` counts as the provider's.
    pub(crate) fn from_wire(text: &str) -> Self {
        match text {
            "done" => Self::Done,
            "truncated" => Self::Truncated,
            "tool" => Self::Tool,
            "refused" => Self::Refused,
            other => Self::Other(other.strip_prefix("other:").unwrap_or(other).to_owned()),
        }
    }

    /// `done | truncated | tool | refused | other:<raw>`.
    pub fn wire(&self) -> String {
        match self {
            Self::Done => "done".to_owned(),
            Self::Truncated => "truncated".to_owned(),
            Self::Tool => "tool".to_owned(),
            Self::Refused => "refused".to_owned(),
            Self::Other(raw) => format!("other:{raw}"),
        }
    }
}

impl<'de> Deserialize<'de> for FinishReason {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::from_wire(&text))
    }
}

impl Serialize for FinishReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.wire())
    }
}

/// Tokens, as counted by the provider. `None` if it does not report them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// All input, cached included.
    pub input_tokens: Option<u64>,
    /// All output, reasoning included.
    pub output_tokens: Option<u64>,
    /// Input that came from the provider's cache.
    pub cached_tokens: Option<u64>,
    /// Input that was written to the provider's cache.
    pub cache_write_tokens: Option<u64>,
    /// Output that was reasoning.
    pub reasoning_tokens: Option<u64>,
}

/// A deviation from the request that is not a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// Stable code.
    pub code: Code,
    /// In words.
    pub text: String,
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Response {
    /// The model's text; the words of its refusal if it refused.
    pub text: String,
    /// Its tool calls, in its order.
    pub tool_calls: Vec<ToolCall>,
    /// How it ended.
    pub finish_reason: FinishReason,
    /// Tokens; `None` when the provider reports nothing.
    pub usage: Option<Usage>,
    /// The model that answered, in the provider's words.
    pub model: String,
    /// The provider's identifier of the exchange.
    pub request_id: Option<String>,
    /// Deviations from the request.
    pub notices: Vec<Notice>,
}

/// A piece of a streamed reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StreamEvent {
    /// More text.
    Text {
        /// Never empty.
        text: String,
    },
    /// A complete call.
    ToolCall {
        /// The call.
        call: ToolCall,
    },
    /// Tokens.
    Usage {
        /// All figures so far; the last one counts.
        usage: Usage,
    },
    /// A deviation from the request.
    Notice {
        /// What.
        notice: Notice,
    },
    /// The last event of every stream that succeeds.
    End {
        /// How it ended.
        finish_reason: FinishReason,
        /// The model that answered.
        model: String,
        /// The provider's identifier of the exchange.
        request_id: Option<String>,
    },
}

/// A model that an endpoint offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Model {
    /// The name to send.
    pub id: String,
    /// Its context size in tokens, if the endpoint reports it.
    pub context_tokens: Option<u64>,
}
