//! `stream` against servers that stream well, badly, slowly, endlessly, or something else.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::common::{DONE, FINISH, OPEN_STREAM, Server, delta, events, hello, http, json, reply};
use geonode_protocol::Code;
use geonode_provider::{Client, ClientConfig, FinishReason, ProviderError, StreamEvent};

/// Text, last finish reason, error.
fn collect(client: &Client) -> (String, Option<FinishReason>, Option<ProviderError>) {
    let (mut text, mut finish, mut error) = (String::new(), None, None);
    let mut stream = client.stream(hello()).unwrap();
    for event in stream.by_ref() {
        assert!(finish.is_none() && error.is_none(), "nothing follows the last event");
        match event {
            Ok(StreamEvent::Text { text: more }) => {
                assert!(!more.is_empty());
                text += &more;
            }
            Ok(StreamEvent::End { finish_reason, .. }) => finish = Some(finish_reason),
            Ok(_) => {}
            Err(failure) => error = Some(failure),
        }
    }
    assert!(stream.next().is_none());
    (text, finish, error)
}

#[test]
fn text_usage_calls_and_one_end() {
    let body = [
        ": OPENROUTER PROCESSING\n\n",
        "data: {\"model\":\"served-1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"thoughts\"}}]}\n\n",
        &delta("Hel"),
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo \\ud83d\"}}],\"obfuscation\":\"xx\"}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\ude00\"}},{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\": 1}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n\n",
        DONE,
    ]
    .concat();
    let headers = "content-type: text/event-stream; charset=utf-8\r\nx-request-id: req_9\r\n";
    let server = Server::always(http("200 OK", headers, &body));
    let all: Vec<_> = server.client().stream(hello()).unwrap().map(Result::unwrap).collect();
    let wire = serde_json::to_value(&all).unwrap();
    assert_eq!(
        wire,
        serde_json::json!([
            {"type": "text", "text": "Hel"},
            {"type": "text", "text": "lo "},
            {"type": "text", "text": "😀"},
            {"type": "usage", "usage": {"input_tokens": 9, "output_tokens": 4, "cached_tokens": null,
                "cache_write_tokens": null, "reasoning_tokens": null}},
            {"type": "tool_call", "call": {"id": "c", "name": "look", "arguments": {"a": 1}}},
            {"type": "end", "finish_reason": "tool", "model": "served-1", "request_id": "req_9"}
        ])
    );
    let sent = server.seen()[0].json();
    assert_eq!(
        (&sent["stream"], &sent["stream_options"]["include_usage"]),
        (&true.into(), &true.into())
    );
}

#[test]
fn a_stream_cut_at_every_byte_is_an_error_and_its_text_stands() {
    let full = [delta("Hel"), delta("lo"), FINISH.to_owned(), DONE.to_owned()].concat();
    let mut cuts = 0;
    for cut in 0..full.len() - 1 {
        // A clean end of the body, as HTTP sees it.
        let (text, finish, error) = collect(&Server::always(events(&full[..cut])).client());
        let error = error.unwrap_or_else(|| panic!("cut at {cut} went unnoticed"));
        assert!(
            matches!(error.code(), Code::Network | Code::BadResponse),
            "{cut}: {error}"
        );
        assert!("Hello".starts_with(&text) && finish.is_none());
        cuts += 1;
    }
    assert!(cuts > 200);
    let (text, finish, error) = collect(&Server::always(events(&full)).client());
    assert_eq!(
        (text.as_str(), finish, error),
        ("Hello", Some(FinishReason::Done), None)
    );
}

#[test]
fn invalid_streams_are_errors() {
    let table: Vec<(&str, Vec<u8>, Code)> = vec![
        (
            "page",
            http("200 OK", "content-type: text/html\r\n", "<html>"),
            Code::BadResponse,
        ),
        (
            "plain",
            http("200 OK", "content-type: text/plain\r\n", &delta("x")),
            Code::BadResponse,
        ),
        ("empty", events(""), Code::BadResponse),
        ("garbage", events("data: {nonsense\n\n"), Code::BadResponse),
        (
            "error inside",
            events("data: {\"error\":{\"code\":429,\"message\":\"slow\"}}\n\n"),
            Code::RateLimited,
        ),
        (
            "error as json",
            json("200 OK", "{\"error\":{\"code\":502,\"message\":\"upstream\"}}"),
            Code::Overloaded,
        ),
        (
            "status",
            json("401 No", "{\"error\":{\"message\":\"no\"}}"),
            Code::AuthFailed,
        ),
    ];
    for (name, bytes, code) in table {
        let (text, finish, error) = collect(&Server::always(bytes).client());
        assert_eq!(
            (text.as_str(), finish, error.unwrap().code()),
            ("", None, code),
            "{name}"
        );
    }
    let (text, finish, error) = collect(&Server::always(json("200 OK", &reply("in one\npiece"))).client());
    assert_eq!(
        (text.as_str(), finish, error),
        ("in one\npiece", Some(FinishReason::Done), None),
        "a server that cannot stream"
    );
}

#[test]
fn there_are_no_retries_after_the_first_text() {
    let broken = [OPEN_STREAM, &delta("Hel")].concat().into_bytes();
    let full = events(&[delta("Hello"), FINISH.to_owned(), DONE.to_owned()].concat());
    let server = Server::script(vec![
        events("data: {\"error\":{\"code\":503,\"message\":\"busy\"}}\n\n"),
        http("503 Busy", "retry-after-ms: 1\r\n", ""),
        full.clone(),
    ]);
    let client = Client::new(ClientConfig {
        max_retries: 2,
        ..server.config()
    })
    .unwrap();
    assert_eq!(collect(&client).0, "Hello", "before the first text it is");
    assert_eq!(server.seen().len(), 3);

    let error_after_text = events(
        &[
            delta("Hel"),
            "data: {\"error\":{\"code\":503,\"message\":\"busy\"}}\n\n".into(),
        ]
        .concat(),
    );
    for (bytes, code) in [(broken, Code::BadResponse), (error_after_text, Code::Overloaded)] {
        let server = Server::script(vec![bytes, full.clone()]);
        let client = Client::new(ClientConfig {
            max_retries: 2,
            ..server.config()
        })
        .unwrap();
        let (text, _, error) = collect(&client);
        assert_eq!(
            (text.as_str(), error.unwrap().code(), server.seen().len()),
            ("Hel", code, 1)
        );
    }
}

#[test]
fn pings_are_not_content() {
    let server = Server::new(|_, _, connection| {
        let _ = connection.write_all([OPEN_STREAM, &delta("Hel")].concat().as_bytes());
        let pings = [": ping\n\n", "data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n"];
        while pings.iter().all(|ping| connection.write_all(ping.as_bytes()).is_ok()) {
            thread::sleep(Duration::from_millis(10));
        }
    });
    let client = Client::new(ClientConfig {
        timeout: Duration::from_millis(300),
        ..server.config()
    })
    .unwrap();
    let (text, _, error) = collect(&client);
    assert_eq!((text.as_str(), error.unwrap().code()), ("Hel", Code::Timeout));
}

#[test]
fn a_slow_but_steady_stream_does_not_time_out() {
    let server = Server::new(|_, _, connection| {
        let _ = connection.write_all(OPEN_STREAM.as_bytes());
        for _ in 0..12 {
            let _ = connection.write_all(delta("x").as_bytes());
            thread::sleep(Duration::from_millis(100));
        }
        let _ = connection.write_all([FINISH, DONE].concat().as_bytes());
    });
    let client = Client::new(ClientConfig {
        timeout: Duration::from_millis(700),
        ..server.config()
    })
    .unwrap();
    assert_eq!(collect(&client).0.len(), 12);
}

#[test]
fn endless_streams_are_bounded() {
    let big = delta(&"x".repeat(60_000));
    let server = Server::new(move |_, _, connection| {
        let _ = connection.write_all(OPEN_STREAM.as_bytes());
        while connection.write_all(big.as_bytes()).is_ok() {}
    });
    assert_eq!(collect(&server.client()).2.unwrap().code(), Code::BadResponse);
    let server = Server::new(move |_, _, connection| {
        let _ = connection.write_all(format!("{OPEN_STREAM}data: ").as_bytes());
        while connection.write_all(&vec![b'x'; 1 << 16]).is_ok() {}
    });
    assert_eq!(collect(&server.client()).2.unwrap().code(), Code::BadResponse);
}

/// A server that streams until the peer goes away, and notes that it did.
fn until_closed() -> (Server, Arc<AtomicBool>) {
    let closed = Arc::new(AtomicBool::new(false));
    let note = Arc::clone(&closed);
    let server = Server::new(move |_, _, connection| {
        let _ = connection.write_all([OPEN_STREAM, &delta("Hel")].concat().as_bytes());
        if matches!(connection.read(&mut [0; 16]), Ok(0) | Err(_)) {
            note.store(true, Ordering::SeqCst);
        }
    });
    (server, closed)
}

fn becomes_true(flag: &AtomicBool) -> bool {
    let start = Instant::now();
    while !flag.load(Ordering::SeqCst) && start.elapsed() < Duration::from_secs(1) {
        thread::sleep(Duration::from_millis(5));
    }
    flag.load(Ordering::SeqCst)
}

#[test]
fn cancel_closes_the_connection_also_of_a_stream_nobody_reads() {
    let (server, closed) = until_closed();
    let client = server.client();
    let mut stream = client.stream(hello()).unwrap();
    assert!(matches!(stream.next(), Some(Ok(StreamEvent::Text { .. }))));
    client.cancel();
    assert!(becomes_true(&closed));
    assert_eq!(stream.next(), Some(Err(ProviderError::Cancelled)));
    assert_eq!(stream.next(), None);
}

#[test]
fn cancel_wakes_a_reader() {
    let (server, _) = until_closed();
    let client = server.client();
    let mut stream = client.stream(hello()).unwrap();
    assert!(stream.next().unwrap().is_ok());
    let waiting = thread::spawn(move || (stream.next(), Instant::now()));
    thread::sleep(Duration::from_millis(100));
    let asked = Instant::now();
    client.cancel();
    let (event, woken) = waiting.join().unwrap();
    assert_eq!(event, Some(Err(ProviderError::Cancelled)));
    assert!(woken - asked < Duration::from_secs(1));
}

#[test]
fn dropping_a_stream_closes_its_connection() {
    let (server, closed) = until_closed();
    let mut stream = server.client().stream(hello()).unwrap();
    assert!(stream.next().unwrap().is_ok());
    drop(stream);
    assert!(becomes_true(&closed));
}

#[test]
fn a_hundred_streams_at_once() {
    let server = Server::new(|_, _, connection| {
        let _ = connection.write_all(OPEN_STREAM.as_bytes());
        for _ in 0..20 {
            let _ = connection.write_all(delta("x").as_bytes());
            thread::sleep(Duration::from_millis(5));
        }
        let _ = connection.write_all([FINISH, DONE].concat().as_bytes());
    });
    let client = server.client();
    let streams: Vec<_> = (0..100).map(|_| client.stream(hello()).unwrap()).collect();
    for stream in streams {
        let text: usize = stream
            .filter(|event| matches!(event, Ok(StreamEvent::Text { .. })))
            .count();
        assert_eq!(text, 20);
    }
}
