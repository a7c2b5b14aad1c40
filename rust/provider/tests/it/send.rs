//! `send` and `models` against servers that answer well, badly, late, too much, or not at all.

use std::io::Write;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use super::common::{Server, hello, http, json, reply};
use geonode_protocol::Code;
use geonode_provider::{
    ApiKey, Client, ClientConfig, Content, Filter, FinishReason, Message, Options, Part, Provider, ProviderError,
    Request, Role, Tool, ToolCall, Usage,
};
use serde_json::json;

fn failure(bytes: impl Into<Vec<u8>>) -> ProviderError {
    Server::always(bytes).client().send(&hello()).unwrap_err()
}

#[test]
fn every_part_of_a_reply_is_read() {
    let body = json!({
        "model": "served-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "content": "half \u{1F600}", "reasoning_content": "secret thoughts",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"at\": \"Rock\"}"}},
                {"id": "c2", "type": "function", "function": {"name": "broken", "arguments": "{\"at\":"}},
                {"id": "c3", "type": "function", "function": {"name": "bare", "arguments": ""}}]}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60},
                  "completion_tokens_details": {"reasoning_tokens": 8}}
    });
    let server = Server::always(http(
        "200 OK",
        "content-type: application/json; charset=utf-8\r\nx-request-id: req_7\r\n",
        &body.to_string(),
    ));
    let response = server.client().send(&hello()).unwrap();
    assert_eq!(response.text, "half 😀");
    assert_eq!(response.finish_reason, FinishReason::Tool);
    assert_eq!(response.model, "served-1");
    assert_eq!(response.request_id.as_deref(), Some("req_7"));
    let arguments: Vec<_> = response.tool_calls.iter().map(|call| call.arguments.clone()).collect();
    assert_eq!(arguments, [json!({"at": "Rock"}), json!("{\"at\":"), json!({})]);
    assert_eq!(
        response.usage,
        Some(Usage {
            input_tokens: Some(100),
            output_tokens: Some(20),
            cached_tokens: Some(60),
            cache_write_tokens: None,
            reasoning_tokens: Some(8),
        })
    );
}

#[test]
fn finish_reasons_and_missing_figures() {
    let table = [
        (json!({"content": "x"}), json!("stop"), "done", "x"),
        (json!({"content": "x"}), json!("length"), "truncated", "x"),
        (json!({"content": ""}), json!("content_filter"), "refused", ""),
        (
            json!({"content": null, "refusal": "I cannot"}),
            json!("stop"),
            "refused",
            "I cannot",
        ),
        (json!({"content": "x"}), json!("moon_phase"), "other:moon_phase", "x"),
        (
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
            json!(null),
            "other:none",
            "ab",
        ),
    ];
    for (message, finish, wire, text) in table {
        let body = json!({"choices": [{"message": message, "finish_reason": finish}], "usage": null});
        let response = Server::always(json("200 OK", &body.to_string()))
            .client()
            .send(&hello())
            .unwrap();
        assert_eq!(
            (response.finish_reason.wire().as_str(), response.text.as_str()),
            (wire, text)
        );
        assert_eq!(response.usage, None);
    }
}

#[test]
fn a_request_is_sent_in_the_expected_form() {
    let server = Server::always(json("200 OK", &reply("ok")));
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                        "additionalProperties": false});
    let call = ToolCall {
        id: "c1".into(),
        name: "look".into(),
        arguments: json!({"at": "Rock"}),
    };
    let request = Request::builder(vec![
        Message::new(Role::System, "Be kind."),
        Message {
            content: Content::Parts(vec![
                Part::Text { text: "see".into() },
                Part::Image {
                    media_type: "image/png".into(),
                    data: "AAAA".into(),
                },
            ]),
            ..Message::user("")
        },
        Message {
            tool_calls: vec![call],
            ..Message::new(Role::Assistant, "")
        },
        Message {
            tool_call_id: Some("c1".into()),
            ..Message::new(Role::Tool, "grey")
        },
    ])
    .system(Some("Be brief.".into()))
    .schema(Some(schema.clone()))
    .tools(vec![Tool {
        name: "look".into(),
        description: "looks".into(),
        input_schema: json!({"type": "object"}),
    }])
    .max_tokens(Some(77))
    .options(Options {
        temperature: Some(0.5),
        seed: Some(3),
    })
    .build()
    .unwrap();
    let key = ApiKey::new("sk-very-secret").unwrap();
    Client::new(ClientConfig {
        api_key: Some(key),
        ..server.config()
    })
    .unwrap()
    .send(&request)
    .unwrap();
    server.client().send(&hello()).unwrap();

    let seen = server.seen();
    let head = seen[0].head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains("authorization: bearer sk-very-secret"));
    assert!(
        !seen[1].head.to_ascii_lowercase().contains("authorization"),
        "no key, no header"
    );
    assert_eq!(
        seen[0].json(),
        json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief.\n\nBe kind."},
                {"role": "user", "content": [{"type": "text", "text": "see"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"at\":\"Rock\"}"}}]},
                {"role": "tool", "content": "grey", "tool_call_id": "c1"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "strict": true, "schema": schema}},
            "tools": [{"type": "function", "function": {"name": "look", "description": "looks",
                "parameters": {"type": "object"}}}],
            "max_tokens": 77, "temperature": 0.5, "seed": 3
        })
    );
}

#[test]
fn requests_that_would_be_refused_cannot_be_built() {
    let call = ToolCall {
        id: "c1".into(),
        name: "look".into(),
        arguments: json!({}),
    };
    let calling = Message {
        tool_calls: vec![call.clone()],
        ..Message::new(Role::Assistant, "")
    };
    let answer = |id: &str| Message {
        tool_call_id: Some(id.into()),
        ..Message::new(Role::Tool, "x")
    };
    let tool = |name: &str| Tool {
        name: name.into(),
        description: String::new(),
        input_schema: json!({}),
    };
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!({ "x": deep });
    }
    let table = [
        Request::new(vec![]),
        Request::new(vec![Message::new(Role::System, "only rules")]),
        Request::new(vec![Message::user("")]),
        Request::new(vec![Message::user("x"), answer("c1")]),
        Request::new(vec![Message::user("x"), calling.clone()]),
        Request::new(vec![Message::user("x"), calling.clone(), answer("c2")]),
        Request::new(vec![Message::user("x"), calling.clone(), Message::user("y")]),
        Request::new(vec![Message::user("x"), calling.clone(), answer("c1"), answer("c1")]),
        Request::new(vec![Message {
            tool_call_id: Some("c1".into()),
            ..Message::user("x")
        }]),
        hello().with_schema(Some(json!([1]))),
        hello().with_schema(Some(deep.clone())),
        hello().with_options(Options {
            temperature: Some(f64::NAN),
            seed: None,
        }),
        hello().with_max_tokens(Some(0)),
        hello().with_message(answer("c1")),
        hello().with_messages(vec![
            Message::user("x"),
            Message {
                tool_calls: vec![ToolCall {
                    arguments: deep,
                    ..call
                }],
                ..calling
            },
            answer("c1"),
        ]),
        hello().with_tools(vec![tool("look"), tool("look")]),
        hello().with_tools(vec![tool("look at")]),
        hello().with_tool_filter(Filter::Only(vec!["look".into()])),
    ];
    for request in table {
        assert_eq!(request.unwrap_err().code(), Code::BodyInvalid);
    }
}

#[test]
fn an_unreachable_endpoint_is_a_network_error() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost"] {
        let base_url = Some(format!("http://{host}:{port}/v1"));
        let config = ClientConfig {
            base_url,
            model: Some("m".into()),
            max_retries: 0,
            ..ClientConfig::new(Provider::OpenAiCompatible)
        };
        let error = Client::new(config).unwrap().send(&hello()).unwrap_err();
        assert_eq!(error.code(), Code::Network);
        assert_eq!(
            error.to_string(),
            format!("Nothing answers at http://{host}:{port}/v1. Is the server running?")
        );
    }
}

#[test]
fn invalid_answers_are_errors() {
    let page = http(
        "200 OK",
        "content-type: text/html; charset=utf-8\r\n",
        "<html>Welcome</html>",
    );
    assert!(failure(page).to_string().contains("web page"));
    let bad_utf8 =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{\"choices\":\"\xff\"}";
    let gzip = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
    let deep = format!("{{\"choices\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let table: Vec<(&str, Vec<u8>)> = vec![
        ("empty", json("200 OK", "")),
        (
            "no content",
            b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".to_vec(),
        ),
        ("prose", json("200 OK", "I am fine")),
        ("cut", json("200 OK", &reply("ok")[..40])),
        ("no choices", json("200 OK", "{}")),
        ("empty choices", json("200 OK", r#"{"choices":[]}"#)),
        ("null", json("200 OK", "null")),
        (
            "wrong types",
            json("200 OK", r#"{"choices":[{"message":{"content":7}}]}"#),
        ),
        ("deep", json("200 OK", &deep)),
        ("bad utf-8", bad_utf8.to_vec()),
        ("not gzip", http("200 OK", gzip, "hello")),
        ("not http", b"SSH-2.0-OpenSSH_9.7\r\n".to_vec()),
        ("error page", json("200 OK", r#"{"error":{"message":"sorry"}}"#)),
        ("many headers", http("200 OK", &"x-a: b\r\n".repeat(2000), "{}")),
        (
            "long header",
            http("200 OK", &format!("x-a: {}\r\n", "b".repeat(300_000)), &reply("ok")),
        ),
        (
            "long error",
            http("429 No", "content-type: application/json\r\n", &"x".repeat(300_000)),
        ),
    ];
    for (name, bytes) in table {
        let error = failure(bytes);
        assert_eq!(error.code(), Code::BadResponse, "{name}: {error}");
    }
}

#[test]
fn a_reply_cut_at_every_byte_is_an_error() {
    let full = json("200 OK", &reply("ok"));
    let mut cuts = 0;
    for cut in (0..full.len()).step_by(7) {
        let error = failure(&full[..cut]);
        assert!(
            matches!(error.code(), Code::Network | Code::BadResponse),
            "{cut}: {error}"
        );
        cuts += 1;
    }
    assert!(cuts > 30);
}

#[test]
fn endless_answers_are_bounded() {
    let flood = |head: &'static str| {
        Server::new(move |_, _, connection| {
            let _ = connection.write_all(head.as_bytes());
            let piece = vec![b' '; 1 << 16];
            while connection.write_all(&piece).is_ok() {}
        })
    };
    for head in [
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n",
        "HTTP/1.1 500 No\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx-a: ",
    ] {
        let error = flood(head).client().send(&hello()).unwrap_err();
        assert_eq!(error.code(), Code::BadResponse, "{head}: {error}");
    }
}

#[test]
fn redirects_stay_within_the_origin() {
    let elsewhere = Server::always(json("200 OK", &reply("stolen")));
    let to = elsewhere.base_url.clone();
    let redirect = move |status: &str, to: &str| http(status, &format!("location: {to}\r\n"), "");
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let server = Server::always(redirect(status, &format!("{to}/chat/completions")));
        let key = ApiKey::new("sk-very-secret").unwrap();
        let error = Client::new(ClientConfig {
            api_key: Some(key),
            ..server.config()
        })
        .unwrap()
        .send(&hello())
        .unwrap_err();
        assert_eq!(error.code(), Code::BadResponse, "{status}");
        assert!(error.to_string().contains(&to), "{error}");
    }
    assert!(elsewhere.seen().is_empty(), "neither prompt nor key left");

    let moved = Server::script(vec![
        redirect("307 Temporary", "/v2/chat"),
        json("200 OK", &reply("ok")),
    ]);
    assert_eq!(moved.client().send(&hello()).unwrap().text, "ok");
    assert!(moved.seen()[1].head.starts_with("POST /v2/chat "));
    assert_eq!(moved.seen()[1].body, moved.seen()[0].body);
    let circle = Server::always(redirect("307 Temporary", "/v1/chat/completions"));
    assert_eq!(circle.client().send(&hello()).unwrap_err().code(), Code::BadResponse);
    assert!(circle.seen().len() < 10);
}

#[test]
fn a_connection_that_the_server_drops_after_an_answer_loses_no_request() {
    let server = Server::new(|_, _, connection| {
        let body = reply("kept");
        let kept = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nkeep-alive: timeout=5\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        connection.write_all(kept.as_bytes()).unwrap();
        // What arrives here until the connection is closed is never answered.
        thread::sleep(Duration::from_millis(100));
    });
    let client = server.client();
    for number in 1..=3 {
        assert_eq!(client.send(&hello()).unwrap().text, "kept", "request {number}");
    }
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn requests_are_retried_only_if_that_is_safe() {
    let ok = json("200 OK", &reply("ok"));
    let now = "retry-after-ms: 1\r\n";
    let table = [
        ("429 Slow", "", "", 2),
        ("503 Busy", now, "", 2),
        ("500 Oops", now, "", 2),
        ("408 Late", now, "", 2),
        ("429 Slow", "retry-after: 31\r\n", "", 1),
        ("429 Slow", "x-should-retry: false\r\n", "", 1),
        ("400 No", "x-should-retry: true\r\n", "", 2),
        (
            "429 Broke",
            "x-should-retry: true\r\n",
            r#"{"error":{"message":"x","code":"insufficient_quota"}}"#,
            1,
        ),
        ("402 Pay", now, "", 1),
        ("400 No", now, "", 1),
        ("401 Who", now, "", 1),
        ("404 Where", now, "", 1),
    ];
    for (status, headers, body, attempts) in table {
        let server = Server::script(vec![http(status, headers, body), ok.clone()]);
        let result = Client::new(ClientConfig {
            max_retries: 2,
            ..server.config()
        })
        .unwrap()
        .send(&hello());
        assert_eq!(server.seen().len(), attempts, "{status} {headers}");
        assert_eq!(result.is_ok(), attempts == 2, "{status} {headers}: {result:?}");
    }
    let server = Server::always(http("503 Busy", "", ""));
    let error = Client::new(ClientConfig {
        max_retries: 1,
        ..server.config()
    })
    .unwrap()
    .send(&hello())
    .unwrap_err();
    assert_eq!(
        (error.code(), server.seen().len()),
        (Code::Overloaded, 2),
        "max_retries counts further attempts"
    );

    let dropped = Server::new(move |number, _, connection| {
        if number > 0 {
            let _ = connection.write_all(&json("200 OK", &reply("ok")));
        }
    });
    assert_eq!(
        Client::new(ClientConfig {
            max_retries: 1,
            ..dropped.config()
        })
        .unwrap()
        .send(&hello())
        .unwrap()
        .text,
        "ok"
    );
}

#[test]
fn a_refused_schema_is_replaced_by_words_once() {
    let refused = json(
        "400 No",
        r#"{"error":{"message":"Invalid schema for response_format 'reply'","param":"response_format"}}"#,
    );
    let server = Server::script(vec![refused.clone(), json("200 OK", &reply("{}"))]);
    let request = hello()
        .with_schema(Some(json!({"type": "object", "title": "Wanted"})))
        .unwrap();
    let response = server.client().send(&request).unwrap();
    assert_eq!(response.notices[0].code, Code::SchemaRefused);
    let seen = server.seen();
    assert_eq!(seen[0].json()["response_format"]["json_schema"]["strict"], json!(false));
    assert!(seen[1].json().get("response_format").is_none());
    assert!(
        seen[1].json()["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("Wanted")
    );

    let server = Server::always(refused);
    assert_eq!(server.client().send(&request).unwrap_err().code(), Code::SchemaRefused);
    assert_eq!(server.seen().len(), 2, "one fallback at most");
}

#[test]
fn timeouts_and_cancellation_in_every_phase() {
    let silent = || Server::new(|_, _, _| thread::sleep(Duration::from_secs(20)));
    let trickle = || {
        Server::new(|_, _, connection| {
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
            while connection.write_all(b" ").is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        })
    };
    for server in [silent(), trickle()] {
        let client = Client::new(ClientConfig {
            timeout: Duration::from_millis(300),
            ..server.config()
        })
        .unwrap();
        assert_eq!(client.send(&hello()).unwrap_err().code(), Code::Timeout);
    }
    let back_off = Server::always(http("429 Slow", "retry-after: 25\r\n", ""));
    for server in [silent(), trickle(), back_off] {
        let client = Client::new(ClientConfig {
            max_retries: 2,
            ..server.config()
        })
        .unwrap();
        let calls: Vec<_> = (0..2)
            .map(|models| {
                let client = client.clone();
                thread::spawn(move || {
                    if models == 0 {
                        client.send(&hello()).err()
                    } else {
                        client.models().err()
                    }
                })
            })
            .collect();
        while server.seen().len() < 2 {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(50));
        let asked = Instant::now();
        client.cancel();
        for call in calls {
            assert_eq!(call.join().unwrap(), Some(ProviderError::Cancelled));
        }
        assert!(
            asked.elapsed() < Duration::from_secs(1),
            "cancel must end every call within a second"
        );
    }
    let server = Server::always(json("200 OK", &reply("ok")));
    let client = server.client();
    client.cancel();
    assert_eq!(client.send(&hello()).unwrap().text, "ok", "the client stays usable");
}

#[test]
fn the_total_time_of_a_request_is_bounded() {
    let server = Server::always(http("503 Busy", "retry-after: 2\r\n", ""));
    let config = ClientConfig {
        total: Duration::from_secs(1),
        max_retries: 5,
        ..server.config()
    };
    let error = Client::new(config).unwrap().send(&hello()).unwrap_err();
    assert_eq!(
        (error.code(), server.seen().len()),
        (Code::Overloaded, 1),
        "no wait that cannot end in time"
    );
}

#[test]
fn the_key_is_never_repeated() {
    let key = "sk-very-secret";
    let body = json!({"error": {"message": format!("Incorrect API key provided: {key}"), "code": "invalid_api_key"}});
    let server = Server::always(json("401 Unauthorized", &body.to_string()));
    let config = ClientConfig {
        api_key: Some(ApiKey::new(key).unwrap()),
        ..server.config()
    };
    assert!(!format!("{config:?}").contains(key));
    let client = Client::new(config).unwrap();
    let error = client.send(&hello()).unwrap_err();
    assert_eq!(error.code(), Code::AuthFailed);
    for text in [error.to_string(), format!("{error:?}"), format!("{client:?}")] {
        assert!(!text.contains(key), "{text}");
    }
}

#[test]
fn models_and_the_default_model() {
    let list = r#"{"object":"list","data":[{"id":"first","meta":{"n_ctx_train":8192}},{"id":"second","context_length":4096}]}"#;
    let server = Server::new(|_, request, connection| {
        let body = if request.head.starts_with("GET /v1/models ") {
            list.to_owned()
        } else {
            reply("ok")
        };
        let _ = connection.write_all(&json("200 OK", &body));
    });
    let client = Client::new(ClientConfig {
        model: None,
        ..server.config()
    })
    .unwrap();
    let models = client.models().unwrap();
    assert_eq!(
        models
            .iter()
            .map(|model| (model.id.as_str(), model.context_tokens))
            .collect::<Vec<_>>(),
        [("first", Some(8192)), ("second", Some(4096))]
    );
    client.send(&hello()).unwrap();
    client.send(&hello()).unwrap();
    let asked: Vec<_> = server
        .seen()
        .iter()
        .filter(|seen| !seen.body.is_empty())
        .map(|seen| seen.json()["model"].clone())
        .collect();
    assert_eq!(asked, ["first", "first"]);
    assert_eq!(server.seen().len(), 4, "the default model is asked for once");
    for bad in ["[]", "{}", "{\"data\":7}", "{\"data\":[{}]}"] {
        let result = Server::always(json("200 OK", bad)).client().models();
        assert!(result.is_err() || result.unwrap().is_empty(), "{bad}");
    }
}

#[test]
fn many_threads_share_a_client() {
    let server = Server::new(|_, request, connection| {
        let said = request.json()["messages"][0]["content"].as_str().unwrap().to_owned();
        let _ = connection.write_all(&json("200 OK", &reply(&said)));
    });
    let client = server.client();
    let threads: Vec<_> = (0..16)
        .map(|number| {
            let client = client.clone();
            thread::spawn(move || {
                let said = format!("message {number}");
                assert_eq!(
                    client
                        .send(&Request::new(vec![Message::user(&said)]).unwrap())
                        .unwrap()
                        .text,
                    said
                );
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn blocking_calls_are_safe_inside_another_runtime() {
    let server = Server::always(json("200 OK", &reply("ok")));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let text = runtime.block_on(async { server.client().send(&hello()).unwrap().text });
    assert_eq!(text, "ok");
}
