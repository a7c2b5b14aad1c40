//! The request for a plan, the reply, and the listener that is notified meanwhile.

use std::time::Duration;

use geonode_prompting::Exchange;
use geonode_protocol::{Extensions, Understanding};
use geonode_provider::{Client, FinishReason, Tool, ToolCall, Usage};
use geonode_run::Message;
use geonode_store::cache::Cache;
use serde_json::Value;

use crate::asking::spending::Sent;
use crate::request::RunRequest;
use crate::settings::Settings;

/// What the reply has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// A plan, or calls of tools before it.
    Anything,
    /// A plan in the right form: that of the last one was wrong.
    Form,
    /// The plan: no further call is possible.
    Plan,
}

/// The target of the request.
pub(crate) struct Brief<'a> {
    pub(crate) request: &'a RunRequest,
    pub(crate) settings: &'a Settings,
    pub(crate) context: &'a Value,
    pub(crate) exchanges: &'a [Exchange],
    pub(crate) extensions: &'a Extensions,
    /// Whether PYTHON steps may run.
    pub(crate) scripts: bool,
    /// The artist's comment when rejecting the last plan.
    pub(crate) words: Option<&'a str>,
    /// Tools of the run.
    pub(crate) tools: &'a [Tool],
    /// What the reply has to be.
    pub(crate) due: Due,
    /// The summary of the conversation; empty when there is none.
    pub(crate) conversation: &'a str,
    /// The cache of replies, if the settings ask for it.
    pub(crate) cache: Option<&'a Cache>,
    /// Remaining time for planning.
    pub(crate) left: Option<Duration>,
    /// Number of the requested plan.
    pub(crate) turn: u32,
}

/// A reply and its cost.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Usage>,
    /// Why the model ended.
    pub(crate) finish: Option<FinishReason>,
    /// Tool calls in it.
    pub(crate) calls: Vec<ToolCall>,
    /// Whether the provider refused tools and was asked without them.
    pub(crate) tools_refused: bool,
    /// Bytes of the request, if one was sent.
    pub(crate) sent: usize,
    /// Key that is equal for requests that would get the same answer.
    pub(crate) key: Option<String>,
    /// How the offline planner read the prompt.
    pub(crate) understanding: Option<Understanding>,
    /// Whether it was stored from an earlier request and nothing was sent.
    pub(crate) cached: bool,
}

impl Reply {
    /// A reply that consists only of text.
    pub(crate) fn text(text: String, model: Option<String>) -> Self {
        Self {
            text,
            model,
            usage: None,
            finish: None,
            calls: Vec::new(),
            tools_refused: false,
            sent: 0,
            key: None,
            understanding: None,
            cached: false,
        }
    }
}

/// Listener for events while a plan is being made.
pub(crate) trait Listener {
    /// A client is in use from now on; cancelling the run must cancel it.
    fn working(&self, client: Option<Client>);
    /// A request is about to be sent.
    fn asks(&self, sent: Sent);
    /// A piece of the reply arrived.
    fn text(&self, piece: &str);
    /// A message for the artist.
    fn message(&self, message: Message);
}
