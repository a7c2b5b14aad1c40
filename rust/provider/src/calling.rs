//! How one endpoint is asked: fitted to the model, in the form that the server takes, with retries, as a whole or in pieces.

use std::time::Duration;

use geonode_protocol::Code;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::dialect::{Dialect, ModelPage, SchemaUse};
use crate::error::ProviderError;
use crate::forms::Forms;
use crate::http::{Departure, Http, Outgoing};
use crate::leak::KeyFilter;
use crate::learned::Subject;
use crate::limits;
use crate::measure::Measure;
use crate::models::{self, Fitting};
use crate::providers::{Models, Provider};
use crate::replay::Replay;
use crate::reply::{Model, Notice, Response, StreamEvent};
use crate::request::Request;
use crate::retry::Retries;
use crate::stream::{self, Outlet, Patience};

/// One endpoint, and how it is asked.
pub(crate) struct Caller {
    pub(crate) backend: Backend,
    pub(crate) provider: Provider,
    pub(crate) model: Option<String>,
    pub(crate) timeout: Duration,
    /// Limit of the wait for the first piece of a reply.
    pub(crate) patience: Duration,
    pub(crate) total: Duration,
    pub(crate) max_retries: u32,
    /// Whether replies may be streamed.
    pub(crate) streaming: bool,
    /// The first model that the endpoint lists, requested at most once.
    pub(crate) first_model: OnceCell<String>,
    /// Whether the server was asked about its models before the first request.
    pub(crate) looked_around: OnceCell<()>,
}

/// Where replies come from.
pub(crate) enum Backend {
    Http(Box<Http>),
    Replay(Replay),
}

impl Caller {
    /// Refuses what cannot succeed, before anything is sent.
    pub(crate) fn check(&self, request: &Request) -> Result<(), ProviderError> {
        match &self.backend {
            Backend::Http(http) => http.dialect.check(request),
            Backend::Replay(_) => Ok(()),
        }
    }

    /// Whether the key is already known.
    pub(crate) fn looked(&self) -> bool {
        match &self.backend {
            Backend::Http(http) => http.looked(),
            Backend::Replay(_) => true,
        }
    }

    /// Looks for the key if that has not been done, and refuses a request that needs one and has none.
    pub(crate) async fn key(&self) -> Result<(), ProviderError> {
        if let Backend::Http(http) = &self.backend {
            http.look_for_key().await?;
        }
        self.check_key()
    }

    /// What removes the key from a stream.
    pub(crate) fn filter(&self) -> KeyFilter {
        match &self.backend {
            Backend::Http(http) => http.filter(),
            Backend::Replay(_) => KeyFilter::default(),
        }
    }

    pub(crate) fn check_key(&self) -> Result<(), ProviderError> {
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
    pub(crate) fn fit(&self, model: Option<&str>, request: &Request, stream: bool) -> Result<Fitting, ProviderError> {
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

    pub(crate) async fn reply_of(
        &self,
        request: &Request,
        departure: Option<Departure>,
    ) -> Result<Response, ProviderError> {
        let http = match &self.backend {
            Backend::Replay(replay) => return replay.next().await,
            Backend::Http(http) => http,
        };
        let model = self.model(http).await?;
        let mut fitting = self.fit(Some(model), request, false)?;
        let mut notices = std::mem::take(&mut fitting.notices);
        // A private server has its own names of models.
        notices.retain(|notice| notice.code != Code::UnknownModel || self.provider.models() != Models::Server);
        let mut response = self.send_fitted(http, model, &fitting, departure).await?;
        response.notices.splice(..0, notices);
        Ok(response)
    }

    async fn send_fitted(
        &self,
        http: &Http,
        model: &str,
        fitting: &Fitting,
        departure: Option<Departure>,
    ) -> Result<Response, ProviderError> {
        let subject = Self::subject(http, model);
        let mut forms = Forms::new(http, subject.clone(), fitting, false, departure);
        let mut response = loop {
            match self.send_retrying(http, &forms.outgoing()).await {
                Ok(response) => break response,
                Err(error) => forms.weaken(Self::noted(&subject, error))?,
            }
        };
        response.notices.extend(forms.taken());
        let measure = Measure::of(subject, &fitting.request);
        response.notices.extend(measure.cut(response.usage.as_ref()));
        Ok(response)
    }

    async fn send_retrying(&self, http: &Http, outgoing: &Outgoing) -> Result<Response, ProviderError> {
        let (mut response, request_id) = self.fetch(http, outgoing, |dialect, body| dialect.reply(body)).await?;
        response.request_id = request_id;
        // A server that repeats the key would carry it into the report, the history and the file.
        http.filter().response(&mut response);
        Ok(response)
    }

    pub(crate) async fn stream_of(
        &self,
        request: &Request,
        departure: Option<Departure>,
        outlet: &mut Outlet,
    ) -> Result<(), ProviderError> {
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
            let response = self.send_fitted(http, model, &fitting, departure).await?;
            return outlet.send_all(response).await;
        }
        let subject = Self::subject(http, model);
        let mut forms = Forms::new(http, subject.clone(), &fitting, true, departure);
        outlet.measure(Measure::of(subject.clone(), &fitting.request));
        loop {
            match self.stream_retrying(http, &forms, outlet).await {
                Ok(()) => return Ok(()),
                Err(error) if outlet.begun => return Err(error),
                Err(error) => forms.weaken(Self::noted(&subject, error))?,
            }
        }
    }

    fn subject(http: &Http, model: &str) -> Subject {
        Subject {
            address: http.endpoint.shown(),
            model: model.to_owned(),
        }
    }

    /// The same error; what it tells about the server is remembered.
    fn noted(subject: &Subject, error: ProviderError) -> ProviderError {
        if let ProviderError::ContextTooLong(detail) = &error
            && let Some(tokens) = detail.context_tokens
        {
            subject.reads(tokens);
        }
        error
    }

    /// Asks a server on this computer once what it says about its models; that it does not answer is no error.
    pub(crate) async fn look_around(&self) {
        let Backend::Http(http) = &self.backend else { return };
        if self.provider.models() != Models::Server || !self.is_local() || self.window().is_some() {
            return;
        }
        let look = async {
            if self.key().await.is_err() {
                return;
            }
            let outgoing = Outgoing {
                path: http.dialect.models_path().to_owned(),
                body: None,
                stream: false,
                departure: None,
            };
            let answer = tokio::time::timeout(limits::LOOK_AROUND, http.exchange(&outgoing)).await;
            if let Ok(Ok((body, _))) = answer
                && let Ok(page) = http.dialect.models(&body)
            {
                self.note_models(http, &page);
                if let (None, Some(mut first)) = (&self.model, page.models.into_iter().next()) {
                    // The one that requests without a name are for.
                    http.filter().text(&mut first.id);
                    let _ = self.first_model.set(first.id);
                }
            }
        };
        self.looked_around.get_or_init(|| look).await;
    }

    /// Remembers what a server says about its models.
    fn note_models(&self, http: &Http, page: &ModelPage) {
        let single = if page.models.len() == 1 {
            self.model.as_ref()
        } else {
            None
        };
        for model in &page.models {
            // A server with one model answers with it, whatever it is called.
            for name in [Some(&model.id), single].into_iter().flatten() {
                let subject = Self::subject(http, name);
                if let Some(tokens) = model.context_tokens {
                    subject.says_it_reads(tokens);
                }
                let size = page.sizes.iter().find(|(id, _)| *id == model.id);
                if let Some((_, parameters)) = size {
                    subject.takes_grammar(Some(*parameters));
                }
                if page.either {
                    subject.takes(true, SchemaUse::InPrompt);
                }
            }
        }
    }

    /// Tokens that the server reads, as far as it has shown, or as the registry says.
    pub(crate) fn window(&self) -> Option<u64> {
        let model = self.model.as_ref().or_else(|| self.first_model.get())?;
        let listed = || models::model(self.provider, model)?.context_tokens;
        match &self.backend {
            Backend::Http(http) => Self::subject(http, model).window().or_else(listed),
            Backend::Replay(_) => None,
        }
    }

    /// Whether a request with tools can be held to its schema, as far as the server has shown.
    pub(crate) fn takes_schema_with_tools(&self) -> bool {
        let Backend::Http(http) = &self.backend else {
            return true;
        };
        let model = self.model.as_ref().or_else(|| self.first_model.get());
        http.dialect.takes_schema_with_tools()
            && model.is_none_or(|model| {
                let subject = Self::subject(http, model);
                subject.form(true) == subject.form(false)
            })
    }

    /// Whether a schema is more than words to the server, as far as it has shown.
    pub(crate) fn takes_schema(&self) -> bool {
        let Backend::Http(http) = &self.backend else {
            return true;
        };
        let model = self.model.as_ref().or_else(|| self.first_model.get());
        model.is_none_or(|model| Self::subject(http, model).form(false) != SchemaUse::InPrompt)
    }

    /// How many parameters the model has, if its server holds a reply to a grammar.
    pub(crate) fn parameters(&self) -> Option<u64> {
        let Backend::Http(http) = &self.backend else {
            return None;
        };
        let model = self.model.as_ref().or_else(|| self.first_model.get())?;
        Self::subject(http, model).parameters()
    }

    async fn stream_retrying(&self, http: &Http, forms: &Forms<'_>, outlet: &mut Outlet) -> Result<(), ProviderError> {
        let mut retries = Retries::new(self.max_retries);
        let (outgoing, started) = (forms.outgoing(), Instant::now());
        let patience = Patience {
            first: self.patience,
            between: self.timeout,
        };
        loop {
            let taken = || forms.taken();
            let Err(error) = stream::attempt(http, &outgoing, patience, &taken, outlet).await else {
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
        // A server on this computer that is late is still busy with the request: asked again, it would begin anew, behind it.
        let unanswered = |error: &ProviderError| match error {
            ProviderError::Timeout { detail, .. } => detail.status.is_none(),
            _ => false,
        };
        let busy = self.is_local() && unanswered(&error);
        match retries.wait_after(&error).filter(|_| !busy) {
            Some(wait) if started.elapsed() + wait < self.total => {
                tokio::time::sleep(wait).await;
                Ok(())
            }
            _ => Err(error),
        }
    }

    fn is_local(&self) -> bool {
        matches!(&self.backend, Backend::Http(http) if http.endpoint.loopback)
    }

    /// One attempt, bounded as a whole: nothing of it is seen before its end.
    async fn exchange(&self, http: &Http, outgoing: &Outgoing) -> Result<(Vec<u8>, Option<String>), ProviderError> {
        // Lists of models need no patience.
        let limit = if outgoing.body.is_some() {
            self.patience
        } else {
            self.timeout
        };
        let late = |_| {
            Err(ProviderError::timeout(format!(
                "no complete answer within {} s",
                limit.as_secs_f64()
            )))
        };
        let result = tokio::time::timeout(limit, http.exchange(outgoing))
            .await
            .unwrap_or_else(late);
        result.map_err(|error| http.locate(error, None))
    }

    pub(crate) async fn models(&self) -> Result<Vec<Model>, ProviderError> {
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
                departure: None,
            };
            let (page, _) = self
                .fetch(http, &outgoing, |dialect, body| dialect.models(body))
                .await?;
            self.note_models(http, &page);
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
