//! Orders to the driver. One task is awaited at a time; notices need no answer.

use geonode_protocol::{Advice, Change, Code, Finding, GateFinding, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::approval::ApprovalRequest;
use crate::feedback::Feedback;
use crate::records::{RunState, StepRecord, Summary};
use crate::tools::RefusedCall;

/// An order of the machine to its driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Carry this out and answer with its number.
    Do {
        /// Number of the task, unique within the run.
        id: u64,
        /// What to do.
        task: Task,
    },
    /// The task's answer is no longer awaited: stop the task if possible. It may have been carried out already.
    Abort {
        /// Number of the task.
        id: u64,
    },
    /// A notice for the artist.
    Tell(Notice),
}

/// Why the host exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To compile the plan.
    Plan,
    /// To check whether the artist changed the plan's targets while the approval was open.
    Approved,
    /// To record the targets as the run leaves them before the model is asked again.
    Baseline,
    /// To check whether the artist changed them since.
    Recheck,
    /// Because the model asked.
    Slices,
}

/// Work of the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum Task {
    /// Host: read the scene.
    CaptureContext,
    /// Driver: ask the provider for a plan.
    Generate {
        /// 1 for the first request of the run.
        attempt: u32,
        /// The outcome of the previous reply.
        feedback: Option<Feedback>,
    },
    /// Driver and host: carry out the tool calls of the last reply.
    CallTools {
        /// Calls that are not carried out.
        refused: Vec<RefusedCall>,
    },
    /// Driver: parse and validate the reply or the given plan.
    CheckPlan,
    /// Host: export what the plan is about.
    Inspect {
        /// Objects by name.
        objects: Vec<String>,
        /// Trees by name.
        trees: Vec<String>,
        /// Why; decides what the driver keeps.
        purpose: Purpose,
    },
    /// Driver: preflight and reconcile the plan against the document.
    Compile,
    /// Host: show the request; answered by `approved` or `rejected`.
    AskApproval {
        /// What is asked.
        request: Box<ApprovalRequest>,
    },
    /// Host: apply the plan to a copy of the file in another process and report the result.
    DryRun {
        /// Operations that are left out, as JSON Pointers into the plan.
        without: Vec<String>,
    },
    /// Driver: remove these operations from the plan, validate and compile the rest.
    Choose {
        /// Operations that are left out, as JSON Pointers into the plan.
        without: Vec<String>,
    },
    /// Host: open the transaction, or extend the open one to further objects and trees.
    Begin {
        /// Objects that will be written.
        objects: Vec<String>,
        /// Trees that will be written or created.
        trees: Vec<String>,
        /// Whether the transaction is already open.
        extend: bool,
        /// Whether a script follows, which may change anything, so that the whole file is backed up.
        whole: bool,
    },
    /// Host: apply one compiled step.
    ApplyStep {
        /// Index into the compiled steps.
        index: usize,
        /// The step's ID.
        step_id: String,
    },
    /// Host: collect evidence.
    Verify {
        /// Objects written by the run.
        objects: Vec<String>,
        /// Trees written by the run.
        trees: Vec<String>,
    },
    /// Driver: let the gates judge the evidence.
    Judge,
    /// Host: restore everything to the state before `begin`.
    Restore,
    /// Host: close the transaction as one undo step.
    Commit {
        /// Text of the undo step.
        message: String,
        /// What the run is called in full, whose digest marks what it made.
        words: String,
    },
}

/// Who carries a task out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Performer {
    /// The driver by itself; for tool calls it may ask the host in between.
    Core,
    /// The host, which answers.
    Host,
}

impl Task {
    /// Who carries it out.
    pub const fn place(&self) -> Performer {
        match self {
            Self::Generate { .. }
            | Self::CallTools { .. }
            | Self::CheckPlan
            | Self::Compile
            | Self::Choose { .. }
            | Self::Judge => Performer::Core,
            Self::CaptureContext
            | Self::Inspect { .. }
            | Self::AskApproval { .. }
            | Self::DryRun { .. }
            | Self::Begin { .. }
            | Self::ApplyStep { .. }
            | Self::Verify { .. }
            | Self::Restore
            | Self::Commit { .. } => Performer::Host,
        }
    }

    /// Name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CaptureContext => "capture_context",
            Self::Generate { .. } => "generate",
            Self::CallTools { .. } => "call_tools",
            Self::CheckPlan => "check_plan",
            Self::Inspect { .. } => "inspect",
            Self::Compile => "compile",
            Self::AskApproval { .. } => "ask_approval",
            Self::DryRun { .. } => "dry_run",
            Self::Choose { .. } => "choose",
            Self::Begin { .. } => "begin",
            Self::ApplyStep { .. } => "apply_step",
            Self::Verify { .. } => "verify",
            Self::Judge => "judge",
            Self::Restore => "restore",
            Self::Commit { .. } => "commit",
        }
    }
}

/// Something to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Notice {
    /// The run entered another state.
    State {
        /// The state.
        state: RunState,
        /// Its summary for artists.
        summary: Summary,
    },
    /// A step changed.
    Step(StepRecord),
    /// Something to read.
    Message(Message),
}

/// The source of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The request and its settings.
    Request,
    /// The provider or the offline planner.
    Provider,
    /// Validation of the plan's text.
    Plan,
    /// Preflight and reconciliation.
    Preflight,
    /// Application in Blender.
    Host,
    /// The gates.
    Gates,
    /// Tools that the model called.
    Tools,
    /// The run itself.
    Run,
    /// The driver of the run in the host.
    Driver,
}

/// A message for the artist: severity, origin, code, text. The interface decides by code, never by text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Its severity.
    pub severity: Severity,
    /// Its origin.
    pub origin: Origin,
    /// Stable code.
    pub code: Code,
    /// The text.
    pub text: String,
    /// JSON Pointer into the plan, if it is about the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What the artist can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The same for whoever wrote the plan, in terms of its operations and fields; no artist is shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner: Option<ForPlanner>,
    /// Changes of the plan that carry out the planner's hint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// A prompt that would run: what of the artist's is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

/// A finding in the words of plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForPlanner {
    /// What is wrong, where it is not the message's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Advice>,
}

/// Mistakes in the form of a plan that concern its size, which words without fields can tell; the others are only told to the planner.
const OF_SIZE: [Code; 5] = [
    Code::CutOff,
    Code::PlanTooLarge,
    Code::PythonTooLong,
    Code::TooManyOperations,
    Code::TooManySteps,
];

/// What is wrong, in the words of artists.
pub(crate) fn artists_words(origin: Origin, finding: &Finding) -> &str {
    let of_form = origin == Origin::Plan && finding.code.section() == "protocol" && finding.is_error();
    if of_form && !OF_SIZE.contains(&finding.code) {
        "The plan has a mistake in its form, so it cannot be used."
    } else {
        &finding.message
    }
}

impl Message {
    /// A message without place and hint.
    pub fn new(severity: Severity, origin: Origin, code: Code, text: impl Into<String>) -> Self {
        Self {
            severity,
            origin,
            code,
            text: text.into(),
            path: None,
            hint: None,
            planner: None,
            changes: Vec::new(),
            instead: None,
        }
    }

    /// A finding as a message: to the artist in their words, and beside them in those of plans.
    pub fn from_finding(origin: Origin, finding: &Finding) -> Self {
        let text = artists_words(origin, finding);
        let told = ForPlanner {
            text: (text != finding.message).then(|| finding.message.clone()),
            hint: finding.hint.clone(),
        };
        Self {
            severity: finding.severity,
            origin,
            code: finding.code,
            text: text.to_owned(),
            path: Some(finding.path.clone()),
            hint: finding.by_hand.clone(),
            planner: (told.text.is_some() || told.hint.is_some()).then_some(told),
            changes: finding.changes.clone(),
            instead: None,
        }
    }

    /// What a gate found as a message: its fix is for the planner, the artist is told that of the gate.
    pub fn from_gate(severity: Severity, code: Code, finding: &GateFinding) -> Self {
        let hint = finding.fix.as_deref().map(Advice::from);
        Self {
            path: finding.path.clone(),
            hint: hint.is_some().then(|| code.fix().to_owned()),
            planner: hint.map(|hint| ForPlanner {
                text: None,
                hint: Some(hint),
            }),
            ..Self::new(severity, Origin::Gates, code, &finding.cause)
        }
    }
}
