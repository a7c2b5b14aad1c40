//! The listener: bounded connections on loopback, each request with the token, the right host and no web page behind it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, UPGRADE,
};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_util::sync::CancellationToken;

use crate::mcp::Handler;
use crate::sessions::Sessions;
use crate::socket;

/// Connections at the same time.
const CONNECTIONS: usize = 64;
/// Connections that are a WebSocket, at the same time.
const SOCKETS: usize = 16;
/// A client sends its headers within this time.
const HEADERS: Duration = Duration::from_secs(10);
/// A client sends the rest of its request within this time.
const BODY: Duration = Duration::from_secs(30);
/// Bytes of a request.
const REQUEST_BYTES: usize = 1 << 20;
/// The path of the Model Context Protocol.
pub(crate) const PATH: &str = "/mcp";
/// The path of the WebSocket.
pub(crate) const SOCKET: &str = "/ws";

type Body = BoxBody<Bytes, Infallible>;
pub(crate) type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// What every connection shares.
pub(crate) struct Shared {
    pub(crate) service: Service,
    pub(crate) sessions: Sessions,
    pub(crate) token: String,
    /// The hosts by which a client may name the server.
    pub(crate) hosts: [String; 2],
    pub(crate) stop: CancellationToken,
    pub(crate) sockets: Arc<Semaphore>,
}

impl Shared {
    pub(crate) fn sockets() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(SOCKETS))
    }
}

/// Accepts connections until `stop`.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let stream = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Such as too many open files: it passes, and must not spin.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let (shared, stop) = (Arc::clone(&shared), stop.clone());
        tokio::spawn(async move {
            let answer = hyper::service::service_fn(move |request| {
                let shared = Arc::clone(&shared);
                async move { Ok::<_, Infallible>(answer(&shared, request).await) }
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
            let connection = http.serve_connection(TokioIo::new(stream), answer).with_upgrades();
            // How a connection ends is its client's affair.
            tokio::select! {
                () = stop.cancelled() => {}
                _ = connection => {}
            }
            drop(place);
        });
    }
}

async fn answer(shared: &Arc<Shared>, request: Request<Incoming>) -> Response<Body> {
    if let Some((status, code, message)) = refused(request.headers(), &shared.token, &shared.hosts) {
        return told(status, code, message);
    }
    match request.uri().path() {
        PATH => {
            let (head, body) = request.into_parts();
            let read = Limited::new(body, REQUEST_BYTES).collect();
            match tokio::time::timeout(BODY, read).await {
                Ok(Ok(body)) => {
                    let request = Request::from_parts(head, Full::new(body.to_bytes()));
                    shared.service.handle(request).await
                }
                Ok(Err(error)) if error.is::<LengthLimitError>() => {
                    let status = StatusCode::PAYLOAD_TOO_LARGE;
                    told(status, "file_too_large", "A request has at most 1 MB.")
                }
                Ok(Err(_)) => told(StatusCode::BAD_REQUEST, "network", "The request did not arrive."),
                Err(_) => told(
                    StatusCode::REQUEST_TIMEOUT,
                    "timeout",
                    "The request did not arrive in time.",
                ),
            }
        }
        SOCKET => upgraded(shared, request),
        _ => {
            let message = "There is nothing here but /mcp and /ws.";
            told(StatusCode::NOT_FOUND, "invalid_path", message)
        }
    }
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
                socket::serve(upgraded, &shared.sessions, place).await;
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
fn refused(headers: &HeaderMap, token: &str, hosts: &[String]) -> Option<(StatusCode, &'static str, &'static str)> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_ours = |host: &str| hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host));
    if let Some(origin) = text(ORIGIN)
        && !origin.strip_prefix("http://").is_some_and(is_ours)
    {
        let message = "Web pages may not use the assistant.";
        return Some((StatusCode::FORBIDDEN, "permission_denied", message));
    }
    if !text(HOST).is_some_and(is_ours) {
        let message = "This is not the host that was asked for.";
        return Some((StatusCode::FORBIDDEN, "permission_denied", message));
    }
    let given = text(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    if given.unwrap_or_default().as_bytes().ct_eq(token.as_bytes()).into() {
        return None;
    }
    let message =
        "The token is missing or wrong. Copy the configuration again from Blender's preferences of the add-on.";
    Some((StatusCode::UNAUTHORIZED, "auth_failed", message))
}

fn told(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let text = serde_json::json!({"error": {"code": code, "message": message}}).to_string();
    let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
    *response.status_mut() = status;
    let kind = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(pairs: &[(HeaderName, &str)]) -> Option<u16> {
        let headers = pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        let hosts = ["127.0.0.1:5".to_owned(), "localhost:5".to_owned()];
        refused(&headers.collect(), "secret", &hosts).map(|(status, ..)| status.as_u16())
    }

    #[test]
    fn only_the_token_admits_and_a_web_page_never() {
        let right = (AUTHORIZATION, "Bearer secret");
        let host = (HOST, "127.0.0.1:5");
        assert_eq!(status(&[host.clone(), right.clone()]), None);
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
        assert_eq!(status(&[right]), Some(403));
    }
}
