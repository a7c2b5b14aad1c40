//! What remains of a run: the `RunReport` of `EFFECTS.md`.

use geonode_protocol::{Envelope, Plan};
use geonode_run::{ApprovalRecord, Message, RunState, StepRecord};
use serde::Serialize;

use crate::asking::spending::{Sent, Spent};
use crate::run::telemetry::Spans;
use crate::tools::ToolStep;
use crate::validate::Tally;

/// The report of a run; complete once it has finished.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// `done`, `error` or `cancelled`; while it runs, `running`.
    pub status: &'static str,
    /// State of the machine.
    pub state: RunState,
    /// The artist's words.
    pub prompt: String,
    /// Who planned.
    pub provider: String,
    /// The model that answered.
    pub model: Option<String>,
    /// Version of Blender.
    pub blender: Option<String>,
    /// Plans that were asked for or given.
    pub attempts: u32,
    /// Steps of the plans that were carried out.
    pub steps: Vec<StepRecord>,
    /// Calls of tools.
    pub intermediate_steps: Vec<ToolStep>,
    /// Last verdict of the gates.
    pub gates: Option<Envelope>,
    /// What the artist was asked, and what was answered.
    pub approvals: Vec<ApprovalRecord>,
    /// All messages, the gravest first.
    pub messages: Vec<Message>,
    /// Tokens of all requests together, as the provider counted them, and what they cost.
    pub usage: Option<Spent>,
    /// The requests to the model, and what each was expected to use.
    pub requests: Vec<Sent>,
    /// What the validators found, per turn and chain.
    pub validation: Vec<Tally>,
    /// How long its parts took; none when the setting `telemetry` is off.
    pub telemetry: Option<Spans>,
    /// What the artist reads in the end.
    pub final_message: String,
    /// What was changed, in plain words.
    pub diff: Vec<String>,
    /// The last accepted plan, with its repairs.
    pub plan: Option<Plan>,
    /// Conversation that the run belongs to.
    pub conversation: Option<String>,
    /// How many turns that has by now.
    pub conversation_turns: usize,
}
