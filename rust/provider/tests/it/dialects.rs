//! Every dialect by its recordings: what is sent, what a stream means, how it ends; and what is peculiar to one vendor.

use super::common::{Server, events, hello, json};
use super::recorded::{compare, conversation, list, read, spoken, stream_of, text, vendors, word};
use geonode_protocol::Code;
use geonode_provider::{
    Client, ClientConfig, FinishReason, Message, Provider, ProviderError, Request, Role, StreamEvent,
};
use serde_json::{Value, json};

/// The first line of a request, without its version.
fn line(head: &str) -> &str {
    head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1")
}

#[test]
fn requests_are_those_that_are_recorded() {
    for provider in spoken() {
        let recorded = read(provider, "request.json");
        let server = Server::always(json("400 No", "{}"));
        let client = server.client_of(provider);
        client.send(&conversation()).unwrap_err();
        assert!(client.stream(conversation()).unwrap().all(|event| event.is_err()));
        let seen = server.seen();
        assert_eq!(line(&seen[0].head), word(&recorded["line"]), "{provider:?}");
        assert_eq!(line(&seen[1].head), word(&recorded["streamed"]), "{provider:?}");
        for request in &seen {
            let head = request.head.to_ascii_lowercase();
            let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
            let headers = recorded["headers"].as_object().unwrap();
            assert!(
                headers.values().any(|value| word(value).contains("sk-very-secret")),
                "{provider:?}"
            );
            for (name, value) in headers {
                assert_eq!(
                    header(name),
                    Some(word(value).to_ascii_lowercase().as_str()),
                    "{provider:?} {name}"
                );
            }
            for name in recorded["absent"].as_array().unwrap() {
                assert_eq!(header(word(name)), None, "{provider:?} {name}");
            }
        }
        compare(provider, "request.json", &recorded["body"], &seen[0].json(), |body| {
            let mut whole = recorded.clone();
            whole["body"] = body;
            whole
        });
    }
}

#[test]
fn schemas_travel_in_the_vendors_subset_or_else_in_words() {
    for provider in vendors() {
        let rules = read(provider, "vendor.json")["schema"].clone();
        let plain = conversation().to_builder().tools(Vec::new());
        let plain = plain.messages(vec![Message::user("plan")]).build().unwrap();
        let sent = |request: &Request| {
            let server = Server::always(json("400 No", "{}"));
            server.client_of(provider).send(request).unwrap_err();
            server.seen()[0].json()
        };
        assert_eq!(
            sent(&plain).pointer(word(&rules["at"])),
            conversation().schema.as_ref(),
            "{provider:?}: a schema that lies in the subset goes out as it is"
        );
        for case in list(&rules["sent"]) {
            let body = sent(&hello().with_schema(Some(case["schema"].clone())).unwrap());
            let mut looked = 0;
            for (at, value) in case["body"].as_object().into_iter().flatten() {
                assert_eq!(body.pointer(at), Some(value), "{provider:?} {at}: {body}");
                looked += 1;
            }
            for at in case["absent"].as_array().into_iter().flatten() {
                assert_eq!(body.pointer(word(at)), None, "{provider:?}: {body}");
                looked += 1;
            }
            if let Some(at) = case.get("in_words") {
                let words = body.pointer(word(at)).and_then(Value::as_str).unwrap_or_default();
                // What a subset cannot say is never sent as if it could.
                assert!(words.contains(&case["schema"].to_string()), "{provider:?}: {body}");
            }
            assert!(looked > 0, "{provider:?}: {case} expects something");
        }
    }
}

#[test]
fn without_a_key_nothing_is_sent() {
    let server = Server::always(json("200 OK", "{}"));
    for provider in vendors() {
        let variables = provider.key_variables();
        if variables.iter().any(|name| std::env::var_os(name).is_some()) {
            continue;
        }
        let client = Client::new(ClientConfig {
            provider,
            ..server.config()
        })
        .unwrap();
        let error = client.send(&hello()).unwrap_err();
        assert_eq!(error.code(), Code::AuthMissing);
        assert!(error.to_string().contains(&variables.join(" or ")), "{error}");
        assert_eq!(client.models().unwrap_err().code(), Code::AuthMissing);
        assert_eq!(client.stream(hello()).unwrap_err().code(), Code::AuthMissing);
    }
    assert!(server.seen().is_empty());
}

#[test]
fn recorded_streams_give_the_recorded_replies() {
    for provider in spoken() {
        let all: Vec<StreamEvent> = Server::always(events(&text(provider, "stream.sse")))
            .client_of(provider)
            .stream(hello())
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let made = serde_json::to_value(&all).unwrap();
        compare(provider, "stream.json", &read(provider, "stream.json"), &made, |made| {
            made
        });
        // All of them say the same, up to figures that a vendor does not give.
        for event in [
            json!({"type": "text", "text": "Hel"}),
            json!({"type": "text", "text": "😀lo"}),
            json!({"type": "tool_call", "call": {"id": "c", "name": "look", "arguments": {"at": 1}}}),
            json!({"type": "end", "finish_reason": "tool", "model": "served", "request_id": null}),
        ] {
            assert!(list(&made).contains(&event), "{provider:?}: {event} in {made}");
        }
        let usage = list(&made).iter().find(|event| event["type"] == "usage").unwrap();
        for (name, count) in [("input_tokens", 9), ("output_tokens", 7), ("cached_tokens", 4)] {
            assert_eq!(usage["usage"][name], json!(count), "{provider:?} {name}");
        }
        assert_eq!(
            made.as_array().unwrap().len(),
            5,
            "{provider:?}: thoughts are never text"
        );
    }
}

#[test]
fn endings_and_errors_inside_a_stream() {
    for provider in spoken() {
        let last = |body: &str| -> Result<StreamEvent, ProviderError> {
            let server = Server::always(events(body));
            server.client_of(provider).stream(hello()).unwrap().last().unwrap()
        };
        let (mut ends, mut fails) = (Vec::new(), 0);
        for case in list(&read(provider, "endings.json")) {
            let found = last(&stream_of(&case["events"]));
            match case.get("ends") {
                Some(ending) => {
                    let Ok(StreamEvent::End { finish_reason, .. }) = found else {
                        panic!("{provider:?}: {found:?} for {case}")
                    };
                    assert_eq!(finish_reason.wire(), word(ending), "{provider:?}: {case}");
                    ends.push(word(ending).to_owned());
                }
                None => {
                    let code = found.map_err(|error| error.code().as_str());
                    assert_eq!(code.err(), Some(word(&case["fails"])), "{provider:?}: {case}");
                    fails += 1;
                }
            }
        }
        for ending in ["done", "truncated", "refused"] {
            assert!(
                ends.iter().any(|one| one == ending),
                "{provider:?}: no recorded stream ends as {ending}"
            );
        }
        assert!(fails > 0, "{provider:?}: no recorded stream fails");
    }
}

#[test]
fn model_lists_are_read_page_by_page() {
    for provider in spoken() {
        let recorded = read(provider, "models.json");
        let pages = list(&recorded["pages"])
            .iter()
            .map(|page| json("200 OK", &page.to_string()));
        let server = Server::script(pages.collect());
        let models = server.client_of(provider).models().unwrap();
        assert_eq!(
            serde_json::to_value(&models).unwrap(),
            recorded["models"],
            "{provider:?}"
        );
        let seen = server.seen();
        let asked: Vec<&str> = seen.iter().map(|request| line(&request.head)).collect();
        let expected: Vec<&str> = list(&recorded["asked"]).iter().map(word).collect();
        assert_eq!(asked, expected, "{provider:?}");
    }
}

#[test]
fn model_lists_without_an_end_are_bounded() {
    let page = json!({"data": [{"id": "again", "max_input_tokens": 5}], "has_more": true, "last_id": "again"});
    let endless = Server::always(json("200 OK", &page.to_string()));
    assert_eq!(
        endless.client_of(Provider::Anthropic).models().unwrap_err().code(),
        Code::BadResponse
    );
    assert_eq!(endless.seen().len(), 50);
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
