//! The data of a run that is saved, for another process to resume it; `geonode-store` defines the document.

use std::sync::Arc;

use geonode_run::{Config, Phase, State, resume};
use geonode_store::saved_run::{SavedRun, SavedRunError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::asking::spending::Sent;
use crate::error::EngineError;
use crate::request::RunRequest;
use crate::run::asked::Asked;
use crate::run::judged::Judged;
use crate::run::messages::Messages;
use crate::run::planned::Planned;

/// A run as it is stored. It contains no key; one must be provided again to resume it.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Saved(SavedRun<Parts>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parts {
    work: Arc<Kept>,
    messages: Messages,
    /// For the report.
    requests: Vec<Sent>,
}

/// The data that the engine needs besides the state; everything else follows from the scene. In the file, the fields of all three are side by side.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    #[serde(flatten)]
    pub(crate) asked: Asked,
    #[serde(flatten)]
    pub(crate) planned: Planned,
    #[serde(flatten)]
    pub(crate) judged: Judged,
}

impl From<SavedRunError> for EngineError {
    fn from(error: SavedRunError) -> Self {
        match error {
            SavedRunError::Invalid(cause) => Self::Saved(cause),
            SavedRunError::Override(cause) => Self::Request(cause),
        }
    }
}

impl Saved {
    pub(crate) fn new(
        request: Map<String, Value>,
        state: State,
        work: Arc<Kept>,
        messages: Messages,
        requests: Vec<Sent>,
    ) -> Self {
        let parts = Parts {
            work,
            messages,
            requests,
        };
        Self(SavedRun::new(request, state, parts))
    }

    /// Reads a saved run and the parts of its request that are replaced.
    ///
    /// # Errors
    /// [`EngineError::Saved`] for a text that is damaged or of another version; [`EngineError::Request`] for overrides that are not allowed.
    pub(crate) fn read(text: &str, overrides: &str) -> Result<(Self, RunRequest), EngineError> {
        let (saved, request) = SavedRun::<Parts>::read(text, overrides)?;
        let request = RunRequest::from_map(request)?;
        let saved = Self(saved);
        saved.check(&request)?;
        Ok((saved, request))
    }

    /// Whether a run can have produced this combination of state and data.
    fn check(&self, request: &RunRequest) -> Result<(), EngineError> {
        let invalid = |cause: &str| Err(EngineError::Saved(cause.to_owned()));
        let asked = &self.0.parts.work.asked;
        match resume(self.0.state.clone(), Config::default(), 0.0) {
            Err(cause) => invalid(cause),
            Ok((state, _)) => match state.phase {
                Phase::Generating if asked.context.is_null() => invalid("its scene is missing"),
                Phase::Checking if asked.reply.is_none() && request.plan.is_none() => {
                    invalid("its last reply is missing")
                }
                _ => Ok(()),
            },
        }
    }

    /// The messages so far, and the requests.
    pub(crate) fn messages_and_requests(&self) -> (&Messages, &[Sent]) {
        (&self.0.parts.messages, &self.0.parts.requests)
    }

    /// The machine's state and data; `None` for a run that was saved before it began.
    pub(crate) fn begun(self) -> Option<(State, Kept)> {
        let SavedRun { state, parts, .. } = self.0;
        (state.phase != Phase::Idle).then(|| (state, Arc::unwrap_or_clone(parts.work)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn saved_runs_keep_the_field_names_of_earlier_versions() {
        let mut work = json!(Kept::default());
        let mut names: Vec<String> = work.as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        let first = "context diff exchanges finish ledger model plan replies reply seen slices usage";
        let second = "budget called cached taken tool_steps";
        let later = "run calls_over exact known understanding";
        let mut known: Vec<&str> = [first, second, later]
            .iter()
            .flat_map(|names| names.split(' '))
            .collect();
        known.sort_unstable();
        assert_eq!(names, known);

        let read = |work: &Value| serde_json::from_value::<Kept>(work.clone()).map(|kept| json!(kept));
        assert_eq!(read(&work).unwrap(), work);
        work["more"] = json!(1);
        assert!(read(&work).is_err(), "an unknown fact");
        let fields = work.as_object_mut().unwrap();
        fields.remove("more");
        for later in ["calls_over", "exact", "known", "understanding"] {
            fields.remove(later).unwrap();
        }
        assert!(read(&work).is_ok(), "a run that an earlier version saved");
        work.as_object_mut().unwrap().remove("budget");
        assert!(read(&work).is_err(), "a fact that is missing");
    }

    #[test]
    fn a_saved_run_of_version_1_has_zero_costs() {
        let run = Saved::new(
            Map::new(),
            State::default(),
            Arc::default(),
            Messages::default(),
            Vec::new(),
        );
        let mut old = json!(run);
        old["geonode_run"] = json!(1);
        old["request"] = json!({"catalogue": ""});
        old.as_object_mut().unwrap().remove("requests");
        for name in ["budget", "called", "cached", "taken", "tool_steps"] {
            assert!(old["work"].as_object_mut().unwrap().remove(name).is_some(), "{name}");
        }
        let (taken_up, _) = Saved::read(&old.to_string(), "{}").unwrap();
        assert_eq!(json!(taken_up)["work"], json!(Kept::default()));
    }
}
