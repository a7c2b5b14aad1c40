//! Approval requests: what the artist is asked before something is written or a tool is called, as sent to the host.

use geonode_protocol::{ActionKind, Finding, PythonMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One approval request. The driver composes it; the machine adds what comes up later.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ApprovalRequest {
    /// Why approval is needed, in words.
    pub reason: String,
    /// The tool call that it is about; `None` if it is about a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<AskedTool>,
    /// What the plan does to the file, in a few sentences for the artist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// The steps of the plan.
    pub steps: Vec<AskedStep>,
    /// What the plan changes, in plain words.
    pub diff: Vec<String>,
    /// Whether the plan can be tried in another process, and the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<AskedDryRun>,
    /// Operations that the artist left out last, as JSON Pointers into the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Why the rest does not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// A step of a plan in an approval request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskedStep {
    /// JSON Pointer into the plan.
    pub id: String,
    /// The step's own identifier.
    pub step_id: String,
    /// Its type on the wire.
    pub action_type: String,
    /// Its description in the plan.
    pub description: String,
    /// Whether it counts as destructive: it removes as many nodes as the setting `destructive_nodes` says, replaces the tree of a modifier,
    /// or runs a script that removes data. A step that removes less is not, although its operations are marked.
    pub destructive: bool,
    /// Why it needs approval, if it does.
    pub reason: Option<String>,
    /// What it does, one by one.
    pub operations: Vec<AskedOperation>,
    /// The script that it runs, if it runs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<AskedScript>,
}

/// An operation that can be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskedOperation {
    /// JSON Pointer into the plan.
    pub id: String,
    /// What it does, in plain words.
    pub words: String,
    /// Whether it takes away something that the tree contains before the plan: a node, an item, or a socket of the interface.
    pub destructive: bool,
    /// What it is about.
    pub topic: AskedTopic,
    /// IDs of operations without which it cannot be carried out: they add a node that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// What an operation is about, so that many of them can be shown as a few groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskedTopic {
    /// It adds nodes, or sets and links those that the plan adds.
    #[default]
    NewNodes,
    /// Inputs and outputs of the tree, and values of the modifier.
    Interface,
    /// It changes what the tree contains before the plan.
    Changes,
    /// It takes away something that the tree contains before the plan.
    Removals,
}

/// A whole script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskedScript {
    /// How far it is trusted.
    pub mode: PythonMode,
    /// Its text.
    pub code: String,
    /// Its number of lines.
    pub lines: usize,
    /// Its limit in milliseconds.
    pub timeout_ms: u32,
    /// The lines that remove data.
    pub removes: Vec<String>,
    /// Numbers of all lines that remove data, from 1.
    pub marks: Vec<u32>,
}

/// A tool call in an approval request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskedTool {
    /// The tool.
    pub id: String,
    /// Number of the call within the run.
    pub call_id: String,
    /// The arguments.
    pub input: Value,
}

/// Whether a plan can be tried in another process, and the result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskedDryRun {
    /// Whether it can be tried.
    pub available: bool,
    /// It holds a script that is approved only after a trial, as far as it can be tried.
    #[serde(skip_serializing_if = "is_false")]
    pub required: bool,
    /// Why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The result, as composed by the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl ApprovalRequest {
    /// Whether one of its steps or operations has this ID.
    pub(crate) fn offers(&self, id: &str) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| step.id == id || step.operations.iter().any(|operation| operation.id == id))
    }

    /// JSON Pointer to the first step that needs approval; to the first of all if none says why.
    pub(crate) fn asked_step(&self) -> Option<String> {
        let asked = self.steps.iter().find(|step| step.reason.is_some());
        asked.or_else(|| self.steps.first()).map(|step| step.id.clone())
    }

    /// Whether it holds a script that a trial comes before.
    pub(crate) fn requires_trial(&self) -> bool {
        self.dry_run.as_ref().is_some_and(|offer| offer.required)
    }

    /// Whether it can be tried.
    pub(crate) fn can_be_tried(&self) -> bool {
        self.dry_run.as_ref().is_some_and(|offer| offer.available)
    }

    /// Whether one of its steps may change anything in the file.
    pub(crate) fn writes_anything(&self) -> bool {
        self.steps
            .iter()
            .any(|step| ActionKind::of(&step.action_type).writes_anything())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_typed_request_keeps_its_former_wire_form() {
        let step = json!({
            "id": "/steps/0", "step_id": "s", "action_type": "PYTHON", "description": "d", "destructive": true,
            "reason": null, "operations": [{"id": "/steps/0/payload/ops/0", "words": "w", "destructive": false, "topic": "new_nodes"}],
            "script": {"mode": "safe", "code": "c", "lines": 1, "timeout_ms": 4000, "removes": [], "marks": []},
        });
        let plain = json!({"id": "/steps/1", "step_id": "t", "action_type": "GN_OPS", "description": "",
            "destructive": false, "reason": "r", "operations": []});
        let whole = [
            json!({"reason": "r", "steps": [step, plain], "diff": ["d"], "dry_run": {"available": true}}),
            json!({"reason": "r", "steps": [], "diff": [], "dry_run": {"available": false, "why": "w", "result": {"ok": true}},
                "without": ["/steps/0"]}),
            json!({"reason": "r", "tool": {"id": "t", "call_id": "c1", "input": {"a": 1}}, "steps": [], "diff": []}),
        ];
        for request in whole {
            let read: ApprovalRequest = serde_json::from_value(request.clone()).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), request.to_string());
        }
    }
}
