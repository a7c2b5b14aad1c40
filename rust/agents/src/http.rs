//! The listener: bounded connections on loopback, each request with the token, the right host and no web page behind it.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use geonode_protocol::Code;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::HeaderMap;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN, UPGRADE};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::{Value, json};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_util::sync::CancellationToken;

use crate::frame::{self, Refused};
use crate::guests::Guests;
use crate::mcp::Handler;
use crate::places::{Place, Places};
use crate::presence::{Presence, REVOKED, SESSION};
use crate::sessions::Sessions;
use crate::socket;
use crate::witness::Witness;

/// Connections that are a WebSocket, at the same time.
const SOCKETS: usize = 16;
/// A client sends its headers within this time.
const HEADERS: Duration = Duration::from_secs(10);
/// A client sends the rest of its request within this time.
const BODY: Duration = Duration::from_secs(30);
/// Bytes of a request.
const REQUEST_BYTES: usize = 1 << 20;
/// From this version of the protocol on, clients know events without data, by which a stream begins.
const BEGINS_EMPTY: &str = "2025-11-25";
/// The header with the version of the protocol.
const VERSION: &str = "mcp-protocol-version";
/// The path of the Model Context Protocol.
pub(crate) const PATH: &str = "/mcp";
/// The path of the WebSocket.
pub(crate) const SOCKET: &str = "/ws";

type Body = BoxBody<Bytes, Infallible>;
pub(crate) type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// What every connection shares.
pub(crate) struct Shared {
    pub(crate) service: Service,
    /// The sessions of `service`.
    pub(crate) rooms: Arc<LocalSessionManager>,
    pub(crate) guests: Guests,
    pub(crate) sessions: Sessions,
    pub(crate) token: String,
    /// The hosts by which a client may name the server.
    pub(crate) hosts: [String; 2],
    /// No further request is taken; what is open gets an answer.
    pub(crate) closing: CancellationToken,
    /// Connections end.
    pub(crate) stop: CancellationToken,
    pub(crate) sockets: Arc<Semaphore>,
    pub(crate) presence: Arc<Presence>,
    pub(crate) witness: Witness,
}

impl Shared {
    pub(crate) fn sockets() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(SOCKETS))
    }
}

/// Accepts connections until the server closes. `_open` is dropped with the listener.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>, _open: Sender<()>) {
    let places = Arc::new(Places::default());
    loop {
        let stream = tokio::select! {
            () = shared.closing.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Such as too many open files: it passes, and must not spin.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        // An answer comes in several pieces, and none waits until the one before has been acknowledged. Without it all is only slower.
        stream.set_nodelay(true).unwrap_or_default();
        // Without a place it is closed at once.
        let Some(place) = places.enter() else { continue };
        let (shared, places) = (Arc::clone(&shared), Arc::clone(&places));
        tokio::spawn(async move {
            let stop = shared.stop.clone();
            let its = Arc::clone(&place);
            let answer = hyper::service::service_fn(move |request| {
                let (shared, place) = (Arc::clone(&shared), Arc::clone(&its));
                async move { Ok::<_, Infallible>(answer(&shared, &place, request).await) }
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
            let connection = http.serve_connection(TokioIo::new(stream), answer).with_upgrades();
            // How a connection ends is its client's affair.
            tokio::select! {
                () = stop.cancelled() => {}
                () = place.leave.cancelled() => {}
                _ = connection => {}
            }
            places.free(&place);
        });
    }
}

async fn answer(shared: &Arc<Shared>, place: &Place, request: Request<Incoming>) -> Response<Body> {
    if let Some((status, code, message)) = refused(&request, &shared.token, &shared.hosts) {
        shared.witness.tell("", "", Some(code));
        return told(status, code.as_str(), message);
    }
    if shared.closing.is_cancelled() {
        return told(StatusCode::UNAUTHORIZED, Code::AuthFailed.as_str(), REVOKED);
    }
    place.admit();
    match request.uri().path() {
        PATH => spoken(shared, request).await,
        SOCKET => upgraded(shared, request),
        _ => {
            let message = "There is nothing here but /mcp and /ws.";
            told(StatusCode::NOT_FOUND, "invalid_path", message)
        }
    }
}

/// A request of the Model Context Protocol.
async fn spoken(shared: &Arc<Shared>, request: Request<Incoming>) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let read = Limited::new(body, REQUEST_BYTES).collect();
    let body = match tokio::time::timeout(BODY, read).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return told(status, "file_too_large", "A request has at most 1 MB.");
        }
        Ok(Err(_)) => return told(StatusCode::BAD_REQUEST, "network", "The request did not arrive."),
        Err(_) => {
            let message = "The request did not arrive in time.";
            return told(StatusCode::REQUEST_TIMEOUT, "timeout", message);
        }
    };
    let session = head
        .headers
        .get(SESSION)
        .and_then(|id| id.to_str().ok())
        .map(str::to_owned);
    let is_last = head.method == Method::DELETE;
    let id = if head.method == Method::POST {
        frame::read(&body)
    } else {
        Ok(None)
    };
    let listened = id.and_then(|id| {
        shared
            .presence
            .listen(session.as_deref(), id)
            .ok_or_else(Refused::taken)
    });
    let listening = match listened {
        Ok(listening) => listening,
        Err(refused) => {
            let goes_on = refused
                .id()
                .is_some_and(|id| shared.presence.is_open(session.as_deref(), id));
            let refused = if goes_on { refused.unnamed() } else { refused };
            return with_json(StatusCode::BAD_REQUEST, &refused.answer());
        }
    };
    head.extensions.insert(listening.call());
    let begins_empty = version(&head.headers, &body).as_str() >= BEGINS_EMPTY;
    let response = shared.service.handle(Request::from_parts(head, Full::new(body))).await;
    if response.status().is_client_error() || response.status().is_server_error() {
        return worded(response).await;
    }
    shared.guests.heard(session.as_deref(), response.headers());
    if let Some(gone) = shared.guests.surplus(|id| shared.presence.listens(id)) {
        // It fails only where the session has ended already.
        drop(shared.rooms.close_session(&gone.into()).await);
    }
    if let (true, Some(session)) = (is_last, session) {
        shared.presence.leave(&session);
        shared.guests.leave(&session);
        let mut response = Response::new(Full::default().boxed());
        *response.status_mut() = StatusCode::NO_CONTENT;
        return response;
    }
    // It listens for as long as the response is open.
    response.map(|body| {
        body.map_frame(move |frame| {
            let _ = &listening;
            if begins_empty {
                frame
            } else {
                frame.map_data(told_apart)
            }
        })
        .boxed()
    })
}

/// The version of the protocol that a request is of; empty for one that does not say.
fn version(headers: &HeaderMap, body: &[u8]) -> String {
    if let Some(said) = headers.get(VERSION) {
        return said.to_str().unwrap_or_default().to_owned();
    }
    // The first request says which one the client wants.
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let wanted = body.pointer("/params/protocolVersion").and_then(Value::as_str);
    wanted.unwrap_or_default().to_owned()
}

/// An event without data, for clients that take every event for a message: they end at an empty one. Its number and how soon to come back
/// remain, which are no event by themselves.
fn told_apart(event: Bytes) -> Bytes {
    match event.strip_prefix(b"data: \n".as_slice()) {
        Some(rest) => event.slice_ref(rest),
        None => event,
    }
}

/// A refusal of the protocol's library, which words it in plain text, in the form of all others.
async fn worded(response: Response<Body>) -> Response<Body> {
    let (head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    if serde_json::from_slice::<Value>(&body).is_ok_and(|value| value.is_object()) {
        return Response::from_parts(head, Full::new(body).boxed());
    }
    let mut worded = told(
        head.status,
        Code::InvalidValue.as_str(),
        &String::from_utf8_lossy(&body),
    );
    if let Some(allowed) = head.headers.get(ALLOW) {
        worded.headers_mut().insert(ALLOW, allowed.clone());
    }
    worded
}

/// Makes a WebSocket of the connection.
fn upgraded(shared: &Arc<Shared>, request: Request<Incoming>) -> Response<Body> {
    let says = |name: &HeaderName, word: &str| {
        let said = request.headers().get(name).and_then(|value| value.to_str().ok());
        said.is_some_and(|said| said.split(',').any(|one| one.trim().eq_ignore_ascii_case(word)))
    };
    let version = HeaderName::from_static("sec-websocket-version");
    let key = request.headers().get("sec-websocket-key");
    let accept = key.map(|key| derive_accept_key(key.as_bytes()));
    let accept = accept.and_then(|accept| HeaderValue::from_str(&accept).ok());
    let (true, Some(accept)) = (says(&UPGRADE, "websocket") && says(&version, "13"), accept) else {
        return told(
            StatusCode::BAD_REQUEST,
            "invalid_value",
            "Connect here with a WebSocket, version 13.",
        );
    };
    let Ok(place) = Arc::clone(&shared.sockets).try_acquire_owned() else {
        let message = "Too many programs are connected.";
        return told(StatusCode::SERVICE_UNAVAILABLE, "tool_busy", message);
    };
    let (shared, stop) = (Arc::clone(shared), shared.stop.clone());
    tokio::spawn(async move {
        let speaking = async {
            if let Ok(upgraded) = hyper::upgrade::on(request).await {
                socket::serve(upgraded, &shared.sessions, place, &shared.closing).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = speaking => {}
        }
    });
    let mut response = Response::new(Full::default().boxed());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(HeaderName::from_static("sec-websocket-accept"), accept);
    response
}

/// Why a request is not admitted. A web page always says where it comes from (`Origin`), which is never this server: it has no pages.
fn refused<B>(request: &Request<B>, token: &str, hosts: &[String]) -> Option<(StatusCode, Code, &'static str)> {
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_ours = |host: &str| hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host));
    if let Some(origin) = text(ORIGIN)
        && !origin.strip_prefix("http://").is_some_and(is_ours)
    {
        let message = "Web pages may not use the assistant.";
        return Some((StatusCode::FORBIDDEN, Code::PermissionDenied, message));
    }
    let named = request.uri().authority().is_none_or(|named| is_ours(named.as_str()));
    if !named || !text(HOST).is_some_and(is_ours) {
        let message = "This is not the host that was asked for.";
        return Some((StatusCode::FORBIDDEN, Code::PermissionDenied, message));
    }
    let given = text(AUTHORIZATION).and_then(|value| value.split_once(' '));
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer"));
    let given = given.map(|(_, token)| token).unwrap_or_default();
    if given.as_bytes().ct_eq(token.as_bytes()).into() {
        return None;
    }
    let message =
        "The token is missing or wrong. Copy the configuration again from Blender's preferences of the add-on.";
    Some((StatusCode::UNAUTHORIZED, Code::AuthFailed, message))
}

fn told(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    with_json(status, &json!({"error": {"code": code, "message": message}}))
}

fn with_json(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(value.to_string())).boxed());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(pairs: &[(HeaderName, &str)]) -> Option<u16> {
        status_at("/mcp", pairs)
    }

    fn status_at(uri: &str, pairs: &[(HeaderName, &str)]) -> Option<u16> {
        let mut request = Request::new(());
        *request.uri_mut() = uri.parse().unwrap();
        for (name, value) in pairs {
            request.headers_mut().insert(name.clone(), value.parse().unwrap());
        }
        let hosts = ["127.0.0.1:5".to_owned(), "localhost:5".to_owned()];
        refused(&request, "secret", &hosts).map(|(status, ..)| status.as_u16())
    }

    #[test]
    fn only_the_token_admits_and_a_web_page_never() {
        let right = (AUTHORIZATION, "Bearer secret");
        let host = (HOST, "127.0.0.1:5");
        assert_eq!(status(&[host.clone(), right.clone()]), None);
        assert_eq!(status(&[host.clone(), (AUTHORIZATION, "bearer secret")]), None);
        for wrong in ["Bearer secre", "Bearer secret2", "secret", "Bearer ", "Basic secret"] {
            assert_eq!(status(&[host.clone(), (AUTHORIZATION, wrong)]), Some(401), "{wrong}");
        }
        assert_eq!(status(std::slice::from_ref(&host)), Some(401));
        for origin in [
            "http://localhost",
            "http://localhost:6",
            "https://localhost:5",
            "https://example.org",
            "http://localhost:5.example.org",
            "null",
        ] {
            assert_eq!(
                status(&[host.clone(), right.clone(), (ORIGIN, origin)]),
                Some(403),
                "{origin}"
            );
        }
        assert_eq!(status(&[host, right, (ORIGIN, "http://localhost:5")]), None);
    }

    #[test]
    fn a_name_that_leads_here_by_a_trick_is_no_host() {
        let right = (AUTHORIZATION, "Bearer secret");
        for host in ["evil.example", "evil.example:5", "127.0.0.1", "127.0.0.1:6"] {
            assert_eq!(status(&[right.clone(), (HOST, host)]), Some(403), "{host}");
        }
        assert_eq!(status(std::slice::from_ref(&right)), Some(403));
        let named = [right, (HOST, "127.0.0.1:5")];
        assert_eq!(status_at("http://127.0.0.1:5/mcp", &named), None);
        assert_eq!(status_at("http://evil.example/mcp", &named), Some(403));
    }
}
