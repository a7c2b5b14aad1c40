//! Peers that mean harm, or are broken in ways that a mock cannot be: every cut, every phase, certificates, floods.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::common::{Server, events, hello, http, json, reply};
use super::recorded::{self, HELLO, STREAMED, spoken, text};
use geonode_protocol::Code;
use geonode_provider::{ApiKey, Client, ClientConfig, Provider, ProviderError, StreamEvent};

fn text_of(client: &Client) -> (String, Option<ProviderError>) {
    let mut text = String::new();
    for event in client.stream(hello()).unwrap() {
        match event {
            Ok(StreamEvent::Text { text: more }) => text += &more,
            Ok(_) => {}
            Err(error) => return (text, Some(error)),
        }
    }
    (text, None)
}

fn is_broken(error: &ProviderError) -> bool {
    matches!(error.code(), Code::Network | Code::BadResponse)
}

#[test]
fn every_dialects_answer_cut_at_every_byte_is_an_error() {
    let checked = AtomicUsize::new(0);
    thread::scope(|scope| {
        for provider in spoken() {
            let checked = &checked;
            scope.spawn(move || {
                let body = recorded::reply(provider);
                // A server that says the truth about the piece that it sends, and one that promised more.
                for honest in [true, false] {
                    let whole_body = body.clone();
                    let server = Server::new(move |number, _, connection| {
                        let length = if honest { number } else { whole_body.len() };
                        let head = format!(
                            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
                        );
                        let _ = connection.write_all(&[head.as_bytes(), &whole_body.as_bytes()[..number]].concat());
                    });
                    let client = server.client_of(provider);
                    for cut in 0..body.len() {
                        let error = client.send(&hello()).expect_err("a cut reply");
                        assert!(is_broken(&error), "{provider:?} {cut}: {error}");
                        checked.fetch_add(1, Ordering::Relaxed);
                    }
                    assert_eq!(client.send(&hello()).unwrap().text, HELLO, "{provider:?}");
                }
            });
        }
    });
    assert!(checked.into_inner() > 1000);
}

#[test]
fn every_dialects_stream_cut_at_every_byte_is_an_error_and_its_text_stands() {
    let checked = AtomicUsize::new(0);
    thread::scope(|scope| {
        for provider in spoken() {
            let checked = &checked;
            scope.spawn(move || {
                let body = text(provider, "stream.sse");
                // The last line end may be missing: an event that no blank line ended is not one.
                let last = body.len() - 1;
                let all = body.clone();
                let server = Server::new(move |number, _, connection| {
                    let _ = connection.write_all(&events(&all[..number.min(all.len())]));
                });
                let client = server.client_of(provider);
                for cut in 0..last {
                    let (text, error) = text_of(&client);
                    let error = error.unwrap_or_else(|| panic!("{provider:?}: cut at {cut} went unnoticed"));
                    assert!(is_broken(&error), "{provider:?} {cut}: {error}");
                    assert!(STREAMED.starts_with(&text), "{provider:?} {cut}: {text}");
                    checked.fetch_add(1, Ordering::Relaxed);
                }
                let (_, _) = text_of(&client);
                assert_eq!(text_of(&client), (STREAMED.to_owned(), None), "{provider:?}");
            });
        }
    });
    assert!(checked.into_inner() > 1000);
}

#[test]
fn hostile_events_are_errors_in_every_dialect() {
    let deep = format!("data: {}{}\n\n", "[".repeat(100_000), "]".repeat(100_000));
    let deep_inside = format!(
        "data: {{\"choices\":{}{}}}\n\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for provider in spoken() {
        for (name, bytes) in [
            ("deep", deep.clone().into_bytes()),
            ("deep inside", deep_inside.clone().into_bytes()),
            ("bad utf-8", b"data: {\"type\":\"\xff\xfe\"}\n\n".to_vec()),
            ("half a character", b"data: {\"delta\":\"\xc3\"}\n\n".to_vec()),
            ("NUL", b"data: {\"type\":\"\0\"}\n\n".to_vec()),
            ("array", b"data: []\n\n".to_vec()),
            ("number", b"data: 1e999999\n\n".to_vec()),
            ("not a number", b"data: NaN\n\n".to_vec()),
        ] {
            let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let server = Server::always([head.as_slice(), &bytes].concat());
            let (text, error) = text_of(&server.client_of(provider));
            assert_eq!(text, "", "{provider:?} {name}");
            let error = error.unwrap_or_else(|| panic!("{provider:?}: {name} went unnoticed"));
            assert_eq!(error.code(), Code::BadResponse, "{provider:?} {name}: {error}");
        }
    }
}

#[test]
fn an_answer_that_is_small_on_the_wire_only_is_bounded() {
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let piece = vec![b' '; 1 << 20];
    for _ in 0..1024 {
        bomb.write_all(&piece).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 8 << 20, "a gigabyte in {} bytes", bomb.len());
    for kind in ["application/json", "text/event-stream"] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            bomb.len()
        );
        let server = Server::always([head.as_bytes(), &bomb].concat());
        let error = if kind.contains("json") {
            server.client().send(&hello()).unwrap_err()
        } else {
            text_of(&server.client()).1.unwrap()
        };
        assert_eq!(error.code(), Code::BadResponse, "{error}");
    }
}

#[test]
fn nothing_is_sent_to_another_origin() {
    let elsewhere = Server::always(json("200 OK", &reply("stolen")));
    let port: SocketAddr = elsewhere.base_url["http://".len()..]
        .trim_end_matches("/v1")
        .parse()
        .unwrap();
    for to in [
        format!("{}/chat/completions", elsewhere.base_url),
        format!("http://localhost:{}/v1/chat/completions", port.port()),
        format!("//127.0.0.1:{}/v1/chat/completions", port.port()),
        "https://127.0.0.1:1/v1".into(),
        "http://models.example/v1".into(),
        "file:///etc/passwd".into(),
        "javascript:alert(1)".into(),
        "//".into(),
        String::new(),
    ] {
        let server = Server::always(http("307 Temporary", &format!("location: {to}\r\n"), ""));
        let client = server.client_of(Provider::OpenAiCompatible);
        for error in [client.send(&hello()).unwrap_err(), text_of(&client).1.unwrap()] {
            assert_eq!(error.code(), Code::BadResponse, "{to}: {error}");
            assert!(!error.to_string().contains("sk-very-secret"));
        }
        assert!(server.seen().len() < 20, "{to}");
    }
    assert!(elsewhere.seen().is_empty());
}

/// A listener that takes TLS with a certificate of its own; counts the bytes of requests that came through.
fn with_certificate(names: &[&str]) -> (String, Arc<AtomicUsize>) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let read = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&read);
    thread::spawn(move || {
        for connection in listener.incoming() {
            let (Ok(connection), config, count) = (connection, Arc::clone(&config), Arc::clone(&count)) else {
                return;
            };
            thread::spawn(move || {
                let _ = connection.set_read_timeout(Some(Duration::from_secs(5)));
                let session = rustls::ServerConnection::new(config).unwrap();
                let mut stream = rustls::StreamOwned::new(session, connection);
                let mut buffer = [0; 4096];
                while let Ok(length @ 1..) = std::io::Read::read(&mut stream, &mut buffer) {
                    count.fetch_add(length, Ordering::SeqCst);
                }
            });
        }
    });
    (url, read)
}

fn secure(base_url: String) -> Client {
    Client::new(ClientConfig {
        model: Some("m".into()),
        base_url: Some(base_url),
        api_key: Some(ApiKey::new("sk-very-secret").unwrap()),
        max_retries: 0,
        timeout: Duration::from_secs(20),
        ..ClientConfig::new(Provider::OpenAiCompatible)
    })
    .unwrap()
}

#[test]
fn untrusted_certificates_fail_before_anything_is_sent() {
    for names in [&["127.0.0.1"][..], &["models.example"]] {
        let (url, read) = with_certificate(names);
        let client = secure(url);
        for error in [client.send(&hello()).unwrap_err(), text_of(&client).1.unwrap()] {
            assert_eq!(error.code(), Code::Network, "{error}");
            assert!(error.to_string().contains("certificate"), "{error}");
        }
        assert_eq!(read.load(Ordering::SeqCst), 0, "neither key nor prompt left");
    }
    // A server without TLS where TLS is asked for.
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = plain.local_addr().unwrap().port();
    let (answered, came) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let (mut connection, _) = plain.accept().unwrap();
        let mut first = [0; 1];
        let _ = std::io::Read::read(&mut connection, &mut first);
        let _ = connection.write_all(&http("400 Bad Request", "", "This is plain http."));
        let _ = answered.send(first);
    });
    let error = secure(format!("https://127.0.0.1:{port}/v1"))
        .send(&hello())
        .unwrap_err();
    assert!(is_broken(&error), "{error}");
    assert_eq!(came.recv().unwrap(), [22], "a handshake came, and no request");
}

/// All three ways to wait end within a second of `cancel`, by which time `ready` said that they were under way.
fn cancels(client: &Client, phase: &str, ready: impl Fn() -> bool) {
    let calls: [fn(Client) -> Option<ProviderError>; 3] = [
        |client| client.send(&hello()).err(),
        |client| client.models().err(),
        |client| text_of(&client).1,
    ];
    let running: Vec<_> = calls
        .into_iter()
        .map(|call| {
            let client = client.clone();
            thread::spawn(move || call(client))
        })
        .collect();
    let patience = Instant::now() + Duration::from_secs(10);
    while !ready() && Instant::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(100));
    assert!(running.iter().all(|call| !call.is_finished()), "{phase}: nothing waits");
    let asked = Instant::now();
    client.cancel();
    for call in running {
        assert_eq!(call.join().unwrap(), Some(ProviderError::Cancelled), "{phase}");
    }
    assert!(
        asked.elapsed() < Duration::from_secs(1),
        "{phase}: {:?}",
        asked.elapsed()
    );
}

/// A listener that keeps what it accepts and says nothing.
fn silent() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    thread::spawn(move || {
        let mut open = Vec::new();
        for connection in listener.incoming().flatten() {
            open.push(connection);
            count.store(open.len(), Ordering::SeqCst);
        }
    });
    (port, accepted)
}

#[test]
fn cancel_ends_a_handshake_and_a_wait_for_headers() {
    for scheme in ["https", "http"] {
        let (port, accepted) = silent();
        let client = secure(format!("{scheme}://127.0.0.1:{port}/v1"));
        cancels(&client, scheme, || accepted.load(Ordering::SeqCst) >= 3);
    }
}

/// Linux drops what comes to a full backlog; other systems answer it.
#[cfg(target_os = "linux")]
#[test]
fn cancel_ends_an_attempt_to_connect() {
    use std::net::TcpStream;

    use socket2::{Domain, Socket, Type};
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let mut open = Vec::new();
    while let Ok(connection) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
        open.push(connection);
        assert!(open.len() < 100, "this system has no full backlog");
    }
    let client = secure(format!("http://{address}/v1"));
    cancels(&client, "connect", || true);
}

#[test]
fn cancel_ends_an_endless_body_and_stream() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let server = Server::new(move |_, request, connection| {
        let kind = if request.body.contains("\"stream\":true") {
            "text/event-stream"
        } else {
            "application/json"
        };
        let _ = write!(
            connection,
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n"
        );
        count.fetch_add(1, Ordering::SeqCst);
        while connection.write_all(b": \n").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    cancels(&server.client(), "body", || begun.load(Ordering::SeqCst) >= 3);
}

/// Runs itself in a process whose name service hangs.
#[cfg(target_os = "linux")]
#[test]
fn cancel_ends_a_name_lookup() {
    use std::process::Command;

    const CHILD: &str = "GEONODE_TEST_HANGING_NAMES";
    if std::env::var_os(CHILD).is_some() {
        return cancels(&secure("https://models.example/v1".into()), "names", || true);
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("hang.c"), folder.path().join("hang.so"));
    let code = "#include <unistd.h>\nint getaddrinfo(void) { sleep(30); return -2; }\n";
    std::fs::write(&source, code).unwrap();
    let compiled = Command::new("cc")
        .args(["-w", "-shared", "-fPIC", "-fno-builtin", "-o"])
        .arg(&library)
        .arg(&source)
        .status();
    assert!(compiled.unwrap().success(), "the C compiler that built this crate");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "hostile::cancel_ends_a_name_lookup"])
        .env("LD_PRELOAD", &library)
        .env(CHILD, "1");
    for proxy in [
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ] {
        child.env_remove(proxy);
    }
    let done = child.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn a_client_in_many_threads_is_cancelled_and_used_on() {
    let stop = Arc::new(AtomicBool::new(false));
    let server = Server::always(json("200 OK", &reply("ok")));
    let client = server.client();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                let (client, stop) = (client.clone(), Arc::clone(&stop));
                scope.spawn(move || {
                    let mut good = 0;
                    while !stop.load(Ordering::SeqCst) {
                        match client.send(&hello()) {
                            Ok(response) => {
                                assert_eq!(response.text, "ok");
                                good += 1;
                            }
                            Err(error) => assert_eq!(error, ProviderError::Cancelled),
                        }
                    }
                    good
                })
            })
            .collect();
        for _ in 0..50 {
            client.cancel();
            thread::sleep(Duration::from_millis(10));
        }
        stop.store(true, Ordering::SeqCst);
        assert!(workers.into_iter().map(|worker| worker.join().unwrap()).sum::<usize>() > 0);
    });
    assert_eq!(client.send(&hello()).unwrap().text, "ok");
}

#[test]
fn invalid_answers_are_typed_errors_in_every_dialect() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let json_head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
    let kind = |kind: &str, body: &str| http("200 OK", &format!("content-type: {kind}\r\n"), body);
    for provider in spoken() {
        let good = recorded::reply(provider);
        let table: Vec<(&str, Vec<u8>)> = vec![
            ("a web page", kind("text/html", "<html>sk-very-secret</html>")),
            ("a picture", kind("image/png", "\u{89}PNG")),
            ("a stream that nobody asked for", kind("text/event-stream", "")),
            ("deep", json("200 OK", &deep)),
            (
                "bad utf-8",
                [
                    json_head.as_slice(),
                    &good.replace(HELLO, "H\u{1}").into_bytes(),
                    b"\xff",
                ]
                .concat(),
            ),
            ("nothing", json("200 OK", "")),
            ("two answers", json("200 OK", &format!("{good}{good}"))),
        ];
        // What is skipped anyway may be as deep as it likes.
        let skipped = good.replacen('{', &format!("{{\"x\":{deep},"), 1);
        let answer = Server::always(json("200 OK", &skipped))
            .client_of(provider)
            .send(&hello());
        match answer {
            Ok(answer) => assert_eq!(answer.text, HELLO),
            Err(error) => assert_eq!(error.code(), Code::BadResponse, "{provider:?}: {error}"),
        }
        for (name, bytes) in table {
            let server = Server::always(bytes);
            let client = server.client_of(provider);
            let Err(error) = client.send(&hello()) else {
                panic!("{provider:?}: {name} went unnoticed");
            };
            assert_eq!(error.code(), Code::BadResponse, "{provider:?} {name}: {error}");
            for said in [error.to_string(), format!("{error:?}")] {
                assert!(
                    !said.contains("sk-very-secret") && !said.contains('\u{1b}'),
                    "{provider:?} {name}: {said}"
                );
            }
        }
    }
}

#[test]
fn endless_answers_are_bounded_in_every_dialect() {
    for provider in spoken() {
        for head in [
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
            "HTTP/1.1 400 No\r\ncontent-type: application/json\r\n\r\n",
        ] {
            let server = Server::new(move |_, _, connection| {
                let _ = connection.write_all(head.as_bytes());
                let piece = vec![b' '; 1 << 16];
                while connection.write_all(&piece).is_ok() {}
            });
            let client = server.client_of(provider);
            let error = if head.contains("event-stream") {
                text_of(&client).1.unwrap()
            } else {
                client.send(&hello()).unwrap_err()
            };
            assert_eq!(error.code(), Code::BadResponse, "{provider:?} {head}: {error}");
        }
    }
}

#[test]
fn no_dialects_key_crosses_a_redirect_or_comes_back_in_an_error() {
    let elsewhere = Server::always(json("200 OK", &recorded::reply(Provider::OpenAi)));
    for provider in spoken() {
        for status in ["301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"] {
            let server = Server::always(http(status, &format!("location: {}/x\r\n", elsewhere.base_url), ""));
            let client = server.client_of(provider);
            for error in [
                client.send(&hello()).unwrap_err(),
                text_of(&client).1.unwrap(),
                client.models().unwrap_err(),
            ] {
                assert_eq!(error.code(), Code::BadResponse, "{provider:?} {status}: {error}");
                assert!(!format!("{error}{error:?}").contains("sk-very-secret"));
            }
        }
        for status in ["400 Bad", "401 No", "403 No", "404 No", "429 Slow", "500 Oops"] {
            let body = r#"{"error":{"message":"the key sk-very-secret, sk-very-se\u0063ret is wrong","type":"sk-very-secret","code":"sk-very-secret","status":"sk-very-secret"}}"#;
            let server = Server::always(http(
                status,
                "content-type: application/json\r\nx-request-id: sk-very-secret\r\nrequest-id: sk-very-secret\r\n",
                body,
            ));
            let client = server.client_of(provider);
            for error in [client.send(&hello()).unwrap_err(), text_of(&client).1.unwrap()] {
                let said = format!("{error}{error:?}");
                assert!(!said.contains("sk-very-secret"), "{provider:?} {status}: {said}");
            }
        }
    }
    assert!(elsewhere.seen().is_empty());
}
