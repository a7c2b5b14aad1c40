//! A message of JSON-RPC as it comes over HTTP. What is none is refused before the protocol's library sees it: that drops or hangs on some
//! of them.

use geonode_protocol::Code;
use rmcp::model::{ClientJsonRpcMessage, RequestId};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// Characters of the text by which a client calls a request.
const ID: usize = 200;

/// Why a message is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    number: i32,
    code: Code,
    message: String,
    /// The request that is refused, where it can be told.
    id: Option<RequestId>,
}

impl Refused {
    /// The answer. It names the request, so that its client does not wait for ever.
    pub(crate) fn answer(&self) -> Value {
        let error = json!({"code": self.number, "message": self.message, "data": {"code": self.code}});
        json!({"jsonrpc": "2.0", "id": self.id, "error": error})
    }

    /// The request that is refused.
    pub(crate) fn id(&self) -> Option<&RequestId> {
        self.id.as_ref()
    }

    /// The same, naming no request: for whoever reads it, that of its ID is another one that goes on.
    pub(crate) fn unnamed(self) -> Self {
        Self { id: None, ..self }
    }

    fn invalid(message: &str) -> Self {
        Self {
            number: -32600,
            code: Code::ToolValidationError,
            message: message.to_owned(),
            id: None,
        }
    }

    /// A request with the ID of one that has no answer yet.
    pub(crate) fn taken() -> Self {
        Self::invalid(
            "The id belongs to a request that has no answer yet, and that goes on. Give each request its own id.",
        )
    }
}

/// The ID of a request, None for a message that needs no answer.
///
/// # Errors
/// Why it is no message.
pub(crate) fn read(body: &[u8]) -> Result<Option<RequestId>, Refused> {
    let value: Value = serde_json::from_slice(body).map_err(|error| Refused {
        number: -32700,
        code: Code::InvalidJson,
        message: format!("The request is not JSON: {error}."),
        id: None,
    })?;
    let fields = match &value {
        Value::Object(fields) => fields,
        Value::Array(_) => {
            return Err(Refused::invalid(
                "Send each message in a request of its own: batches are not read.",
            ));
        }
        _ => {
            return Err(Refused::invalid(
                "The request is no message of JSON-RPC, which is an object.",
            ));
        }
    };
    let id = request(fields)?;
    // As the library reads it: a field that is there twice is none for it.
    if serde_json::from_slice::<ClientJsonRpcMessage>(body).is_err() {
        let text = "The request is no message of JSON-RPC: one object with jsonrpc, id, method and params, each once.";
        return Err(Refused {
            id: id.or_else(|| fields.get("id").and_then(|id| named(id).ok())),
            ..Refused::invalid(text)
        });
    }
    Ok(id)
}

/// The ID of a message that has a method.
fn request(fields: &Map<String, Value>) -> Result<Option<RequestId>, Refused> {
    let (Some(id), true) = (fields.get("id"), fields.contains_key("method")) else {
        return Ok(None);
    };
    named(id).map(Some)
}

fn named(id: &Value) -> Result<RequestId, Refused> {
    match RequestId::deserialize(id) {
        Ok(RequestId::String(text)) if text.chars().count() > ID => Err(Refused::invalid(&format!(
            "The id of a request has at most {ID} characters."
        ))),
        Ok(id) => Ok(id),
        Err(_) => Err(Refused::invalid(
            "The id of a request is a text or a whole number of 64 bits.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<RequestId>, i32> {
        super::read(text.as_bytes()).map_err(|refused| refused.number)
    }

    fn with(id: &str) -> Result<Option<RequestId>, i32> {
        read(&format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "ping"}}"#))
    }

    #[test]
    fn requests_have_a_text_or_a_whole_number() {
        let text = |text: &str| Ok(Some(RequestId::String(text.into())));
        assert_eq!(with("7"), Ok(Some(RequestId::Number(7))));
        assert_eq!(with("-1"), Ok(Some(RequestId::Number(-1))));
        assert_eq!(
            with("9007199254740993"),
            Ok(Some(RequestId::Number(9_007_199_254_740_993)))
        );
        assert_eq!(with("\"7\""), text("7"), "which is not the number");
        assert_eq!(with("\"\""), text(""));
        let long = format!("\"{}\"", "x".repeat(ID + 1));
        for wrong in [
            "null",
            "true",
            "1.5",
            "1e30",
            "18446744073709551615",
            "[1]",
            "{}",
            &long,
        ] {
            assert_eq!(with(wrong), Err(-32600), "{wrong}");
        }
        assert_eq!(
            read(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#),
            Ok(None)
        );
        assert_eq!(
            read(r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#),
            Ok(None),
            "an answer"
        );
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
        for (body, number) in [
            ("", -32700),
            ("{", -32700),
            ("\u{0}", -32700),
            (&"[".repeat(1000), -32700),
            (&format!("{ping}{ping}"), -32700),
            ("[]", -32600),
            (&format!("[{ping}]"), -32600),
            (&format!("[{ping},{ping}]"), -32600),
            ("7", -32600),
            ("null", -32600),
            (r#"{"jsonrpc": "2.0", "id": 1}"#, -32600),
            (r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, -32600),
            (r#"{"id": 1, "method": "ping"}"#, -32600),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": 3}"#, -32600),
            (r#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}"#, -32600),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 3}"#, -32600),
        ] {
            assert_eq!(read(body), Err(number), "{body}");
        }
    }

    #[test]
    fn a_refusal_names_the_request_that_it_can_tell() {
        for (body, id) in [
            (r#"{"jsonrpc": "2.0", "id": 4, "method": 3}"#, json!(4)),
            (
                r#"{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": 3}"#,
                json!("a"),
            ),
            (r#"{"jsonrpc": "2.0", "id": 4}"#, json!(4)),
            (r#"{"id": 4, "method": "ping"}"#, json!(4)),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, Value::Null),
            (r#"{"jsonrpc": "2.0", "id": [4]}"#, Value::Null),
            (r#"[{"jsonrpc": "2.0", "id": 4, "method": "ping"}]"#, Value::Null),
            ("{", Value::Null),
        ] {
            let refused = super::read(body.as_bytes()).unwrap_err();
            assert_eq!(refused.answer()["id"], id, "{body}");
            assert_eq!(refused.unnamed().answer()["id"], Value::Null);
        }
        assert_eq!(Refused::taken().answer()["id"], Value::Null, "the other one goes on");
    }
}
