//! The native class `Client`: one provider, for scripts without Blender.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use geonode_protocol::Code;
use geonode_provider::{ApiKey, ClientConfig, EventStream, Provider, ProviderError, Request, RequestBuilder};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::errors::{CoreError, detached};
use crate::json::{dumps, to_python};

/// A client of one endpoint; may be used from several threads.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct Client(geonode_provider::Client);

#[pymethods]
impl Client {
    /// Checks the settings; sends nothing. Times are in seconds. A server on this computer, where a model may read for minutes, has
    /// `local_timeout_s` to begin its answer; if only `timeout_s` is changed, that holds there too. Without a key the first call looks for
    /// the one that is stored for this provider and address, unless `stored_key` is False.
    #[new]
    #[pyo3(signature = (provider, model=None, base_url=None, api_key=None, timeout_s=120.0, max_retries=2, *, local_timeout_s=None, stored_key=true))]
    #[expect(clippy::too_many_arguments, reason = "the public signature")]
    fn new(
        provider: &str,
        model: Option<String>,
        base_url: Option<String>,
        api_key: Option<String>,
        timeout_s: f64,
        max_retries: u32,
        local_timeout_s: Option<f64>,
        stored_key: bool,
    ) -> PyResult<Self> {
        let seconds = |name: &str, seconds: f64| {
            let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
            time.ok_or_else(|| {
                CoreError::protocol(
                    Code::SettingInvalid,
                    format!("{name} must be above 0 seconds, not {seconds}."),
                )
            })
        };
        let timeout = seconds("timeout_s", timeout_s)?;
        let local = local_timeout_s
            .map(|time| seconds("local_timeout_s", time))
            .transpose()?;
        let make = || -> Result<_, ProviderError> {
            let usual = ClientConfig::new(Provider::from_name(provider)?);
            let config = ClientConfig {
                model,
                base_url,
                api_key: api_key.map(ApiKey::new).transpose()?,
                timeout,
                local_timeout: local.or(if timeout == usual.timeout {
                    usual.local_timeout
                } else {
                    Some(timeout)
                }),
                max_retries,
                stored_key,
                ..usual
            };
            geonode_provider::Client::new(config)
        };
        Ok(Self(make().map_err(CoreError::from)?))
    }

    /// Sends a request and waits for the whole reply, without the GIL.
    #[pyo3(signature = (messages, system=None, schema=None, tools=None, max_tokens=None, options=None))]
    #[expect(clippy::too_many_arguments, reason = "the public signature")]
    fn send(
        &self,
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        system: Option<&Bound<'_, PyAny>>,
        schema: Option<&Bound<'_, PyAny>>,
        tools: Option<&Bound<'_, PyAny>>,
        max_tokens: Option<u32>,
        options: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Response> {
        let request = request(messages, system, schema, tools, max_tokens, options)?;
        detached(py, || self.0.send(&request)).map(Response)
    }

    /// Sends a request; returns an iterator of events, the last of which is `end`. Dropping the iterator closes the connection.
    #[pyo3(signature = (messages, system=None, schema=None, tools=None, max_tokens=None, options=None))]
    #[expect(clippy::too_many_arguments, reason = "the public signature")]
    fn stream(
        &self,
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        system: Option<&Bound<'_, PyAny>>,
        schema: Option<&Bound<'_, PyAny>>,
        tools: Option<&Bound<'_, PyAny>>,
        max_tokens: Option<u32>,
        options: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Stream> {
        let request = request(messages, system, schema, tools, max_tokens, options)?;
        let stream = detached(py, || self.0.stream(request))?;
        Ok(Stream(Mutex::new(stream)))
    }

    /// The models that the endpoint offers: `[{"id", "context_tokens"}]`.
    fn models<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let models = detached(py, || self.0.models())?;
        to_python(py, &models)
    }

    /// Cancels every running call of this client within a second, from any thread; the calls raise `Cancelled`.
    fn cancel(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            self.0.cancel();
            Ok::<_, CoreError>(())
        })
    }
}

/// A whole reply.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct Response(geonode_provider::Response);

#[pymethods]
impl Response {
    /// The model's text.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Its tool calls: `[{"id", "name", "arguments"}]`.
    #[getter]
    fn tool_calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.tool_calls)
    }

    /// `done`, `truncated`, `tool`, `refused` or `other:<raw>`.
    #[getter]
    fn finish_reason(&self) -> String {
        self.0.finish_reason.wire()
    }

    /// Tokens, or None when the provider reports nothing.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.usage)
    }

    /// The model that answered.
    #[getter]
    fn model(&self) -> &str {
        &self.0.model
    }

    /// The provider's identifier of the exchange.
    #[getter]
    fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Deviations from the request: `[{"code", "text"}]`.
    #[getter]
    fn notices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.notices)
    }

    fn __repr__(&self) -> String {
        let head: String = self.0.text.chars().take(40).collect();
        format!("<Response {} {head:?}>", self.0.finish_reason.wire())
    }
}

/// The events of one streamed reply.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct Stream(Mutex<EventStream>);

#[pymethods]
impl Stream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = || self.0.lock().unwrap_or_else(PoisonError::into_inner).next().transpose();
        match detached(py, next)? {
            Some(event) => to_python(py, &event).map(Some),
            None => Ok(None),
        }
    }
}

fn request(
    messages: &Bound<'_, PyAny>,
    system: Option<&Bound<'_, PyAny>>,
    schema: Option<&Bound<'_, PyAny>>,
    tools: Option<&Bound<'_, PyAny>>,
    max_tokens: Option<u32>,
    options: Option<&Bound<'_, PyAny>>,
) -> PyResult<Request> {
    let body = PyDict::new(messages.py());
    body.set_item("messages", messages)?;
    for (name, value) in [
        ("system", system),
        ("schema", schema),
        ("tools", tools),
        ("options", options),
    ] {
        if let Some(value) = value {
            body.set_item(name, value)?;
        }
    }
    body.set_item("max_tokens", max_tokens)?;
    let text = dumps(body.as_any())?;
    let builder: RequestBuilder = serde_json::from_str(&text).map_err(|error| formless(&error))?;
    Ok(builder.build().map_err(CoreError::from)?)
}

fn formless(error: &serde_json::Error) -> CoreError {
    CoreError::protocol(
        Code::BodyInvalid,
        format!("The request does not have the expected form: {error}."),
    )
}

/// A request with its recipient.
#[derive(Deserialize)]
struct Addressed {
    #[serde(default)]
    provider: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(flatten)]
    body: Map<String, Value>,
}

/// SHA-256 (hexadecimal) of a request and its recipient: equal requests have equal fingerprints, on every platform. The request
/// is a dict: `messages` and, where wanted, `provider`, `model`, `system`, `schema`, `tools`, `tool_filter`, `context_filter`,
/// `max_tokens`, `options`.
#[pyfunction]
pub(crate) fn fingerprint(request: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = dumps(request)?;
    let read = || -> Result<(Addressed, RequestBuilder), serde_json::Error> {
        let mut addressed: Addressed = serde_json::from_str(&text)?;
        let body = serde_json::from_value(Value::Object(std::mem::take(&mut addressed.body)))?;
        Ok((addressed, body))
    };
    let (to, builder) = read().map_err(|error| formless(&error))?;
    let request = builder.build().map_err(CoreError::from)?;
    let provider = to.provider.as_deref().unwrap_or_default();
    Ok(request.fingerprint(provider, to.model.as_deref()).to_string())
}
