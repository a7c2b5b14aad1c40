//! A server on a raw socket: it can misbehave in ways that no honest server can.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use geonode_provider::{ApiKey, Client, ClientConfig, Message, Provider, Request};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Serves until the test ends. Connections are closed after each answer.
pub(crate) struct Server {
    pub(crate) base_url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// `answer` gets the number of the request, the request, and the connection.
    pub(crate) fn new(answer: impl Fn(usize, &Seen, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&seen));
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (Ok(mut connection), answer, log) = (connection, Arc::clone(&answer), Arc::clone(&log)) else {
                    return;
                };
                thread::spawn(move || {
                    connection.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
                    let Some(request) = read_request(&mut connection) else {
                        return;
                    };
                    let number = {
                        let mut log = log.lock().unwrap();
                        log.push(request.clone());
                        log.len() - 1
                    };
                    answer(number, &request, &mut connection);
                    // Half-closed first, so that the peer reads all of it before a reset can overtake.
                    let _ = connection.shutdown(Shutdown::Write);
                    let _ = connection.read(&mut [0; 1024]);
                });
            }
        });
        Self { base_url, seen }
    }

    /// Always the same bytes.
    pub(crate) fn always(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |_, _, connection| {
            let _ = connection.write_all(&bytes);
        })
    }

    /// One answer per request, the last one again and again.
    pub(crate) fn script(answers: Vec<Vec<u8>>) -> Self {
        Self::new(move |number, _, connection| {
            let _ = connection.write_all(answers.get(number).or(answers.last()).unwrap());
        })
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn config(&self) -> ClientConfig {
        ClientConfig {
            model: Some("m".into()),
            base_url: Some(self.base_url.clone()),
            // Longer than anything takes here, on a busy computer too.
            timeout: Duration::from_secs(60),
            local_timeout: None,
            max_retries: 0,
            ..ClientConfig::new(Provider::OpenAiCompatible)
        }
    }

    pub(crate) fn client_of(&self, provider: Provider) -> Client {
        let api_key = Some(ApiKey::new("sk-very-secret").unwrap());
        let base_url = Some(self.base_url.clone());
        Client::new(ClientConfig {
            api_key,
            base_url,
            ..ClientConfig {
                provider,
                ..self.config()
            }
        })
        .unwrap()
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.config()).unwrap()
    }
}

fn read_request(connection: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length:")?
                    .trim()
                    .parse::<usize>()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(Seen {
                    head: head.to_owned(),
                    body: body.to_owned(),
                });
            }
        }
        match connection.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// A complete HTTP answer.
pub(crate) fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

pub(crate) fn json(status: &str, body: &str) -> Vec<u8> {
    http(status, "content-type: application/json\r\n", body)
}

/// A complete streamed answer.
pub(crate) fn events(body: &str) -> Vec<u8> {
    http("200 OK", "content-type: text/event-stream\r\n", body)
}

/// The start of a streamed answer without an end.
pub(crate) const OPEN_STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A whole reply that says `text`.
pub(crate) fn reply(text: &str) -> String {
    serde_json::json!({
        "id": "x", "model": "served", "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
        "finish_reason": "stop"}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}
    })
    .to_string()
}

/// One event with a text delta.
pub(crate) fn delta(text: &str) -> String {
    format!(
        "data: {}\n\n",
        serde_json::json!({"model": "served", "choices": [{"index": 0, "delta": {"content": text}}]})
    )
}

pub(crate) const FINISH: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
pub(crate) const DONE: &str = "data: [DONE]\n\n";

pub(crate) fn hello() -> Request {
    Request::new(vec![Message::user("hello")]).unwrap()
}
