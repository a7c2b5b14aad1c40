//! What is asked for, what comes back, and who is notified meanwhile.

use std::time::Duration;

use geonode_prompting::Exchange;
use geonode_protocol::Extensions;
use geonode_provider::{Client, FinishReason, Tool, ToolCall, Usage};
use geonode_run::Message;
use geonode_store::cache::Cache;
use serde_json::Value;

use crate::asking::spending::Sent;
use crate::request::RunRequest;
use crate::settings::Settings;

/// What the request is about.
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
    /// Tools that the model may call.
    pub(crate) tools: &'a [Tool],
    /// The summary of the conversation; empty when there is none.
    pub(crate) conversation: &'a str,
    /// The cache of replies, if the settings ask for it.
    pub(crate) cache: Option<&'a Cache>,
    /// Time that is left for planning.
    pub(crate) left: Option<Duration>,
    /// Number of the plan that is asked for.
    pub(crate) turn: u32,
}

/// A reply and what it cost.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Usage>,
    /// Why the model ended.
    pub(crate) finish: Option<FinishReason>,
    /// Calls of tools that it asks for.
    pub(crate) calls: Vec<ToolCall>,
    /// The provider refused tools and was asked without them.
    pub(crate) tools_refused: bool,
    /// Bytes of the request, where one was sent.
    pub(crate) sent: usize,
    /// Equal for requests that would be answered alike.
    pub(crate) key: Option<String>,
    /// It was kept from an earlier request; nothing was sent.
    pub(crate) cached: bool,
}

impl Reply {
    /// A reply that consists only of its text.
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
            cached: false,
        }
    }
}

/// What happens while a plan is being made.
pub(crate) trait Listener {
    /// A client is at work from now on; cancelling the run must cancel it.
    fn working(&self, client: Option<Client>);
    /// A request is about to be sent.
    fn asks(&self, sent: Sent);
    /// A piece of the reply arrived.
    fn text(&self, piece: &str);
    /// Something to read.
    fn message(&self, message: Message);
}
