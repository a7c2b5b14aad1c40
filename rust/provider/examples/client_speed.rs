//! Time and memory of requests to a server on this machine: `cargo run --release -p geonode-provider --example client_speed`.
//!
//! Prints a JSON array of figures, each `[what, value, unit, limit or null]`; whatever is compared is measured in turns against one server.
//! With `--serve` it is that server alone, for other clients: it prints its address and serves until its input ends. `cargo xtask bench` runs both.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use geonode_provider::{Client, ClientConfig, Message, Provider, Request, StreamEvent};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const ROUNDS: usize = 5;
const CALLS: usize = 300;
const MANY: usize = 10_000;
const AT_ONCE: usize = 100;
/// Pieces of a streamed reply, and of those of the hundred at once.
const PIECES: usize = 20;
/// Between the pieces of the slow stream.
const PAUSE: Duration = Duration::from_millis(2);

fn main() -> Outcome<()> {
    let server = Server::start()?;
    if std::env::args().any(|argument| argument == "--serve") {
        println!("http://{}", server.address);
        std::io::stdin().read_to_end(&mut Vec::new())?;
        return Ok(());
    }
    let mut figures = Vec::new();
    whole_replies(&server, &mut figures)?;
    streams(&server, &mut figures)?;
    at_once(&server, &mut figures)?;
    memory(&server, &mut figures)?;
    println!("{}", Value::Array(figures));
    Ok(())
}

/// One reply after the other, by the client and by nothing but reqwest.
fn whole_replies(server: &Server, figures: &mut Vec<Value>) -> Outcome<()> {
    let (client, request) = (server.client()?, hello()?);
    let runtime = runtime()?;
    let bare = bare()?;
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hello"}]});
    let url = format!("{}/chat/completions", server.base());
    let (mut ours, mut theirs, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let own = timed(CALLS, || {
            let response = client.send(&request)?;
            check(response.text == TEXT)
        })?;
        let other = timed(CALLS, || {
            let text = runtime.block_on(async { bare.post(&url).json(&body).send().await?.text().await })?;
            let value: Value = serde_json::from_str(&text)?;
            check(value.pointer("/choices/0/message/content").and_then(Value::as_str) == Some(TEXT))
        })?;
        // The first one opens connections and warms caches.
        if round > 0 {
            added.push(median(&own) - median(&other));
            ours.extend(own);
            theirs.extend(other);
        }
    }
    figures.push(json!(["Client.send, p50", median(&ours), "ms", null]));
    figures.push(json!(["reqwest alone, p50", median(&theirs), "ms", null]));
    figures.push(json!([
        "Client.send beyond reqwest alone, p50, paired",
        median(&added),
        "ms",
        0.1
    ]));
    Ok(())
}

/// The time to the first piece of text.
fn streams(server: &Server, figures: &mut Vec<Value>) -> Outcome<()> {
    let (client, request) = (server.client()?, hello()?);
    let runtime = runtime()?;
    let bare = bare()?;
    let body = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hello"}]});
    let url = format!("{}/chat/completions", server.base());
    let (mut ours, mut theirs, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for _ in 0..CALLS / 3 {
            let begun = Instant::now();
            let mut first = None;
            for event in client.stream(request.clone())? {
                if let StreamEvent::Text { .. } = event? {
                    first.get_or_insert_with(|| begun.elapsed());
                }
            }
            own.push(milliseconds(first.ok_or("a stream without text")?));
            let first = runtime.block_on(async {
                let begun = Instant::now();
                let mut response = bare.post(&url).json(&body).send().await?;
                let mut first = None;
                let mut seen = Vec::new();
                while let Some(piece) = response.chunk().await? {
                    seen.extend_from_slice(&piece);
                    if first.is_none() && seen.windows(7).any(|window| window == b"\"word 0") {
                        first = Some(begun.elapsed());
                    }
                }
                Ok::<_, reqwest::Error>(first)
            })?;
            other.push(milliseconds(first.ok_or("a stream without text")?));
        }
        if round > 0 {
            added.push(median(&own) - median(&other));
            ours.extend(own);
            theirs.extend(other);
        }
    }
    figures.push(json!(["Client.stream, first text, p50", median(&ours), "ms", null]));
    figures.push(json!(["reqwest alone, first text, p50", median(&theirs), "ms", null]));
    figures.push(json!([
        "first text beyond reqwest alone, p50, paired",
        median(&added),
        "ms",
        0.1
    ]));
    Ok(())
}

/// A hundred slow streams on one client; each is checked as a whole.
fn at_once(server: &Server, figures: &mut Vec<Value>) -> Outcome<()> {
    let client = server.client()?;
    let request = Request::new(vec![Message::user("slowly")])?;
    let begun = Instant::now();
    let threads: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (client, request) = (client.clone(), request.clone());
            std::thread::spawn(move || -> Outcome<()> {
                let mut text = String::new();
                for event in client.stream(request)? {
                    if let StreamEvent::Text { text: piece } = event? {
                        text.push_str(&piece);
                    }
                }
                check(text == streamed())
            })
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| "a stream broke off")??;
    }
    let seconds = begun.elapsed().as_secs_f64();
    let alone = (PAUSE * u32::try_from(PIECES)?).as_secs_f64();
    figures.push(json!(["100 streams at once, all complete", seconds, "s", null]));
    figures.push(json!([
        "100 streams at once / what the server alone takes for one",
        seconds / alone,
        "times",
        null
    ]));
    Ok(())
}

/// What ten thousand requests leave in memory.
fn memory(server: &Server, figures: &mut Vec<Value>) -> Outcome<()> {
    let (client, request) = (server.client()?, hello()?);
    for _ in 0..MANY / 10 {
        client.send(&request)?;
    }
    let Some(before) = resident() else { return Ok(()) };
    for _ in 0..MANY {
        client.send(&request)?;
    }
    let grown = resident().ok_or("memory cannot be read")? - before;
    figures.push(json!(["memory grown over 10,000 requests", grown, "MB", 5]));
    Ok(())
}

/// Megabytes of this process, where the system says them.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn hello() -> Outcome<Request> {
    Ok(Request::new(vec![Message::user("hello")])?)
}

fn runtime() -> Outcome<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?)
}

fn bare() -> Outcome<reqwest::Client> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .tcp_nodelay(true)
        .build()?)
}

fn check(good: bool) -> Outcome<()> {
    if good {
        Ok(())
    } else {
        Err("another reply than the server gave".into())
    }
}

/// Milliseconds of each call.
fn timed(calls: usize, mut call: impl FnMut() -> Outcome<()>) -> Outcome<Vec<f64>> {
    (0..calls)
        .map(|_| {
            let begun = Instant::now();
            call()?;
            Ok(milliseconds(begun.elapsed()))
        })
        .collect()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What the server says.
const TEXT: &str = "Hello, I am the reply of a server on this machine.";

fn word(number: usize) -> String {
    format!("word {number} ")
}

fn streamed() -> String {
    (0..PIECES).map(word).collect()
}

/// Chat Completions and Messages on loopback, with connections that stay open.
struct Server {
    address: std::net::SocketAddr,
}

impl Server {
    fn start() -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    // A client that hangs up needs no answer.
                    let _ = serve(connection);
                });
            }
        });
        Ok(Self { address })
    }

    fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    fn client(&self) -> Outcome<Client> {
        Ok(Client::new(ClientConfig {
            model: Some("m".into()),
            base_url: Some(self.base()),
            stored_key: false,
            ..ClientConfig::new(Provider::OpenAiCompatible)
        })?)
    }
}

fn serve(connection: TcpStream) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut writer = connection.try_clone()?;
    let mut reader = BufReader::new(connection);
    loop {
        let (mut path, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if path.is_empty() {
                line.split(' ').nth(1).unwrap_or_default().clone_into(&mut path);
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let messages = path.ends_with("/messages");
        if asked.get("stream") == Some(&Value::Bool(true)) {
            let slowly = asked.pointer("/messages/0/content").and_then(Value::as_str) == Some("slowly");
            stream(&mut writer, messages, slowly)?;
        } else {
            let reply = if messages { message() } else { completion() }.to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                reply.len()
            );
            writer.write_all((head + &reply).as_bytes())?;
        }
    }
}

fn completion() -> Value {
    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}})
}

fn message() -> Value {
    json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": TEXT}],
        "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 9, "output_tokens": 12}})
}

fn stream(writer: &mut TcpStream, messages: bool, slowly: bool) -> std::io::Result<()> {
    writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let mut send = |event: &str, data: &Value| {
        let text = if messages {
            format!("event: {event}\ndata: {data}\n\n")
        } else {
            format!("data: {data}\n\n")
        };
        write!(writer, "{:x}\r\n{text}\r\n", text.len())
    };
    if messages {
        let start = json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": {"input_tokens": 9, "output_tokens": 1}});
        send("message_start", &json!({"type": "message_start", "message": start}))?;
        let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
        send("content_block_start", &block)?;
    }
    for number in 0..PIECES {
        let text = word(number);
        if slowly {
            std::thread::sleep(PAUSE);
        }
        if messages {
            let delta =
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
            send("content_block_delta", &delta)?;
        } else {
            send("", &chunk(&json!({"content": text}), None))?;
        }
    }
    if messages {
        send("content_block_stop", &json!({"type": "content_block_stop", "index": 0}))?;
        let delta = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null},
            "usage": {"output_tokens": 40}});
        send("message_delta", &delta)?;
        send("message_stop", &json!({"type": "message_stop"}))?;
    } else {
        send("", &chunk(&json!({}), Some("stop")))?;
        let done = "data: [DONE]\n\n";
        write!(writer, "{:x}\r\n{done}\r\n", done.len())?;
    }
    writer.write_all(b"0\r\n\r\n")
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}
