//! The facade: one client per endpoint, usable from several threads.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{OnceCell, mpsc};
use tokio_util::sync::CancellationToken;

use crate::calling::{Backend, Caller};
use crate::config::{ClientConfig, Endpoint, recording_path};
use crate::dialect;
use crate::error::ProviderError;
use crate::http::{Departure, Http};
use crate::keys;
use crate::limits;
use crate::models::{self, Fitting, ModelInfo};
use crate::providers::Provider;
use crate::redact::Redactor;
use crate::replay::Replay;
use crate::reply::{Model, Response};
use crate::request::Request;
use crate::runtime;
use crate::schema;
use crate::secret::ApiKey;
use crate::stream::{EventStream, Outlet};

/// A client of one endpoint. Cheap to clone; clones share connections and cancellation.
#[derive(Clone)]
pub struct Client {
    caller: Arc<Caller>,
    /// Replaced at each `cancel`, so that later calls are not affected.
    token: Arc<Mutex<CancellationToken>>,
    departure: Option<Departure>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let endpoint = match &self.caller.backend {
            Backend::Http(http) => http.endpoint.shown(),
            Backend::Replay(_) => "replay".to_owned(),
        };
        f.debug_struct("Client")
            .field("endpoint", &endpoint)
            .field("model", &self.caller.model)
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
        let local = matches!(&backend, Backend::Http(http) if http.endpoint.loopback);
        let patience = config.local_timeout.filter(|_| local).unwrap_or(config.timeout);
        let model = config
            .model
            .map(|model| model.trim().to_owned())
            .filter(|model| !model.is_empty());
        Ok(Self {
            caller: Arc::new(Caller {
                backend,
                model,
                provider: config.provider,
                timeout: config.timeout,
                patience,
                total: config.total,
                max_retries: config.max_retries,
                streaming: config.streaming,
                first_model: OnceCell::new(),
                looked_around: OnceCell::new(),
            }),
            token: Arc::default(),
            departure: None,
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
        self.caller.check(request)?;
        let call = async {
            self.caller.key().await?;
            self.caller.reply_of(request, self.departure.clone()).await
        };
        self.guarded(call).await
    }

    /// Sends a request and returns at once; the reply arrives as events. Only the first call may wait, for a key store.
    ///
    /// # Errors
    /// `BodyInvalid`, `Internal`, and problems with the key; all other errors arrive through the stream.
    pub fn stream(&self, request: Request) -> Result<EventStream, ProviderError> {
        self.caller.check(&request)?;
        if self.caller.looked() {
            self.caller.check_key()?;
        } else {
            runtime::block_on(self.guarded(self.caller.key()))??;
        }
        let (sender, receiver) = mpsc::channel(limits::EVENTS_AHEAD);
        let token = self.token();
        let stream = EventStream::new(receiver, token.clone());
        let (caller, departure) = (Arc::clone(&self.caller), self.departure.clone());
        runtime::shared()?.spawn(async move {
            let mut outlet = Outlet::new(sender.clone(), caller.filter());
            let total = caller.total;
            let result = tokio::select! {
                biased;
                () = token.cancelled() => Err(ProviderError::Cancelled),
                () = sender.closed() => return,
                result = bounded(total, caller.stream_of(&request, departure, &mut outlet)) => result,
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
        match &self.caller.backend {
            Backend::Http(http) => schema::adapt(schema, http.dialect.subset()?, schema::Shape::Free).ok(),
            Backend::Replay(_) => None,
        }
    }

    /// The provider.
    pub fn provider(&self) -> Provider {
        self.caller.provider
    }

    /// The configured model.
    pub fn model(&self) -> Option<&str> {
        self.caller.model.as_deref()
    }

    /// `scheme://host:port` that requests go to; `None` for recordings.
    pub fn origin(&self) -> Option<String> {
        match &self.caller.backend {
            Backend::Http(http) => Some(http.endpoint.origin()),
            Backend::Replay(_) => None,
        }
    }

    /// Removes this client's key, and everything that looks like a secret, from text. Waits for a key store if the key is in one.
    pub fn redactor(&self) -> Redactor {
        let Backend::Http(http) = &self.caller.backend else {
            return Redactor::default();
        };
        // A failing store is reported by the request itself.
        let _ = runtime::block_on(self.guarded(http.look_for_key()));
        Redactor::new(http.key().cloned())
    }

    /// The registry's entry of the configured model; `None` if it is not listed or none is named.
    pub fn model_info(&self) -> Option<&'static ModelInfo> {
        models::model(self.caller.provider, self.caller.model.as_deref()?)
    }

    /// The request adapted to the configured model, and its expected usage. [`Self::send`] and [`Self::stream`] do the same
    /// by themselves; this returns it in advance. `stream`: whether the reply is to be streamed.
    ///
    /// # Errors
    /// `CapabilityMismatch`, `NoCapableModel`.
    pub fn fit(&self, request: &Request, stream: bool) -> Result<Fitting, ProviderError> {
        self.caller.fit(self.caller.model.as_deref(), request, stream)
    }

    /// The same client; `departure` is told of each attempt to send a request that leaves this process.
    #[must_use]
    pub fn telling(&self, departure: Departure) -> Self {
        Self {
            departure: Some(departure),
            ..self.clone()
        }
    }

    /// Asks a server on this computer, once and only for seconds, what it says about the models that it serves, if nothing is known
    /// about them: how much they read, and whether they can be held to a schema beside tools. That it does not answer is no error. Blocks.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn look_around(&self) -> Result<(), ProviderError> {
        let look = async {
            self.caller.look_around().await;
            Ok(())
        };
        match runtime::block_on(self.guarded(look)) {
            Ok(Err(ProviderError::Cancelled)) => Err(ProviderError::Cancelled),
            _ => Ok(()),
        }
    }

    /// Tokens that the model reads: what its server has said or shown, else what the registry says.
    pub fn window(&self) -> Option<u64> {
        self.caller.window()
    }

    /// Whether a schema is more than words to the server, as far as is known.
    pub fn takes_schema(&self) -> bool {
        self.caller.takes_schema()
            && self
                .model_info()
                .is_none_or(|info| info.structured_output != Some(false))
    }

    /// How many parameters the model has, if its server is known to hold a reply to a grammar, and to say so.
    pub fn parameters(&self) -> Option<u64> {
        self.caller.parameters()
    }

    /// Whether a request with tools can be held to its schema, as far as is known; where it cannot, its schema is sent in words.
    pub fn takes_schema_with_tools(&self) -> bool {
        self.caller.takes_schema_with_tools()
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
            self.caller.key().await?;
            self.caller.models().await
        };
        self.guarded(call).await
    }

    /// Cancels every running call of this client, in any phase and from any thread. The client stays usable.
    pub fn cancel(&self) {
        let old = {
            let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *token, CancellationToken::new())
        };
        old.cancel();
    }

    fn token(&self) -> CancellationToken {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a call under the client's token and total limit.
    async fn guarded<T>(&self, call: impl Future<Output = Result<T, ProviderError>>) -> Result<T, ProviderError> {
        let token = self.token();
        tokio::select! {
            biased;
            () = token.cancelled() => Err(ProviderError::Cancelled),
            result = bounded(self.caller.total, call) => result,
        }
    }
}

/// Bounds everything together: attempts, waits and fallbacks.
async fn bounded<T>(total: Duration, call: impl Future<Output = Result<T, ProviderError>>) -> Result<T, ProviderError> {
    let late = |_| {
        ProviderError::timeout(format!(
            "no complete answer within {} s in all (total_timeout_s)",
            total.as_secs_f64()
        ))
    };
    tokio::time::timeout(total, call).await.map_err(late)?
}
