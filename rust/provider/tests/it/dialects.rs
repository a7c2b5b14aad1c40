//! Every dialect: what is sent, what a stream means, and that a stream cut anywhere is an error.

use super::common::{Server, events, hello, json};
use geonode_protocol::Code;
use geonode_provider::{
    Client, ClientConfig, Content, FinishReason, Message, Options, Part, Provider, ProviderError, Request, Role,
    StreamEvent, Tool, ToolCall, Usage,
};
use serde_json::{Value, json};

fn conversation() -> Request {
    let call = ToolCall {
        id: "c1".into(),
        name: "look".into(),
        arguments: json!({"at": "Rock"}),
    };
    Request::builder(vec![
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
            ..Message::new(Role::Assistant, "I look.")
        },
        Message {
            tool_call_id: Some("c1".into()),
            ..Message::new(Role::Tool, "grey")
        },
        Message::user("and now?"),
    ])
    .system(Some("Be brief.".into()))
    .schema(Some(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                            "additionalProperties": false}),
    ))
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
    .unwrap()
}

/// Sends the conversation to a server that fails; gives head and body of the request.
fn sent(provider: Provider) -> (String, Value) {
    let server = Server::always(json("400 No", "{}"));
    server.client_of(provider).send(&conversation()).unwrap_err();
    let seen = server.seen();
    (seen[0].head.to_ascii_lowercase(), seen[0].json())
}

#[test]
fn responses_request() {
    let (head, body) = sent(Provider::OpenAi);
    assert!(
        head.starts_with("post /v1/responses http") && head.contains("authorization: bearer sk-very-secret"),
        "{head}"
    );
    assert_eq!(
        body,
        json!({
            "model": "m", "instructions": "Be brief.",
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "see"},
                    {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
                {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"at\":\"Rock\"}"},
                {"type": "function_call_output", "call_id": "c1", "output": "grey"},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "and now?"}]}],
            "store": false,
            "text": {"format": {"type": "json_schema", "name": "reply", "strict": true, "schema": conversation().schema}},
            "tools": [{"type": "function", "name": "look", "description": "looks", "parameters": {"type": "object"},
                "strict": false}],
            "max_output_tokens": 77, "temperature": 0.5
        })
    );
}

#[test]
fn anthropic_request() {
    let (head, body) = sent(Provider::Anthropic);
    assert!(
        head.starts_with("post /v1/messages http") && head.contains("x-api-key: sk-very-secret"),
        "{head}"
    );
    assert!(
        head.contains("anthropic-version: 2026-10-21") && !head.contains("authorization"),
        "{head}"
    );
    assert_eq!(
        body,
        json!({
            "model": "m", "max_tokens": 77, "system": "Be brief.",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "see"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]},
                {"role": "assistant", "content": [{"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "Rock"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "grey"},
                    {"type": "text", "text": "and now?"}]}],
            "output_config": {"format": {"type": "json_schema", "schema": conversation().schema}},
            "tools": [{"name": "look", "description": "looks", "input_schema": {"type": "object"}}]
        })
    );
}

#[test]
fn gemini_request() {
    let server = Server::always(json("400 No", "{}"));
    let client = server.client_of(Provider::Gemini);
    client.send(&conversation()).unwrap_err();
    let plain = conversation().to_builder().tools(Vec::new());
    let plain = plain.messages(vec![Message::user("plan")]).build().unwrap();
    assert!(client.stream(plain).unwrap().all(|event| event.is_err()));
    let seen = server.seen();
    let (head, body) = (seen[0].head.to_ascii_lowercase(), seen[0].json());
    assert!(
        head.starts_with("post /v1/models/m:generatecontent http") && head.contains("x-goog-api-key: sk-very-secret"),
        "{head}"
    );
    assert!(!head.contains("authorization"), "{head}");
    let system = body["systemInstruction"]["parts"][0]["text"].as_str().unwrap();
    assert!(
        system.starts_with("Be brief.") && system.contains("JSON Schema"),
        "with tools, the schema goes into words"
    );
    assert_eq!(
        body["contents"],
        json!([
            {"role": "user", "parts": [{"text": "see"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
            {"role": "model", "parts": [{"text": "I look."}, {"functionCall": {"id": "c1", "name": "look", "args": {"at": "Rock"}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "look", "response": {"result": "grey"}}}, {"text": "and now?"}]},
        ])
    );
    assert_eq!(
        body["tools"],
        json!([{"functionDeclarations": [
            {"name": "look", "description": "looks", "parametersJsonSchema": {"type": "object"}}]}])
    );
    assert_eq!(
        body["generationConfig"],
        json!({"maxOutputTokens": 77, "temperature": 0.5, "seed": 3})
    );
    assert!(
        seen[1]
            .head
            .starts_with("POST /v1/models/m:streamGenerateContent?alt=sse "),
        "{}",
        seen[1].head
    );
    let config = &seen[1].json()["generationConfig"];
    assert_eq!(config["responseMimeType"], "application/json");
    assert_eq!(config["responseJsonSchema"], *conversation().schema.as_ref().unwrap());
}

#[test]
fn geminis_signature_of_a_call_goes_back_with_it() {
    let reply = json!({"candidates": [{"content": {"parts": [
        {"functionCall": {"name": "look", "args": {"at": 1}}, "thoughtSignature": "c2lnbmVk"},
        {"functionCall": {"id": "own", "name": "look", "args": {"at": 2}}}]}, "finishReason": "STOP"}]});
    let server = Server::always(json("200 OK", &reply.to_string()));
    let client = server.client_of(Provider::Gemini);
    let response = client.send(&hello()).unwrap();
    assert_eq!(response.finish_reason, FinishReason::Tool);
    let ids: Vec<String> = response.tool_calls.iter().map(|call| call.id.clone()).collect();
    let mut messages = hello().messages.clone();
    messages.push(Message {
        tool_calls: response.tool_calls,
        ..Message::new(Role::Assistant, "")
    });
    messages.extend(ids.iter().map(|id| Message {
        tool_call_id: Some(id.clone()),
        ..Message::new(Role::Tool, r#"{"ok": true}"#)
    }));
    client.send(&Request::new(messages).unwrap()).unwrap();
    let body = server.seen()[1].json();
    assert_eq!(
        body["contents"][1]["parts"],
        json!([
            {"functionCall": {"name": "look", "args": {"at": 1}}, "thoughtSignature": "c2lnbmVk"},
            {"functionCall": {"id": "own", "name": "look", "args": {"at": 2}}}])
    );
    assert_eq!(
        body["contents"][2]["parts"],
        json!([
            {"functionResponse": {"name": "look", "response": {"ok": true}}},
            {"functionResponse": {"id": "own", "name": "look", "response": {"ok": true}}}])
    );
}

#[test]
fn schemas_travel_in_the_providers_subset_or_else_in_words() {
    let bounded = json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}, "required": ["a"],
                        "additionalProperties": false});
    let recursive = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": [],
                        "additionalProperties": false});
    let sent = |provider, schema: &Value| {
        let server = Server::always(json("400 No", "{}"));
        let request = hello().with_schema(Some(schema.clone())).unwrap();
        server.client_of(provider).send(&request).unwrap_err();
        server.seen()[0].json()
    };
    let body = sent(Provider::Anthropic, &bounded);
    assert_eq!(
        body["output_config"]["format"]["schema"]["properties"]["a"],
        json!({"type": "integer", "description": "(at least 3)"})
    );
    assert!(body.get("system").is_none());
    let body = sent(Provider::Gemini, &bounded);
    assert_eq!(body["generationConfig"]["responseJsonSchema"], bounded);
    let body = sent(Provider::OpenAi, &bounded);
    assert_eq!(
        (&body["text"]["format"]["strict"], &body["text"]["format"]["schema"]),
        (&json!(true), &bounded)
    );
    // What a subset cannot say is never sent as if it could.
    let body = sent(Provider::Anthropic, &recursive);
    assert!(body.get("output_config").is_none(), "{body}");
    assert!(body["system"].as_str().unwrap().contains("\"$ref\":\"#\""), "{body}");
    let body = sent(Provider::Gemini, &recursive);
    assert!(body.get("generationConfig").is_none(), "{body}");
    assert!(body["systemInstruction"].to_string().contains("$ref"), "{body}");
    let body = sent(Provider::OpenAi, &recursive);
    assert_eq!(
        body["text"]["format"]["strict"],
        json!(false),
        "as advice: a property is optional"
    );
}

#[test]
fn anthropic_conversations_begin_and_end_with_the_user() {
    let server = Server::always(json("200 OK", "{}"));
    for messages in [
        vec![Message::new(Role::Assistant, "I begin")],
        vec![Message::user("x"), Message::new(Role::Assistant, "prefilled")],
    ] {
        let error = server
            .client_of(Provider::Anthropic)
            .send(&Request::new(messages).unwrap())
            .unwrap_err();
        assert_eq!(error.code(), Code::BodyInvalid);
    }
    assert!(server.seen().is_empty());
}

#[test]
fn without_a_key_nothing_is_sent() {
    let server = Server::always(json("200 OK", "{}"));
    for (provider, variable) in [
        (Provider::OpenAi, "OPENAI_API_KEY"),
        (Provider::Anthropic, "ANTHROPIC_API_KEY"),
        (Provider::Gemini, "GEMINI_API_KEY or GOOGLE_API_KEY"),
    ] {
        if variable.split(" or ").any(|name| std::env::var_os(name).is_some()) {
            continue;
        }
        let client = Client::new(ClientConfig {
            provider,
            ..server.config()
        })
        .unwrap();
        let error = client.send(&hello()).unwrap_err();
        assert_eq!(error.code(), Code::AuthMissing);
        assert!(error.to_string().contains(variable), "{error}");
        assert_eq!(client.models().unwrap_err().code(), Code::AuthMissing);
        assert_eq!(client.stream(hello()).unwrap_err().code(), Code::AuthMissing);
    }
    assert!(server.seen().is_empty());
}

const RESPONSES: &str = r#"event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"model":"served","status":"in_progress","output":[]}}

event: response.output_item.added
data: {"type":"response.output_item.added","item":{"type":"reasoning","summary":[]}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","delta":"thoughts"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","delta":"Hel\ud83d"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","delta":"\ude00lo"}

event: response.output_text.done
data: {"type":"response.output_text.done","text":"Hel😀lo"}

event: response.output_item.done
data: {"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"look","arguments":"{\"at\":1}"}}

event: response.completed
data: {"type":"response.completed","response":{"model":"served","status":"completed","output":[],"usage":{"input_tokens":9,"output_tokens":7,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":5}}}}

"#;

const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"model":"served","content":[],"usage":{"input_tokens":3,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"thoughts"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hel\ud83d"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"\ude00lo"}}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"look","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"at\""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":":1}"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

"#;

const GEMINI: &str = r#"data: {"candidates":[{"content":{"role":"model","parts":[{"text":"thoughts","thought":true}]}}],"modelVersion":"served","usageMetadata":{"promptTokenCount":9}}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hel\ud83d"}]}}],"modelVersion":"served"}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"\ude00lo"}]}}],"modelVersion":"served"}

data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c","name":"look","args":{"at":1}}}]},"finishReason":"STOP"}],"modelVersion":"served","usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":5,"cachedContentTokenCount":4}}

"#;

#[test]
fn streams_mean_the_same_and_are_errors_when_cut() {
    let call = ToolCall {
        id: "c".into(),
        name: "look".into(),
        arguments: json!({"at": 1}),
    };
    let usage = |cache_write_tokens, reasoning_tokens| Usage {
        input_tokens: Some(9),
        output_tokens: Some(7),
        cached_tokens: Some(4),
        cache_write_tokens,
        reasoning_tokens,
    };
    let table = [
        (Provider::OpenAi, RESPONSES, usage(None, Some(5))),
        (Provider::Anthropic, ANTHROPIC, usage(Some(2), None)),
        (Provider::Gemini, GEMINI, usage(None, Some(5))),
    ];
    for (provider, body, usage) in table {
        let all: Vec<_> = Server::always(events(body))
            .client_of(provider)
            .stream(hello())
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(
            all,
            [
                StreamEvent::Text { text: "Hel".into() },
                StreamEvent::Text { text: "😀lo".into() },
                StreamEvent::ToolCall { call: call.clone() },
                StreamEvent::Usage { usage },
                StreamEvent::End {
                    finish_reason: FinishReason::Tool,
                    model: "served".into(),
                    request_id: None
                },
            ],
            "{provider:?}"
        );
        let mut cuts = 0;
        for cut in (0..body.len() - 1).step_by(11) {
            let cut_off = [&body.as_bytes()[..cut]].concat();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {cut}\r\nconnection: close\r\n\r\n"
            );
            let server = Server::always([head.into_bytes(), cut_off].concat());
            let last = server.client_of(provider).stream(hello()).unwrap().last().unwrap();
            let error = last.expect_err("a cut stream is an error");
            assert!(
                matches!(error.code(), Code::BadResponse | Code::Network),
                "{provider:?} {cut}: {error}"
            );
            cuts += 1;
        }
        assert!(cuts > 50);
    }
}

#[test]
fn endings_and_errors_inside_a_stream() {
    let responses = |status: &str, rest: &str| {
        format!(
            "event: response.{status}\ndata: {{\"type\":\"response.{status}\",\"response\":{{\"status\":\"{status}\",\"output\":[]{rest}}}}}\n\n"
        )
    };
    let anthropic = |delta: &str| {
        format!("data: {{\"type\":\"message_delta\",\"delta\":{delta}}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n")
    };
    let gemini = |rest: &str| format!("data: {{{rest}}}\n\n");
    let gemini_end = |reason: &str| gemini(&format!(r#""candidates":[{{"finishReason":"{reason}"}}]"#));
    let endings = [
        (Provider::Gemini, gemini_end("STOP"), "done"),
        (Provider::Gemini, gemini_end("MAX_TOKENS"), "truncated"),
        (Provider::Gemini, gemini_end("SAFETY"), "refused"),
        (
            Provider::Gemini,
            gemini(r#""promptFeedback":{"blockReason":"OTHER"}"#),
            "refused",
        ),
        (
            Provider::Gemini,
            gemini_end("MALFORMED_FUNCTION_CALL"),
            "other:MALFORMED_FUNCTION_CALL",
        ),
        (
            Provider::OpenAi,
            responses("incomplete", r#","incomplete_details":{"reason":"max_output_tokens"}"#),
            "truncated",
        ),
        (
            Provider::OpenAi,
            responses("incomplete", r#","incomplete_details":{"reason":"content_filter"}"#),
            "refused",
        ),
        (Provider::OpenAi, responses("completed", ""), "done"),
        (
            Provider::Anthropic,
            anthropic(r#"{"stop_reason":"max_tokens"}"#),
            "truncated",
        ),
        (
            Provider::Anthropic,
            anthropic(r#"{"stop_reason":"refusal","stop_details":{"explanation":"no"}}"#),
            "refused",
        ),
        (Provider::Anthropic, anthropic(r#"{"stop_reason":"end_turn"}"#), "done"),
        (
            Provider::Anthropic,
            anthropic(r#"{"stop_reason":"eclipse"}"#),
            "other:eclipse",
        ),
    ];
    let last = |provider, body: &str| {
        Server::always(events(body))
            .client_of(provider)
            .stream(hello())
            .unwrap()
            .last()
            .unwrap()
    };
    for (provider, body, wire) in endings {
        let Ok(StreamEvent::End { finish_reason, .. }) = last(provider, &body) else {
            panic!("{body}")
        };
        assert_eq!(finish_reason.wire(), wire);
    }
    let failures = [
        (
            Provider::Gemini,
            gemini(r#""error":{"code":503,"status":"UNAVAILABLE","message":"x"}"#),
            Code::Overloaded,
        ),
        (
            Provider::OpenAi,
            responses("failed", r#","error":{"code":"rate_limit_exceeded","message":"x"}"#),
            Code::RateLimited,
        ),
        (
            Provider::OpenAi,
            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"x\"}\n\n".into(),
            Code::Overloaded,
        ),
        (
            Provider::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n"
                .into(),
            Code::Overloaded,
        ),
    ];
    for (provider, body, code) in failures {
        assert_eq!(
            last(provider, &body).map_err(|error: ProviderError| error.code()),
            Err(code),
            "{body}"
        );
    }
}

#[test]
fn long_model_lists_are_read_page_by_page_and_bounded() {
    let page = |more: bool, last: &str| {
        json(
            "200 OK",
            &json!({"data": [{"id": last, "max_input_tokens": 5}], "has_more": more, "last_id": last}).to_string(),
        )
    };
    let server = Server::script(vec![page(true, "a-1"), page(false, "b-2")]);
    let models = server.client_of(Provider::Anthropic).models().unwrap();
    assert_eq!(
        models.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(),
        ["a-1", "b-2"]
    );
    assert!(
        server.seen()[1]
            .head
            .starts_with("GET /v1/models?limit=1000&after_id=a-1 "),
        "{}",
        server.seen()[1].head
    );
    let gemini = json!({"models": [
        {"name": "models/g-1", "inputTokenLimit": 7, "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/e-1", "supportedGenerationMethods": ["embedContent"]}], "nextPageToken": "a/b"});
    let last = json!({"models": [{"name": "models/g-2"}]});
    let server = Server::script(vec![
        json("200 OK", &gemini.to_string()),
        json("200 OK", &last.to_string()),
    ]);
    let models = server.client_of(Provider::Gemini).models().unwrap();
    assert_eq!(
        models
            .iter()
            .map(|model| (model.id.as_str(), model.context_tokens))
            .collect::<Vec<_>>(),
        [("g-1", Some(7)), ("g-2", None)]
    );
    assert!(
        server.seen()[1]
            .head
            .starts_with("GET /v1/models?pageSize=1000&pageToken=a%2Fb "),
        "{}",
        server.seen()[1].head
    );
    let endless = Server::always(page(true, "again"));
    assert_eq!(
        endless.client_of(Provider::Anthropic).models().unwrap_err().code(),
        Code::BadResponse
    );
    assert_eq!(endless.seen().len(), 50);
}

#[test]
fn anthropic_caches_long_instructions_where_a_further_turn_is_likely() {
    let asked = |bytes: usize, tools: bool| {
        let server = Server::always(json("500 No", "{}"));
        let mut request = hello().with_system(Some("x".repeat(bytes))).unwrap();
        if tools {
            request = request.with_tools(conversation().tools.clone()).unwrap();
        }
        let _ = server.client_of(Provider::Anthropic).send(&request);
        server.seen()[0].json().get("cache_control").cloned()
    };
    assert_eq!(asked(4096, true), Some(json!({"type": "ephemeral"})));
    assert_eq!(asked(4095, true), None);
    assert_eq!(asked(4096, false), None);
}
