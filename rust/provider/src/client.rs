//! The facade: one client per endpoint, usable from several threads.

use std::borrow::Cow;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use geonode_protocol::Code;
use serde_json::Value;
use tokio::sync::{OnceCell, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::config::{ClientConfig, Endpoint, recording_path};
use crate::dialect::{self, Call, Dialect, SchemaUse};
use crate::error::ProviderError;
use crate::http::{Http, Outgoing};
use crate::keys;
use crate::leak::KeyFilter;
use crate::limits;
use crate::models::{self, Fitting, ModelInfo};
use crate::providers::{Models, Provider};
use crate::redact::Redactor;
use crate::replay::Replay;
use crate::reply::{Model, Notice, Response, StreamEvent};
use crate::request::Request;
use crate::retry::Retries;
use crate::runtime;
use crate::schema;
use crate::secret::ApiKey;
use crate::stream::{self, EventStream, Outlet};

/// A client of one endpoint. Cheap to clone; clones share connections and cancellation.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Backend,
    provider: Provider,
    model: Option<String>,
    timeout: Duration,
    total: Duration,
    max_retries: u32,
    /// Whether replies may be streamed.
    streaming: bool,
    /// Replaced at each `cancel`, so that later calls are not affected.
    token: Mutex<CancellationToken>,
    /// The first model that the endpoint lists, requested at most once.
    first_model: OnceCell<String>,
}

enum Backend {
    Http(Box<Http>),
    Replay(Replay),
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let endpoint = match &self.inner.backend {
            Backend::Http(http) => http.endpoint.shown(),
            Backend::Replay(_) => "replay".to_owned(),
        };
        f.debug_struct("Client")
            .field("endpoint", &endpoint)
            .field("model", &self.inner.model)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Checks the settings; sends nothing.
    ///
    /// # Errors
    /// `Config` for settings that cannot work, `InsecureUrl` for plain http beyond this computer.
    pub fn new(config: ClientConfig) -> Result<Self, ProviderError> {
        if config.timeout.is_zero() || config.total.is_zero() {
            return Err(ProviderError::Config(
                "A timeout of zero leaves no time for an answer; use at least 1 s.".into(),
            ));
        }
        let backend = match dialect::dialect_of(config.provider) {
            Some(dialect) => {
                let given = config.base_url.as_deref().filter(|url| !url.trim().is_empty());
                let Some(base_url) = given.or(config.provider.base_url()) else {
                    return Err(ProviderError::Config(format!(
                        "The provider “{}” needs a base URL, such as http://127.0.0.1:11434/v1 (Ollama) or \
                         http://127.0.0.1:1234/v1 (LM Studio).",
                        config.provider.name()
                    )));
                };
                let key = match (config.api_key, keys::from_environment(config.provider.key_variables())) {
                    (None, Some((_, key))) => Some(ApiKey::new(key)?),
                    (given, _) => given,
                };
                let endpoint = Endpoint::parse(base_url)?;
                let http = Http::new(endpoint, dialect, config.provider, key, config.stored_key);
                Backend::Http(Box::new(http))
            }
            None => Backend::Replay(Replay::open(&recording_path(&config)?)?),
        };
        let model = config
            .model
            .map(|model| model.trim().to_owned())
            .filter(|model| !model.is_empty());
        Ok(Self {
            inner: Arc::new(Inner {
                backend,
                model,
                provider: config.provider,
                timeout: config.timeout,
                total: config.total,
                max_retries: config.max_retries,
                streaming: config.streaming,
                token: Mutex::new(CancellationToken::new()),
                first_model: OnceCell::new(),
            }),
        })
    }

    /// Sends a request and waits for the whole reply. Blocks; must not be called on Blender's main thread.
    ///
    /// # Errors
    /// Any [`ProviderError`]; truncation and refusal by the model are replies, not errors.
    pub fn send(&self, request: &Request) -> Result<Response, ProviderError> {
        runtime::block_on(self.send_async(request))?
    }

    /// [`Self::send`] for asynchronous callers.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub async fn send_async(&self, request: &Request) -> Result<Response, ProviderError> {
        self.inner.check(request)?;
        let call = async {
            self.inner.key().await?;
            self.inner.send(request).await
        };
        self.guarded(call).await
    }

    /// Sends a request and returns at once; the reply arrives as events. Only the first call may wait, for a key store.
    ///
    /// # Errors
    /// `BodyInvalid`, `Internal`, and problems with the key; all other errors arrive through the stream.
    pub fn stream(&self, request: Request) -> Result<EventStream, ProviderError> {
        self.inner.check(&request)?;
        if self.inner.looked() {
            self.inner.check_key()?;
        } else {
            runtime::block_on(self.guarded(self.inner.key()))??;
        }
        let (sender, receiver) = mpsc::channel(limits::EVENTS_AHEAD);
        let token = self.token();
        let stream = EventStream::new(receiver, token.clone());
        let inner = Arc::clone(&self.inner);
        runtime::shared()?.spawn(async move {
            let filter = inner.filter();
            let mut outlet = Outlet::new(sender.clone(), filter);
            let total = inner.total;
            let result = tokio::select! {
                biased;
                () = token.cancelled() => Err(ProviderError::Cancelled),
                () = sender.closed() => return,
                result = bounded(total, inner.stream(&request, &mut outlet)) => result,
            };
            if let Err(error) = result {
                // The connection is already closed; a dropped reader needs no error.
                let _ = sender.send(Err(error)).await;
            }
        });
        Ok(stream)
    }

    /// The schema in a form that this provider's constrained output accepts; replies to it may have another form than
    /// the schema says: [`schema::restore`] restores them. `None`: the provider takes any schema, or cannot be given this one.
    pub fn adapted_schema(&self, schema: &Value) -> Option<Value> {
        match &self.inner.backend {
            Backend::Http(http) => schema::adapt(schema, http.dialect.subset()?, schema::Shape::Free).ok(),
            Backend::Replay(_) => None,
        }
    }

    /// The provider.
    pub fn provider(&self) -> Provider {
        self.inner.provider
    }

    /// The configured model.
    pub fn model(&self) -> Option<&str> {
        self.inner.model.as_deref()
    }

    /// `scheme://host:port` that requests go to; `None` for recordings.
    pub fn origin(&self) -> Option<String> {
        match &self.inner.backend {
            Backend::Http(http) => Some(http.endpoint.origin()),
            Backend::Replay(_) => None,
        }
    }

    /// Removes this client's key, and everything that looks like a secret, from text. Waits for a key store if the key is in one.
    pub fn redactor(&self) -> Redactor {
        let Backend::Http(http) = &self.inner.backend else {
            return Redactor::default();
        };
        // A failing store is reported by the request itself.
        let _ = runtime::block_on(self.guarded(http.look_for_key()));
        Redactor::new(http.key().cloned())
    }

    /// The registry's entry of the configured model; `None` if it is not listed or none is named.
    pub fn model_info(&self) -> Option<&'static ModelInfo> {
        models::model(self.inner.provider, self.inner.model.as_deref()?)
    }

    /// The request adapted to the configured model, and its expected usage. [`Self::send`] and [`Self::stream`] do the same
    /// by themselves; this returns it in advance. `stream`: whether the reply is to be streamed.
    ///
    /// # Errors
    /// `CapabilityMismatch`, `NoCapableModel`.
    pub fn fit(&self, request: &Request, stream: bool) -> Result<Fitting, ProviderError> {
        self.inner.fit(self.inner.model.as_deref(), request, stream)
    }

    /// The models that the endpoint offers, in its order. Blocks.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub fn models(&self) -> Result<Vec<Model>, ProviderError> {
        runtime::block_on(self.models_async())?
    }

    /// [`Self::models`] for asynchronous callers.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub async fn models_async(&self) -> Result<Vec<Model>, ProviderError> {
        let call = async {
            self.inner.key().await?;
            self.inner.models().await
        };
        self.guarded(call).await
    }

    /// Cancels every running call of this client, in any phase and from any thread. The client stays usable.
    pub fn cancel(&self) {
        let old = {
            let mut token = self.inner.token.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *token, CancellationToken::new())
        };
        old.cancel();
    }

    fn token(&self) -> CancellationToken {
        self.inner.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a call under the client's token and total limit.
    async fn guarded<T>(&self, call: impl Future<Output = Result<T, ProviderError>>) -> Result<T, ProviderError> {
        let token = self.token();
        tokio::select! {
            biased;
            () = token.cancelled() => Err(ProviderError::Cancelled),
            result = bounded(self.inner.total, call) => result,
        }
    }
}

/// Bounds everything together: attempts, waits and fallbacks.
async fn bounded<T>(total: Duration, call: impl Future<Output = Result<T, ProviderError>>) -> Result<T, ProviderError> {
    let late = |_| ProviderError::timeout(format!("no complete answer within {} s in all", total.as_secs_f64()));
    tokio::time::timeout(total, call).await.map_err(late)?
}

/// The notice when a provider could not constrain the reply by the schema.
fn schema_notice() -> Notice {
    Notice {
        code: Code::SchemaRefused,
        text: "The endpoint does not support structured output; the schema was sent as text.".to_owned(),
    }
}

impl Inner {
    /// Refuses what cannot succeed, before anything is sent.
    fn check(&self, request: &Request) -> Result<(), ProviderError> {
        match &self.backend {
            Backend::Http(http) => http.dialect.check(request),
            Backend::Replay(_) => Ok(()),
        }
    }

    /// Whether the key is already known.
    fn looked(&self) -> bool {
        match &self.backend {
            Backend::Http(http) => http.looked(),
            Backend::Replay(_) => true,
        }
    }

    /// Looks for the key if that has not been done, and refuses a request that needs one and has none.
    async fn key(&self) -> Result<(), ProviderError> {
        if let Backend::Http(http) = &self.backend {
            http.look_for_key().await?;
        }
        self.check_key()
    }

    /// What removes the key from a stream.
    fn filter(&self) -> KeyFilter {
        match &self.backend {
            Backend::Http(http) => http.filter(),
            Backend::Replay(_) => KeyFilter::default(),
        }
    }

    fn check_key(&self) -> Result<(), ProviderError> {
        let variables = self.provider.key_variables();
        match &self.backend {
            Backend::Http(http) if !variables.is_empty() && !http.has_key() => Err(ProviderError::AuthMissing {
                provider: self.provider.name(),
                variables: variables.join(" or "),
            }),
            _ => Ok(()),
        }
    }

    /// Adapts a request to the limits of the model and of the settings.
    fn fit(&self, model: Option<&str>, request: &Request, stream: bool) -> Result<Fitting, ProviderError> {
        let may_stream = stream && self.streaming;
        let mut fitting = models::fit(self.provider, model, request, may_stream)?;
        if stream && !may_stream {
            fitting.notices.push(Notice {
                code: Code::StreamingDisabledProvider,
                text: "Streaming is switched off for this provider, so the text appears when the model is done."
                    .to_owned(),
            });
        }
        Ok(fitting)
    }

    /// How the schema of a request is sent at first: in the provider's subset, as advice if the provider accepts that, else in words.
    fn carried<'a>(http: &Http, fitting: &'a Fitting) -> (Option<Cow<'a, Value>>, SchemaUse) {
        let Some(schema) = &fitting.request.schema else {
            return (None, SchemaUse::Native);
        };
        if fitting.in_words {
            return (Some(Cow::Borrowed(schema)), SchemaUse::InPrompt);
        }
        let Some(subset) = http.dialect.subset() else {
            return (Some(Cow::Borrowed(schema)), SchemaUse::Native);
        };
        match schema::adapt(schema, subset, schema::Shape::Kept) {
            Ok(adapted) => (Some(Cow::Owned(adapted)), SchemaUse::Native),
            Err(_) if http.dialect.takes_advice() => (Some(Cow::Borrowed(schema)), SchemaUse::Native),
            Err(_) => (Some(Cow::Borrowed(schema)), SchemaUse::InPrompt),
        }
    }

    async fn send(&self, request: &Request) -> Result<Response, ProviderError> {
        let http = match &self.backend {
            Backend::Replay(replay) => return replay.next().await,
            Backend::Http(http) => http,
        };
        let model = self.model(http).await?;
        let mut fitting = self.fit(Some(model), request, false)?;
        let mut notices = std::mem::take(&mut fitting.notices);
        // A private server has its own names of models.
        notices.retain(|notice| notice.code != Code::UnknownModel || self.provider.models() != Models::Server);
        let mut response = self.send_fitted(http, model, &fitting).await?;
        response.notices.splice(..0, notices);
        Ok(response)
    }

    async fn send_fitted(&self, http: &Http, model: &str, fitting: &Fitting) -> Result<Response, ProviderError> {
        let request = &fitting.request;
        let (schema, schema_use) = Self::carried(http, fitting);
        let first = Self::outgoing(http, request, model, false, (schema.as_deref(), schema_use));
        match self.send_retrying(http, &first).await {
            Err(ProviderError::SchemaRefused(_)) if schema_use == SchemaUse::Native && request.schema.is_some() => {
                let fallback = Self::outgoing(
                    http,
                    request,
                    model,
                    false,
                    (request.schema.as_ref(), SchemaUse::InPrompt),
                );
                let mut response = self.send_retrying(http, &fallback).await?;
                response.notices.push(schema_notice());
                Ok(response)
            }
            result => result,
        }
    }

    async fn send_retrying(&self, http: &Http, outgoing: &Outgoing) -> Result<Response, ProviderError> {
        let (mut response, request_id) = self.fetch(http, outgoing, |dialect, body| dialect.reply(body)).await?;
        response.request_id = request_id;
        // A server that repeats the key would carry it into the report, the history and the file.
        http.filter().response(&mut response);
        Ok(response)
    }

    async fn stream(&self, request: &Request, outlet: &mut Outlet) -> Result<(), ProviderError> {
        let http = match &self.backend {
            Backend::Replay(replay) => return outlet.send_all(replay.next().await?).await,
            Backend::Http(http) => http,
        };
        let model = self.model(http).await?;
        let fitting = self.fit(Some(model), request, true)?;
        // A stream contains only content; `fit` and whole replies report that a model is unknown.
        for notice in fitting
            .notices
            .iter()
            .filter(|notice| notice.code != Code::UnknownModel)
        {
            let notice = notice.clone();
            outlet.send(StreamEvent::Notice { notice }).await?;
        }
        if !fitting.stream {
            let response = self.send_fitted(http, model, &fitting).await?;
            return outlet.send_all(response).await;
        }
        let request = &fitting.request;
        let (schema, schema_use) = Self::carried(http, &fitting);
        let first = Self::outgoing(http, request, model, true, (schema.as_deref(), schema_use));
        match self.stream_retrying(http, &first, outlet).await {
            Err(ProviderError::SchemaRefused(_))
                if schema_use == SchemaUse::Native && request.schema.is_some() && !outlet.begun =>
            {
                outlet
                    .send(StreamEvent::Notice {
                        notice: schema_notice(),
                    })
                    .await?;
                let fallback = Self::outgoing(
                    http,
                    request,
                    model,
                    true,
                    (request.schema.as_ref(), SchemaUse::InPrompt),
                );
                self.stream_retrying(http, &fallback, outlet).await
            }
            result => result,
        }
    }

    async fn stream_retrying(
        &self,
        http: &Http,
        outgoing: &Outgoing,
        outlet: &mut Outlet,
    ) -> Result<(), ProviderError> {
        let mut retries = Retries::new(self.max_retries);
        let started = Instant::now();
        loop {
            let Err(error) = stream::attempt(http, outgoing, self.timeout, outlet).await else {
                return Ok(());
            };
            if outlet.begun {
                return Err(error);
            }
            self.pause(&mut retries, error, started).await?;
        }
    }

    /// Sends, reads the whole answer by `read`, and tries again where that is safe.
    async fn fetch<T>(
        &self,
        http: &Http,
        outgoing: &Outgoing,
        read: fn(&dyn Dialect, &[u8]) -> Result<T, ProviderError>,
    ) -> Result<(T, Option<String>), ProviderError> {
        let mut retries = Retries::new(self.max_retries);
        let started = Instant::now();
        loop {
            let error = match self.exchange(http, outgoing).await {
                Ok((body, request_id)) => match read(http.dialect, &body) {
                    Ok(value) => return Ok((value, request_id)),
                    Err(error) => http.locate(error, request_id.as_deref()),
                },
                Err(error) => error,
            };
            self.pause(&mut retries, error, started).await?;
        }
    }

    /// Waits before the next attempt, or returns the error if there is none or no time for it.
    async fn pause(&self, retries: &mut Retries, error: ProviderError, started: Instant) -> Result<(), ProviderError> {
        match retries.wait_after(&error) {
            Some(wait) if started.elapsed() + wait < self.total => {
                tokio::time::sleep(wait).await;
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// One attempt, bounded by the timeout as a whole.
    async fn exchange(&self, http: &Http, outgoing: &Outgoing) -> Result<(Vec<u8>, Option<String>), ProviderError> {
        let late = |_| {
            Err(ProviderError::timeout(format!(
                "no complete answer within {} s",
                self.timeout.as_secs_f64()
            )))
        };
        let result = tokio::time::timeout(self.timeout, http.exchange(outgoing))
            .await
            .unwrap_or_else(late);
        result.map_err(|error| http.locate(error, None))
    }

    fn outgoing(
        http: &Http,
        request: &Request,
        model: &str,
        stream: bool,
        (schema, schema_use): (Option<&Value>, SchemaUse),
    ) -> Outgoing {
        let call = Call {
            request,
            model,
            stream,
            schema,
            schema_use,
            host: http.endpoint.host(),
        };
        let body = http.dialect.body(&call).to_string().into_bytes();
        Outgoing {
            path: http.dialect.path(&call),
            body: Some(body),
            stream,
        }
    }

    async fn models(&self) -> Result<Vec<Model>, ProviderError> {
        let http = match &self.backend {
            Backend::Replay(replay) => {
                return Ok(vec![Model {
                    id: replay.model().to_owned(),
                    context_tokens: None,
                }]);
            }
            Backend::Http(http) => http,
        };
        let mut all = Vec::new();
        let mut next = Some(http.dialect.models_path().to_owned());
        for _ in 0..limits::MODEL_PAGES {
            let Some(path) = next else { return Ok(all) };
            let outgoing = Outgoing {
                path,
                body: None,
                stream: false,
            };
            let (page, _) = self
                .fetch(http, &outgoing, |dialect, body| dialect.models(body))
                .await?;
            let mut filter = http.filter();
            all.extend(page.models.into_iter().map(|mut model| {
                filter.text(&mut model.id);
                model
            }));
            next = page.next;
        }
        match next {
            None => Ok(all),
            Some(_) => Err(http.locate(
                ProviderError::bad_response("The list of models has too many pages."),
                None,
            )),
        }
    }

    /// The configured model, else the first one that the endpoint lists.
    async fn model(&self, http: &Http) -> Result<&str, ProviderError> {
        if let Some(model) = &self.model {
            return Ok(model);
        }
        if self.provider.models() != Models::Server {
            return Err(ProviderError::Config(format!(
                "Name a model for the provider “{}”.",
                self.provider.name()
            )));
        }
        let first = self.first_model.get_or_try_init(|| async {
            let nameless = || {
                ProviderError::Config(format!(
                    "{} lists no models. Load one there, or name one.",
                    http.endpoint.shown()
                ))
            };
            self.models()
                .await?
                .into_iter()
                .next()
                .map(|model| model.id)
                .ok_or_else(nameless)
        });
        Ok(first.await?)
    }
}
