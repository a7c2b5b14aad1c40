//! The worker of one run: feeds the machine, carries out tasks that do not need Blender, hands out the others.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;

use geonode_protocol::{Code, Severity};
use geonode_run::{
    Answer, Config, Effect, Event, EventKind, Failure, Message, Notice, Origin, Performer, Phase, State, Status, Task,
    resume, transition,
};
use geonode_store::audit;

use crate::asking::memory::Memory;
use crate::asking::planner::label;
use crate::asking::policies;
use crate::clock::clock;
use crate::error::EngineError;
use crate::request::RunRequest;
use crate::run::choosing;
use crate::run::handing;
use crate::run::inbox::Input;
use crate::run::listening::RunListener;
use crate::run::saved::Saved;
use crate::run::shared::Shared;
use crate::run::timing::Timing;
use crate::run::tool_calls;
use crate::run::work::Work;
use crate::settings::Settings;
use crate::validate::{self, Verdict};

/// Longest text of the host about a failure; exceptions can contain whole documents.
const FAILURE_CHARS: usize = 2000;

/// Where a run begins.
pub(crate) enum Job {
    /// With its request.
    New(Box<RunRequest>),
    /// With the state that another process saved.
    Saved(Box<RunRequest>, Box<Saved>),
}

impl Job {
    pub(crate) fn request(&self) -> &RunRequest {
        match self {
            Self::New(request) | Self::Saved(request, _) => request,
        }
    }
}

/// Serves one run until it is over or its handle is dropped.
pub(crate) fn serve(job: Job, shared: &Shared, inbox: &Receiver<Input>) {
    let (request, saved) = match job {
        Job::New(request) => (*request, None),
        Job::Saved(request, saved) => (*request, Some(*saved)),
    };
    let (verdict, settings) = validate::request(&request);
    let config = config(&request, &settings);
    let start = match verdict.error() {
        None => EventKind::Start {
            config: config.clone(),
            label: label(&request.prompt),
            direct: request.plan.is_some(),
        },
        Some(finding) => EventKind::Refuse(Failure::new(finding.code, finding.message.as_str())),
    };
    let (work, state) = match saved.and_then(Saved::begun) {
        Some((state, kept)) => (Work::resumed(request, settings, kept), Some(state)),
        None => (Work::new(request, settings), None),
    };
    let timing = match &state {
        Some(state) if state.finished() => Timing::none(shared),
        _ => Timing::new(shared, work.settings.telemetry),
    };
    let audit = state.as_ref().map(audit::Watcher::resumed).unwrap_or_default();
    let mut worker = Worker {
        audit,
        state: State::default(),
        work,
        shared,
        todo: VecDeque::new(),
        timing,
    };
    let ended = catch_unwind(AssertUnwindSafe(|| {
        match state {
            Some(state) => {
                if !state.finished() {
                    worker.recall(&verdict);
                }
                worker.resume(state, config);
            }
            None => {
                worker.note_request(&verdict);
                worker.recall(&verdict);
                worker.feed(start);
            }
        }
        while !worker.state.finished() {
            match inbox.recv() {
                Ok(input) => worker.handle(input),
                Err(_) => break,
            }
        }
    }));
    if ended.is_err() {
        // The machine itself failed: the host is notified and restores its transaction.
        let failure = Failure::new(Code::InternalError, "The core failed because of a defect.");
        let (state, _) = transition(State::default(), now(EventKind::Refuse(failure.clone())));
        shared.show(|front| {
            front.messages.add(Message::new(
                Severity::Error,
                Origin::Run,
                failure.code,
                failure.message,
            ));
            front.advance(state);
        });
    }
}

enum Todo {
    /// A task that needs no host.
    Do(Task),
    /// A task that could not even be handed out.
    Fail(Failure),
}

struct Worker<'a> {
    state: State,
    work: Work,
    shared: &'a Shared,
    /// Tasks for this worker, by number.
    todo: VecDeque<(u64, Todo)>,
    timing: Timing<'a>,
    audit: audit::Watcher,
}

impl Worker<'_> {
    /// Warnings about the request; a refusal is reported by the machine.
    fn note_request(&mut self, verdict: &Verdict) {
        self.work.judged.ledger.note(0, verdict);
        for finding in verdict.findings.iter().filter(|finding| !finding.is_error()) {
            let mut message = Message::from_finding(Origin::Request, finding);
            message.path = None;
            self.shared.tell(Notice::Message(message));
        }
    }

    /// Opens the conversation and the stored replies, unless the request is refused.
    fn recall(&mut self, verdict: &Verdict) {
        if verdict.error().is_some() {
            return;
        }
        if self.work.request.removed_keys > 0 {
            let text = "Your prompt contained an API key or something that looks like one; it was replaced by ***.";
            let message = Message::new(Severity::Warning, Origin::Run, Code::SecretRedacted, text);
            self.shared.tell(Notice::Message(message));
            policies::note_typed_keys(self.work.request.removed_keys);
        }
        let (memory, messages) = Memory::open(&self.work.request, &self.work.settings);
        self.work.memory = memory;
        self.show_conversation();
        for message in messages {
            self.shared.tell(Notice::Message(message));
        }
    }

    fn show_conversation(&self) {
        let conversation = self
            .work
            .memory
            .conversation()
            .map(|(id, turns)| (id.to_owned(), turns));
        self.shared.show(|front| front.belongs_to(conversation));
    }

    fn handle(&mut self, input: Input) {
        let event = match input {
            Input::Answer { id, json, ms } => {
                self.timing.host(ms.filter(|_| self.state.awaiting == Some(id)));
                let Some(answer) = self.host_answered(id, &json) else {
                    return;
                };
                outcome(id, answer)
            }
            Input::Fail { id, code, mut message } => {
                if let Some((end, _)) = message.char_indices().nth(FAILURE_CHARS) {
                    message.truncate(end);
                    message.push('…');
                }
                let code = code.parse().unwrap_or(Code::ExecutionFailed);
                EventKind::Failed {
                    id,
                    failure: Failure::new(code, message),
                }
            }
            Input::Approve { id, without } => EventKind::Approved { id, without },
            Input::Reject { id, words } => EventKind::Rejected { id, words },
            Input::DryRun { id, without } => EventKind::DryRun { id, without },
            Input::Cancel => EventKind::Cancel,
        };
        self.feed(event);
    }

    /// Handles one event from outside, and everything that follows without the host. A cancel overtakes pending tasks.
    fn feed(&mut self, event: EventKind) {
        if self.shared.cancelled() {
            self.step(EventKind::Cancel);
        }
        self.step(event);
        self.work_off();
    }

    /// Carries out the machine's orders that do not need the host.
    fn work_off(&mut self) {
        while let Some((id, todo)) = self.todo.pop_front() {
            let done = match todo {
                Todo::Do(Task::CallTools { refused }) => {
                    match tool_calls::begin(&mut self.work, self.shared, id, &refused) {
                        Some(done) => done,
                        // The host carries out the others.
                        None => continue,
                    }
                }
                Todo::Do(task) => catch_unwind(AssertUnwindSafe(|| self.carry_out(&task)))
                    .unwrap_or_else(|_| Err(EngineError::Internal(format!("{} broke off", task.name())).into())),
                Todo::Fail(failure) => Err(failure),
            };
            if self.shared.cancelled() {
                self.step(EventKind::Cancel);
            }
            self.step(outcome(id, done));
        }
    }

    /// Resumes a stored run.
    fn resume(&mut self, state: State, config: Config) {
        match resume(state, config, clock()) {
            Ok((state, effects)) => {
                self.state = state;
                if self.state.phase == Phase::Capturing {
                    self.work.begin_again();
                }
                self.work.judged.ledger.forget(self.state.attempts);
                let orders = self.say(effects);
                self.publish();
                self.order_all(orders);
                self.work_off();
            }
            Err(cause) => self.feed(EventKind::Refuse(EngineError::Saved(cause.into()).into())),
        }
    }

    fn step(&mut self, event: EventKind) {
        let was_restoring = matches!(self.state.phase, Phase::Restoring(_));
        let outcome = self.timing.count(&event);
        self.audit.observe(&event);
        let (state, effects) = transition(std::mem::take(&mut self.state), now(event));
        self.state = state;
        self.timing.advance(&self.state, outcome, || self.work.figures());
        if let Some(message) = self.audit.advance(&self.state) {
            self.shared.tell(Notice::Message(message));
        }
        if was_restoring && !self.state.transaction {
            self.work.forget_writes();
        }
        let orders = self.say(effects);
        if self.state.finished() && !self.shared.front().machine.finished() {
            for message in self.work.remember(&self.state) {
                self.shared.tell(Notice::Message(message));
            }
            self.show_conversation();
        }
        self.publish();
        self.order_all(orders);
    }

    /// Passes on the notices; returns the tasks.
    fn say(&mut self, effects: Vec<Effect>) -> Vec<(u64, Task)> {
        let mut orders = Vec::new();
        for effect in effects {
            match effect {
                Effect::Tell(notice) => {
                    if let Notice::Message(message) = &notice {
                        self.audit.observe_message(message);
                    }
                    self.shared.tell(notice);
                }
                Effect::Abort { id } => self.shared.show(|front| front.withdraw(id)),
                Effect::Do { id, task } => orders.push((id, task)),
            }
        }
        orders
    }

    /// Runs after the state that awaits the tasks was published, so that a task in the front always belongs to that state.
    fn order_all(&mut self, orders: Vec<(u64, Task)>) {
        for (id, task) in orders {
            self.order(id, task);
        }
    }

    /// The host's view of the run, consistent at one moment.
    fn publish(&mut self) {
        let kept = self.work.kept();
        let work = &self.work;
        let (machine, blender) = (self.state.clone(), work.blender());
        let blender = if machine.finished() { blender } else { None };
        self.shared.show(|front| {
            front.kept = kept;
            front.plan.clone_from(&work.planned.plan);
            front.diff = work.planned.diff.clone();
            front.usage = work.asked.spent();
            front.validation = work.judged.ledger.tallies().to_vec();
            if front.tool_steps.len() != work.asked.tool_steps.len() {
                front.tool_steps.clone_from(&work.asked.tool_steps);
            }
            front.model.clone_from(&work.asked.model);
            front.understanding.clone_from(&work.asked.understanding);
            front.blender = blender;
            if machine
                .outcome
                .as_ref()
                .is_some_and(|outcome| outcome.status != Status::Done)
            {
                // The run has no data any more.
                front.diff = std::sync::Arc::default();
            }
            front.advance(machine);
        });
    }

    fn order(&mut self, id: u64, task: Task) {
        self.timing.begin(id, &task, self.state.attempts);
        self.audit.begin(&task);
        let todo = match task.place() {
            Performer::Core => Todo::Do(task),
            Performer::Host => match self.hand_out(id, task) {
                Ok(()) => return,
                Err(failure) => Todo::Fail(failure),
            },
        };
        self.todo.push_back((id, todo));
    }

    /// A task that needs no host.
    fn carry_out(&mut self, task: &Task) -> Result<Answer, Failure> {
        self.work.turn = self.state.attempts;
        self.work.changed();
        match task {
            Task::Generate { attempt, feedback } => {
                self.shared.progress(
                    None,
                    &if *attempt > 1 {
                        format!("Planning, attempt {attempt}")
                    } else {
                        "Planning".into()
                    },
                );
                let listener = RunListener::new(self.shared, *attempt, &self.work.settings);
                self.work.generate(feedback.as_ref(), &listener)
            }
            Task::CheckPlan => self.work.check(),
            Task::Compile => self.work.compile(),
            Task::Choose { without } => choosing::choose(&mut self.work, without),
            Task::Judge => self.work.judge(),
            other => Err(EngineError::Internal(format!("{} is the host's", other.name())).into()),
        }
    }

    fn hand_out(&mut self, id: u64, task: Task) -> Result<(), Failure> {
        let steps = self.state.plan.as_ref().map_or(1, |plan| plan.steps.len());
        let effect = handing::give(&mut self.work, self.shared, task, steps)?;
        self.shared.hand(id, effect)
    }

    /// The host's answer to the awaited task; `None` for a task that is no longer awaited.
    fn host_answered(&mut self, id: u64, json: &str) -> Option<Result<Answer, Failure>> {
        let task = self.state.task().filter(|_| self.state.awaiting == Some(id))?;
        handing::answered(&mut self.work, self.shared, &task, json)
    }
}

fn outcome(id: u64, result: Result<Answer, Failure>) -> EventKind {
    match result {
        Ok(answer) => EventKind::Answered { id, answer },
        Err(failure) => EventKind::Failed { id, failure },
    }
}

fn now(kind: EventKind) -> Event {
    Event { at: clock(), kind }
}

fn config(request: &RunRequest, settings: &Settings) -> Config {
    Config {
        retries: if request.deterministic() {
            0
        } else {
            narrow(settings.retries)
        },
        max_iterations: narrow(settings.max_iterations),
        approve: request.approve,
    }
}

fn narrow(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
