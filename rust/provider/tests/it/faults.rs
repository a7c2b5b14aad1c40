//! What servers and the proxies before them get wrong, in every dialect that it concerns: repeated fields, refused forms of structured output,
//! reasons in unusual places, tool calls that are hard to tell apart, short contexts, cut prompts, slow models.

use std::fmt::Write as _;
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::common::{DONE, FINISH, OPEN_STREAM, Seen, Server, delta, events, hello, json};
use super::recorded::{self, HELLO, STREAMED, conversation, spoken, text, vendors};
use geonode_protocol::Code;
use geonode_provider::{
    ApiKey, Client, ClientConfig, Departure, Message, Notice, Provider, ProviderError, Request, StreamEvent, ToolCall,
};
use serde_json::{Value, json};

/// What a reply holds, whole or streamed.
#[derive(Debug, Default, PartialEq)]
struct Heard {
    text: String,
    calls: Vec<ToolCall>,
    notices: Vec<Notice>,
}

impl Heard {
    fn codes(&self) -> Vec<Code> {
        self.notices.iter().map(|notice| notice.code).collect()
    }
}

fn stream(client: &Client, request: &Request) -> Result<Heard, ProviderError> {
    let mut heard = Heard::default();
    for event in client.stream(request.clone()).unwrap() {
        match event? {
            StreamEvent::Text { text } => heard.text += &text,
            StreamEvent::ToolCall { call } => heard.calls.push(call),
            StreamEvent::Notice { notice } => heard.notices.push(notice),
            StreamEvent::Usage { .. } | StreamEvent::End { .. } => {}
        }
    }
    Ok(heard)
}

fn send(client: &Client, request: &Request) -> Result<Heard, ProviderError> {
    let response = client.send(request)?;
    let mut notices = response.notices;
    // No vendor has a model of this name.
    notices.retain(|notice| notice.code != Code::UnknownModel);
    Ok(Heard {
        text: response.text,
        calls: response.tool_calls,
        notices,
    })
}

/// Both ways to ask.
type Way = fn(&Client, &Request) -> Result<Heard, ProviderError>;
const WAYS: [(Way, &str); 2] = [(send, HELLO), (stream, STREAMED)];

/// A good answer in a dialect, streamed if the request asks for it.
fn good(provider: Provider, seen: &Seen) -> Vec<u8> {
    let body = seen.json();
    let line = seen.head.lines().next().unwrap_or_default();
    if body["stream"] == json!(true) || line.contains("streamGenerateContent") {
        events(&text(provider, "stream.sse"))
    } else {
        json("200 OK", &recorded::reply(provider))
    }
}

/// How a field is repeated.
#[derive(Debug, Clone, Copy)]
enum Twice {
    Same,
    NullBefore,
    NullAfter,
}

/// The JSON of a value with every field of every object repeated.
fn twice(value: &Value, how: Twice) -> String {
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let (name, value) = (json!(name), twice(value, how));
                match how {
                    Twice::Same => format!("{name}:{value},{name}:{value}"),
                    Twice::NullBefore => format!("{name}:null,{name}:{value}"),
                    Twice::NullAfter => format!("{name}:{value},{name}:null"),
                }
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| twice(item, how)).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

#[test]
fn repeated_fields_are_read_in_every_dialect() {
    for provider in spoken() {
        for how in [Twice::Same, Twice::NullBefore, Twice::NullAfter] {
            let reply = twice(&recorded::read(provider, "reply.json"), how);
            let plain = Server::always(json("200 OK", &recorded::reply(provider)));
            let server = Server::always(json("200 OK", &reply));
            assert_eq!(
                server.client_of(provider).send(&hello()).unwrap(),
                plain.client_of(provider).send(&hello()).unwrap(),
                "{provider:?} {how:?}"
            );
            let mut repeated = 0;
            let line = |line: &str| {
                let data = line
                    .strip_prefix("data: ")
                    .and_then(|data| serde_json::from_str::<Value>(data).ok());
                repeated += usize::from(data.is_some());
                data.map_or_else(|| line.to_owned(), |data| format!("data: {}", twice(&data, how)))
            };
            let lines: Vec<String> = text(provider, "stream.sse").split('\n').map(line).collect();
            assert!(repeated > 1, "{provider:?}");
            let server = Server::always(events(&lines.join("\n")));
            let heard = stream(&server.client_of(provider), &hello()).unwrap();
            assert_eq!(
                (heard.text.as_str(), heard.calls.len()),
                (STREAMED, 1),
                "{provider:?} {how:?}"
            );
            assert_eq!(heard.calls[0].arguments, json!({"at": 1}), "{provider:?} {how:?}");
        }
    }
}

#[test]
fn both_names_of_thoughts_may_come_together() {
    for (one, other) in [
        (json!("a"), json!("a")),
        (json!(null), json!("a")),
        (json!("a"), json!(null)),
        (json!(null), json!(null)),
        (json!({"text": "a"}), json!([])),
    ] {
        let message = json!({"content": "ok", "reasoning": one, "reasoning_content": other, "reasoning_details": null});
        let body = json!({"choices": [{"index": null, "message": message, "finish_reason": "stop"}]});
        let server = Server::always(json("200 OK", &body.to_string()));
        assert_eq!(server.client().send(&hello()).unwrap().text, "ok", "{body}");
        let chunk = json!({"choices": [{"delta": message}]});
        let server = Server::always(events(&format!("data: {chunk}\n\n{FINISH}{DONE}")));
        assert_eq!(stream(&server.client(), &hello()).unwrap().text, "ok", "{chunk}");
    }
}

#[test]
fn a_reason_is_kept_wherever_it_stands() {
    let said = "the moon is full";
    let inner = json!({"error": {"message": said}}).to_string();
    let bodies = [
        json!({"error": said}),
        json!({"error": {"message": said}}),
        json!({"error": {"message": {"message": said}}}),
        json!({"error": {"error": {"error": {"message": said}}}}),
        json!({"error": [{"message": said}]}),
        json!([{"error": {"message": said}}]),
        json!([{"message": said}]),
        json!({"errors": [{"code": 7000, "message": said}]}),
        json!({"errors": [said]}),
        json!({"detail": said}),
        json!({"detail": [{"loc": ["body", "model"], "msg": said, "type": "value_error"}]}),
        json!({"detail": {"error": {"message": said}}}),
        json!({"object": "error", "message": said, "type": "BadRequestError", "param": null, "code": 400}),
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": said}}),
        json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": inner}}}),
        json!({"error": {"message": format!("Upstream - {inner}")}}),
        json!({"message": said}),
        json!({"model": [said]}),
        json!(said),
    ];
    for provider in spoken() {
        for body in &bodies {
            let server = Server::always(json("400 No", &body.to_string()));
            for (way, _) in WAYS {
                let error = way(&server.client_of(provider), &hello()).unwrap_err();
                assert_eq!(error.code(), Code::BadRequest, "{provider:?} {body}: {error}");
                assert!(error.to_string().contains(said), "{provider:?} {body}: {error}");
            }
        }
        let server = Server::always(json("400 No", &inner.repeat(2)));
        let error = send(&server.client_of(provider), &hello()).unwrap_err();
        assert!(error.to_string().contains(said), "{provider:?}: {error}");
    }
}

/// Where a dialect asks for structured output, and the value that asks for JSON of any form.
fn asked_form(provider: Provider, body: &Value) -> &'static str {
    let at = |pointer: &str| body.pointer(pointer).filter(|value| !value.is_null());
    let kind = match provider {
        Provider::OpenAiCompatible => at("/response_format/type"),
        Provider::OpenAi => at("/text/format/type"),
        Provider::Anthropic => at("/output_config/format/type"),
        Provider::Gemini if at("/generationConfig/responseJsonSchema").is_some() => return "schema",
        Provider::Gemini => at("/generationConfig/responseMimeType"),
        Provider::Replay => None,
    };
    match kind.and_then(Value::as_str) {
        Some("json_schema") => "schema",
        Some("json_object" | "application/json") => "json",
        Some(other) => panic!("{other}"),
        None => "words",
    }
}

/// A server that takes requests in these forms alone, and refuses others with a status and a body.
fn picky(provider: Provider, takes: &'static [&'static str], status: &'static str, body: &Value) -> Server {
    let body = body.to_string();
    Server::new(move |_, seen, connection| {
        let answer = if takes.contains(&asked_form(provider, &seen.json())) {
            good(provider, seen)
        } else {
            json(status, &body)
        };
        let _ = connection.write_all(&answer);
    })
}

fn wanting_a_schema() -> Request {
    hello().with_schema(conversation().schema.clone()).unwrap()
}

fn forms(provider: Provider, server: &Server) -> Vec<&'static str> {
    server
        .seen()
        .iter()
        .map(|seen| asked_form(provider, &seen.json()))
        .collect()
}

#[test]
fn a_refused_form_of_output_is_replaced_by_a_weaker_one_and_remembered() {
    let compatible = Provider::OpenAiCompatible;
    let nested = json!({"error": {"message": "This response_format type is unavailable now"}}).to_string();
    let pydantic = json!({"detail": [{"type": "literal_error", "loc": ["body", "response_format", "type"],
        "msg": "Input should be 'text' or 'json_object'", "input": "json_schema"}]});
    let mut table: Vec<(Provider, &'static [&'static str], &str, Value)> = vec![
        // DeepSeek, in both of its wordings.
        (
            compatible,
            &["json", "words"],
            "400 No",
            json!({"error": {"message": "This response_format type is unavailable now", "type": "invalid_request_error",
                "param": null, "code": "invalid_request_error"}}),
        ),
        (
            compatible,
            &["json", "words"],
            "422 No",
            json!({"error": {"message": "Failed to deserialize the JSON body into the target type: response_format: unknown variant \
                `json_schema`, expected `text` or `json_object` at line 1 column 9", "type": "invalid_request_error"}}),
        ),
        // LM Studio: schemas or nothing, and not every schema.
        (
            compatible,
            &["words"],
            "400 No",
            json!({"error": "'response_format.type' must be 'json_schema' or 'text'"}),
        ),
        // Servers with grammars, old ones of llama.cpp among them.
        (
            compatible,
            &["json", "words"],
            "500 Oops",
            json!({"error": {"code": 500, "message": "Failed to initialize samplers: failed to parse grammar", "type": "server_error"}}),
        ),
        (
            compatible,
            &["json", "words"],
            "400 No",
            json!({"error": {"message": "\"response_format\" type must be one of \"text\" or \"json_object\", but got: json_schema"}}),
        ),
        (compatible, &["json", "words"], "422 No", pydantic),
        (
            compatible,
            &["words"],
            "400 No",
            json!({"error": {"message": "This model does not support response format `json_schema`", "param": "response_format"}}),
        ),
        (
            compatible,
            &["json", "words"],
            "400 No",
            json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": nested}}}),
        ),
        // Servers that do not say why.
        (compatible, &["words"], "400 No", json!({})),
        (compatible, &["words"], "400 No", json!({"error": "bad request"})),
    ];
    for provider in vendors() {
        for takes in [&["json", "words"][..], &["words"]] {
            let body = json!({"error": {"message": "This response format is not supported: json_schema", "type": "invalid_request_error",
                "status": "INVALID_ARGUMENT"}});
            table.push((provider, takes, "400 No", body));
        }
    }
    for (provider, takes, status, body) in table {
        for (way, said) in WAYS {
            let server = picky(provider, takes, status, &body);
            let heard = way(&server.client_of(provider), &wanting_a_schema()).unwrap();
            assert_eq!(heard.text, said, "{provider:?} {body}");
            assert_eq!(heard.codes(), [Code::SchemaRefused], "{provider:?} {body}");
            let tried = forms(provider, &server);
            let found = *tried.last().unwrap();
            assert_eq!(tried[0], "schema", "{provider:?} {body}");
            assert!(
                tried.len() == 2 && takes.contains(&found),
                "one fallback: {provider:?} {body}: {tried:?}"
            );
            if found == "json" {
                let body = server.seen().last().unwrap().body.clone();
                assert!(body.contains("JSON Schema"), "the schema is said in words: {body}");
            }
            // Another client of the same server and model begins where this one ended, and says so again.
            let again = way(&server.client_of(provider), &wanting_a_schema()).unwrap();
            assert_eq!(again.codes(), [Code::SchemaRefused], "{provider:?} {body}");
            assert_eq!(forms(provider, &server)[tried.len()..], [found], "{provider:?} {body}");
        }
    }
}

#[test]
fn a_server_that_refuses_what_it_offers_gets_words_the_next_time() {
    let body = json!({"error": {"message": "response_format must be 'text' or 'json_object'"}});
    for (way, said) in WAYS {
        let server = picky(Provider::OpenAiCompatible, &["words"], "400 No", &body);
        let client = server.client_of(Provider::OpenAiCompatible);
        assert_eq!(
            way(&client, &wanting_a_schema()).unwrap_err().code(),
            Code::SchemaRefused
        );
        assert!(!client.takes_schema());
        assert_eq!(way(&client, &wanting_a_schema()).unwrap().text, said);
        assert_eq!(forms(Provider::OpenAiCompatible, &server), ["schema", "json", "words"]);
    }
}

/// What llama.cpp's server lists.
const LLAMA: &str = r#"{"object":"list","data":[{"id":"/models/small.gguf","owned_by":"llamacpp","meta":{"n_ctx":4096,"n_ctx_train":131072}}]}"#;

#[test]
fn a_server_on_this_computer_is_asked_what_it_serves() {
    for model in [None, Some("any".to_owned())] {
        let server = Server::new(|_, seen, connection| {
            let list = seen.head.starts_with("GET ");
            let answer = if list {
                json("200 OK", LLAMA)
            } else {
                good(Provider::OpenAiCompatible, seen)
            };
            let _ = connection.write_all(&answer);
        });
        let config = || ClientConfig {
            model: model.clone(),
            ..server.config()
        };
        let client = Client::new(config()).unwrap();
        assert_eq!((client.window(), client.takes_schema_with_tools()), (None, true));
        client.look_around().unwrap();
        client.look_around().unwrap();
        assert_eq!((client.window(), client.takes_schema_with_tools()), (Some(4096), false));
        assert!(client.takes_schema());
        assert_eq!(server.seen().len(), 1, "once");
        send(&client, &hello()).unwrap();
        assert_eq!(server.seen().len(), 2, "the first model is known");
        if model.is_some() {
            assert_eq!(Client::new(config()).unwrap().window(), Some(4096));
        }
    }
    // One that does not answer is no trouble, and is not asked again.
    let server = Server::always(json("501 No", "{}"));
    let client = server.client();
    client.look_around().unwrap();
    client.look_around().unwrap();
    assert_eq!((client.window(), server.seen().len()), (None, 1));
}

#[test]
fn refusals_for_other_reasons_find_no_fallback() {
    for provider in spoken() {
        for (status, code) in [
            ("401 Who", Code::AuthFailed),
            ("402 Pay", Code::QuotaExhausted),
            ("413 Long", Code::ContextTooLong),
        ] {
            let server = Server::always(json(status, r#"{"error":{"message":"x"}}"#));
            for (way, _) in WAYS {
                assert_eq!(
                    way(&server.client_of(provider), &wanting_a_schema())
                        .unwrap_err()
                        .code(),
                    code
                );
            }
            assert_eq!(server.seen().len(), 2, "{provider:?} {status}");
        }
        // A refusal that names no reason is the one that is reported, and what is not wrong with the form is not remembered.
        for (message, tried) in [
            ("the moon is full", &["schema"][..]),
            ("Bad Request.", &["schema", "words"]),
        ] {
            let server = Server::always(json("400 No", &json!({"error": {"message": message}}).to_string()));
            for (way, _) in WAYS {
                let before = server.seen().len();
                let error = way(&server.client_of(provider), &wanting_a_schema()).unwrap_err();
                assert_eq!(error.code(), Code::BadRequest, "{provider:?}");
                assert_eq!(forms(provider, &server)[before..], *tried, "{provider:?} {message}");
            }
        }
    }
}

#[test]
fn a_server_that_takes_tools_or_a_schema_is_asked_for_one_of_them() {
    let body = json!({"error": {"code": 400, "message": "Cannot use custom grammar constraints with tools.", "type": "invalid_request_error"}});
    let compatible = Provider::OpenAiCompatible;
    let server = Server::new(move |_, seen, connection| {
        let (sent, refused) = (seen.json(), json("400 No", &body.to_string()));
        let both = sent.get("tools").is_some() && sent.get("response_format").is_some();
        let _ = connection.write_all(&if both { refused } else { good(compatible, seen) });
    });
    let with_tools = conversation();
    for (way, said) in WAYS {
        let client = server.client_of(compatible);
        assert_eq!(way(&client, &with_tools).unwrap().text, said);
        assert!(!client.takes_schema_with_tools());
        assert_eq!(way(&client, &wanting_a_schema()).unwrap().codes(), []);
    }
    let tried = forms(compatible, &server);
    assert_eq!(tried, ["schema", "words", "schema", "words", "schema"]);
    // Gemini is known for it, and others are not.
    for provider in vendors() {
        let gemini = provider == Provider::Gemini;
        let server = Server::new(move |_, seen, connection| {
            let _ = connection.write_all(&good(provider, seen));
        });
        let client = server.client_of(provider);
        assert_eq!(client.takes_schema_with_tools(), !gemini, "{provider:?}");
        send(&client, &with_tools).unwrap();
        assert_eq!(
            forms(provider, &server),
            [if gemini { "words" } else { "schema" }],
            "{provider:?}"
        );
    }
}

/// Names and arguments of calls.
fn named(calls: &[ToolCall]) -> Vec<(String, Value)> {
    calls
        .iter()
        .map(|call| (call.name.clone(), call.arguments.clone()))
        .collect()
}

#[test]
fn parallel_calls_stay_apart_whatever_their_numbers() {
    let expected = [
        ("look".to_owned(), json!({"at": 1})),
        ("look".to_owned(), json!({"at": 2})),
        ("see".to_owned(), json!({})),
    ];
    let call = |index: Option<u64>, id: &str, name: &str, arguments: &str| {
        let mut call = json!({"type": "function", "function": {"arguments": arguments}});
        for (at, value) in [("index", json!(index)), ("id", json!(id))] {
            if value != json!(null) && value != json!("") {
                call[at] = value;
            }
        }
        if !name.is_empty() {
            call["function"]["name"] = name.into();
        }
        call
    };
    let three = |index: fn(u64) -> Option<u64>, id: fn(u64) -> &'static str| {
        vec![
            call(index(0), id(0), "look", r#"{"at":1}"#),
            call(index(1), id(1), "look", r#"{"at":2}"#),
            call(index(2), id(2), "see", "{}"),
        ]
    };
    let ids = |n: u64| ["a", "b", "c"][usize::try_from(n).unwrap()];
    let whole = [
        three(|_| Some(0), ids),
        three(|_| None, ids),
        three(|_| None, |_| ""),
        three(|_| Some(0), |_| ""),
        three(|_| Some(0), |_| "same"),
        three(Some, ids),
    ];
    for calls in &whole {
        let message = json!({"content": null, "tool_calls": calls});
        let body = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
        let server = Server::always(json("200 OK", &body.to_string()));
        assert_eq!(
            named(&server.client().send(&hello()).unwrap().tool_calls),
            expected,
            "{body}"
        );
    }
    // Streams of the same: each call in an event of its own, all in one event, and in pieces.
    let mut streams: Vec<Vec<Vec<Value>>> = Vec::new();
    for calls in &whole {
        streams.push(calls.iter().map(|call| vec![call.clone()]).collect());
        streams.push(vec![calls.clone()]);
    }
    let pieces =
        |index: fn(u64) -> Option<u64>, id: fn(u64) -> &'static str, later: fn(u64) -> &'static str, name: bool| {
            let again = |text: &'static str| if name { text } else { "" };
            vec![
                vec![call(index(0), id(0), "look", "")],
                vec![call(index(0), later(0), again("look"), r#"{"at""#)],
                vec![call(index(0), later(0), again("look"), ":1}")],
                vec![call(index(1), id(1), "look", r#"{"at""#)],
                vec![call(index(1), later(1), again("look"), ":2}")],
                vec![call(index(2), id(2), "see", "")],
            ]
        };
    for name in [false, true] {
        streams.push(pieces(Some, ids, |_| "", name));
        streams.push(pieces(Some, ids, ids, name));
        streams.push(pieces(|_| Some(0), ids, |_| "", name));
        streams.push(pieces(|_| None, ids, |_| "", name));
        streams.push(pieces(|_| None, ids, ids, name));
        streams.push(pieces(|_| None, |_| "", |_| "", name));
    }
    // Pieces of several calls in turn.
    streams.push(vec![
        vec![call(Some(0), "a", "look", ""), call(Some(1), "b", "look", "")],
        vec![call(Some(0), "", "", r#"{"at":1"#), call(Some(1), "", "", r#"{"at":2"#)],
        vec![call(Some(1), "", "", "}"), call(Some(0), "", "", "}")],
        vec![call(Some(2), "c", "see", "{}")],
    ]);
    streams.push(vec![
        vec![
            call(None, "a", "look", ""),
            call(None, "b", "look", ""),
            call(None, "c", "see", ""),
        ],
        vec![call(None, "", "", r#"{"at":1"#), call(None, "", "", r#"{"at":2"#)],
        vec![call(None, "", "", "}"), call(None, "", "", "}")],
    ]);
    for chunks in streams {
        let chunk =
            |calls: &Vec<Value>| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": calls}}]}));
        let body: String = chunks.iter().map(chunk).collect();
        let server = Server::always(events(&format!("{body}{FINISH}{DONE}")));
        let heard = stream(&server.client(), &hello()).unwrap();
        assert_eq!(named(&heard.calls), expected, "{body}");
    }
}

#[test]
fn parallel_calls_stay_apart_in_the_vendors_dialects() {
    let expected = [
        ("look".to_owned(), json!({"at": 1})),
        ("look".to_owned(), json!({"at": 2})),
    ];
    let anthropic = |numbers: [Option<u64>; 2], whole: bool| {
        let mut all = String::new();
        for (number, at) in numbers.into_iter().zip([1, 2]) {
            let input = if whole { json!({ "at": at }) } else { json!({}) };
            let start = json!({"type": "content_block_start", "index": number,
                "content_block": {"type": "tool_use", "id": format!("c{at}"), "name": "look", "input": input}});
            write!(all, "data: {start}\n\n").unwrap();
            for piece in ["{\"at\"".to_owned(), format!(":{at}}}")] {
                let piece = json!({"type": "content_block_delta", "index": number,
                    "delta": {"type": "input_json_delta", "partial_json": piece}});
                if !whole {
                    write!(all, "data: {piece}\n\n").unwrap();
                }
            }
        }
        all + "data: {\"type\":\"message_stop\"}\n\n"
    };
    let responses = |id: &str, call_id: &str| {
        let item = |at: u64| {
            let mut item =
                json!({"type": "function_call", "name": "look", "arguments": json!({ "at": at }).to_string()});
            item[id] = format!("i{at}").into();
            item[call_id] = json!(null);
            format!(
                "data: {}\n\n",
                json!({"type": "response.output_item.done", "output_index": 0, "item": item})
            )
        };
        let end = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
        format!("{}{}data: {end}\n\n", item(1), item(2))
    };
    let gemini = |id: Value| {
        let part = |at: u64| json!({"functionCall": {"id": id, "name": "look", "args": {"at": at}}});
        let chunk = json!({"candidates": [{"content": {"parts": [part(1), part(2)]}, "finishReason": "STOP"}]});
        format!("data: {chunk}\n\n")
    };
    for (provider, body) in [
        (Provider::Anthropic, anthropic([Some(1), Some(2)], false)),
        (Provider::Anthropic, anthropic([Some(0), Some(0)], false)),
        (Provider::Anthropic, anthropic([None, None], false)),
        (Provider::Anthropic, anthropic([Some(0), Some(0)], true)),
        (Provider::OpenAi, responses("id", "call_id")),
        (Provider::OpenAi, responses("call_id", "id")),
        (Provider::Gemini, gemini(json!(null))),
        (Provider::Gemini, gemini(json!("same"))),
    ] {
        let server = Server::always(events(&body));
        let heard = stream(&server.client_of(provider), &hello()).unwrap();
        assert_eq!(named(&heard.calls), expected, "{provider:?} {body}");
        if provider == Provider::OpenAi {
            assert_ne!(heard.calls[0].id, heard.calls[1].id, "{body}");
        }
    }
}

#[test]
fn the_length_that_a_server_names_is_known_afterwards() {
    let refusals = [
        json!({"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error",
            "n_prompt_tokens": 9000, "n_ctx": 4096}}),
        json!({"error": {"message": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
            "type": "invalid_request_error", "status": "INVALID_ARGUMENT"}}),
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9000 tokens > 4096 maximum"}}),
        json!([{"error": {"status": "INVALID_ARGUMENT",
            "message": "The input token count (9000) exceeds the maximum number of tokens allowed (4096)."}}]),
        json!({"error": "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context \
            length of only 4096 tokens, which is not enough"}),
    ];
    for provider in spoken() {
        for body in &refusals {
            for (way, _) in WAYS {
                let server = Server::always(json("400 No", &body.to_string()));
                let client = server.client_of(provider);
                assert_eq!(client.window(), None);
                let error = way(&client, &hello()).unwrap_err();
                assert_eq!(error.code(), Code::ContextTooLong, "{provider:?} {body}: {error}");
                assert_eq!(error.reads(), Some(4096), "{provider:?} {body}");
                assert_eq!(server.client_of(provider).window(), Some(4096), "{provider:?} {body}");
            }
        }
    }
}

#[test]
fn a_prompt_that_the_server_cut_is_noticed() {
    let long = Request::new(vec![Message::user("Where is the moon? ".repeat(3000))]).unwrap();
    let places = [
        (Provider::OpenAiCompatible, "prompt_tokens"),
        (Provider::OpenAi, "input_tokens"),
        (Provider::Anthropic, "input_tokens"),
        (Provider::Gemini, "promptTokenCount"),
    ];
    assert_eq!(places.len(), spoken().len());
    for (provider, name) in places {
        for (count, cut) in [(4096, true), (15_000, false)] {
            let counted = |text: &str| {
                let (nine, three) = (format!("\"{name}\":9"), format!("\"{name}\":3"));
                let count = format!("\"{name}\":{count}");
                text.replace(&nine, &count).replace(&three, &count)
            };
            let (whole, streamed) = (
                counted(&recorded::reply(provider)),
                counted(&text(provider, "stream.sse")),
            );
            for (way, body) in [(send as Way, json("200 OK", &whole)), (stream, events(&streamed))] {
                let server = Server::always(body);
                let heard = way(&server.client_of(provider), &long).unwrap();
                let expected = if cut { vec![Code::PromptCut] } else { Vec::new() };
                assert_eq!(heard.codes(), expected, "{provider:?} {count}");
                let window = server.client_of(provider).window();
                assert_eq!(window.is_some(), cut, "{provider:?} {count}: {window:?}");
            }
        }
    }
}

/// Answers after a while: at first with nothing, then with a sign of life that is no content.
fn slow(while_: Duration) -> Server {
    Server::new(move |_, seen, connection| {
        let streamed = seen.json()["stream"] == json!(true);
        thread::sleep(while_);
        if streamed {
            let role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
            let _ = connection.write_all(format!("{OPEN_STREAM}: working\n\n{role}").as_bytes());
            thread::sleep(while_);
            let _ = connection.write_all(format!("{}{FINISH}{DONE}", delta("ok")).as_bytes());
        } else {
            let _ = connection.write_all(&json("200 OK", &super::common::reply("ok")));
        }
    })
}

#[test]
fn a_slow_model_on_this_computer_is_waited_for_and_asked_once() {
    let config = |server: &Server, local_timeout| ClientConfig {
        timeout: Duration::from_millis(300),
        local_timeout,
        max_retries: 2,
        ..server.config()
    };
    for (way, _) in WAYS {
        let server = slow(Duration::from_millis(700));
        let patient = Client::new(config(&server, Some(Duration::from_secs(20)))).unwrap();
        assert_eq!(way(&patient, &hello()).unwrap().text, "ok");
        assert_eq!(server.seen().len(), 1);
        // Without patience it is late, but still busy: it is not asked again.
        let server = slow(Duration::from_millis(700));
        let hasty = Client::new(config(&server, None)).unwrap();
        assert_eq!(way(&hasty, &hello()).unwrap_err().code(), Code::Timeout);
        thread::sleep(Duration::from_millis(1500));
        assert_eq!(server.seen().len(), 1);
    }
    // Patience is for the prompt: a model that stops in the middle is late at once.
    let server = Server::new(|_, _, connection| {
        let _ = connection.write_all(format!("{OPEN_STREAM}{}", delta("o")).as_bytes());
        thread::sleep(Duration::from_secs(5));
    });
    let patient = Client::new(config(&server, Some(Duration::from_secs(20)))).unwrap();
    let error = stream(&patient, &hello()).unwrap_err();
    assert!(error.to_string().contains("0.3 s"), "{error}");
}

#[test]
fn a_departure_is_told_only_of_what_leaves() {
    let told = |client: &Client, request: &Request| {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let telling = client.telling(Departure::new(move || {
            counter.fetch_add(1, Ordering::SeqCst);
        }));
        let results = WAYS.map(|(way, _)| way(&telling, request).is_ok());
        (count.load(Ordering::SeqCst), results)
    };
    for provider in spoken() {
        let server = Server::new(move |_, seen, connection| {
            let _ = connection.write_all(&good(provider, seen));
        });
        assert_eq!(
            told(&server.client_of(provider), &hello()),
            (2, [true, true]),
            "{provider:?}"
        );
        assert_eq!(server.seen().len(), 2);
        let refusing = Server::always(json("401 Who", "{}"));
        assert_eq!(
            told(&refusing.client_of(provider), &hello()),
            (2, [false, false]),
            "{provider:?}"
        );
        // Nothing listens, no such host, a connection that is no TLS.
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        for base_url in [
            format!("http://{closed}/v1"),
            "https://no-such-host.invalid/v1".to_owned(),
            server.base_url.replace("http:", "https:"),
        ] {
            let client = Client::new(ClientConfig {
                base_url: Some(base_url.clone()),
                api_key: Some(ApiKey::new("sk-very-secret").unwrap()),
                provider,
                ..server.config()
            });
            assert_eq!(
                told(&client.unwrap(), &hello()),
                (0, [false, false]),
                "{provider:?} {base_url}"
            );
        }
    }
    let moved = Server::script(vec![
        super::common::http("307 Temporary", "location: /v2/chat\r\n", ""),
        json("200 OK", &super::common::reply("ok")),
    ]);
    let client = moved.client();
    let body = |seen: &Seen| seen.json()["messages"].clone();
    assert_eq!(told(&client, &hello()), (3, [true, true]));
    assert_eq!(body(&moved.seen()[0]), body(&moved.seen()[1]));
    assert!(moved.seen()[0].head.to_ascii_lowercase().contains("content-length: "));
}
