//! Saving runs and resuming them in another process.

use std::sync::Arc;

use geonode_run::{Config, Phase, State, resume};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::asking::budget::Budget;
use crate::asking::policies::Taken;
use crate::asking::spending::Sent;
use crate::error::EngineError;
use crate::request::RunRequest;
use crate::run::asked::Asked;
use crate::run::judged::Judged;
use crate::run::messages::Messages;
use crate::run::planned::Planned;

/// Version of the format. Version 1 did not contain what the run had spent.
const VERSION: u64 = 2;
/// Oldest version that is read.
const OLDEST: u64 = 1;
/// Largest saved run, in bytes of JSON.
const MAX_BYTES: usize = 256 << 20;
/// The parts of the request that another process may replace.
const OVERRIDES: [&str; 6] = ["api_key", "approve", "base_url", "catalogue", "folder", PYTHON];
/// The setting about scripts. The process that resumes the run decides it: a file cannot grant more than `safe`.
const PYTHON: &str = "python";

/// A run as it is stored. It contains no key; one must be provided again to resume it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// Version of this format.
    geonode_run: u64,
    /// Version of the core that saved it.
    core: String,
    request: Map<String, Value>,
    pub(crate) state: State,
    pub(crate) work: Arc<Kept>,
    pub(crate) messages: Messages,
    /// For the report.
    pub(crate) requests: Vec<Sent>,
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

fn set_scripts(request: &mut Map<String, Value>, chosen: Option<Value>) {
    let settings = request.entry("settings").or_insert_with(|| json!({}));
    let Some(settings) = settings.as_object_mut() else {
        return;
    };
    if let Some(chosen) = chosen {
        settings.insert(PYTHON.into(), chosen);
    } else if settings.get(PYTHON).is_some_and(|saved| saved != "off") {
        settings.remove(PYTHON);
    }
}

/// Migrates a run of version 1: its costs so far are unknown and count as zero.
fn spent_nothing(saved: &mut Value) {
    let fill = |part: Option<&mut Value>, missing: Value| {
        if let (Some(Value::Object(part)), Value::Object(missing)) = (part, missing) {
            for (name, value) in missing {
                part.entry(name).or_insert(value);
            }
        }
    };
    let kept =
        json!({"budget": Budget::default(), "cached": 0, "taken": Taken::default(), "called": {}, "tool_steps": []});
    fill(saved.get_mut("work"), kept);
    fill(Some(saved), json!({"requests": []}));
}

impl Saved {
    pub(crate) fn new(
        request: Map<String, Value>,
        state: State,
        work: Arc<Kept>,
        messages: Messages,
        requests: Vec<Sent>,
    ) -> Self {
        Self {
            requests,
            geonode_run: VERSION,
            core: env!("CARGO_PKG_VERSION").into(),
            request,
            state,
            work,
            messages,
        }
    }

    /// Reads a saved run and the parts of its request that are replaced.
    ///
    /// # Errors
    /// [`EngineError::Saved`] for a text that is damaged or of another version; [`EngineError::Request`] for overrides that are not allowed.
    pub(crate) fn read(text: &str, overrides: &str) -> Result<(Self, RunRequest), EngineError> {
        if text.len() > MAX_BYTES {
            return Err(EngineError::Saved("it is larger than 256 MB".into()));
        }
        let mut value: Value = serde_json::from_str(text).map_err(|error| EngineError::Saved(error.to_string()))?;
        match value.get("geonode_run").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(OLDEST) => spent_nothing(&mut value),
            Some(other) => {
                let why =
                    format!("it has version {other} of the format, and this core reads versions {OLDEST} to {VERSION}");
                return Err(EngineError::Saved(why));
            }
            None => return Err(EngineError::Saved("it is not marked as a saved run".into())),
        }
        let mut saved: Self = serde_json::from_value(value).map_err(|error| EngineError::Saved(error.to_string()))?;
        let mut overrides: Map<String, Value> =
            serde_json::from_str(overrides).map_err(|error| EngineError::Request(error.to_string()))?;
        if let Some(name) = overrides.keys().find(|name| !OVERRIDES.contains(&name.as_str())) {
            return Err(EngineError::Request(format!(
                "\"{name}\" cannot be changed for a saved run; {} can",
                OVERRIDES.join(", ")
            )));
        }
        let python = overrides.remove(PYTHON);
        let mut request = std::mem::take(&mut saved.request);
        request.extend(overrides);
        set_scripts(&mut request, python);
        let request = RunRequest::from_map(request)?;
        saved.check(&request)?;
        Ok((saved, request))
    }

    /// Whether a run can have produced this combination of state and data.
    fn check(&self, request: &RunRequest) -> Result<(), EngineError> {
        let invalid = |cause: &str| Err(EngineError::Saved(cause.to_owned()));
        match resume(self.state.clone(), Config::default(), 0.0) {
            Err(cause) => invalid(cause),
            Ok((state, _)) => match state.phase {
                Phase::Generating if self.work.asked.context.is_null() => invalid("its scene is missing"),
                Phase::Checking if self.work.asked.reply.is_none() && request.plan.is_none() => {
                    invalid("its last reply is missing")
                }
                _ => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_lie_on_the_disk_under_the_names_that_earlier_versions_gave_them() {
        let mut work = json!(Kept::default());
        let mut names: Vec<String> = work.as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        let first = "context diff exchanges finish ledger model plan replies reply seen slices usage";
        let second = "budget called cached taken tool_steps";
        let mut known: Vec<&str> = first.split(' ').chain(second.split(' ')).collect();
        known.sort_unstable();
        assert_eq!(names, known);

        let read = |work: &Value| serde_json::from_value::<Kept>(work.clone()).map(|kept| json!(kept));
        assert_eq!(read(&work).unwrap(), work);
        work["more"] = json!(1);
        assert!(read(&work).is_err(), "an unknown fact");
        work.as_object_mut().unwrap().remove("more");
        work.as_object_mut().unwrap().remove("budget");
        assert!(read(&work).is_err(), "a fact that is missing");
        let mut saved = json!({ "work": work });
        spent_nothing(&mut saved);
        assert!(read(&saved["work"]).is_ok(), "what the first version did not know");
    }
}
