//! Error bodies and events of Gemini's interface.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::dialect::error_body::{flat, flat_bytes, text};
use crate::dialect::openai_error;
use crate::error::{Detail, ProviderError};

/// What an error answer means.
pub(super) fn refusal(status: u16, body: &[u8]) -> ProviderError {
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(fields)) if !fields.contains_key("error") => openai_error::refusal(status, body),
        Ok(body) => fault(status, &body),
        Err(_) => from_fields(status, false, &flat_bytes(body)),
    }
}

/// What an error value means; `status` is 0 inside a success.
pub(super) fn fault(status: u16, error: &Value) -> ProviderError {
    from_fields(status, true, &flat(error))
}

fn from_fields(status: u16, enveloped: bool, error: &Map<String, Value>) -> ProviderError {
    let message = text(error, "message");
    let details = || error.get("details").and_then(Value::as_array).into_iter().flatten();
    let field = |name: &'static str| details().filter_map(move |detail| detail.get(name));
    let retry_after = field("retryDelay").find_map(|delay| wait(delay.as_str()?));
    let detail = || Box::new(Detail::quote(message));
    let invalid_key = field("reason").any(|reason| reason == "API_KEY_INVALID");
    let daily = field("violations")
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(|violation| violation.get("quotaId")?.as_str())
        .any(|quota| quota.contains("PerDay"));
    let fault = match text(error, "status") {
        // These two say more than the words beside them.
        _ if matches!(status, 408 | 413) => openai_error::from_fields(status, true, error),
        _ if invalid_key => ProviderError::AuthFailed(detail()),
        "UNAUTHENTICATED" | "PERMISSION_DENIED" => ProviderError::AuthFailed(detail()),
        "RESOURCE_EXHAUSTED" if daily => ProviderError::QuotaExhausted(detail()),
        "RESOURCE_EXHAUSTED" => ProviderError::RateLimited(detail()),
        "UNAVAILABLE" | "INTERNAL" | "DEADLINE_EXCEEDED" => ProviderError::Overloaded(detail()),
        "INVALID_ARGUMENT" if openai_error::about_length(message) => openai_error::too_long(error),
        "INVALID_ARGUMENT" if is_about_form(message) => ProviderError::SchemaRefused(detail()),
        _ => match text(error, "code") {
            "payment_required" | "quota_exceeded" => ProviderError::QuotaExhausted(detail()),
            "authentication" => ProviderError::AuthFailed(detail()),
            _ => openai_error::from_fields(status, enveloped, error),
        },
    };
    fault.with(|detail| detail.retry_after = retry_after)
}

/// Whether words are about the form of the answer, in this vendor's terms or others.
fn is_about_form(words: &str) -> bool {
    let lower = words.to_ascii_lowercase();
    openai_error::about_form(words)
        || [
            "too many states",
            "response_json_schema",
            "response_schema",
            "response_mime_type",
        ]
        .iter()
        .any(|one| lower.contains(one))
}

/// `3.5s`
fn wait(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use geonode_protocol::Code;

    use super::*;

    #[test]
    fn every_row_of_the_error_table_gives_its_error() {
        let table: &[(u16, &str, Code)] = &[
            (
                400,
                r#"{"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
                Code::AuthFailed,
            ),
            (
                403,
                r#"{"error":{"code":403,"message":"x","status":"PERMISSION_DENIED"}}"#,
                Code::AuthFailed,
            ),
            (
                401,
                r#"{"error":{"code":"authentication","message":"x"}}"#,
                Code::AuthFailed,
            ),
            (
                429,
                r#"{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}"#,
                Code::RateLimited,
            ),
            (
                429,
                r#"[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}]"#,
                Code::RateLimited,
            ),
            (
                429,
                r#"{"error":{"code":"rate_limit_exceeded","message":"x"}}"#,
                Code::RateLimited,
            ),
            (
                429,
                r#"{"error":{"code":429,"status":"rate_limit_error"}}"#,
                Code::RateLimited,
            ),
            (
                429,
                r#"{"error":{"code":"quota_exceeded","message":"x"}}"#,
                Code::QuotaExhausted,
            ),
            (
                429,
                r#"{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"RequestsPerDayPerProject"}]}]}}"#,
                Code::QuotaExhausted,
            ),
            (
                402,
                r#"{"error":{"code":"payment_required","message":"x"}}"#,
                Code::QuotaExhausted,
            ),
            (
                503,
                r#"{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}"#,
                Code::Overloaded,
            ),
            (
                500,
                r#"{"error":{"code":500,"message":"x","status":"INTERNAL"}}"#,
                Code::Overloaded,
            ),
            (502, "", Code::Overloaded),
            (
                400,
                r#"{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}"#,
                Code::ContextTooLong,
            ),
            (
                400,
                r#"{"error":{"message":"The specified schema produces a constraint that has too many states for serving.","status":"INVALID_ARGUMENT"}}"#,
                Code::SchemaRefused,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT"}}"#,
                Code::BadRequest,
            ),
            (
                404,
                r#"{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}"#,
                Code::UnknownModel,
            ),
            (404, "404 page not found", Code::BadResponse),
            (
                0,
                r#"{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}"#,
                Code::Overloaded,
            ),
        ];
        for (status, body, code) in table {
            let error = refusal(*status, body.as_bytes());
            assert_eq!(error.code(), *code, "{status} {body}: {error}");
        }
    }

    #[test]
    fn a_retry_delay_in_the_body_is_a_minimum_wait() {
        let body = |delay: &str| {
            format!(
                r#"{{"error":{{"status":"RESOURCE_EXHAUSTED","details":[{{"@type":"RetryInfo","retryDelay":"{delay}"}}]}}}}"#
            )
        };
        let wait = |delay: &str| refusal(429, body(delay).as_bytes()).detail().unwrap().retry_after;
        assert_eq!(wait("3.5s"), Some(Duration::from_millis(3500)));
        for nonsense in ["", "3", "-1s", "NaNs", "1e300s", "soon"] {
            assert_eq!(wait(nonsense), None, "{nonsense}");
        }
    }
}
