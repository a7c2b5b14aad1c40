//! Timing of the worker: one span for each task, for each request to a provider, and for the run.

use std::cell::RefCell;

use geonode_provider::Usage;
use geonode_run::{Answer, EventKind, State, Status, Task};
use serde_json::json;

use crate::run::shared::Shared;
use crate::run::telemetry::{Ended, Open, Spans, gates_failed, run_ended};

const RUN: &str = "run";

/// The spans of a run that are open; silent when telemetry is off.
pub(crate) struct Timing<'a> {
    shared: Option<&'a Shared>,
    run: Option<Open>,
    task: Option<(u64, &'static str, Open)>,
    host_ms: Option<f64>,
}

impl<'a> Timing<'a> {
    pub(crate) fn new(shared: &'a Shared, on: bool) -> Self {
        if on {
            shared.front().spans = Some(Spans::default());
        }
        Self {
            shared: on.then_some(shared),
            run: on.then(|| Open::new(RUN, None)),
            task: None,
            host_ms: None,
        }
    }

    /// A run that has already ended is not timed.
    pub(crate) fn none(shared: &'a Shared) -> Self {
        Self::new(shared, false)
    }

    /// The machine awaits this task from now on.
    pub(crate) fn begin(&mut self, id: u64, task: &Task, attempt: u32) {
        if self.shared.is_none() {
            return;
        }
        let mut open = Open::new(task.name(), Some(RUN)).with("attempt", attempt);
        match task {
            Task::ApplyStep { index, .. } => open.note("index", *index),
            Task::Inspect { purpose, .. } => open.note("purpose", json!(purpose)),
            _ => {}
        }
        self.task = Some((id, task.name(), open));
    }

    /// The host reports how long it worked on the awaited task.
    pub(crate) fn host(&mut self, ms: Option<f64>) {
        self.host_ms = ms.filter(|ms| ms.is_finite() && *ms >= 0.0);
    }

    /// Counts an event before the machine receives it; returns its outcome in one word.
    pub(crate) fn count(&self, event: &EventKind) -> &'static str {
        match event {
            EventKind::Answered { answer, .. } => {
                if let (Answer::Judged { envelope }, Some(_)) = (answer, self.shared) {
                    gates_failed(&envelope.failed_gates);
                }
                "answered"
            }
            EventKind::Failed { .. } => "failed",
            EventKind::Cancel => "cancelled",
            _ => "decided",
        }
    }

    /// Ends the spans that are over after the machine has moved on. `figures`: tokens and calls of tools of the whole run.
    pub(crate) fn advance(
        &mut self,
        state: &State,
        outcome: &'static str,
        figures: impl FnOnce() -> (Option<Usage>, usize),
    ) {
        let Some(shared) = self.shared else { return };
        let over = self.task.as_ref().is_some_and(|(id, ..)| state.awaiting != Some(*id));
        if over && let Some((_, name, mut open)) = self.task.take() {
            open.note("outcome", outcome);
            if let Some(ms) = self.host_ms.take() {
                shared.span(Open::new("host", Some(name)).end_after(ms));
            }
            shared.span(open.end());
        }
        if state.finished()
            && let Some(mut open) = self.run.take()
        {
            let status = match state.outcome.as_ref().map(|outcome| outcome.status) {
                Some(Status::Done) => "done",
                Some(Status::Cancelled) => "cancelled",
                Some(Status::Error) | None => "error",
            };
            open.note("status", status);
            open.note("attempts", state.attempts);
            open.note("steps", state.steps.len());
            shared.span(open.end());
            let (usage, tool_calls) = figures();
            run_ended(&Ended {
                status,
                retries: state.retries(),
                usage,
                tool_calls,
            });
        }
    }
}

/// The span of a request to a provider.
pub(crate) struct Request<'a> {
    shared: Option<&'a Shared>,
    open: RefCell<Option<Open>>,
}

impl<'a> Request<'a> {
    pub(crate) fn new(shared: &'a Shared, on: bool) -> Self {
        Self {
            shared: on.then_some(shared),
            open: RefCell::new(None),
        }
    }

    /// A request begins, or the last one is over.
    pub(crate) fn working(&self, working: bool) {
        let Some(shared) = self.shared else { return };
        let next = working.then(|| Open::new("provider_request", Some("generate")));
        if let Some(open) = self.open.replace(next) {
            shared.span(open.end());
        }
    }

    /// The first piece of text has arrived.
    pub(crate) fn text(&self) {
        if let Some(open) = self.open.borrow_mut().as_mut() {
            open.note_once("first_token_ms", open.ms());
        }
    }
}
