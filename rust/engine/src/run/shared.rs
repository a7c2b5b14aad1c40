//! Data shared by the worker of a run and its host: the host's view, and the flag that cancels the run.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use geonode_protocol::{Plan, Understanding};
use geonode_provider::Client;
use geonode_run::{Failure, Notice, RunState, State, Status};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::asking::spending::{Sent, Spent};
use crate::error::EngineError;
use crate::request::RunRequest;
use crate::run::host::{HostEffect, Wire};
use crate::run::messages::Messages;
use crate::run::report::Report;
use crate::run::saved::{Kept, Saved};
use crate::run::telemetry::{Span, Spans};
use crate::tools::ToolStep;
use crate::validate::Tally;

/// The shared data. The lock is only held briefly, never during work.
#[derive(Debug)]
pub(crate) struct Shared {
    front: Mutex<Front>,
    news: Condvar,
    client: Mutex<Option<Client>>,
    cancelled: AtomicBool,
}

impl Shared {
    pub(crate) fn new(request: &RunRequest) -> Self {
        Self {
            front: Mutex::new(Front::new(request)),
            news: Condvar::new(),
            client: Mutex::new(None),
            cancelled: AtomicBool::new(false),
        }
    }

    pub(crate) fn front(&self) -> MutexGuard<'_, Front> {
        self.front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the front changes, at most for this time.
    pub(crate) fn wait<'a>(&self, front: MutexGuard<'a, Front>, limit: Duration) -> MutexGuard<'a, Front> {
        let waited = self.news.wait_timeout(front, limit);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Changes the front and wakes the threads that wait for it.
    pub(crate) fn show(&self, change: impl FnOnce(&mut Front)) {
        change(&mut self.front());
        self.news.notify_all();
    }

    /// Adds a notice for the artist.
    pub(crate) fn event(&self, event: &Value) {
        if let Ok(json) = to_raw_value(event) {
            self.show(|front| front.event(Event::Json(json)));
        }
    }

    /// Messages of the run, for the artist and the report.
    pub(crate) fn tell(&self, notice: Notice) {
        let Ok(json) = to_raw_value(&notice) else { return };
        self.show(|front| {
            if let Notice::Message(message) = notice {
                front.messages.add(message);
            }
            front.event(Event::Json(json));
        });
    }

    pub(crate) fn progress(&self, fraction: Option<f64>, text: &str) {
        self.event(&json!({"event": "progress", "fraction": fraction, "text": text}));
    }

    /// Hands the host its part of the task with this number.
    pub(crate) fn hand(&self, id: u64, effect: HostEffect) -> Result<(), Failure> {
        let wire = Wire {
            id: id.to_string(),
            effect,
        };
        let json = to_raw_value(&wire).map_err(|error| EngineError::Internal(error.to_string()))?;
        self.show(|front| front.hand_out(Ready { id, json }));
        Ok(())
    }

    /// Records that a part of the run is over; does not wake waiting threads.
    pub(crate) fn span(&self, span: Span) {
        if let Some(spans) = &mut self.front().spans {
            spans.add(span);
        }
    }

    pub(crate) fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Sets the client in use; one that is set after the cancel is cancelled at once.
    pub(crate) fn working(&self, client: Option<Client>) {
        let mut slot = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = client;
        if let Some(client) = slot.as_ref()
            && self.cancelled()
        {
            client.cancel();
        }
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        if let Some(client) = self.client.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            client.cancel();
        }
    }
}

/// An effect for the host's next poll.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) id: u64,
    pub(crate) json: Box<RawValue>,
}

/// An event for the host's next poll; consecutive pieces of text are joined.
#[derive(Debug)]
pub(crate) enum Event {
    Json(Box<RawValue>),
    Text(String),
}

impl Event {
    pub(crate) fn json(self) -> Option<Box<RawValue>> {
        match self {
            Self::Json(json) => Some(json),
            Self::Text(text) => to_raw_value(&json!({"event": "text", "text": text})).ok(),
        }
    }
}

/// The host's view of the run.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) state: RunState,
    pub(crate) finished: bool,
    effects: Vec<Ready>,
    events: VecDeque<Event>,
    pub(crate) messages: Messages,
    pub(crate) machine: State,
    pub(crate) plan: Option<Arc<Plan>>,
    pub(crate) diff: Arc<Vec<String>>,
    pub(crate) usage: Option<Spent>,
    pub(crate) requests: Vec<Sent>,
    /// Name of the conversation and its number of turns.
    conversation: Option<(String, usize)>,
    pub(crate) validation: Vec<Tally>,
    pub(crate) tool_steps: Vec<ToolStep>,
    pub(crate) kept: Arc<Kept>,
    /// `None` when telemetry is off.
    pub(crate) spans: Option<Spans>,
    request: Map<String, Value>,
    pub(crate) model: Option<String>,
    /// How the offline planner read the prompt.
    pub(crate) understanding: Option<Understanding>,
    pub(crate) blender: Option<String>,
    prompt: String,
    provider: String,
}

impl Front {
    fn new(request: &RunRequest) -> Self {
        Self {
            state: RunState::Idle,
            finished: false,
            effects: Vec::new(),
            events: VecDeque::new(),
            messages: Messages::default(),
            machine: State::default(),
            plan: None,
            diff: Arc::default(),
            usage: None,
            requests: Vec::new(),
            conversation: None,
            validation: Vec::new(),
            tool_steps: Vec::new(),
            kept: Arc::default(),
            spans: None,
            request: request.raw.clone(),
            model: request.model.clone(),
            understanding: None,
            blender: None,
            prompt: request.prompt.clone(),
            provider: request.provider.clone(),
        }
    }

    /// The run belongs to this conversation; so does one that is resumed from it.
    pub(crate) fn belongs_to(&mut self, conversation: Option<(String, usize)>) {
        if let Some((id, _)) = &conversation {
            self.request.insert("conversation".into(), id.as_str().into());
        }
        self.conversation = conversation;
    }

    pub(crate) fn news(&self) -> bool {
        self.finished || !self.effects.is_empty() || !self.events.is_empty()
    }

    pub(crate) fn advance(&mut self, machine: State) {
        self.state = machine.run_state();
        self.finished = machine.finished();
        self.machine = machine;
    }

    /// An effect of the published state: a run that is saved now must know that it awaits this.
    pub(crate) fn hand_out(&mut self, ready: Ready) {
        debug_assert_eq!(
            self.machine.awaiting,
            Some(ready.id),
            "an effect of a state that nobody can see yet"
        );
        self.effects.push(ready);
    }

    /// Work and notices that the host has not taken yet.
    pub(crate) fn take(&mut self) -> (Vec<Ready>, VecDeque<Event>) {
        (std::mem::take(&mut self.effects), std::mem::take(&mut self.events))
    }

    /// Withdraws an effect that the host has not taken yet.
    pub(crate) fn withdraw(&mut self, id: u64) {
        self.effects.retain(|ready| ready.id != id);
    }

    pub(crate) fn event(&mut self, event: Event) {
        if let (Event::Text(piece), Some(Event::Text(text))) = (&event, self.events.back_mut()) {
            text.push_str(piece);
        } else {
            self.events.push_back(event);
        }
    }

    /// The run as it is now.
    pub(crate) fn saved(&self) -> Saved {
        Saved::new(
            self.request.clone(),
            self.machine.clone(),
            Arc::clone(&self.kept),
            self.messages.clone(),
            self.requests.clone(),
        )
    }

    pub(crate) fn report(&self) -> Report {
        let outcome = self.machine.outcome.as_ref();
        Report {
            status: match outcome.map(|outcome| outcome.status) {
                None => "running",
                Some(Status::Done) => "done",
                Some(Status::Error) => "error",
                Some(Status::Cancelled) => "cancelled",
            },
            state: self.state,
            prompt: self.prompt.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            blender: self.blender.clone(),
            attempts: self.machine.attempts,
            steps: self.machine.steps.clone(),
            intermediate_steps: self.tool_steps.clone(),
            gates: self.machine.gates.clone(),
            approvals: self.machine.approvals.clone(),
            messages: self.messages.ordered(),
            usage: self.usage,
            requests: self.requests.clone(),
            validation: self.validation.clone(),
            telemetry: self.spans.clone(),
            understanding: self.understanding.clone(),
            final_message: outcome.map(|outcome| outcome.message.clone()).unwrap_or_default(),
            diff: self.diff.to_vec(),
            plan: self.plan.as_deref().cloned(),
            conversation: self.conversation.as_ref().map(|(id, _)| id.clone()),
            conversation_turns: self.conversation.as_ref().map_or(0, |(_, turns)| *turns),
        }
    }
}
