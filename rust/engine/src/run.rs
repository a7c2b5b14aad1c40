//! The host's end of a run.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use geonode_protocol::Plan;
use geonode_provider::Client;
use geonode_run::{Message, RunState, State, Status, Summary};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::EngineError;
use crate::messages::Messages;
use crate::report::Report;
use crate::request::RunRequest;
use crate::saved::{Kept, Saved};
use crate::spending::{Sent, Spent};
use crate::telemetry::{Span, Spans};
use crate::tools::ToolStep;
use crate::validate::Tally;
use crate::worker::{self, Job};

/// What came up since the last poll.
#[derive(Debug, Serialize)]
pub struct Turn {
    /// State of the machine.
    pub state: RunState,
    /// What the artist sees of it.
    pub summary: Summary,
    /// Work for the host, in order.
    pub effects: Vec<Box<RawValue>>,
    /// For the artist's eyes, in order.
    pub events: Vec<Box<RawValue>>,
    /// The run is over; the report is complete.
    pub finished: bool,
}

/// One run. Dropping it cancels it without a restore: the host restores what it holds.
#[derive(Debug)]
pub struct Run {
    shared: Arc<Shared>,
    inbox: Sender<Input>,
    /// Most characters that the artist may say at once.
    longest: u64,
}

/// What the host says.
#[derive(Debug)]
pub(crate) enum Input {
    Answer {
        id: u64,
        json: String,
        /// How long the host took, in milliseconds.
        ms: Option<f64>,
    },
    Fail {
        id: u64,
        code: String,
        message: String,
    },
    Approve {
        id: u64,
        without: Vec<String>,
    },
    Reject {
        id: u64,
        words: Option<String>,
    },
    DryRun {
        id: u64,
        without: Vec<String>,
    },
    /// Look at the flag; the host has cancelled.
    Cancel,
}

impl Run {
    /// Starts a run; its worker begins at once.
    ///
    /// # Errors
    /// [`EngineError::Internal`] when the system gives no thread.
    pub fn start(request: RunRequest) -> Result<Self, EngineError> {
        let shared = Shared::new(&request);
        let longest = longest(&request);
        Self::spawn(shared, longest, Job::New(Box::new(request)))
    }

    /// Takes up a run that was saved (JSON text), with those parts of its request that are set anew (JSON text): key, address, catalogue,
    /// approval.
    ///
    /// # Errors
    /// [`EngineError::Saved`] for what is no saved run of this version, [`EngineError::Request`] for other overrides,
    /// [`EngineError::Internal`] when the system gives no thread.
    pub fn resume(saved: &str, overrides: &str) -> Result<Self, EngineError> {
        let (saved, request) = Saved::read(saved, overrides)?;
        let shared = Shared::new(&request);
        shared.show(|front| {
            front.messages = saved.messages.clone();
            front.requests.clone_from(&saved.requests);
        });
        let longest = longest(&request);
        Self::spawn(shared, longest, Job::Saved(Box::new(request), Box::new(saved)))
    }

    fn spawn(shared: Shared, longest: u64, job: Job) -> Result<Self, EngineError> {
        let (inbox, orders) = channel();
        let shared = Arc::new(shared);
        let worker = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("geonode-run".into())
            .spawn(move || worker::serve(job, &worker, &orders))
            .map_err(|error| EngineError::Internal(format!("no thread for the run: {error}")))?;
        Ok(Self { shared, inbox, longest })
    }

    /// What is new. Never waits for the worker's work.
    pub fn poll(&self) -> Turn {
        let mut front = self.shared.front();
        Turn {
            state: front.state,
            summary: front.state.summary(),
            effects: front.effects.drain(..).map(|ready| ready.json).collect(),
            events: front.events.drain(..).filter_map(Event::json).collect(),
            finished: front.finished,
        }
    }

    /// Waits until [`Self::poll`] has something new, at most `limit`; says whether it has.
    pub fn wait(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut front = self.shared.front();
        loop {
            if front.news() {
                return true;
            }
            let Some(left) = deadline
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero())
            else {
                return false;
            };
            front = self
                .shared
                .news
                .wait_timeout(front, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// The host did what effect `id` asks, in `ms` milliseconds if it measured them; `json` is its answer.
    pub fn answer(&self, id: u64, json: String, ms: Option<f64>) {
        self.say(Input::Answer { id, json, ms });
    }

    /// The host could not do what effect `id` asks.
    pub fn fail(&self, id: u64, code: String, message: String) {
        self.say(Input::Fail { id, code, message });
    }

    /// The artist approved request `id`, without the steps and operations with these IDs.
    pub fn approve(&self, id: u64, without: Vec<String>) {
        self.say(Input::Approve { id, without });
    }

    /// The artist rejected request `id`. With words the next turn begins, without them the run ends.
    ///
    /// # Errors
    /// [`EngineError::PromptTooLong`] for words that are longer than a prompt may be; the request stays open.
    pub fn reject(&self, id: u64, words: Option<String>) -> Result<(), EngineError> {
        let length = words.as_ref().map_or(0, |words| words.chars().count());
        if u64::try_from(length).unwrap_or(u64::MAX) > self.longest {
            return Err(EngineError::PromptTooLong {
                length,
                limit: self.longest,
            });
        }
        self.say(Input::Reject { id, words });
        Ok(())
    }

    /// The artist wants what request `id` describes, without these IDs, tried in another process first.
    pub fn dry_run(&self, id: u64, without: Vec<String>) {
        self.say(Input::DryRun { id, without });
    }

    /// Ends the run: what is in flight stops within a second, what was written is restored by the host.
    pub fn cancel(&self) {
        self.shared.cancel();
        self.say(Input::Cancel);
    }

    /// The report so far; complete once the run has finished.
    pub fn report(&self) -> Report {
        self.shared.front().report()
    }

    /// The run as it is now, to be taken up by another process; without any key.
    pub fn save(&self) -> Saved {
        let front = self.shared.front();
        Saved::new(
            front.request.clone(),
            front.machine.clone(),
            Arc::clone(&front.kept),
            front.messages.clone(),
            front.requests.clone(),
        )
    }

    /// All messages so far, the gravest first.
    pub fn messages(&self) -> Vec<Message> {
        self.shared.front().messages.ordered()
    }

    /// A message of the host's driver; it stands among the others in the report.
    pub fn note(&self, message: Message) {
        self.shared.show(|front| front.messages.add(message));
    }

    /// A worker that has ended needs no word any more.
    fn say(&self, input: Input) {
        let _ = self.inbox.send(input);
    }
}

/// Most characters that the artist may say at once.
fn longest(request: &RunRequest) -> u64 {
    let settings = request.settings.as_ref();
    settings.map_or(0, |settings| settings.max_prompt_chars)
}

impl Drop for Run {
    fn drop(&mut self) {
        self.shared.cancel();
    }
}

/// What worker and host share. The lock is held for moments only, never during work.
#[derive(Debug)]
pub(crate) struct Shared {
    front: Mutex<Front>,
    news: Condvar,
    client: Mutex<Option<Client>>,
    cancelled: AtomicBool,
}

impl Shared {
    fn new(request: &RunRequest) -> Self {
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

    /// Changes the front and wakes whoever waits for it.
    pub(crate) fn show(&self, change: impl FnOnce(&mut Front)) {
        change(&mut self.front());
        self.news.notify_all();
    }

    /// A part of the run is over. Nobody waits for that.
    pub(crate) fn span(&self, span: Span) {
        if let Some(spans) = &mut self.front().spans {
            spans.add(span);
        }
    }

    pub(crate) fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// The client at work; one that comes after the cancel is cancelled at once.
    pub(crate) fn working(&self, client: Option<Client>) {
        let mut slot = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = client;
        if let Some(client) = slot.as_ref()
            && self.cancelled()
        {
            client.cancel();
        }
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        if let Some(client) = self.client.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            client.cancel();
        }
    }
}

/// An effect that waits to be taken by the host.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) id: u64,
    pub(crate) json: Box<RawValue>,
}

/// An event that waits to be taken by the host; pieces of text grow together.
#[derive(Debug)]
pub(crate) enum Event {
    Json(Box<RawValue>),
    Text(String),
}

impl Event {
    fn json(self) -> Option<Box<RawValue>> {
        match self {
            Self::Json(json) => Some(json),
            Self::Text(text) => {
                serde_json::value::to_raw_value(&serde_json::json!({"event": "text", "text": text})).ok()
            }
        }
    }
}

/// What the host sees of the run.
#[derive(Debug)]
pub(crate) struct Front {
    state: RunState,
    finished: bool,
    effects: Vec<Ready>,
    events: VecDeque<Event>,
    pub(crate) messages: Messages,
    pub(crate) machine: State,
    pub(crate) plan: Option<Arc<Plan>>,
    pub(crate) diff: Arc<Vec<String>>,
    pub(crate) usage: Option<Spent>,
    pub(crate) requests: Vec<Sent>,
    /// Name of the conversation and how many turns it has.
    conversation: Option<(String, usize)>,
    pub(crate) validation: Vec<Tally>,
    pub(crate) tool_steps: Vec<ToolStep>,
    pub(crate) kept: Arc<Kept>,
    /// None when telemetry is off.
    pub(crate) spans: Option<Spans>,
    request: Map<String, Value>,
    pub(crate) model: Option<String>,
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
            blender: None,
            prompt: request.prompt.clone(),
            provider: request.provider.clone(),
        }
    }

    /// The run belongs to this conversation; so does one that is taken up from it.
    pub(crate) fn belongs_to(&mut self, conversation: Option<(String, usize)>) {
        if let Some((id, _)) = &conversation {
            self.request.insert("conversation".into(), id.as_str().into());
        }
        self.conversation = conversation;
    }

    fn news(&self) -> bool {
        self.finished || !self.effects.is_empty() || !self.events.is_empty()
    }

    pub(crate) fn advance(&mut self, machine: State) {
        self.state = machine.run_state();
        self.finished = machine.finished();
        self.machine = machine;
    }

    /// An effect of the state that is shown already: a run that is saved now must know that it awaits this.
    pub(crate) fn hand_out(&mut self, ready: Ready) {
        debug_assert_eq!(
            self.machine.awaiting,
            Some(ready.id),
            "an effect of a state that nobody can see yet"
        );
        self.effects.push(ready);
    }

    /// Takes back an effect that the host has not taken yet.
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

    fn report(&self) -> Report {
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
            final_message: outcome.map(|outcome| outcome.message.clone()).unwrap_or_default(),
            diff: self.diff.to_vec(),
            plan: self.plan.as_deref().cloned(),
            conversation: self.conversation.as_ref().map(|(id, _)| id.clone()),
            conversation_turns: self.conversation.as_ref().map_or(0, |(_, turns)| *turns),
        }
    }
}
