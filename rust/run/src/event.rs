//! Events of a run: reports of the driver and decisions of the artist.

use geonode_protocol::{Code, Envelope, Finding, GateFinding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::ApprovalRequest;
use crate::config::Config;
use crate::plan::{PlanInfo, StepInfo};
use crate::tools::ToolAsk;

/// An event with its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Unix time in seconds. The machine only copies it into step records.
    pub at: f64,
    /// What happened.
    pub kind: EventKind,
}

/// The kinds of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The run begins.
    Start {
        /// Bounds and approval mode of this run.
        config: Config,
        /// What the run is called; the undo step shows the beginning of it.
        label: String,
        /// The plan is given directly: nothing is generated and nothing retried.
        direct: bool,
    },
    /// The request cannot start (empty prompt, bad settings …).
    Refuse(Failure),
    /// A task was carried out.
    Answered {
        /// Number of the task.
        id: u64,
        /// Its result.
        answer: Answer,
    },
    /// A task could not be carried out.
    Failed {
        /// Number of the task.
        id: u64,
        /// Why.
        failure: Failure,
    },
    /// The artist approved the request with this number.
    Approved {
        /// Number of the task `ask_approval`.
        id: u64,
        /// Steps and operations to leave out, as JSON Pointers into the plan.
        without: Vec<String>,
    },
    /// The artist rejected the request with this number.
    Rejected {
        /// Number of the task `ask_approval`.
        id: u64,
        /// What should be different, for the next turn. `None`: the run ends.
        words: Option<String>,
    },
    /// The artist wants a dry run of the plan before answering.
    DryRun {
        /// Number of the task `ask_approval`.
        id: u64,
        /// Steps and operations to leave out of the dry run, as JSON Pointers into the plan.
        without: Vec<String>,
    },
    /// The artist, or Blender on closing, wants the run to stop.
    Cancel,
}

/// Result of a task; bulk data (context, document, deltas, evidence) stays with the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// `capture_context`: the driver holds the context.
    Context,
    /// `generate`: the driver holds the reply.
    Generated,
    /// `generate`: the reply calls tools; the driver holds the calls.
    ToolCalls {
        /// The calls that need the artist's approval, in order.
        asks: Vec<ToolAsk>,
    },
    /// `call_tools`: the driver holds the results.
    Called,
    /// `check_plan`: the plan if it was accepted, and all findings.
    Checked {
        /// `None`: refused because of the errors in `findings`.
        plan: Option<PlanInfo>,
        /// Errors, warnings and repairs.
        findings: Vec<Finding>,
    },
    /// `inspect`: the driver holds the document.
    Inspected {
        /// Fingerprint, equal for equal state of the inspected objects and trees.
        fingerprint: String,
        /// For a recheck: what was changed by hand and what by the run, in words.
        conflict: Option<String>,
    },
    /// `compile`: the plan fits this Blender and this document unless `findings` contains an error.
    Compiled {
        /// Errors, warnings and repairs.
        findings: Vec<Finding>,
        /// The steps, where they are not those of the plan that was checked: a page of tree text becomes one or more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        steps: Option<Vec<StepInfo>>,
        /// Objects that will be written.
        objects: Vec<String>,
        /// Trees that will be written or created.
        trees: Vec<String>,
        /// What needs the artist's approval, if anything.
        approval: Option<Box<ApprovalRequest>>,
        /// Whether only the artist can approve it: approval given beforehand does not count.
        #[serde(default)]
        confirm: bool,
        /// Why evaluating the plan would freeze Blender, if it would; then `approval` asks about it.
        #[serde(default)]
        risk: Option<Box<GateFinding>>,
    },
    /// `dry_run`: the result.
    DryRun {
        /// For the artist, as composed by the host.
        result: Value,
    },
    /// `choose`: the rest of the plan fits unless `findings` contains an error.
    Chosen {
        /// The rest of the plan; `None` when nothing is left.
        plan: Option<PlanInfo>,
        /// Errors, warnings and repairs.
        findings: Vec<Finding>,
        /// Objects that will be written.
        objects: Vec<String>,
        /// Trees that will be written or created.
        trees: Vec<String>,
        /// Why the rest needs approval, if for a reason that the artist has not seen yet.
        reason: Option<String>,
    },
    /// `begin`: the transaction is open.
    Begun,
    /// `apply_step`: done.
    Applied {
        /// What was done, in words.
        message: String,
        /// Objects that an executor of another step type worked on.
        objects: Vec<String>,
        /// Trees that it worked on.
        trees: Vec<String>,
    },
    /// `verify`: the driver holds the evidence.
    Evidence,
    /// `judge`: the gates' verdict.
    Judged {
        /// The gates' verdict.
        envelope: Envelope,
    },
    /// `restore`: done.
    Restored {
        /// Everything is exactly as before `begin`.
        equal: bool,
    },
    /// `commit`: the run is one undo step.
    Committed,
}

impl Answer {
    /// Name of the answer, for diagrams and logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Generated => "generated",
            Self::ToolCalls { .. } => "tool_calls",
            Self::Called => "called",
            Self::Checked { .. } => "checked",
            Self::Inspected { .. } => "inspected",
            Self::Compiled { .. } => "compiled",
            Self::DryRun { .. } => "dry_run",
            Self::Chosen { .. } => "chosen",
            Self::Begun => "begun",
            Self::Applied { .. } => "applied",
            Self::Evidence => "evidence",
            Self::Judged { .. } => "judged",
            Self::Restored { .. } => "restored",
            Self::Committed => "committed",
        }
    }
}

/// A failure with its stable code and a sentence for the artist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Stable code.
    pub code: Code,
    /// What went wrong, the cause and the fix.
    pub message: String,
    /// A prompt that would run: what of the artist's is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

impl Failure {
    /// A failure with this code and sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            instead: None,
        }
    }
}
