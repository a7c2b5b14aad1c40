//! Against independent servers: llmock (scripted faults), aimock (every dialect), llmposter (vendors' own errors and refusals) and llama.cpp
//! with a real model.
//!
//! `tests/provider/peers.py` installs and starts them; that needs Python, Node.js and, the first time, the network:
//! `cargo xtask test --only peers`, with `--full` llmposter too.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::recorded;
use geonode_protocol::Code;
use geonode_provider::{
    ApiKey, Client, ClientConfig, FinishReason, Message, Options, Provider, ProviderError, Request, StreamEvent, Tool,
};
use serde_json::{Value, json};

/// The servers live as long as this test program.
struct Peers {
    urls: Value,
    /// Held, because the servers end when their standard input closes.
    _alive: Child,
}

fn started(names: &[&str]) -> Peers {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/provider/peers.py");
    let mut child = Command::new("python3")
        .arg(script)
        .args(names)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 starts the peers");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let urls = serde_json::from_str(&line).expect("the peers come up; their messages are above");
    Peers { urls, _alive: child }
}

fn url(peer: &str) -> String {
    static PEERS: OnceLock<Peers> = OnceLock::new();
    static BUILT: OnceLock<Peers> = OnceLock::new();
    let peers = match peer {
        "llmposter" => BUILT.get_or_init(|| started(&["llmposter"])),
        _ => PEERS.get_or_init(|| started(&["llmock", "aimock", "model"])),
    };
    peers.urls[peer].as_str().unwrap().to_owned()
}

fn client(peer: &str, max_retries: u32) -> Client {
    client_of(Provider::OpenAiCompatible, peer, max_retries)
}

fn client_of(provider: Provider, peer: &str, max_retries: u32) -> Client {
    let mut base_url = url(peer);
    if let Some(segment) = segment(provider, peer) {
        base_url = base_url.replace("/v1", &segment);
    }
    let config = ClientConfig {
        base_url: Some(base_url),
        model: Some(if peer == "model" { "smollm2" } else { "gpt-4o" }.into()),
        api_key: Some(ApiKey::new("sk-test-key-123456").unwrap()),
        timeout: Duration::from_secs(60),
        max_retries,
        ..ClientConfig::new(provider)
    };
    Client::new(config).unwrap()
}

/// The path under which a peer speaks a provider's dialect.
fn segment(provider: Provider, peer: &str) -> Option<String> {
    let segments = &recorded::read(provider, "peers.json")["segments"];
    segments.get(peer).map(|segment| recorded::word(segment).to_owned())
}

/// The dialects that a peer speaks.
fn dialects(peer: &str) -> Vec<Provider> {
    let all = recorded::spoken().into_iter();
    let all: Vec<Provider> = all.filter(|provider| segment(*provider, peer).is_some()).collect();
    assert!(all.len() > 3, "{peer}");
    all
}

fn ask(text: &str) -> Request {
    Request::new(vec![Message::user(text)]).unwrap()
}

/// Text and the last event, or the error that ended it.
fn collect(client: &Client, request: Request) -> (String, Result<FinishReason, ProviderError>) {
    let mut text = String::new();
    for event in client.stream(request).unwrap() {
        match event {
            Ok(StreamEvent::Text { text: more }) => text += &more,
            Ok(StreamEvent::End { finish_reason, .. }) => return (text, Ok(finish_reason)),
            Ok(_) => {}
            Err(error) => return (text, Err(error)),
        }
    }
    panic!("a stream ends with an event or an error");
}

/// llmock holds one queue of faults: the tests that script it take turns.
fn llmock() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    admin("POST", "reset", &json!({}));
    turn
}

fn admin(method: &str, path: &str, body: &Value) -> String {
    let base = url("llmock");
    let host = base.trim_start_matches("http://").trim_end_matches("/v1");
    let body = body.to_string();
    let mut connection = TcpStream::connect(host).unwrap();
    write!(
        connection,
        "{method} /_llmock/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 2"), "{answer}");
    answer
}

fn script(behaviours: &Value) {
    admin("POST", "scenario", &json!({ "behaviors": behaviours }));
}

#[test]
#[ignore = "starts servers"]
fn llmock_answers_and_streams() {
    let _turn = llmock();
    for provider in dialects("llmock") {
        let client = client_of(provider, "llmock", 0);
        let whole = client.send(&ask("hello")).unwrap();
        assert!(
            !whole.text.is_empty() && whole.finish_reason == FinishReason::Done,
            "{provider:?}"
        );
        assert!(whole.usage.unwrap().output_tokens.unwrap() > 0, "{provider:?}");
        assert_eq!(
            collect(&client, ask("hello")),
            (whole.text, Ok(FinishReason::Done)),
            "{provider:?}"
        );
    }
    assert!(
        client("llmock", 0)
            .models()
            .unwrap()
            .iter()
            .any(|model| model.id == "gpt-4o")
    );
}

#[test]
#[ignore = "starts servers"]
fn llmock_failures_by_status() {
    let _turn = llmock();
    let table = [
        (400, Code::BadRequest),
        (401, Code::AuthFailed),
        (402, Code::QuotaExhausted),
        (403, Code::AuthFailed),
        (404, Code::UnknownModel),
        (408, Code::Timeout),
        (413, Code::ContextTooLong),
        (429, Code::RateLimited),
        (500, Code::Overloaded),
        (503, Code::Overloaded),
        (529, Code::Overloaded),
    ];
    for (provider, (status, code)) in dialects("llmock")
        .into_iter()
        .flat_map(|provider| table.map(|row| (provider, row)))
    {
        let client = client_of(provider, "llmock", 0);
        script(&json!([{"type": "fail", "status": status, "times": 2}]));
        let error = client.send(&ask("hello")).unwrap_err();
        assert_eq!(error.code(), code, "{provider:?} {status}: {error}");
        assert_eq!(
            collect(&client, ask("hello")).1.unwrap_err().code(),
            code,
            "{provider:?} {status} streamed"
        );
    }
}

#[test]
#[ignore = "starts servers"]
fn llmock_accepts_the_retries() {
    let _turn = llmock();
    script(
        &json!([{"type": "fail", "status": 429, "retry_after": 1, "times": 1}, {"type": "fail", "status": 503, "times": 1}]),
    );
    let started = Instant::now();
    client("llmock", 2).send(&ask("hello")).unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1), "retry-after is a minimum");
    let verdict = admin("GET", "verdict?format=text", &json!({}));
    assert!(!verdict.to_lowercase().contains("fail"), "{verdict}");
}

#[test]
#[ignore = "starts servers"]
fn llmock_breaks_streams() {
    let _turn = llmock();
    let client = client("llmock", 2);
    for (provider, kind) in dialects("llmock")
        .into_iter()
        .flat_map(|p| ["truncate", "disconnect", "malformed"].map(|k| (p, k)))
    {
        let chunks = &recorded::read(provider, "peers.json")["text_begins_within"];
        script(&json!([{"type": "stream_fault", "kind": kind, "after_chunks": chunks}]));
        let (text, end) = collect(&client_of(provider, "llmock", 2), ask("hello"));
        let code = end.unwrap_err().code();
        assert!(
            matches!(code, Code::Network | Code::BadResponse),
            "{provider:?} {kind}: {code} {text}"
        );
        assert!(!text.is_empty(), "{provider:?} {kind}: the text stands");
    }
    script(&json!([{"type": "stream_fault", "kind": "stall", "after_chunks": 3}]));
    let stalled = client.clone();
    let waiting = thread::spawn(move || collect(&stalled, ask("hello")));
    thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    client.cancel();
    assert_eq!(waiting.join().unwrap().1, Err(ProviderError::Cancelled));
    assert!(asked.elapsed() < Duration::from_secs(5));
}

#[test]
#[ignore = "starts servers"]
fn aimock_speaks_the_dialects() {
    for provider in dialects("aimock") {
        let client = client_of(provider, "aimock", 0);
        let whole = client.send(&ask("greet")).unwrap();
        assert_eq!(whole.text, "Hello there, näïve 😀 world! How can I help you today?");
        assert_eq!(
            collect(&client, ask("greet")),
            (whole.text, Ok(FinishReason::Done)),
            "{provider:?}"
        );
        let (thought, end) = collect(&client, ask("think"));
        assert_eq!(
            (thought.as_str(), end),
            ("Forty-two.", Ok(FinishReason::Done)),
            "{provider:?}: reasoning is never text"
        );
        assert_eq!(
            client.send(&ask("cut")).unwrap().finish_reason,
            FinishReason::Truncated,
            "{provider:?}"
        );
        assert_eq!(
            client.send(&ask("slow down")).unwrap_err().code(),
            Code::RateLimited,
            "{provider:?}"
        );

        let tool = Tool {
            name: "look".into(),
            description: "Looks.".into(),
            input_schema: json!({"type": "object"}),
        };
        let request = ask("look at the rock").with_tools(vec![tool]).unwrap();
        let response = client.send(&request).unwrap();
        let rock = json!({"at": "Rock"});
        assert_eq!(response.finish_reason, FinishReason::Tool, "{provider:?}");
        assert_eq!(
            (response.tool_calls[0].name.as_str(), &response.tool_calls[0].arguments),
            ("look", &rock)
        );
        let streamed: Vec<_> = client.stream(request).unwrap().map(Result::unwrap).collect();
        let called = |event: &StreamEvent| matches!(event, StreamEvent::ToolCall { call } if call.arguments == rock);
        assert!(streamed.iter().any(called), "{provider:?}: {streamed:?}");
        assert!(
            matches!(
                streamed.last(),
                Some(StreamEvent::End {
                    finish_reason: FinishReason::Tool,
                    ..
                })
            ),
            "{provider:?}"
        );
    }
    let error = collect(&client("aimock", 0), ask("too long")).1.unwrap_err();
    assert_eq!(error.code(), Code::ContextTooLong);
}

const GREETING: &str = "Hello there, näïve 😀 world! How can I help you today?";

#[test]
#[ignore = "builds a server, which takes minutes"]
fn llmposter_errors_and_refusals_have_the_vendors_shapes() {
    let table = [
        (400, Code::BadRequest),
        (401, Code::AuthFailed),
        (403, Code::AuthFailed),
        (404, Code::UnknownModel),
        (429, Code::RateLimited),
        (500, Code::Overloaded),
        (502, Code::Overloaded),
        (503, Code::Overloaded),
        (529, Code::Overloaded),
    ];
    for provider in dialects("llmposter") {
        let client = client_of(provider, "llmposter", 0);
        let whole = client.send(&ask("greet")).unwrap();
        assert_eq!(whole.text, GREETING, "{provider:?}");
        for (status, code) in table {
            let request = || ask(&format!("status {status}"));
            assert_eq!(
                client.send(&request()).unwrap_err().code(),
                code,
                "{provider:?} {status}"
            );
            let streamed = collect(&client, request()).1.unwrap_err();
            assert_eq!(streamed.code(), code, "{provider:?} {status} streamed");
        }
        let refused = client.send(&ask("forbidden")).unwrap();
        assert_eq!(refused.finish_reason, FinishReason::Refused, "{provider:?}");
        let corrupt = client.send(&ask("corrupt")).unwrap_err();
        assert_eq!(corrupt.code(), Code::BadResponse, "{provider:?}");
    }
}

#[test]
#[ignore = "builds a server, which takes minutes"]
fn llmposter_breaks_streams() {
    for provider in dialects("llmposter") {
        let client = client_of(provider, "llmposter", 2);
        for whole in ["greet", "uneven"] {
            let done = (GREETING.to_owned(), Ok(FinishReason::Done));
            assert_eq!(collect(&client, ask(whole)), done, "{provider:?} {whole}");
        }
        for broken in ["cut off", "hang up"] {
            let (text, end) = collect(&client, ask(broken));
            let code = end.unwrap_err().code();
            assert!(
                matches!(code, Code::Network | Code::BadResponse),
                "{provider:?} {broken}: {code}"
            );
            assert!(GREETING.starts_with(&text) && text.len() < GREETING.len(), "{text:?}");
        }
    }
}

#[test]
#[ignore = "starts servers"]
fn a_real_model_answers_streams_and_stops() {
    let client = client("model", 0);
    // The most probable words, always: a small model that is left to chance sometimes has nothing to say. This one tells a story for more
    // than 1500 tokens.
    let surely = Options {
        temperature: Some(0.0),
        seed: Some(1),
    };
    let brief = |text: &str, tokens| {
        let request = ask(text).with_max_tokens(Some(tokens)).unwrap();
        request.with_options(surely.clone()).unwrap()
    };
    let story = "Write a long story about a village by the sea, in many chapters.";
    let whole = client.send(&brief("Say hello.", 16)).unwrap();
    assert!(!whole.text.is_empty(), "{whole:?}");
    let usage = whole.usage.unwrap();
    assert!(usage.input_tokens.unwrap() > 0 && usage.output_tokens.unwrap() <= 16);
    let (text, end) = collect(&client, brief(story, 5));
    assert_eq!(end, Ok(FinishReason::Truncated), "{text:?}");
    assert!(!text.is_empty());

    let mut stream = client.stream(brief(story, 1500)).unwrap();
    let mut before = Vec::new();
    let begun = stream.by_ref().any(|event| {
        let text = matches!(event, Ok(StreamEvent::Text { .. }));
        before.push(event);
        text
    });
    assert!(begun, "no text came, but {before:?}");
    let asked = Instant::now();
    client.cancel();
    let after: Vec<_> = stream.collect();
    assert!(asked.elapsed() < Duration::from_secs(5));
    assert_eq!(
        after.last(),
        Some(&Err(ProviderError::Cancelled)),
        "{} events",
        after.len()
    );

    let error = client.send(&ask(&"word ".repeat(20_000))).unwrap_err();
    assert_eq!(error.code(), Code::ContextTooLong, "{error}");
}

#[test]
#[ignore = "starts servers"]
fn a_real_model_keeps_to_a_schema() {
    let client = client("model", 0);
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["shape", "count"],
        "properties": {"shape": {"type": "string", "enum": ["cube", "sphere", "cone"]}, "count": {"type": "integer"}}
    });
    let mut judged = 0;
    for seed in 0..5 {
        let options = Options {
            temperature: Some(0.9),
            seed: Some(seed),
        };
        let request = Request::builder(vec![Message::user("Three spheres, please.")])
            .schema(Some(schema.clone()))
            .max_tokens(Some(64))
            .options(options)
            .build()
            .unwrap();
        let (text, end) = collect(&client, request);
        if end == Ok(FinishReason::Done) {
            let value: Value = serde_json::from_str(&text).unwrap();
            assert!(
                ["cube", "sphere", "cone"].contains(&value["shape"].as_str().unwrap()),
                "{text}"
            );
            assert!(
                value["count"].is_i64() && value.as_object().unwrap().len() == 2,
                "{text}"
            );
            judged += 1;
        }
    }
    assert!(judged > 0, "at least one reply was complete");
}

#[test]
#[ignore = "starts servers"]
fn a_wrong_path_says_so() {
    for peer in ["llmock", "model"] {
        let base_url = Some(url(peer).trim_end_matches("/v1").to_owned() + "/nowhere");
        let config = ClientConfig {
            base_url,
            model: Some("m".into()),
            max_retries: 0,
            ..ClientConfig::new(Provider::OpenAiCompatible)
        };
        let error = Client::new(config).unwrap().send(&ask("hello")).unwrap_err();
        assert_eq!(error.code(), Code::BadResponse, "{peer}");
        assert!(error.to_string().contains("/v1"), "{peer}: {error}");
    }
}
