//! The calls of one reply and their results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::{Image, Outcome};
use crate::error::ToolError;
use crate::tool::{Runner, Tool};

/// The calls of one reply, in the order in which the model made them.
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) entries: Vec<Entry>,
}

/// One call.
#[derive(Debug)]
pub struct Entry {
    /// The model's identifier.
    pub call_id: String,
    /// Unique within the run.
    pub correlation_id: String,
    /// The tool's ID, as far as it is valid.
    pub tool: String,
    /// The arguments; unchanged if they are not an object.
    pub input: Value,
    /// Waived rules that it broke.
    pub(crate) doubts: Vec<ToolError>,
    pub(crate) state: State,
}

#[derive(Debug)]
pub(crate) enum State {
    /// Whether it still waits.
    Open(Tool),
    /// Whether it has its result.
    Settled(Box<Settled>),
}

/// A call with its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The model's identifier.
    pub call_id: String,
    /// Unique within the run.
    pub correlation_id: String,
    /// The tool's ID, as far as it is valid.
    pub tool: String,
    /// The arguments.
    pub input: Value,
    /// Result or error, within its size.
    pub outcome: Outcome,
    /// A note to the model with the result.
    pub note: Option<String>,
    /// Waived rules that the call broke.
    pub doubts: Vec<ToolError>,
    /// A picture with the result.
    pub image: Option<Image>,
    /// Size of the whole result as JSON.
    pub bytes: usize,
    /// Time in milliseconds.
    pub ms: u64,
}

impl Settled {
    /// The text for the model: `{ok, result?, error?, note?, warnings?}`.
    pub fn text(&self) -> String {
        let mut json = self.outcome.to_json();
        if let Some(fields) = json.as_object_mut() {
            if let Some(note) = &self.note {
                fields.insert("note".to_owned(), note.as_str().into());
            }
            if !self.doubts.is_empty() {
                fields.insert("warnings".to_owned(), json!(self.doubts));
            }
        }
        json.to_string()
    }
}

/// A call for the host.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HostCall {
    /// Unique within the run.
    pub call_id: String,
    /// The tool's id.
    pub tool: String,
    /// The arguments, which fit the tool's schema.
    pub arguments: Value,
    /// Limit of this call in seconds.
    pub timeout_s: f64,
}

/// The host's answer to a call.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostResult {
    /// Whether there is a result.
    pub ok: bool,
    /// The result.
    #[serde(default)]
    pub result: Value,
    /// `{code, message}` when there is none.
    #[serde(default)]
    pub error: Option<HostError>,
    /// Time in milliseconds.
    #[serde(default)]
    pub ms: f64,
}

/// Why the host has no result.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct HostError {
    /// A code of the registry; any other counts as `internal_error`.
    pub code: String,
    /// In words.
    pub message: String,
}

impl Batch {
    /// The calls in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether a call still waits.
    pub fn open(&self) -> bool {
        self.entries.iter().any(|entry| entry.tool().is_some())
    }

    /// The calls that wait for the host.
    pub fn host_calls(&self) -> Vec<HostCall> {
        let waiting = self.entries.iter().filter_map(|entry| Some((entry, entry.tool()?)));
        let host = waiting.filter(|(_, tool)| matches!(tool.runner, Runner::Host(_)));
        host.map(|(entry, tool)| HostCall {
            call_id: entry.correlation_id.clone(),
            tool: entry.tool.clone(),
            arguments: entry.input.clone(),
            timeout_s: tool.spec.timeout.as_secs_f64(),
        })
        .collect()
    }

    /// Ends a waiting call without carrying it out: it was rejected, or nobody may approve it.
    pub fn refuse(&mut self, correlation_id: &str, error: ToolError) {
        let waiting = |entry: &&mut Entry| entry.correlation_id == correlation_id && entry.tool().is_some();
        if let Some(entry) = self.entries.iter_mut().find(waiting) {
            entry.settle(Outcome::Failed(error), 0, 0);
        }
    }

    /// All results in the order of the calls. Calls that still wait end as cancelled.
    pub fn results(self) -> Vec<Settled> {
        let settled = self.entries.into_iter().map(|mut entry| {
            if entry.tool().is_some() {
                entry.settle(Outcome::Failed(ToolError::cancelled()), 0, 0);
            }
            (entry.state, entry.doubts)
        });
        settled
            .filter_map(|(state, doubts)| match state {
                State::Settled(settled) => Some(Settled { doubts, ..*settled }),
                State::Open(_) => None,
            })
            .collect()
    }
}

impl Entry {
    /// A call with its tool, or with the reason why it is not carried out.
    pub(crate) fn new(
        call_id: String,
        correlation_id: String,
        tool: String,
        input: Value,
        found: Result<Tool, ToolError>,
    ) -> Self {
        let state = match found {
            Ok(tool) => State::Open(tool),
            Err(error) => State::Settled(Box::new(Settled {
                call_id: call_id.clone(),
                correlation_id: correlation_id.clone(),
                tool: tool.clone(),
                input: input.clone(),
                outcome: Outcome::Failed(error),
                note: None,
                doubts: Vec::new(),
                image: None,
                bytes: 0,
                ms: 0,
            })),
        };
        Self {
            call_id,
            correlation_id,
            tool,
            input,
            doubts: Vec::new(),
            state,
        }
    }

    /// The tool, while the call waits.
    pub fn tool(&self) -> Option<&Tool> {
        match &self.state {
            State::Open(tool) => Some(tool),
            State::Settled(_) => None,
        }
    }

    /// The result, once there is one.
    pub fn settled(&self) -> Option<&Settled> {
        match &self.state {
            State::Open(_) => None,
            State::Settled(settled) => Some(settled),
        }
    }

    pub(crate) fn settle(&mut self, outcome: Outcome, bytes: usize, ms: u64) {
        self.state = State::Settled(Box::new(Settled {
            call_id: self.call_id.clone(),
            correlation_id: self.correlation_id.clone(),
            tool: self.tool.clone(),
            input: self.input.clone(),
            outcome,
            note: None,
            doubts: Vec::new(),
            image: None,
            bytes,
            ms,
        }));
    }

    pub(crate) fn settled_mut(&mut self) -> Option<&mut Settled> {
        match &mut self.state {
            State::Open(_) => None,
            State::Settled(settled) => Some(settled),
        }
    }
}
