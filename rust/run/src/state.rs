//! The state of a run: its phase, and the data needed to continue.

use std::collections::BTreeSet;

use geonode_protocol::{Code, Envelope};
use serde::{Deserialize, Serialize};

use crate::approval::ApprovalRequest;
use crate::config::Config;
use crate::effect::{Purpose, Task};
use crate::feedback::Feedback;
use crate::open_approval::{Agreed, ApprovalRecord, OpenRequest};
use crate::outcome::{Aftermath, Outcome, Status};
use crate::plan::PlanInfo;
use crate::records::{RunState, StepRecord};
use crate::tools::{RefusedCall, ToolAsk};

/// The phase of a run. Every phase but the first and the last three awaits exactly one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    Idle,
    /// The host reads the scene.
    Capturing,
    /// The provider makes a plan.
    Generating,
    /// The artist is asked about a call of a tool.
    AwaitingToolApproval {
        /// Index into the calls that need it.
        index: usize,
    },
    /// Tools are called for the model.
    CallingTools,
    /// The plan's text is validated.
    Checking,
    /// The host exports what the plan, or the run so far, is about.
    Inspecting(Purpose),
    /// The plan is compiled against the document.
    Compiling,
    /// The artist is asked.
    AwaitingApproval,
    /// The plan is tried in another process, while the artist's answer is still open.
    DryRunning,
    /// The part of the plan that the artist kept is validated and compiled.
    Choosing,
    /// The transaction opens.
    Beginning {
        /// Whether the run was cancelled meanwhile: restore as soon as the transaction is open.
        cancelled: bool,
    },
    /// Step `index` is applied.
    Applying {
        /// Index into the plan's steps.
        index: usize,
    },
    /// The host collects evidence.
    Verifying,
    /// The gates judge.
    Judging,
    /// The host creates the undo step.
    Committing,
    /// The host restores everything.
    Restoring(Aftermath),
    /// Ended; the outcome says how.
    Ended,
}

impl Phase {
    /// Name of the phase, for diagrams and logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Capturing => "capturing",
            Self::Generating => "generating",
            Self::AwaitingToolApproval { .. } => "awaiting_tool_approval",
            Self::CallingTools => "calling_tools",
            Self::Checking => "checking",
            Self::Inspecting(Purpose::Plan) => "inspecting",
            Self::Inspecting(Purpose::Approved) => "inspecting_approved",
            Self::Inspecting(Purpose::Baseline) => "inspecting_baseline",
            Self::Inspecting(Purpose::Recheck) => "inspecting_recheck",
            Self::Inspecting(Purpose::Slices) => "inspecting_slices",
            Self::Compiling => "compiling",
            Self::AwaitingApproval => "awaiting_approval",
            Self::DryRunning => "dry_running",
            Self::Choosing => "choosing",
            Self::Beginning { cancelled: false } => "beginning",
            Self::Beginning { cancelled: true } => "beginning_cancelled",
            Self::Applying { .. } => "applying",
            Self::Verifying => "verifying",
            Self::Judging => "judging",
            Self::Committing => "committing",
            Self::Restoring(Aftermath::Retry) => "restoring_to_retry",
            Self::Restoring(Aftermath::Stop(_)) => "restoring_to_stop",
            Self::Ended => "ended",
        }
    }
}

/// Longest text of an undo step, `GeoNode: ` included.
const UNDO_CHARS: usize = 49;

/// The whole state of a run; plain data that can be stored at any moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The phase.
    pub phase: Phase,
    /// Number of the awaited task.
    pub awaiting: Option<u64>,
    /// Last number that was assigned.
    pub(crate) tasks: u64,
    /// Bounds and approval mode.
    pub config: Config,
    /// What the run is called.
    pub(crate) label: String,
    /// Whether the plan was given directly.
    pub(crate) direct: bool,
    /// Number of plans requested or given so far.
    pub attempts: u32,
    /// Retries used.
    pub(crate) retried: u32,
    /// Requests that were not retries.
    pub(crate) iterations: u32,
    /// The attempt whose plan was sent back because a link looked forgotten or nothing changed; this happens once.
    #[serde(default)]
    pub(crate) doubted: Option<u32>,
    /// Codes of what failed the last attempt, of which the model knows.
    #[serde(default)]
    pub(crate) told_of: Vec<Code>,
    /// Feedback for the next request.
    pub(crate) feedback: Option<Feedback>,
    /// Calls of the last reply that need the artist's approval.
    #[serde(default)]
    pub(crate) tool_asks: Vec<ToolAsk>,
    /// Calls of the last reply that are not carried out.
    #[serde(default)]
    pub(crate) refused_calls: Vec<RefusedCall>,
    /// The accepted plan.
    pub plan: Option<PlanInfo>,
    /// What needs approval.
    pub(crate) approval: Option<Box<ApprovalRequest>>,
    /// The approval request.
    #[serde(rename = "asking")]
    pub(crate) open_request: OpenRequest,
    /// The artist's answers so far.
    pub approvals: Vec<ApprovalRecord>,
    /// What the artist approved of the present reply.
    pub(crate) agreed: Option<Agreed>,
    /// Fingerprint of the state that the plan was compiled against.
    pub(crate) base: Option<String>,
    /// Fingerprint of the targets as the last turn left them.
    pub(crate) baseline: Option<String>,
    /// How often a plan was compiled again because its targets changed before the first write.
    pub(crate) rebased: u32,
    /// The transaction is open.
    pub transaction: bool,
    /// Whether the transaction covers the whole file.
    pub(crate) whole: bool,
    /// Objects inside the transaction.
    pub objects: BTreeSet<String>,
    /// Trees inside the transaction.
    pub trees: BTreeSet<String>,
    /// Objects that the compiled plan writes.
    pub(crate) wanted_objects: BTreeSet<String>,
    /// Trees that the compiled plan writes.
    pub(crate) wanted_trees: BTreeSet<String>,
    /// Steps of earlier turns, then of this one.
    pub steps: Vec<StepRecord>,
    /// Where the steps of this turn begin.
    pub(crate) first_step: usize,
    /// Last verdict of the gates.
    pub gates: Option<Envelope>,
    /// How it ended.
    pub outcome: Option<Outcome>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            phase: Phase::Idle,
            awaiting: None,
            tasks: 0,
            config: Config::default(),
            label: String::new(),
            direct: false,
            attempts: 0,
            retried: 0,
            iterations: 0,
            doubted: None,
            told_of: Vec::new(),
            feedback: None,
            tool_asks: Vec::new(),
            refused_calls: Vec::new(),
            plan: None,
            approval: None,
            open_request: OpenRequest::default(),
            approvals: Vec::new(),
            agreed: None,
            base: None,
            baseline: None,
            rebased: 0,
            transaction: false,
            whole: false,
            objects: BTreeSet::new(),
            trees: BTreeSet::new(),
            wanted_objects: BTreeSet::new(),
            wanted_trees: BTreeSet::new(),
            steps: Vec::new(),
            first_step: 0,
            gates: None,
            outcome: None,
        }
    }
}

impl State {
    /// The public state, derived from the phase.
    pub fn run_state(&self) -> RunState {
        match (&self.phase, &self.outcome) {
            (Phase::Idle, _) => RunState::Idle,
            (Phase::Capturing | Phase::Generating, _) => RunState::Generating,
            (
                Phase::Checking
                | Phase::AwaitingToolApproval { .. }
                | Phase::CallingTools
                | Phase::Compiling
                | Phase::Inspecting(Purpose::Plan | Purpose::Recheck | Purpose::Slices),
                _,
            ) => RunState::RequestingContext,
            (
                Phase::AwaitingApproval
                | Phase::DryRunning
                | Phase::Choosing
                | Phase::Inspecting(Purpose::Approved)
                | Phase::Beginning { .. }
                | Phase::Applying { .. },
                _,
            ) => RunState::Applying,
            (
                Phase::Verifying
                | Phase::Judging
                | Phase::Committing
                | Phase::Restoring(_)
                | Phase::Inspecting(Purpose::Baseline),
                _,
            ) => RunState::Verifying,
            (
                Phase::Ended,
                Some(Outcome {
                    status: Status::Done, ..
                }),
            ) => RunState::Done,
            (
                Phase::Ended,
                Some(Outcome {
                    status: Status::Cancelled,
                    ..
                }),
            ) => RunState::Cancelled,
            (Phase::Ended, _) => RunState::Error,
        }
    }

    /// Attempts after a refused plan or failed gates.
    pub fn retries(&self) -> u32 {
        self.retried
    }

    /// Whether the run is over; no event changes it any more.
    pub fn finished(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// The task that the present phase awaits. It follows from the state alone.
    pub fn task(&self) -> Option<Task> {
        let plan = self.plan.as_ref();
        Some(match &self.phase {
            Phase::Idle | Phase::Ended => return None,
            Phase::Capturing => Task::CaptureContext,
            Phase::Generating => Task::Generate {
                attempt: self.attempts,
                feedback: self.feedback.clone(),
            },
            Phase::AwaitingToolApproval { index } => Task::AskApproval {
                request: self
                    .tool_asks
                    .get(*index)
                    .map(|ask| Box::new(ask.request.clone()))
                    .unwrap_or_default(),
            },
            Phase::CallingTools => Task::CallTools {
                refused: self.refused_calls.clone(),
            },
            Phase::Checking => Task::CheckPlan,
            Phase::Inspecting(purpose @ (Purpose::Plan | Purpose::Approved | Purpose::Slices)) => Task::Inspect {
                objects: plan.map(|p| p.objects.clone()).unwrap_or_default(),
                trees: plan.map(|p| p.trees.clone()).unwrap_or_default(),
                purpose: *purpose,
            },
            Phase::Inspecting(purpose @ (Purpose::Baseline | Purpose::Recheck)) => Task::Inspect {
                objects: names(&self.objects),
                trees: names(&self.trees),
                purpose: *purpose,
            },
            Phase::Compiling => Task::Compile,
            Phase::AwaitingApproval => Task::AskApproval {
                request: Box::new(self.open_request.request(self.approval.as_deref())),
            },
            Phase::DryRunning => Task::DryRun {
                without: self.open_request.without.clone(),
            },
            Phase::Choosing => Task::Choose {
                without: self.open_request.without.clone(),
            },
            Phase::Beginning { .. } => Task::Begin {
                objects: names(&self.wanted_objects),
                trees: names(&self.wanted_trees),
                extend: self.transaction,
                whole: self.wants_whole(),
            },
            Phase::Applying { index } => Task::ApplyStep {
                index: *index,
                step_id: plan
                    .and_then(|p| p.steps.get(*index))
                    .map(|s| s.step_id.clone())
                    .unwrap_or_default(),
            },
            Phase::Verifying => Task::Verify {
                objects: names(&self.objects),
                trees: names(&self.trees),
            },
            Phase::Judging => Task::Judge,
            Phase::Committing => Task::Commit {
                message: beginning(&self.label),
                words: self.label.clone(),
            },
            Phase::Restoring(_) => Task::Restore,
        })
    }
}

impl State {
    /// The transaction is over.
    pub(crate) fn close(&mut self) {
        self.transaction = false;
        self.whole = false;
    }

    /// Whether the transaction covers, or has to cover, the whole file.
    pub(crate) fn wants_whole(&self) -> bool {
        self.plan.as_ref().is_some_and(PlanInfo::whole)
    }
}

/// The text of an undo step, which Blender's menu shows in one line.
fn beginning(label: &str) -> String {
    match label.char_indices().nth(UNDO_CHARS) {
        Some((end, _)) => format!("{}…", label.get(..end).unwrap_or_default().trim_end()),
        None => label.to_owned(),
    }
}

fn names(set: &BTreeSet<String>) -> Vec<String> {
    set.iter().cloned().collect()
}
