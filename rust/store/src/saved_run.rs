//! Saving runs and resuming them in another process: the document, its versions, and the parts that may be replaced.

use geonode_run::State;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Version of the format. Version 1 did not contain what the run had spent.
const VERSION: u64 = 2;
/// Oldest version that is read.
const OLDEST: u64 = 1;
/// Largest saved run, in bytes of JSON.
const MAX_BYTES: usize = 256 << 20;
/// The parts of the request that another process may replace.
const OVERRIDES: [&str; 7] = [
    "api_key",
    "approve",
    "base_url",
    "catalogue",
    "folder",
    "presets",
    PYTHON,
];
/// The setting about scripts. The process that resumes the run decides it: a file cannot grant more than `safe`.
const PYTHON: &str = "python";

/// Why a saved run cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SavedRunError {
    /// It is damaged, or from another version.
    #[error("{0}")]
    Invalid(String),
    /// A part of the request cannot be replaced.
    #[error("{0}")]
    Override(String),
}

/// A run as it is stored. It contains no key; one must be provided again to resume it. `Parts` is what the driver of the run adds: its
/// fields stand beside those of this type.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRun<Parts> {
    /// Version of this format.
    geonode_run: u64,
    /// Version of the core that saved it.
    core: String,
    request: Map<String, Value>,
    /// The state of the machine.
    pub state: State,
    /// The additions of the run's driver.
    #[serde(flatten)]
    pub parts: Parts,
}

impl<Parts> SavedRun<Parts> {
    /// The present state of the run; `request` is its request without secrets.
    pub fn new(request: Map<String, Value>, state: State, parts: Parts) -> Self {
        Self {
            geonode_run: VERSION,
            core: env!("CARGO_PKG_VERSION").into(),
            request,
            state,
            parts,
        }
    }

    /// Reads a saved run of this or an earlier version, and returns its request with the parts (JSON text) that are replaced.
    ///
    /// # Errors
    /// [`SavedRunError`]
    pub fn read(text: &str, overrides: &str) -> Result<(Self, Map<String, Value>), SavedRunError>
    where
        Parts: DeserializeOwned,
    {
        let mut saved: Self = serde_json::from_value(current(text)?).map_err(|error| invalid(error.to_string()))?;
        let mut overrides: Map<String, Value> =
            serde_json::from_str(overrides).map_err(|error| SavedRunError::Override(error.to_string()))?;
        if let Some(name) = overrides.keys().find(|name| !OVERRIDES.contains(&name.as_str())) {
            return Err(SavedRunError::Override(format!(
                "“{name}” cannot be changed for a saved run; {} can",
                OVERRIDES.join(", ")
            )));
        }
        let python = overrides.remove(PYTHON);
        let mut request = std::mem::take(&mut saved.request);
        request.extend(overrides);
        set_scripts(&mut request, python);
        Ok((saved, request))
    }
}

fn invalid(cause: impl Into<String>) -> SavedRunError {
    SavedRunError::Invalid(cause.into())
}

/// The document of a text, migrated to the present version.
fn current(text: &str) -> Result<Value, SavedRunError> {
    if text.len() > MAX_BYTES {
        return Err(invalid("it is larger than 256 MB"));
    }
    let mut saved: Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
    match saved.get("geonode_run").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(OLDEST) => spent_nothing(&mut saved),
        Some(other) => {
            return Err(invalid(format!(
                "it has version {other} of the format, and this core reads versions {OLDEST} to {VERSION}"
            )));
        }
        None => return Err(invalid("it is not marked as a saved run")),
    }
    Ok(saved)
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
    let nothing = json!({
        "budget": {"input_tokens": 0, "output_tokens": 0, "cost": 0.0, "unpriced": false, "planning": {"secs": 0, "nanos": 0}},
        "cached": 0,
        "taken": {"process": "", "requests": []},
        "called": {},
        "tool_steps": [],
    });
    fill(saved.get_mut("work"), nothing);
    fill(Some(saved), json!({"requests": []}));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Parts {
        work: Value,
        requests: Vec<Value>,
    }

    fn saved() -> Value {
        let request = json!({"prompt": "a", "settings": {"python": "trusted"}});
        let parts = Parts {
            work: json!({"plan": null}),
            requests: vec![json!(1)],
        };
        json!(SavedRun::new(
            request.as_object().unwrap().clone(),
            State::default(),
            parts
        ))
    }

    fn read(saved: &Value, overrides: &Value) -> Result<(SavedRun<Parts>, Map<String, Value>), SavedRunError> {
        SavedRun::read(&saved.to_string(), &overrides.to_string())
    }

    #[test]
    fn a_saved_run_is_restored_and_cannot_grant_scripts() {
        let (run, request) = read(&saved(), &json!({"base_url": "http://localhost/v1"})).unwrap();
        assert_eq!((run.parts.requests.len(), run.parts.work), (1, json!({"plan": null})));
        assert_eq!(
            json!(request),
            json!({"prompt": "a", "settings": {}, "base_url": "http://localhost/v1"})
        );
        let (_, request) = read(&saved(), &json!({"python": "safe"})).unwrap();
        assert_eq!(request["settings"], json!({"python": "safe"}));
    }

    #[test]
    fn a_document_of_version_1_has_zero_spending() {
        let mut old = saved();
        old["geonode_run"] = json!(1);
        old.as_object_mut().unwrap().remove("requests");
        let (run, _) = read(&old, &json!({})).unwrap();
        assert_eq!(run.parts.requests, [] as [Value; 0]);
        let mut names: Vec<&String> = run.parts.work.as_object().unwrap().keys().collect();
        names.sort_unstable();
        assert_eq!(names, ["budget", "cached", "called", "plan", "taken", "tool_steps"]);
    }

    #[test]
    fn damaged_foreign_and_forbidden_documents_are_refused() {
        let with = |name: &str, value: Value| {
            let mut other = saved();
            other[name] = value;
            other
        };
        for wrong in [
            json!({}),
            json!([]),
            with("geonode_run", json!(3)),
            with("more", json!(1)),
            with("state", json!("idle")),
        ] {
            let error = read(&wrong, &json!({})).unwrap_err();
            assert!(matches!(error, SavedRunError::Invalid(_)), "{wrong}: {error}");
        }
        let error = read(&saved(), &json!({"prompt": "b"})).unwrap_err();
        assert!(matches!(error, SavedRunError::Override(_)), "{error}");
    }
}
