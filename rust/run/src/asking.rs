//! What the artist is asked before the first write, and what was answered.

use geonode_protocol::Finding;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::plan::SCRIPT;

/// The artist's answer to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may be applied, without what was left out.
    Approved,
    /// It may not.
    Rejected,
    /// The whole run was stopped.
    Cancelled,
}

/// Record of one answer (HIT-1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRecord {
    /// The request's ID, as the host got it.
    pub id: String,
    /// What was answered.
    pub decision: Decision,
    /// Operations that were left out, as JSON Pointers into the plan.
    pub without: Vec<String>,
    /// What the artist said about a rejection.
    pub words: Option<String>,
    /// Unix time in seconds.
    pub at: f64,
}

/// What the artist agreed to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agreed {
    /// Fingerprint of the scene that the question was about.
    pub(crate) base: Option<String>,
    /// The question.
    pub(crate) request: Value,
}

/// The question that is open, beyond what the driver composed when it compiled the plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// Number of the task `ask_approval`.
    pub(crate) id: u64,
    /// Operations that the artist left out last.
    pub(crate) without: Vec<String>,
    /// Why the rest does not fit.
    pub(crate) findings: Vec<Finding>,
    /// Why the rest needs approval, where that is another reason than before.
    pub(crate) reason: Option<String>,
    /// What came of a dry run.
    pub(crate) tried: Option<Value>,
    /// Questions about this plan so far.
    pub(crate) times: u32,
}

impl Asking {
    /// The whole request: what the driver composed, and what has come up since.
    pub(crate) fn request(&self, composed: Option<&Value>) -> Value {
        let mut request = match composed {
            Some(Value::Object(fields)) => fields.clone(),
            _ => Map::new(),
        };
        if let Some(reason) = &self.reason {
            request.insert("reason".into(), json!(reason));
        }
        if !self.without.is_empty() {
            request.insert("without".into(), json!(self.without));
        }
        if !self.findings.is_empty() {
            request.insert("findings".into(), json!(self.findings));
        }
        if let Some(tried) = &self.tried {
            let dry_run = request.entry("dry_run").or_insert_with(|| json!({}));
            if let Some(dry_run) = dry_run.as_object_mut() {
                dry_run.insert("result".into(), tried.clone());
            }
        }
        Value::Object(request)
    }
}

/// Whether the request offers this ID: one of its steps or operations.
pub(crate) fn offers(composed: Option<&Value>, id: &str) -> bool {
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let named = |value: &Value| value.get("id").and_then(Value::as_str) == Some(id);
    composed.is_some_and(|request| {
        list(request, "steps")
            .iter()
            .any(|step| named(step) || list(step, "operations").iter().any(named))
    })
}

/// Whether the request is about a step that may touch anything in the file.
pub(crate) fn holds_script(request: &Value) -> bool {
    let steps = request.get("steps").and_then(Value::as_array);
    steps
        .into_iter()
        .flatten()
        .any(|step| step.get("action_type").and_then(Value::as_str) == Some(SCRIPT))
}
