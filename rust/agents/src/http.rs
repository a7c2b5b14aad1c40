//! The listener: bounded connections on loopback, each request with the token, the right host and no web page behind it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, ORIGIN};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::mcp::Handler;

/// Connections at the same time.
const CONNECTIONS: usize = 64;
/// A client sends its headers within this time.
const HEADERS: Duration = Duration::from_secs(10);
/// The one path.
pub(crate) const PATH: &str = "/mcp";

type Body = BoxBody<Bytes, Infallible>;
pub(crate) type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// What every connection shares.
pub(crate) struct Shared {
    pub(crate) service: Service,
    pub(crate) token: String,
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
            let connection = http.serve_connection(TokioIo::new(stream), answer);
            // How a connection ends is its client's affair.
            tokio::select! {
                () = stop.cancelled() => {}
                _ = connection => {}
            }
            drop(place);
        });
    }
}

async fn answer(shared: &Shared, request: Request<Incoming>) -> Response<Body> {
    if let Some((status, code, message)) = refused(request.headers(), &shared.token) {
        return told(status, code, message);
    }
    if request.uri().path() != PATH {
        return told(StatusCode::NOT_FOUND, "invalid_path", "There is nothing here but /mcp.");
    }
    shared.service.handle(request).await
}

/// Why a request is not admitted. A web page always says where it comes from (`Origin`); a program does not.
fn refused(headers: &HeaderMap, token: &str) -> Option<(StatusCode, &'static str, &'static str)> {
    if headers.contains_key(ORIGIN) {
        let message = "Web pages may not use the assistant.";
        return Some((StatusCode::FORBIDDEN, "permission_denied", message));
    }
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or_default();
    if given.as_bytes().ct_eq(token.as_bytes()).into() {
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

    #[test]
    fn only_the_token_admits_and_a_web_page_never() {
        let status = |pairs: &[(hyper::header::HeaderName, &str)]| {
            let headers = pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
            refused(&headers.collect(), "secret").map(|(status, ..)| status.as_u16())
        };
        assert_eq!(status(&[(AUTHORIZATION, "Bearer secret")]), None);
        for wrong in ["Bearer secre", "Bearer secret2", "secret", "Bearer ", "Basic secret"] {
            assert_eq!(status(&[(AUTHORIZATION, wrong)]), Some(401), "{wrong}");
        }
        assert_eq!(status(&[]), Some(401));
        for origin in ["http://localhost", "https://example.org", "null"] {
            assert_eq!(status(&[(AUTHORIZATION, "Bearer secret"), (ORIGIN, origin)]), Some(403));
        }
    }
}
