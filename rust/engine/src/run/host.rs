//! Messages to and from the host, as JSON.

use std::collections::{BTreeMap, BTreeSet};

use geonode_graph::StepDelta;
use geonode_run::{ApprovalRequest, Failure};
use geonode_tools::HostCall;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::EngineError;

/// One effect for the host; its `id` is text, so that interfaces can carry it anywhere.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Effect")]
pub(crate) struct Wire {
    /// Number of the effect, which its answer names.
    pub(crate) id: String,
    #[serde(flatten)]
    pub(crate) effect: HostEffect,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub(crate) enum HostEffect {
    /// Reads the scene.
    CaptureContext {
        /// The object that the prompt is about; `None`: the active one.
        object: Option<String>,
        /// The modifier that it is about.
        modifier: Option<String>,
    },
    /// Exports objects and trees, with a fingerprint.
    Inspect {
        /// Objects by name.
        objects: Vec<String>,
        /// Trees by name.
        trees: Vec<String>,
    },
    /// Opens the transaction, or extends it.
    Begin {
        /// Objects that will be written.
        objects: Vec<String>,
        /// Trees that will be written.
        trees: Vec<String>,
        /// Whether the transaction is open already and grows.
        extend: bool,
        /// Whether the whole file has to be restorable, because a script follows.
        whole: bool,
        /// What the trial made, changed and removed; nothing else may be.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<BTreeMap<String, BTreeMap<String, Vec<String>>>>")]
        names: Option<Value>,
    },
    /// Applies the edit of a step.
    ApplyStep {
        /// The step's ID in the plan.
        step_id: String,
        /// The edit.
        delta: StepDelta,
    },
    /// Carries out a step that is not an edit: a script, or a type that a script added.
    ExecuteStep {
        /// The step's ID in the plan.
        step_id: String,
        /// Its type.
        action_type: String,
        /// Its payload in the plan.
        #[schemars(with = "Map<String, Value>")]
        payload: Value,
    },
    /// Collects evidence.
    Verify {
        /// Objects by name.
        objects: Vec<String>,
        /// Trees by name.
        trees: Vec<String>,
    },
    /// Restores everything as it was before the transaction.
    Restore,
    /// Keeps the result as one undo step.
    Commit {
        /// Text of the undo step.
        message: String,
        /// The whole prompt; what was made is marked with its digest.
        words: String,
        /// Identifier of the run, which the marks contain too.
        run: String,
    },
    /// Asks the artist.
    AskApproval {
        /// What the artist is asked.
        request: Box<ApprovalRequest>,
    },
    /// Applies the plan to a copy of the file in another process.
    DryRun {
        /// The plan.
        #[schemars(with = "Map<String, Value>")]
        plan: Value,
        /// Indices of the steps that mean exactly the tree that they name, as the request of the other run takes them.
        exact: BTreeSet<usize>,
        /// Path or text of the catalogue.
        catalogue: String,
        /// Limit of its time.
        seconds: u64,
        /// Limit of its memory.
        megabytes: u64,
        /// Whether it may run only inside the sandbox.
        sealed: bool,
    },
    /// Calls tools that only read.
    CallTools {
        /// The calls, in the order of their results.
        calls: Vec<HostCall>,
        /// What a call that names nothing is about: `object`, `node_group`.
        #[schemars(with = "Map<String, Value>")]
        target: Value,
    },
}

/// The host's answer to `apply_step` and `execute_step`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Applied {
    /// Number of edits of each kind.
    #[serde(default, rename = "applied")]
    #[schemars(with = "BTreeMap<String, usize>")]
    counts: Map<String, Value>,
    /// What an executor says that it did.
    #[serde(default)]
    message: String,
    /// Objects that an executor changed.
    #[serde(default)]
    pub(crate) objects: Vec<String>,
    /// Trees that an executor changed.
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
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restored {
    /// Whether everything is as before the transaction.
    pub(crate) equal: bool,
    /// Trees that the artist edited while the run changed them, under the names by which they are kept beside the restored ones.
    #[serde(default)]
    pub(crate) aside: Vec<String>,
}

pub(crate) fn read<'a, T: Deserialize<'a>>(what: &'static str, json: &'a str) -> Result<T, Failure> {
    serde_json::from_str(json).map_err(|error| EngineError::document(what, &error).into())
}
