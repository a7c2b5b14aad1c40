//! Error bodies of the Chat Completions and Responses interfaces, and of the many servers that imitate them.

use serde_json::{Map, Value};

use super::error_body::{flat, flat_bytes, text};
use super::window;
use crate::error::{Detail, ProviderError};

/// Words about the form of the answer, whatever else stands beside them.
const FORM: [&str; 15] = [
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "structured output",
    "grammar",
    "guided",
    "text.format",
    "output_config",
    "output_format",
    "responsejsonschema",
    "responsemimetype",
    "response mime type",
];

/// Words that make a schema one of a tool.
const OF_A_TOOL: [&str; 5] = ["function", "tools.", "tools[", "input_schema", "parameters"];

/// Words about the length of a request.
const LENGTH: [&str; 12] = [
    "context length",
    "context window",
    "context size",
    "maximum context",
    "n_ctx",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "token count",
    "number of tokens",
    "max_new_tokens` must be",
    "reduce the length",
];

/// What an error answer means. `status` is the HTTP status, or 0 when the error came inside a success.
pub(super) fn refusal(status: u16, body: &[u8]) -> ProviderError {
    let enveloped = serde_json::from_slice::<Value>(body).is_ok_and(|body| is_envelope(&body));
    from_fields(status, enveloped, &flat_bytes(body))
}

/// What an `error` value means, wherever it was found.
pub(super) fn from_error(status: u16, error: &Value) -> ProviderError {
    from_fields(status, true, &flat(error))
}

/// Whether a body is an error of this interface.
fn is_envelope(body: &Value) -> bool {
    match body {
        Value::Array(items) => items.first().is_some_and(is_envelope),
        body => body.get("error").is_some() || body.get("object").is_some_and(|object| object == "error"),
    }
}

/// What an error means. `enveloped`: it has the form of this interface, so the path was right.
pub(super) fn from_fields(status: u16, enveloped: bool, error: &Map<String, Value>) -> ProviderError {
    let message = text(error, "message");
    let (kind, code) = (text(error, "type"), text(error, "code"));
    // llama.cpp and OpenRouter put the status into `code`.
    let of_status = |name: &str| u16::try_from(error.get(name)?.as_u64()?).ok();
    let inner = of_status("code").or_else(|| of_status("http"));
    let status = if status >= 400 {
        status
    } else {
        inner.filter(|code| (400..600).contains(code)).unwrap_or(status)
    };
    let detail = || Box::new(Detail::quote(message));
    for word in [code, kind] {
        match word {
            "insufficient_quota" | "credit_balance_exhausted" | "billing_hard_limit_reached" => {
                return ProviderError::QuotaExhausted(detail());
            }
            "context_length_exceeded" | "exceed_context_size_error" | "string_above_max_length" => {
                return too_long(error);
            }
            "model_not_found" => return ProviderError::UnknownModel(detail()),
            "content_filter" | "content_policy_violation" | "moderation_blocked" => {
                return ProviderError::ContentRefused(detail());
            }
            "invalid_api_key" | "authentication_error" => return ProviderError::AuthFailed(detail()),
            "rate_limit_exceeded" | "slow_down" => return ProviderError::RateLimited(detail()),
            "invalid_json_schema" => return ProviderError::SchemaRefused(detail()),
            "server_error" | "overloaded_error" | "unavailable_error" if status < 400 => {
                return ProviderError::Overloaded(detail());
            }
            _ => {}
        }
    }
    // No code tells these two apart from other refusals; the field that is at fault, or the words, do. Some servers fail on them.
    if status < 400 || matches!(status, 400 | 415 | 422 | 500 | 501) {
        if about_form(message) || about_form(text(error, "param")) {
            return ProviderError::SchemaRefused(detail());
        }
        if about_length(message) {
            return too_long(error);
        }
    }
    if status == 413 {
        return too_long(error);
    }
    by_status(status, enveloped, message)
}

/// A request that was too long, with what the server says about lengths.
pub(super) fn too_long(error: &Map<String, Value>) -> ProviderError {
    ProviderError::ContextTooLong(Box::new(Detail {
        context_tokens: window::served(error),
        request_tokens: window::asked(error),
        ..Detail::quote(text(error, "message"))
    }))
}

/// Whether words are about the form of the answer: a schema, or another form of structured output.
pub(super) fn about_form(words: &str) -> bool {
    let lower = words.to_ascii_lowercase();
    let has = |all: &[&str]| all.iter().any(|one| lower.contains(one));
    has(&FORM) || (lower.contains("schema") && !has(&OF_A_TOOL))
}

/// Whether words are about the length of the request.
pub(super) fn about_length(words: &str) -> bool {
    let lower = words.to_ascii_lowercase();
    LENGTH.iter().any(|one| lower.contains(one))
}

/// What a status means. `enveloped`: the body was an error of this interface, so the path was right.
pub(super) fn by_status(status: u16, enveloped: bool, message: &str) -> ProviderError {
    let detail = || Box::new(Detail::quote(message));
    match status {
        401 | 403 => ProviderError::AuthFailed(detail()),
        402 => ProviderError::QuotaExhausted(detail()),
        // Some servers name a wrong path in the same envelope as everything else.
        404 if enveloped && !matches!(message, "File Not Found" | "Not Found") => ProviderError::UnknownModel(detail()),
        404 | 405 => ProviderError::BadResponse {
            what: "The address does not offer this interface. The path is probably wrong; it usually ends in /v1."
                .into(),
            detail: detail(),
        },
        408 => ProviderError::Timeout {
            what: "the server gave up waiting".into(),
            detail: detail(),
        },
        409 | 500.. => ProviderError::Overloaded(detail()),
        413 => ProviderError::ContextTooLong(detail()),
        429 => ProviderError::RateLimited(detail()),
        400.. => ProviderError::BadRequest(detail()),
        _ => ProviderError::BadResponse {
            what: "The endpoint reported a failure.".into(),
            detail: detail(),
        },
    }
}

#[cfg(test)]
mod tests {
    use geonode_protocol::Code;

    use super::*;

    #[test]
    #[allow(clippy::too_many_lines, reason = "it is a table")]
    fn every_row_of_the_table_gives_its_error() {
        let table: &[(u16, &str, Code)] = &[
            (
                401,
                r#"{"error":{"message":"bad","type":"invalid_request_error","code":"invalid_api_key"}}"#,
                Code::AuthFailed,
            ),
            (403, r#"{"error":{"message":"no"}}"#, Code::AuthFailed),
            (
                402,
                r#"{"error":{"code":402,"message":"Insufficient credits"}}"#,
                Code::QuotaExhausted,
            ),
            (
                429,
                r#"{"error":{"message":"slow","code":"rate_limit_exceeded"}}"#,
                Code::RateLimited,
            ),
            (
                429,
                r#"{"error":{"message":"slow","code":"slow_down"}}"#,
                Code::RateLimited,
            ),
            (
                429,
                r#"{"error":{"message":"x","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                Code::QuotaExhausted,
            ),
            (
                429,
                r#"{"error":{"message":"x","code":"credit_balance_exhausted"}}"#,
                Code::QuotaExhausted,
            ),
            (429, "", Code::RateLimited),
            (500, "oops", Code::Overloaded),
            (501, "", Code::Overloaded),
            (502, "<html><h1>Bad gateway</h1>", Code::Overloaded),
            (
                503,
                r#"{"error":{"message":"loading model","type":"unavailable_error","code":503}}"#,
                Code::Overloaded,
            ),
            (
                400,
                r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#,
                Code::ContextTooLong,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"x","type":"exceed_context_size_error","n_ctx":512}}"#,
                Code::ContextTooLong,
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#,
                Code::ContextTooLong,
            ),
            (413, "", Code::ContextTooLong),
            (
                400,
                r#"{"error":{"message":"Invalid schema for response_format 'plan'","param":"response_format"}}"#,
                Code::SchemaRefused,
            ),
            (
                400,
                r#"{"error":{"message":"x","code":"content_policy_violation"}}"#,
                Code::ContentRefused,
            ),
            (400, r#"{"error":{"message":"x"}}"#, Code::BadRequest),
            (400, r#"{"error":"x"}"#, Code::BadRequest),
            (422, r#"{"detail":"field required"}"#, Code::BadRequest),
            (418, "teapot", Code::BadRequest),
            (
                404,
                r#"{"error":{"message":"x","code":"model_not_found"}}"#,
                Code::UnknownModel,
            ),
            (
                404,
                r#"{"error":{"message":"model 'x' not found, try pulling it first"}}"#,
                Code::UnknownModel,
            ),
            (
                404,
                r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#,
                Code::BadResponse,
            ),
            (404, r#"{"detail":"Not Found"}"#, Code::BadResponse),
            (
                404,
                r#"{"error":{"message":"Not Found","type":"invalid_request_error","code":"not_found"}}"#,
                Code::BadResponse,
            ),
            (404, "404 page not found", Code::BadResponse),
            (405, "", Code::BadResponse),
            (408, "", Code::Timeout),
            (409, "", Code::Overloaded),
            (0, r#"{"error":{"code":429,"message":"upstream"}}"#, Code::RateLimited),
            (0, r#"{"error":{"code":502,"message":"upstream"}}"#, Code::Overloaded),
            (
                0,
                r#"{"error":{"type":"server_error","message":"sorry"}}"#,
                Code::Overloaded,
            ),
            (0, r#"{"error":{"message":"sorry"}}"#, Code::BadResponse),
        ];
        for (status, body, code) in table {
            let error = refusal(*status, body.as_bytes());
            assert_eq!(error.code(), *code, "{status} {body}: {error}");
        }
    }

    #[test]
    fn web_pages_and_control_characters_are_not_quoted() {
        assert!(!refusal(502, b"<html><script>x</script>").to_string().contains("script"));
        let error = refusal(400, b"{\"error\":{\"message\":\"a\\u001b[31mb\\r\\n\\u202ec\"}}");
        assert_eq!(error.detail().unwrap().message.as_deref(), Some("a [31mb c"));
        let long = format!("{{\"error\":{{\"message\":\"{}\"}}}}", "x".repeat(100_000));
        assert!(refusal(400, long.as_bytes()).to_string().len() < 500);
    }
}
