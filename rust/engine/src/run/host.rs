//! Messages to and from the host, as JSON.

use geonode_graph::StepDelta;
use geonode_run::{ApprovalRequest, Failure};
use geonode_tools::HostCall;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::EngineError;

/// A host effect on the wire; its number is text, so that interfaces can carry it anywhere.
#[derive(Serialize)]
pub(crate) struct Wire {
    pub(crate) id: String,
    #[serde(flatten)]
    pub(crate) effect: HostEffect,
}

#[derive(Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub(crate) enum HostEffect {
    CaptureContext {
        object: Option<String>,
        modifier: Option<String>,
    },
    Inspect {
        objects: Vec<String>,
        trees: Vec<String>,
    },
    Begin {
        objects: Vec<String>,
        trees: Vec<String>,
        extend: bool,
        whole: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        names: Option<Value>,
    },
    ApplyStep {
        step_id: String,
        delta: StepDelta,
    },
    ExecuteStep {
        step_id: String,
        action_type: String,
        payload: Value,
    },
    Verify {
        objects: Vec<String>,
        trees: Vec<String>,
    },
    Restore,
    Commit {
        message: String,
        words: String,
    },
    AskApproval {
        request: Box<ApprovalRequest>,
    },
    DryRun {
        plan: Value,
        catalogue: String,
        seconds: u64,
        megabytes: u64,
        sealed: bool,
    },
    CallTools {
        calls: Vec<HostCall>,
        target: Value,
    },
}

/// The host's answer to `apply_step` and `execute_step`.
#[derive(Deserialize)]
pub(crate) struct Applied {
    #[serde(default, rename = "applied")]
    counts: Map<String, Value>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    pub(crate) objects: Vec<String>,
    #[serde(default)]
    pub(crate) trees: Vec<String>,
}

impl Applied {
    /// The executor's own words, or `add 3, links 4`: the number of edits of each kind, if any.
    pub(crate) fn words(&self) -> String {
        if !self.message.is_empty() {
            return self.message.clone();
        }
        let done = self.counts.iter().filter(|(_, count)| count.as_f64() != Some(0.0));
        done.map(|(what, count)| format!("{what} {count}"))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The host's answer to `restore`.
#[derive(Deserialize)]
pub(crate) struct Restored {
    pub(crate) equal: bool,
}

pub(crate) fn read<'a, T: Deserialize<'a>>(what: &'static str, json: &'a str) -> Result<T, Failure> {
    serde_json::from_str(json).map_err(|error| EngineError::document(what, &error).into())
}
