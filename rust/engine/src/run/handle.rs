//! The host's side of a run.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use geonode_provider::policy::Redactor;
use geonode_run::{Message, RunState, Summary};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::EngineError;
use crate::request::RunRequest;
use crate::run::inbox::Input;
use crate::run::report::Report;
use crate::run::saved::Saved;
use crate::run::shared::{Event, Shared};
use crate::run::worker::{self, Job};

/// News since the last poll.
#[derive(Debug, Serialize)]
pub struct Turn {
    /// State of the machine.
    pub state: RunState,
    /// Its summary for the artist.
    pub summary: Summary,
    /// Work for the host, in order.
    pub effects: Vec<Box<RawValue>>,
    /// Notices for the artist, in order.
    pub events: Vec<Box<RawValue>>,
    /// Whether the run is over and the report complete.
    pub finished: bool,
}

/// One run. Dropping it cancels it without a restore: the host restores its own transaction.
#[derive(Debug)]
pub struct Run {
    shared: Arc<Shared>,
    inbox: Sender<Input>,
    /// Most characters of a rejection with words.
    longest: u64,
    /// Removes keys from it.
    redactor: Redactor,
}

impl Run {
    /// Starts a run; its worker begins at once.
    ///
    /// # Errors
    /// [`EngineError::Internal`] when no thread can be started.
    pub fn start(request: RunRequest) -> Result<Self, EngineError> {
        let shared = Shared::new(&request);
        Self::spawn(shared, Job::New(Box::new(request)))
    }

    /// Resumes a saved run (JSON text), with the parts of its request that are replaced (JSON text): key, address, catalogue,
    /// approval.
    ///
    /// # Errors
    /// [`EngineError::Saved`] for what is not a saved run of this version, [`EngineError::Request`] for other overrides,
    /// [`EngineError::Internal`] when no thread can be started.
    pub fn resume(saved: &str, overrides: &str) -> Result<Self, EngineError> {
        let (saved, request) = Saved::read(saved, overrides)?;
        let shared = Shared::new(&request);
        shared.show(|front| {
            let (messages, requests) = saved.messages_and_requests();
            front.messages = messages.clone();
            requests.clone_into(&mut front.requests);
        });
        Self::spawn(shared, Job::Saved(Box::new(request), Box::new(saved)))
    }

    fn spawn(shared: Shared, job: Job) -> Result<Self, EngineError> {
        let (inbox, orders) = channel();
        let request = job.request();
        let longest = longest(request);
        let redactor = Redactor::with_environment(request.api_key.as_ref());
        let shared = Arc::new(shared);
        let worker = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("geonode-run".into())
            .spawn(move || worker::serve(job, &worker, &orders))
            .map_err(|error| EngineError::Internal(format!("the thread of the run could not be started: {error}")))?;
        Ok(Self {
            shared,
            inbox,
            longest,
            redactor,
        })
    }

    /// The news since the last poll. Never waits for the worker.
    pub fn poll(&self) -> Turn {
        let mut front = self.shared.front();
        let (effects, events) = front.take();
        Turn {
            state: front.state,
            summary: front.state.summary(),
            effects: effects.into_iter().map(|ready| ready.json).collect(),
            events: events.into_iter().filter_map(Event::json).collect(),
            finished: front.finished,
        }
    }

    /// Waits until [`Self::poll`] has something new, at most `limit`; returns whether it has.
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
            front = self.shared.wait(front, left);
        }
    }

    /// The host carried out effect `id`, in `ms` milliseconds if it measured them; `json` is its answer.
    pub fn answer(&self, id: u64, json: String, ms: Option<f64>) {
        self.say(Input::Answer { id, json, ms });
    }

    /// The host could not carry out effect `id`.
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
    pub fn reject(&self, id: u64, mut words: Option<String>) -> Result<(), EngineError> {
        let length = words.as_ref().map_or(0, |words| words.chars().count());
        if u64::try_from(length).unwrap_or(u64::MAX) > self.longest {
            return Err(EngineError::PromptTooLong {
                length,
                limit: self.longest,
            });
        }
        if let Some(words) = &mut words {
            self.redactor.secrets(words);
        }
        self.say(Input::Reject { id, words });
        Ok(())
    }

    /// The artist wants a dry run of request `id`, without these IDs, before answering.
    pub fn dry_run(&self, id: u64, without: Vec<String>) {
        self.say(Input::DryRun { id, without });
    }

    /// Cancels the run: work in progress stops within a second, the host restores what was written.
    pub fn cancel(&self) {
        self.shared.cancel();
        self.say(Input::Cancel);
    }

    /// The report so far; complete once the run has finished.
    pub fn report(&self) -> Report {
        self.shared.front().report()
    }

    /// The run in its present state, to be resumed by another process; without any key.
    pub fn save(&self) -> Saved {
        self.shared.front().saved()
    }

    /// All messages so far, the most severe first.
    pub fn messages(&self) -> Vec<Message> {
        self.shared.front().messages.ordered()
    }

    /// Adds a message of the host's driver to the report.
    pub fn note(&self, message: Message) {
        self.shared.show(|front| front.messages.add(message));
    }

    /// A worker that has ended needs no input.
    fn say(&self, input: Input) {
        let _ = self.inbox.send(input);
    }
}

/// Most characters of a rejection with words.
fn longest(request: &RunRequest) -> u64 {
    let settings = request.settings.as_ref();
    settings.map_or(0, |settings| settings.max_prompt_chars)
}

impl Drop for Run {
    fn drop(&mut self) {
        self.shared.cancel();
    }
}
