//! Further faults of servers, each against a real socket: spellings of a key that no list of forms begins with, replies whose parts have unusual
//! types, refusals in unusual wrappings, and answers that trickle.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use super::common::{DONE, FINISH, OPEN_STREAM, Server, delta, events, hello, http, json};
use geonode_protocol::Code;
use geonode_provider::{Client, ClientConfig, Message, Provider, Request, StreamEvent, ToolCall};
use serde_json::{Value, json};

const KEY: &str = "sk-very-secret";

fn asked(client: &Client, request: &Request) -> (String, Vec<ToolCall>, Option<String>, Option<Code>) {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for event in client.stream(request.clone()).unwrap() {
        match event {
            Ok(StreamEvent::Text { text: more }) => text += &more,
            Ok(StreamEvent::ToolCall { call }) => calls.push(call),
            Ok(_) => {}
            Err(error) => return (text, calls, Some(error.to_string()), Some(error.code())),
        }
    }
    (text, calls, None, None)
}

/// How a server may spell a key.
fn spellings() -> Vec<(&'static str, String)> {
    let bytes = || KEY.bytes();
    let each = |form: fn(u8) -> String| bytes().map(form).collect::<String>();
    let encode = |text: &str| base64(text.as_bytes());
    vec![
        ("percent, every byte", each(|byte| format!("%{byte:02X}"))),
        ("percent, twice", each(|byte| format!("%25{byte:02x}"))),
        ("HTML, decimal", each(|byte| format!("&#{byte};"))),
        ("HTML, hexadecimal", each(|byte| format!("&#x{byte:X};"))),
        ("JSON, every character", each(|byte| format!("\\u{byte:04x}"))),
        ("JSON, twice", each(|byte| format!("\\\\u{byte:04X}"))),
        ("hexadecimal, capitals", each(|byte| format!("{byte:02X}"))),
        (
            "hexadecimal after 0x",
            format!("0x{}", each(|byte| format!("{byte:02x}"))),
        ),
        ("base64", encode(KEY)),
        ("base64 of a header", encode(&format!("Bearer {KEY}"))),
        ("base64 of a pair", encode(&format!("user:{KEY}"))),
        ("base64 of JSON", encode(&format!("{{\"k\":\"{KEY}\"}}"))),
        ("capitals", KEY.to_uppercase()),
        ("in an address", format!("https://api.example/v1?key={KEY}&x=1")),
        ("in a log line", format!("authorization: Bearer {KEY}, host: x")),
    ]
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..=group.len() {
            text.push(char::from(ALPHABET[(number >> (18 - 6 * place) & 63) as usize]));
        }
    }
    text
}

/// Whether anything of the key is left, as anyone could read it.
#[track_caller]
fn clean(what: &str, shown: &str) {
    let low = shown.to_lowercase();
    for (name, spelling) in spellings() {
        let core: String = spelling.to_lowercase();
        let is_left = match name {
            "base64 of a header" | "base64 of a pair" | "base64 of JSON" => false,
            "in an address" | "in a log line" => low.contains("very-secret"),
            _ => low.contains(&core),
        };
        assert!(!is_left, "{what}: {name} is left in {shown}");
    }
    for remains in ["XZlcnktc2Vjcm", "766572792d736563", "very-secret"] {
        assert!(!low.contains(&remains.to_lowercase()), "{what}: {remains} in {shown}");
    }
}

#[test]
fn no_spelling_of_the_key_comes_through() {
    for (name, spelling) in spellings() {
        let quoted = json!(spelling).to_string();
        let answers = [
            json("401 Unauthorized", &format!("{{\"error\": {{\"message\": {quoted}}}}}")),
            json(
                "400 Bad",
                &format!("{{\"error\": {{\"message\": \"a\", {quoted}: 1}}}}"),
            ),
            http(
                "502 Bad Gateway",
                "content-type: text/html\r\n",
                &format!("<title>{spelling}</title>"),
            ),
            http(
                "401 No",
                &format!(
                    "content-type: application/json\r\nwww-authenticate: {}\r\n",
                    spelling.replace('\\', "")
                ),
                "{}",
            ),
            json("200 OK", &format!("{{\"choices\": {quoted}}}")),
            json("200 OK", &format!("{quoted} is no reply")),
            events(&format!(
                "event: {spelling}\nid: {spelling}\ndata: {{\"error\": {quoted}}}\n\n"
            )),
            events(&format!(": {spelling}\ndata: {spelling}\n\n")),
        ];
        for answer in answers {
            let server = Server::always(answer);
            let client = server.client_of(Provider::OpenAiCompatible);
            let sent = client.send(&hello());
            clean(
                name,
                &format!(
                    "{sent:?} {}",
                    sent.as_ref().err().map(ToString::to_string).unwrap_or_default()
                ),
            );
            let (text, calls, error, _) = asked(&client, &hello());
            clean(name, &format!("{text} {calls:?} {error:?}"));
        }
        let call = json!({"index": 0, "id": spelling, "type": "function", "function": {"name": "look", "arguments": json!({"at": spelling}).to_string()}});
        let chunk = json!({"model": spelling, "choices": [{"delta": {"content": spelling, "tool_calls": [call], "reasoning": spelling}}]});
        let server = Server::always(events(&format!("data: {chunk}\n\n{FINISH}{DONE}")));
        let (text, calls, error, _) = asked(&server.client_of(Provider::OpenAiCompatible), &hello());
        clean(name, &format!("{text} {calls:?} {error:?}"));
    }
}

#[test]
fn a_key_that_is_split_between_events_does_not_come_through() {
    for cut in 1..KEY.len() {
        let (one, other) = KEY.split_at(cut);
        let server = Server::always(events(&format!(
            "{}{}{FINISH}{DONE}",
            delta(&format!("a {one}")),
            delta(&format!("{other} b"))
        )));
        let (text, _, error, _) = asked(&server.client_of(Provider::OpenAiCompatible), &hello());
        assert_eq!((text.as_str(), error), ("a *** b", None), "{cut}");
        let piece = |text: &str, name: Option<&str>| {
            let call = json!({"index": 0, "id": name, "function": {"name": name, "arguments": text}});
            format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
        };
        let body = format!(
            "{}{}{FINISH}{DONE}",
            piece(&format!("{{\"at\": \"{one}"), Some("look")),
            piece(&format!("{other}\"}}"), None)
        );
        let server = Server::always(events(&body));
        let (_, calls, error, _) = asked(&server.client_of(Provider::OpenAiCompatible), &hello());
        clean("split arguments", &format!("{calls:?} {error:?}"));
    }
}

#[test]
fn replies_with_parts_of_unusual_types_are_read() {
    let said = |message: Value| json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    let mut bodies = vec![
        said(json!({"content": "ok", "reasoning": {"text": "a", "steps": [1]}, "reasoning_content": ["b"]})),
        said(json!({"content": "ok", "reasoning_details": [{"type": "x", "text": null}], "thinking": "c"})),
        said(json!({"content": [{"type": "text", "text": "o"}, {"type": "text", "text": "k"}]})),
        said(json!({"content": "ok", "tool_calls": null, "function_call": null, "refusal": null, "annotations": []})),
        said(json!({"content": "ok", "tool_calls": []})),
        said(json!({"role": null, "content": "ok", "audio": {"id": 1}})),
    ];
    for usage in [
        json!(null),
        json!({}),
        json!({"prompt_tokens": 5.0, "completion_tokens": null}),
        json!({"prompt_tokens": "5"}),
    ] {
        let mut body = said(json!({"content": "ok"}));
        body["usage"] = usage;
        bodies.push(body);
    }
    for body in bodies {
        let server = Server::always(json("200 OK", &body.to_string()));
        let sent = server.client().send(&hello());
        assert_eq!(
            sent.as_ref().map(|reply| reply.text.as_str()).ok(),
            Some("ok"),
            "{body}: {sent:?}"
        );
    }
    let line_ends = ["\n", "\r\n", "\r"];
    for end in line_ends {
        let body = format!("\u{feff}{}{FINISH}{DONE}", delta("ok")).replace('\n', end);
        let server = Server::always(events(&body));
        assert_eq!(asked(&server.client(), &hello()).0, "ok", "{end:?}");
    }
    let chunk = json!({"choices": [{"delta": {"content": "ok"}}]}).to_string();
    let (one, other) = chunk.split_at(chunk.find(',').unwrap_or(12));
    for event in [
        format!("data:{chunk}\n\n"),
        format!("event: message\nid: 7\nretry: 10\ndata: {chunk}\n\n"),
        format!("data: {one}\ndata: {other}\n\n"),
    ] {
        let server = Server::always(events(&format!("{event}{FINISH}{DONE}")));
        assert_eq!(asked(&server.client(), &hello()).0, "ok", "{event}");
    }
}

#[test]
fn calls_with_equal_numbers_and_odd_arguments_stay_apart() {
    let call = |index: Value, id: Value, name: &str, arguments: Value| json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let expected = [("look", json!({"at": 1})), ("look", json!({"at": 2}))];
    for calls in [
        [
            call(json!(0), json!("a"), "look", json!({"at": 1})),
            call(json!(0), json!("b"), "look", json!({"at": 2})),
        ],
        [
            call(json!("0"), json!("a"), "look", json!("{\"at\":1}")),
            call(json!("0"), json!("b"), "look", json!("{\"at\":2}")),
        ],
        [
            call(json!(0), json!(7), "look", json!("{\"at\":1}")),
            call(json!(0), json!(8), "look", json!("{\"at\":2}")),
        ],
        [
            call(json!(5), json!(null), "look", json!("{\"at\":1}")),
            call(json!(5), json!(null), "look", json!("{\"at\":2}")),
        ],
    ] {
        let body =
            json!({"choices": [{"message": {"content": null, "tool_calls": calls}, "finish_reason": "tool_calls"}]});
        let server = Server::always(json("200 OK", &body.to_string()));
        let sent = server.client().send(&hello());
        let found: Option<Vec<(String, Value)>> = sent.as_ref().ok().map(|reply| {
            reply
                .tool_calls
                .iter()
                .map(|call| (call.name.clone(), call.arguments.clone()))
                .collect()
        });
        let wanted: Vec<(String, Value)> = expected
            .iter()
            .map(|(name, arguments)| ((*name).to_owned(), arguments.clone()))
            .collect();
        assert_eq!(found, Some(wanted), "{body}: {sent:?}");
    }
}

#[test]
fn reasons_and_lengths_are_found_in_unusual_wrappings() {
    let reason = "the moon is full";
    for body in [
        json!({"errors": {"base": [reason]}}).to_string(),
        json!({"fault": {"faultstring": reason, "detail": {"errorcode": "x"}}}).to_string(),
        json!({"error": {"message": null, "detail": reason}}).to_string(),
        json!({"error_description": reason, "error": "invalid_request"}).to_string(),
        json!([[{"error": {"message": reason}}]]).to_string(),
        json!({"title": "Bad Request", "status": 400, "detail": reason}).to_string(),
    ] {
        let server = Server::always(json("400 No", &body));
        let error = server.client().send(&hello()).unwrap_err().to_string();
        assert!(error.contains(reason), "{body}: {error}");
    }
    for body in [
        json!({"error": {"error": {"code": 400, "message": "too long", "n_ctx": "4096", "n_prompt_tokens": 9000, "type": "exceed_context_size_error"}}}),
        json!({"detail": "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens."}),
        json!({"error": {"message": "Requested tokens (9000) exceed context window of 4096"}}),
    ] {
        let server = Server::always(json("400 No", &body.to_string()));
        let error = server.client().send(&hello()).unwrap_err();
        assert_eq!(
            (error.code(), error.reads()),
            (Code::ContextTooLong, Some(4096)),
            "{body}"
        );
        assert_eq!(server.client().window(), Some(4096), "{body}");
    }
}

#[test]
fn an_answer_that_trickles_is_read_and_cancelling_ends_it_at_once() {
    let trickle = |pause: Duration, count: usize| {
        Server::new(move |_, _, connection| {
            let body = format!("{OPEN_STREAM}{}{FINISH}{DONE}", delta("ok"));
            for piece in body.as_bytes().chunks(body.len().div_ceil(count)) {
                let _ = connection.write_all(piece);
                let _ = connection.flush();
                thread::sleep(pause);
            }
        })
    };
    let server = trickle(Duration::from_millis(20), 40);
    assert_eq!(asked(&server.client(), &hello()).0, "ok");
    // Signs of life keep a model alive that has not begun; they do not keep it alive for ever.
    let comments = Server::new(|_, _, connection| {
        let _ = connection.write_all(OPEN_STREAM.as_bytes());
        while connection.write_all(b": busy\n\n").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    let config = ClientConfig {
        timeout: Duration::from_millis(400),
        ..comments.config()
    };
    let client = Client::new(config).unwrap();
    let long = Request::new(vec![Message::user("hello")]).unwrap();
    let started = Instant::now();
    let canceller = client.clone();
    let stop = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        canceller.cancel();
    });
    let (_, _, error, code) = asked(&client, &long);
    stop.join().unwrap();
    assert!(matches!(code, Some(Code::Cancelled | Code::Timeout)), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}
