//! Error bodies and events of Anthropic's interface.

use serde_json::{Map, Value};

use crate::dialect::error_body::{flat, flat_bytes, text};
use crate::dialect::openai_error;
use crate::error::{Detail, ProviderError};

/// What an error answer means.
pub(super) fn refusal(status: u16, body: &[u8]) -> ProviderError {
    match serde_json::from_slice::<Value>(body) {
        Ok(body) => fault(status, &body),
        Err(_) => from_fields(status, &flat_bytes(body)),
    }
}

/// What an error body or event means; `status` is 0 inside a stream.
pub(super) fn fault(status: u16, body: &Value) -> ProviderError {
    from_fields(status, &flat(body))
}

fn from_fields(status: u16, error: &Map<String, Value>) -> ProviderError {
    let message = text(error, "message");
    let detail = || Box::new(Detail::quote(message));
    let spent = error
        .get("details")
        .and_then(|details| details.get("error_code"))
        .is_some_and(|code| code == "enforced_spend_limit_reached");
    let lower = message.to_ascii_lowercase();
    let fault = match text(error, "type") {
        _ if spent || status == 402 => ProviderError::QuotaExhausted(detail()),
        "billing_error" => ProviderError::QuotaExhausted(detail()),
        "authentication_error" | "permission_error" => ProviderError::AuthFailed(detail()),
        "rate_limit_error" => ProviderError::RateLimited(detail()),
        "overloaded_error" | "timeout_error" if status != 408 => ProviderError::Overloaded(detail()),
        "api_error" if status != 408 && !openai_error::about_form(message) => ProviderError::Overloaded(detail()),
        "request_too_large" => openai_error::too_long(error),
        "not_found_error" if lower != "not found" => ProviderError::UnknownModel(detail()),
        // These come under one type; only the words tell them apart.
        "invalid_request_error" if lower.contains("spend limit") || lower.contains("credit balance") => {
            ProviderError::QuotaExhausted(detail())
        }
        _ => openai_error::from_fields(status, status != 404, error),
    };
    let request_id = text(error, "request_id");
    fault.with(|detail| detail.request_id = (!request_id.is_empty()).then(|| request_id.to_owned()))
}

#[cfg(test)]
mod tests {
    use geonode_protocol::Code;

    use super::*;

    #[test]
    fn every_row_of_the_error_table_gives_its_error() {
        let table: &[(u16, &str, Code)] = &[
            (
                401,
                r#"{"type":"error","error":{"type":"authentication_error","message":"x"}}"#,
                Code::AuthFailed,
            ),
            (
                403,
                r#"{"type":"error","error":{"type":"permission_error","message":"x"}}"#,
                Code::AuthFailed,
            ),
            (
                429,
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"x"}}"#,
                Code::RateLimited,
            ),
            (
                429,
                r#"{"error":{"type":"rate_limit_error","message":"x","details":{"error_code":"enforced_spend_limit_reached"}}}"#,
                Code::QuotaExhausted,
            ),
            (
                402,
                r#"{"type":"error","error":{"type":"billing_error","message":"x"}}"#,
                Code::QuotaExhausted,
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"over your spend limit"}}"#,
                Code::QuotaExhausted,
            ),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#,
                Code::Overloaded,
            ),
            (
                504,
                r#"{"type":"error","error":{"type":"timeout_error","message":"x"}}"#,
                Code::Overloaded,
            ),
            (
                500,
                r#"{"type":"error","error":{"type":"api_error","message":"x"}}"#,
                Code::Overloaded,
            ),
            (529, "", Code::Overloaded),
            (
                413,
                r#"{"error":{"type":"request_too_large","message":"x"}}"#,
                Code::ContextTooLong,
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#,
                Code::ContextTooLong,
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"compiled grammar is too large"}}"#,
                Code::SchemaRefused,
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"x"}}"#,
                Code::BadRequest,
            ),
            (
                404,
                r#"{"error":{"type":"not_found_error","message":"model: claude-x"}}"#,
                Code::UnknownModel,
            ),
            (
                404,
                r#"{"error":{"type":"not_found_error","message":"Not Found"}}"#,
                Code::BadResponse,
            ),
            (
                0,
                r#"{"error":{"type":"overloaded_error","message":"x"}}"#,
                Code::Overloaded,
            ),
        ];
        for (status, body, code) in table {
            let error = refusal(*status, body.as_bytes());
            assert_eq!(error.code(), *code, "{status} {body}: {error}");
        }
    }
}
