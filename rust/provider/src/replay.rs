//! The `replay` provider: recorded replies from a JSON file, in their order, for tests and manifests.
//!
//! ```json
//! {"replay": 1, "model": "recorded", "replies": [
//!   {"json": {"version": "1.1", "steps": []}},
//!   {"text": "…", "finish_reason": "truncated", "usage": {"input_tokens": 9, "output_tokens": 3}, "delay_ms": 50},
//!   {"error": "rate_limited", "message": "slow down"}
//! ]}
//! ```

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Detail, ProviderError};
use crate::message::ToolCall;
use crate::reply::{FinishReason, Response, Usage};

/// Largest recording.
const FILE_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    replay: u32,
    #[serde(default)]
    model: Option<String>,
    replies: Vec<Reply>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Reply {
    text: Option<String>,
    /// The reply is the JSON's own text.
    json: Option<Value>,
    tool_calls: Vec<ToolCall>,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    /// Code of the error to return instead.
    error: Option<String>,
    message: Option<String>,
    delay_ms: u64,
}

/// A recording during playback.
#[derive(Debug)]
pub(crate) struct Replay {
    model: String,
    total: usize,
    left: Mutex<std::vec::IntoIter<Reply>>,
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// `Config` when the file cannot be read or does not have the form above.
    pub(crate) fn open(path: &Path) -> Result<Self, ProviderError> {
        let refuse = |why: String| ProviderError::Config(format!("The recording {} {why}", path.display()));
        let size = std::fs::metadata(path)
            .map_err(|error| refuse(format!("cannot be read: {error}.")))?
            .len();
        if size > FILE_BYTES {
            return Err(refuse("is larger than 64 MB.".into()));
        }
        let text = std::fs::read(path).map_err(|error| refuse(format!("cannot be read: {error}.")))?;
        let recording: Recording = serde_json::from_slice(&text).map_err(|error| {
            refuse(format!(
                "does not have the form {{\"replay\": 1, \"replies\": […]}}: {error}."
            ))
        })?;
        if recording.replay != 1 {
            return Err(refuse(format!(
                "has version {}; version 1 is supported.",
                recording.replay
            )));
        }
        for (index, reply) in recording.replies.iter().enumerate() {
            let given = [reply.text.is_some(), reply.json.is_some(), reply.error.is_some()];
            if given.iter().filter(|given| **given).count() > 1 {
                return Err(refuse(format!(
                    "gives more than one of text, json and error at /replies/{index}."
                )));
            }
            if let Some(code) = &reply.error {
                failure(code, "")
                    .ok_or_else(|| refuse(format!("names an unknown error “{code}” at /replies/{index}.")))?;
            }
        }
        let model = recording.model.unwrap_or_else(|| "replay".to_owned());
        Ok(Self {
            model,
            total: recording.replies.len(),
            left: Mutex::new(recording.replies.into_iter()),
        })
    }

    /// The model that the recording names.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// The next reply.
    pub(crate) async fn next(&self) -> Result<Response, ProviderError> {
        let next = self
            .left
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .next();
        let Some(reply) = next else {
            return Err(ProviderError::bad_response(format!(
                "The recording has ended: it contains {} replies, and another one was requested.",
                self.total
            )));
        };
        if reply.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
        }
        if let Some(code) = &reply.error {
            let message = reply.message.as_deref().unwrap_or("recorded");
            return Err(
                failure(code, message).unwrap_or_else(|| ProviderError::bad_response("The recording is damaged."))
            );
        }
        let text = reply
            .text
            .or_else(|| reply.json.map(|json| json.to_string()))
            .unwrap_or_default();
        let default = if reply.tool_calls.is_empty() {
            FinishReason::Done
        } else {
            FinishReason::Tool
        };
        Ok(Response {
            text,
            tool_calls: reply.tool_calls,
            finish_reason: reply.finish_reason.map_or(default, |raw| FinishReason::from_wire(&raw)),
            usage: reply.usage,
            model: self.model.clone(),
            request_id: None,
            notices: Vec::new(),
        })
    }
}

/// The error with this code.
fn failure(code: &str, message: &str) -> Option<ProviderError> {
    let detail = Box::new(Detail::quote(message));
    Some(match code {
        "auth_failed" => ProviderError::AuthFailed(detail),
        "rate_limited" => ProviderError::RateLimited(detail),
        "quota_exhausted" => ProviderError::QuotaExhausted(detail),
        "overloaded" => ProviderError::Overloaded(detail),
        "timeout" => ProviderError::Timeout {
            what: "the recording says so".into(),
            detail,
        },
        "network" => ProviderError::Network {
            what: "The recording breaks the connection.".into(),
            detail,
        },
        "context_too_long" => ProviderError::ContextTooLong(detail),
        "content_refused" => ProviderError::ContentRefused(detail),
        "schema_refused" => ProviderError::SchemaRefused(detail),
        "unknown_model" => ProviderError::UnknownModel(detail),
        "bad_request" => ProviderError::BadRequest(detail),
        "bad_response" => ProviderError::BadResponse {
            what: "The recording contains a bad answer.".into(),
            detail,
        },
        "cancelled" => ProviderError::Cancelled,
        _ => return None,
    })
}
