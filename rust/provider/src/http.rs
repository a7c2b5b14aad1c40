//! The one place that sends. It handles bytes, limits and addresses; the dialect interprets the bytes.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::{Arc, Once, OnceLock};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode, Url};

use crate::config::{Endpoint, shown};
use crate::dialect::Dialect;
use crate::error::{Detail, ProviderError, one_line};
use crate::keys::{Keys, Slot};
use crate::leak::{KeyFilter, KeyForms};
use crate::limits;
use crate::providers::Provider;
use crate::retry::read_advice;
use crate::secret::ApiKey;

/// A request body that several attempts share.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) path: String,
    /// `None` asks with GET.
    pub(crate) body: Option<Bytes>,
    pub(crate) stream: bool,
    /// Who is told when the body leaves.
    pub(crate) departure: Option<Departure>,
}

/// Called when the content of a request leaves this process: a connection was made, and takes it. Attempts that find no server leave nothing.
#[derive(Clone)]
pub struct Departure(Arc<dyn Fn() + Send + Sync>);

impl Departure {
    /// `tell` is called once for each attempt that leaves; it must not wait.
    pub fn new(tell: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl std::fmt::Debug for Departure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Departure")
    }
}

/// A body that tells when it leaves: it is asked for its content by the connection that takes it, and by nothing else.
struct Leaving {
    content: Option<Bytes>,
    departure: Departure,
}

impl Body for Leaving {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let content = self.content.take();
        if content.is_some() {
            (self.departure.0)();
        }
        Poll::Ready(content.map(|content| Ok(Frame::data(content))))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.content.as_ref().map_or(0, Bytes::len);
        SizeHint::with_exact(u64::try_from(left).unwrap_or(u64::MAX))
    }
}

/// The kind of a body, by its content type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Events,
    WebPage,
    /// Missing, or something else.
    Other(Option<String>),
}

/// An answer with a success status whose body is still to be read.
#[derive(Debug)]
pub(crate) struct Answer {
    response: reqwest::Response,
    /// Kind of the body.
    pub(crate) kind: Kind,
    /// The provider's identifier of the exchange.
    pub(crate) request_id: Option<String>,
}

impl Answer {
    /// The next piece of the body; `None` at its end.
    pub(crate) async fn piece(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, ProviderError> {
        self.response.chunk().await.map_err(|error| broken(&error))
    }

    /// The whole body, at most `limit` bytes of it.
    pub(crate) async fn body(mut self, limit: usize) -> Result<Vec<u8>, ProviderError> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece().await? {
            let piece = piece.as_ref();
            if all.len() + piece.len() > limit {
                return Err(ProviderError::bad_response(format!(
                    "The answer is longer than {} KB.",
                    limit >> 10
                )));
            }
            all.extend_from_slice(piece);
        }
        Ok(all)
    }
}

/// The connection of one client to its endpoint.
pub(crate) struct Http {
    pub(crate) endpoint: Endpoint,
    pub(crate) dialect: &'static dyn Dialect,
    /// Empty until the key was looked up.
    key: OnceLock<Option<ApiKey>>,
    /// The slot of the stored key.
    provider: Provider,
    client: OnceLock<Result<reqwest::Client, String>>,
}

impl Http {
    /// Without a key and with `look`, the stored keys are searched before the first request.
    pub(crate) fn new(
        endpoint: Endpoint,
        dialect: &'static dyn Dialect,
        provider: Provider,
        key: Option<ApiKey>,
        look: bool,
    ) -> Self {
        Self {
            endpoint,
            dialect,
            key: if look && key.is_none() {
                OnceLock::new()
            } else {
                OnceLock::from(key)
            },
            provider,
            client: OnceLock::new(),
        }
    }

    /// Whether the key was looked up already.
    pub(crate) fn looked(&self) -> bool {
        self.key.get().is_some()
    }

    /// Looks up the stored key, once. A key store may wait for a person; the caller stops waiting by dropping this.
    pub(crate) async fn look_for_key(&self) -> Result<(), ProviderError> {
        if self.looked() {
            return Ok(());
        }
        let slot = Slot::at(self.provider, &self.endpoint);
        let looking = tokio::task::spawn_blocking(move || Keys::of_this_user().stored(&slot));
        let found = looking
            .await
            .map_err(|_| ProviderError::Internal("reading the key failed".into()))?;
        let found = match found {
            // A server on this computer rarely needs a key, so a failing key store must not prevent the request.
            Err(ProviderError::KeyStore(_)) if self.endpoint.loopback && self.provider.key_variables().is_empty() => {
                None
            }
            found => found?,
        };
        let _ = self.key.set(found);
        Ok(())
    }

    pub(crate) fn has_key(&self) -> bool {
        self.key().is_some()
    }

    pub(crate) fn key(&self) -> Option<&ApiKey> {
        self.key.get().and_then(Option::as_ref)
    }

    /// Sends one request. Success statuses come back as an answer, everything else as the error that it is. Redirects within the origin that
    /// keep method and body are followed.
    pub(crate) async fn open(&self, outgoing: &Outgoing) -> Result<Answer, ProviderError> {
        let mut url = self.endpoint.join(&outgoing.path);
        let mut moved = 0;
        loop {
            let request = self.request(url.clone(), outgoing)?;
            let response = request.send().await.map_err(|error| self.unreached(&error))?;
            match next_address(&response) {
                Some(next) if moved < limits::REDIRECTS => url = next,
                _ => return self.judge(response).await,
            }
            moved += 1;
        }
    }

    fn request(&self, url: Url, outgoing: &Outgoing) -> Result<reqwest::RequestBuilder, ProviderError> {
        let method = if outgoing.body.is_some() {
            Method::POST
        } else {
            Method::GET
        };
        let accept = if outgoing.stream {
            "text/event-stream"
        } else {
            "application/json"
        };
        let mut request = self.client()?.request(method, url).header(ACCEPT, accept);
        for (name, value) in self.dialect.headers() {
            request = request.header(*name, *value);
        }
        if let Some(body) = &outgoing.body {
            request = request.header(CONTENT_TYPE, "application/json");
            request = match &outgoing.departure {
                None => request.body(body.clone()),
                Some(departure) => request.body(reqwest::Body::wrap(Leaving {
                    content: Some(body.clone()),
                    departure: departure.clone(),
                })),
            };
        }
        if let Some(key) = self.key() {
            let (name, value) = self.dialect.auth(key);
            let mut value = HeaderValue::from_str(&value).map_err(|_| ProviderError::KeyInvalid)?;
            value.set_sensitive(true);
            request = request.header(HeaderName::from_static(name), value);
        }
        Ok(request)
    }

    /// Sends one request and reads its whole answer, with the identifier of the exchange.
    pub(crate) async fn exchange(&self, outgoing: &Outgoing) -> Result<(Vec<u8>, Option<String>), ProviderError> {
        let answer = self.open(outgoing).await?;
        let request_id = answer.request_id.clone();
        if answer.kind == Kind::WebPage {
            return Err(web_page());
        }
        Ok((answer.body(limits::REPLY_BYTES).await?, request_id))
    }

    /// Completes an error with the data of this connection, and removes the key from it.
    pub(crate) fn locate(&self, error: ProviderError, request_id: Option<&str>) -> ProviderError {
        error
            .with(|detail| {
                detail.endpoint = self.endpoint.shown();
                if detail.request_id.is_none() {
                    detail.request_id = request_id.map(str::to_owned);
                }
            })
            .with_texts(|foreign| self.remove_key(foreign))
    }

    /// Removes the key from words of the server, which may be cut.
    fn remove_key(&self, foreign: &mut String) {
        if let Some(forms) = self.key().and_then(KeyForms::of) {
            forms.remove_from_quote(foreign);
        }
    }

    /// What removes the key from a reply.
    pub(crate) fn filter(&self) -> KeyFilter {
        KeyFilter::new(self.key())
    }

    async fn judge(&self, response: reqwest::Response) -> Result<Answer, ProviderError> {
        let headers = response.headers();
        let size: usize = headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum();
        if size > limits::HEADER_BYTES {
            return Err(ProviderError::bad_response(
                "The headers of the answer are longer than 256 KB.",
            ));
        }
        let status = response.status();
        let request_id = ["x-request-id", "request-id"]
            .iter()
            .find_map(|name| text(headers, name))
            .and_then(one_line)
            .map(|mut id| {
                self.remove_key(&mut id);
                id
            });
        if status.is_redirection() {
            return Err(self.redirected(&response));
        }
        let kind = kind(headers);
        if status == StatusCode::OK || (status.is_success() && status != StatusCode::NO_CONTENT) {
            return Ok(Answer {
                response,
                kind,
                request_id,
            });
        }
        let mut advice = Detail::default();
        read_advice(|name| text(headers, name), SystemTime::now(), &mut advice);
        let answer = Answer {
            response,
            kind,
            request_id: None,
        };
        let body = match answer.body(limits::ERROR_BYTES).await {
            Ok(body) => body,
            Err(error @ ProviderError::BadResponse { .. }) => return Err(error),
            // The status has arrived; an incomplete body adds nothing.
            Err(_) => Vec::new(),
        };
        let error = self.dialect.refusal(status.as_u16(), &body);
        Err(error.with(|detail| {
            detail.status = Some(status.as_u16());
            detail.request_id = request_id;
            detail.retry_after = detail.retry_after.max(advice.retry_after);
            detail.should_retry = advice.should_retry;
        }))
    }

    fn redirected(&self, response: &reqwest::Response) -> ProviderError {
        let target = text(response.headers(), LOCATION.as_str()).and_then(|to| response.url().join(to).ok());
        let to = target.map_or_else(String::new, |url| format!(" to {}", shown(&url)));
        ProviderError::bad_response(format!(
            "{} redirects{to}; your prompt and key are not sent there. Set the final address as the base URL.",
            self.endpoint.shown()
        ))
        .with(|detail| detail.status = Some(response.status().as_u16()))
    }

    /// Created by the first call, since reading the system's certificates takes milliseconds.
    fn client(&self) -> Result<&reqwest::Client, ProviderError> {
        self.client
            .get_or_init(|| build(&self.endpoint).map_err(|error| error.to_string()))
            .as_ref()
            .map_err(|error| ProviderError::Internal(error.clone()))
    }

    /// Why no answer came.
    fn unreached(&self, error: &reqwest::Error) -> ProviderError {
        let place = self.endpoint.shown();
        let io = source::<std::io::Error>(error).map(std::io::Error::kind);
        if error.is_timeout() {
            return ProviderError::timeout(format!("connecting took longer than {} s", limits::CONNECT.as_secs()));
        }
        if let Some(tls) = source::<rustls::Error>(error) {
            return ProviderError::network(format!(
                "The encrypted connection to {place} failed: {}. Check the address, the certificate of the server, and the \
                 clock of this computer.",
                one_line(&tls.to_string()).unwrap_or_default()
            ));
        }
        if error.is_dns() {
            return ProviderError::network(format!(
                "The host {} cannot be found. Check the address and the internet connection.",
                self.endpoint.host()
            ));
        }
        if error.is_connect() {
            let why = match io {
                Some(std::io::ErrorKind::ConnectionRefused) if self.endpoint.loopback => {
                    format!("Nothing answers at {place}. Is the server running?")
                }
                Some(std::io::ErrorKind::ConnectionRefused) => {
                    format!("Nothing answers at {place}. Check the address and port.")
                }
                _ => format!("{place} cannot be reached. Check the address, the network and the proxy settings."),
            };
            return ProviderError::network(why);
        }
        broken(error)
    }
}

/// A connection that failed after it was made.
fn broken(error: &reqwest::Error) -> ProviderError {
    match source::<hyper::Error>(error) {
        Some(http) if http.is_parse() => {
            ProviderError::bad_response("The server there does not speak HTTP properly. Check host and port.")
        }
        _ if error.is_decode() && source::<hyper::Error>(error).is_none() => {
            ProviderError::bad_response("The compressed answer is damaged.")
        }
        _ => ProviderError::network("The connection broke before the answer was complete. Send again."),
    }
}

/// The first cause of type `T`.
fn source<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        // The error that an io::Error wraps is not its source; it says the same.
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        next = wrapped
            .map(|inner| inner as &(dyn StdError + 'static))
            .or_else(|| error.source());
    }
    None
}

fn build(endpoint: &Endpoint) -> Result<reqwest::Client, reqwest::Error> {
    static TLS: Once = Once::new();
    TLS.call_once(|| {
        // An error means that a backend is already installed, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let header_limit = u32::try_from(limits::HEADER_BYTES).unwrap_or(u32::MAX);
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("geonode-ai-assistant/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(limits::CONNECT)
        .redirect(Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(30))
        .http2_max_header_list_size(header_limit);
    if endpoint.loopback {
        // Neither a proxy nor a name service is used: `localhost` is always this computer.
        let here = [([127, 0, 0, 1], 0).into(), ([0, 0, 0, 0, 0, 0, 0, 1], 0).into()];
        builder = builder.no_proxy().resolve_to_addrs("localhost", &here);
    }
    if !endpoint.is_https() {
        // Servers on one's own network promise to keep a connection and close it all the same (llama.cpp does after every stream). What is
        // sent at that moment is lost, and asking a model twice is dear, so every request gets its own connection, at one round trip.
        builder = builder.tls_certs_only([]).pool_max_idle_per_host(0);
    }
    builder.build()
}

/// Where a redirect leads that keeps origin, method and body.
fn next_address(response: &reqwest::Response) -> Option<Url> {
    let keeps = matches!(
        response.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let to = text(response.headers(), LOCATION.as_str()).filter(|_| keeps)?;
    let next = response.url().join(to).ok()?;
    (next.origin() == response.url().origin()).then_some(next)
}

/// The address returned a web page.
pub(crate) fn web_page() -> ProviderError {
    ProviderError::bad_response(
        "The address answers with a web page. The path is probably wrong: try the base URL with /v1 at its end.",
    )
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn kind(headers: &HeaderMap) -> Kind {
    let Some(value) = text(headers, CONTENT_TYPE.as_str()) else {
        return Kind::Other(None);
    };
    let essence = value.split(';').next().unwrap_or_default().trim();
    match essence.to_ascii_lowercase().as_str() {
        "application/json" => Kind::Json,
        "text/event-stream" => Kind::Events,
        "text/html" | "application/xhtml+xml" => Kind::WebPage,
        other if other.ends_with("+json") => Kind::Json,
        _ => Kind::Other(one_line(essence)),
    }
}
