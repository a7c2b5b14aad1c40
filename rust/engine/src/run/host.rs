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
        /// Materials whose looks decide whether the plan makes new ones, by name.
        #[serde(skip_serializing_if = "BTreeSet::is_empty")]
        materials: BTreeSet<String>,
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

/// The kinds of edits that an artist is told the number of, with their words for one and for several. How nodes are laid out, named and
/// framed is nobody's question.
const EDITS: [(&str, &str, &str); 13] = [
    ("objects", "object made", "objects made"),
    ("modifiers", "modifier set up", "modifiers set up"),
    ("modifier_inputs", "input of a modifier set", "inputs of modifiers set"),
    ("materials", "material made", "materials made"),
    ("trees", "node group made", "node groups made"),
    ("interface", "input or output edited", "inputs and outputs edited"),
    ("add", "node added", "nodes added"),
    ("remove", "node removed", "nodes removed"),
    ("props", "setting of a node set", "settings of nodes set"),
    ("values", "value of a node set", "values of nodes set"),
    ("items", "list of a node edited", "lists of nodes edited"),
    ("links", "link made", "links made"),
    ("unlink", "link removed", "links removed"),
];

impl Applied {
    /// The executor's own words, or `3 nodes added, 4 links made`: the number of edits of each kind, if any.
    pub(crate) fn words(&self) -> String {
        if !self.message.is_empty() {
            return self.message.clone();
        }
        let count = |what: &str| self.counts.get(what).and_then(Value::as_u64).unwrap_or_default();
        EDITS
            .iter()
            .filter_map(|(what, one, many)| match count(what) {
                0 => None,
                1 => Some(format!("1 {one}")),
                count => Some(format!("{count} {many}")),
            })
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
