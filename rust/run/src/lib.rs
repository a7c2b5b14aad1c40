//! Sans-IO state machine of a run: `(state, event) → (state, effects)`.
//!
//! The machine only decides what happens next: it has no clock (times come with events), does no I/O, never panics
//! and accepts every event in every state. The driver carries out one [`Task`] at a time and reports back with the
//! task's number; an answer to a task that is no longer awaited changes nothing.
//!
//! Invariants, held by property tests:
//! - no write before `begin`; every transaction that was begun ends with exactly one `commit` or `restore`;
//! - a retry or an end without success after a write is preceded by a restore;
//! - `done`, `error` and `cancelled` absorb every event.

mod approval;
mod config;
mod diagram;
mod effect;
mod event;
mod feedback;
mod open_approval;
mod outcome;
mod plan;
mod records;
mod state;
mod tools;
mod transition;

pub use approval::{ApprovalRequest, AskedDryRun, AskedOperation, AskedScript, AskedStep, AskedTool, AskedTopic};
pub use config::{Approve, Config};
pub use diagram::diagram;
pub use effect::{Effect, ForPlanner, Message, Notice, Origin, Performer, Purpose, Task};
pub use event::{Answer, Event, EventKind, Failure};
pub use feedback::Feedback;
pub use open_approval::{ApprovalRecord, Decision, OpenRequest};
pub use outcome::{Aftermath, Outcome, Status};
pub use plan::{PlanInfo, StepInfo};
pub use records::{RunState, StepRecord, StepStatus, Summary};
pub use state::{Phase, State};
pub use tools::{RefusedCall, ToolAsk};
pub use transition::{resume, transition};
