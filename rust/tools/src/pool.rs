//! Runs calls of the core on a bounded number of threads, each call within its time.
//!
//! A thread cannot be stopped from outside. A call that is abandoned keeps its slot until its function returns, so that hanging calls
//! can never occupy more threads than there are slots.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use geonode_protocol::Code;
use serde::Serialize;
use serde_json::Value;

use crate::error::ToolError;
use crate::scope::{News, Scope, late};
use crate::spec::Spec;
use crate::tool::CoreTool;

/// Interval at which the pool checks whether the run was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// Metrics of a call; they never influence results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "metric", rename_all = "snake_case")]
pub enum Metric {
    /// A call begins.
    ToolStart {
        /// The tool.
        tool: String,
        /// Identifies the call within the run.
        correlation_id: String,
    },
    /// A call reports its progress.
    ToolProgress {
        /// The tool.
        tool: String,
        /// Identifies the call within the run.
        correlation_id: String,
        /// 0 to 100.
        percent: u8,
    },
    /// A call has ended.
    ToolEnd {
        /// The tool.
        tool: String,
        /// Identifies the call within the run.
        correlation_id: String,
        /// Its time in milliseconds.
        ms: u64,
        /// Size of the whole result as JSON.
        bytes: usize,
        /// Why there is no result.
        error: Option<Code>,
    },
}

/// One call of the core.
pub(crate) struct Job {
    /// Its place in the batch.
    pub(crate) index: usize,
    pub(crate) function: Arc<CoreTool>,
    pub(crate) spec: Arc<Spec>,
    pub(crate) input: Value,
    pub(crate) correlation: String,
}

/// A report about a call, as it happens.
pub(crate) enum Report {
    Started {
        index: usize,
    },
    Progress {
        index: usize,
        percent: u8,
    },
    Done {
        index: usize,
        result: Result<Value, ToolError>,
        ms: u64,
    },
}

/// The threads of one run.
#[derive(Debug)]
pub(crate) struct Pool {
    slots: usize,
    live: Arc<AtomicUsize>,
}

/// Gives its slot back when the thread ends, however it ends.
struct Slot(Arc<AtomicUsize>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Running {
    started: Instant,
    spec: Arc<Spec>,
    withdrawn: Arc<AtomicBool>,
}

impl Pool {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots: slots.max(1),
            live: Arc::default(),
        }
    }

    /// Carries the jobs out and reports exactly one `Done` for each, in the order in which they end.
    pub(crate) fn run(&self, jobs: Vec<Job>, cancelled: &dyn Fn() -> bool, report: &mut dyn FnMut(Report)) {
        let (sender, receiver) = channel();
        let mut queue = VecDeque::from(jobs);
        let mut running: HashMap<usize, Running> = HashMap::new();
        while !queue.is_empty() || !running.is_empty() {
            while let Some(slot) = self.slot().filter(|_| !queue.is_empty()) {
                let Some(job) = queue.pop_front() else { break };
                let index = job.index;
                report(Report::Started { index });
                match start(job, slot, &sender) {
                    Ok(begun) => drop(running.insert(index, begun)),
                    Err(error) => report(done(index, Err(error), Duration::ZERO)),
                }
            }
            if running.is_empty() {
                // Every slot is occupied by an abandoned call.
                for job in queue.drain(..) {
                    report(done(job.index, Err(busy()), Duration::ZERO));
                }
                break;
            }
            match receiver.recv_timeout(LOOK) {
                Ok(News::Progress { index, percent }) if running.contains_key(&index) => {
                    report(Report::Progress { index, percent });
                }
                Ok(News::Done { index, result }) => {
                    if let Some(ended) = running.remove(&index) {
                        report(done(index, result, ended.started.elapsed()));
                    }
                }
                Ok(News::Progress { .. }) | Err(_) => {}
            }
            if cancelled() {
                for job in queue.drain(..) {
                    report(done(job.index, Err(ToolError::cancelled()), Duration::ZERO));
                }
            }
            give_up(&mut running, cancelled(), report);
        }
    }

    fn slot(&self) -> Option<Slot> {
        let free = |live: usize| (live < self.slots).then_some(live + 1);
        let taken = self.live.fetch_update(Ordering::SeqCst, Ordering::SeqCst, free);
        taken.ok().map(|_| Slot(Arc::clone(&self.live)))
    }
}

/// Ends the calls whose time is up, or all.
fn give_up(running: &mut HashMap<usize, Running>, all: bool, report: &mut dyn FnMut(Report)) {
    let over: Vec<usize> = running
        .iter()
        .filter(|(_, call)| all || call.started.elapsed() >= call.spec.timeout)
        .map(|(index, _)| *index)
        .collect();
    for index in over {
        if let Some(call) = running.remove(&index) {
            call.withdrawn.store(true, Ordering::Relaxed);
            let error = if all { ToolError::cancelled() } else { late(&call.spec) };
            report(done(index, Err(error), call.started.elapsed()));
        }
    }
}

fn start(job: Job, slot: Slot, sender: &Sender<News>) -> Result<Running, ToolError> {
    let withdrawn = Arc::new(AtomicBool::new(false));
    let running = Running {
        started: Instant::now(),
        spec: Arc::clone(&job.spec),
        withdrawn: Arc::clone(&withdrawn),
    };
    let (index, news) = (job.index, sender.clone());
    let scope = Scope::new(job.correlation, job.spec, index, withdrawn, sender.clone());
    let work = move || {
        let result = catch_unwind(AssertUnwindSafe(|| (job.function)(&job.input, &scope)));
        let result = result.unwrap_or_else(|_| Err(broke()));
        // Folder and slot are released before the end of the call is reported.
        drop(scope);
        drop(slot);
        let _ = news.send(News::Done { index, result });
    };
    match std::thread::Builder::new().name("geonode-tool".into()).spawn(work) {
        Ok(_) => Ok(running),
        Err(_) => Err(busy()),
    }
}

fn done(index: usize, result: Result<Value, ToolError>, took: Duration) -> Report {
    Report::Done {
        index,
        result,
        ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    }
}

fn busy() -> ToolError {
    ToolError::new(
        Code::ToolBusy,
        "No tool can start now: earlier calls still occupy every thread. Continue without it.",
    )
}

fn broke() -> ToolError {
    ToolError::new(
        Code::InternalError,
        "The tool failed unexpectedly. Continue without it.",
    )
}
