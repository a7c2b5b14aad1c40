//! The native class `Run` (`rust/run/EFFECTS.md`).

use std::time::Duration;

use geonode_engine::{EngineError, Message, Origin, RunRequest};
use geonode_protocol::{Code, Severity};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{CoreError, detached};
use crate::json::{dumps, text_of, to_python};

/// One run, driven by the host: poll it, carry out its effects, answer.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct Run(geonode_engine::Run);

#[pymethods]
impl Run {
    /// Starts a run. Mistakes of an artist end it with a report; mistakes of a program raise `ProtocolError`.
    #[new]
    fn new(py: Python<'_>, request: &Bound<'_, PyDict>) -> PyResult<Self> {
        let text = dumps(request.as_any())?;
        detached(py, || -> Result<_, EngineError> {
            geonode_engine::Run::start(RunRequest::from_json(&text)?)
        })
        .map(Self)
    }

    /// Resumes a run that `save` returned, in this process. `overrides` (`api_key, approve, base_url, catalogue`) are replaced; a key always
    /// must be given. `ProtocolError` (`saved_run_invalid`) if it is damaged or of another version.
    #[staticmethod]
    #[pyo3(signature = (saved, overrides=None))]
    fn resume(py: Python<'_>, saved: &Bound<'_, PyAny>, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let saved = text_of(saved)?;
        let overrides = match overrides {
            Some(overrides) => dumps(overrides.as_any())?,
            None => "{}".to_owned(),
        };
        detached(py, || geonode_engine::Run::resume(&saved, &overrides)).map(Self)
    }

    /// The run in its present state, as JSON-able data for `resume` in another process, without a key. Never blocks.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.save())
    }

    /// `{"state", "summary", "effects", "events", "finished"}`: the news since the last poll. Never blocks.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.poll())
    }

    /// Waits at most `ms` milliseconds, without the GIL, until `poll` has something new; returns whether it has.
    fn wait(&self, py: Python<'_>, ms: u64) -> PyResult<bool> {
        detached(py, || Ok::<_, CoreError>(self.0.wait(Duration::from_millis(ms))))
    }

    /// The host carried out effect `effect_id`, in `ms` milliseconds if it measured them.
    #[pyo3(signature = (effect_id, result, ms=None))]
    fn answer(&self, effect_id: &Bound<'_, PyAny>, result: &Bound<'_, PyAny>, ms: Option<f64>) -> PyResult<()> {
        let id = number(effect_id)?;
        match dumps(result) {
            Ok(json) => self.0.answer(id, json, ms),
            // Without an answer the run would wait forever.
            Err(error) => self
                .0
                .fail(id, Code::InvalidDocument.as_str().into(), error.to_string()),
        }
        Ok(())
    }

    /// The host could not carry out effect `effect_id`; `error` is `{"code", "message"}`.
    fn fail(&self, effect_id: &Bound<'_, PyAny>, error: &Bound<'_, PyDict>) -> PyResult<()> {
        let field = |name: &str| -> PyResult<String> {
            Ok(error
                .get_item(name)?
                .map(|value| value.str())
                .transpose()?
                .map(|s| s.to_string())
                .unwrap_or_default())
        };
        self.0.fail(number(effect_id)?, field("code")?, field("message")?);
        Ok(())
    }

    /// Cancels the run: work in progress stops within a second, changes are restored through the next polls.
    fn cancel(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            self.0.cancel();
            Ok::<_, CoreError>(())
        })
    }

    /// The artist approves effect `effect_id` (`ask_approval`), without the steps and operations with these IDs.
    #[pyo3(signature = (effect_id, without = Vec::new()))]
    fn approve(&self, effect_id: &Bound<'_, PyAny>, without: Vec<String>) -> PyResult<()> {
        self.0.approve(number(effect_id)?, without);
        Ok(())
    }

    /// The artist rejects the request; nothing is written. Without words the run ends, with them the next turn begins.
    #[pyo3(signature = (effect_id, words = None))]
    fn reject(&self, effect_id: &Bound<'_, PyAny>, words: Option<String>) -> PyResult<()> {
        let id = number(effect_id)?;
        self.0.reject(id, words).map_err(|error| CoreError::from(error).into())
    }

    /// The artist wants a dry run of the plan of effect `effect_id` (`ask_approval`), without these IDs, before answering.
    #[pyo3(signature = (effect_id, without = Vec::new()))]
    fn dry_run(&self, effect_id: &Bound<'_, PyAny>, without: Vec<String>) -> PyResult<()> {
        self.0.dry_run(number(effect_id)?, without);
        Ok(())
    }

    /// All messages so far, the most severe first: `[{"severity", "origin", "code", "text", "path"?, "hint"?}]`.
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.messages())
    }

    /// Adds an error of the driver to the messages of the run; an unknown code becomes `unknown`.
    fn note(&self, code: &str, text: String) {
        let code = code.parse().unwrap_or(Code::Unknown);
        self.0.note(Message::new(Severity::Error, Origin::Driver, code, text));
    }

    /// The `RunReport` so far; complete once `poll` said `finished`.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.report())
    }
}

/// The number of an effect, as text (as it was handed out) or as an integer.
fn number(id: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(id) = id.extract::<u64>() {
        return Ok(id);
    }
    text_of(id)?
        .parse()
        .map_err(|_| CoreError::protocol(Code::BodyInvalid, "Use the \"id\" of an effect that poll() returned.").into())
}
