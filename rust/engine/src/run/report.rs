//! The report of a run: the `RunReport` of `EFFECTS.md`.

use geonode_protocol::{Envelope, Plan, Understanding};
use geonode_run::{ApprovalRecord, Message, RunState, StepRecord};
use schemars::JsonSchema;
use serde::Serialize;

use crate::asking::spending::{Sent, Spent};
use crate::run::telemetry::Spans;
use crate::tools::ToolStep;
use crate::validate::Tally;

/// The report of a run; complete once it has finished.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Report {
    /// `done`, `error` or `cancelled`; while it runs, `running`.
    pub status: &'static str,
    /// State of the machine.
    pub state: RunState,
    /// The prompt.
    pub prompt: String,
    /// The provider.
    pub provider: String,
    /// The model that answered.
    pub model: Option<String>,
    /// Version of Blender.
    pub blender: Option<String>,
    /// Number of plans that were requested or given.
    pub attempts: u32,
    /// Steps of the plans that were carried out.
    pub steps: Vec<StepRecord>,
    /// Calls of tools.
    pub intermediate_steps: Vec<ToolStep>,
    /// Last verdict of the gates.
    pub gates: Option<Envelope>,
    /// The approval requests and the artist's answers.
    pub approvals: Vec<ApprovalRecord>,
    /// All messages, the most severe first.
    pub messages: Vec<Message>,
    /// Tokens of all requests together, as the provider counted them, and their cost.
    pub usage: Option<Spent>,
    /// The requests to the model, with the expected usage of each.
    pub requests: Vec<Sent>,
    /// Counts of the validators' findings, per turn and chain.
    pub validation: Vec<Tally>,
    /// Durations of its parts; `None` when the setting `telemetry` is off.
    pub telemetry: Option<Spans>,
    /// How the offline planner read the prompt; `None` for plans of models and given ones.
    pub understanding: Option<Understanding>,
    /// The final message for the artist.
    pub final_message: String,
    /// What was changed, in plain words.
    pub diff: Vec<String>,
    /// The last accepted plan, with its repairs.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub plan: Option<Plan>,
    /// Conversation that the run belongs to.
    pub conversation: Option<String>,
    /// Number of turns of that conversation so far.
    pub conversation_turns: usize,
}
