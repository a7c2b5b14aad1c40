//! Telemetry: durations of the parts of a run, and counters over the runs of this process. It stays in this process.
//!
//! Names of spans and attributes come from this program; they never contain the artist's words, names in the scene or keys.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use geonode_protocol::Code;
use geonode_provider::Usage;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::clock::clock;

/// Most spans of one run.
const MAX_SPANS: usize = 5000;
/// Number of the latest durations of each span that count for the percentiles.
const WINDOW: usize = 1000;

/// One part of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Span {
    /// Its name: `run`, the name of a task, `provider_request` or `host`.
    pub span: &'static str,
    /// The part that it belongs to.
    pub parent: Option<&'static str>,
    /// Unix time in seconds.
    pub started_at: f64,
    /// Duration in milliseconds.
    pub ms: f64,
    /// Numbers and words of this program.
    pub attributes: Map<String, Value>,
}

/// A part of a run that is not over.
#[derive(Debug)]
pub(crate) struct Open {
    span: &'static str,
    parent: Option<&'static str>,
    started_at: f64,
    begun: Instant,
    attributes: Map<String, Value>,
}

impl Open {
    pub(crate) fn new(span: &'static str, parent: Option<&'static str>) -> Self {
        Self {
            span,
            parent,
            started_at: clock(),
            begun: Instant::now(),
            attributes: Map::new(),
        }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.note(name, value);
        self
    }

    pub(crate) fn note(&mut self, name: &str, value: impl Into<Value>) {
        self.attributes.insert(name.to_owned(), value.into());
    }

    pub(crate) fn note_once(&mut self, name: &str, value: impl Into<Value>) {
        if !self.attributes.contains_key(name) {
            self.note(name, value);
        }
    }

    /// Ends the part with a duration that was measured elsewhere.
    pub(crate) fn end_after(self, ms: f64) -> Span {
        Span {
            started_at: self.started_at - ms / 1000.0,
            ms,
            ..self.end()
        }
    }

    /// Milliseconds since it began.
    pub(crate) fn ms(&self) -> f64 {
        self.begun.elapsed().as_secs_f64() * 1000.0
    }

    pub(crate) fn end(self) -> Span {
        Span {
            ms: self.ms(),
            span: self.span,
            parent: self.parent,
            started_at: self.started_at,
            attributes: self.attributes,
        }
    }
}

/// The spans of one run.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Spans {
    spans: Vec<Span>,
    /// Spans beyond the limit.
    left_out: usize,
}

impl Spans {
    pub(crate) fn add(&mut self, span: Span) {
        totals().durations.entry(span.span).or_default().add(span.ms);
        if self.spans.len() < MAX_SPANS {
            self.spans.push(span);
        } else {
            self.left_out += 1;
        }
    }
}

/// The figures that a finished run adds to the counters.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: &'static str,
    pub(crate) retries: u32,
    pub(crate) usage: Option<Usage>,
    /// Calls of tools and slices of context.
    pub(crate) tool_calls: usize,
}

#[derive(Default)]
struct Totals {
    runs: BTreeMap<&'static str, u64>,
    retries: u64,
    tool_calls: u64,
    gate_failures: BTreeMap<Code, u64>,
    input_tokens: u64,
    output_tokens: u64,
    durations: BTreeMap<&'static str, Durations>,
}

#[derive(Default)]
struct Durations {
    count: u64,
    latest: VecDeque<f64>,
}

impl Durations {
    fn add(&mut self, ms: f64) {
        self.count += 1;
        if self.latest.len() == WINDOW {
            self.latest.pop_front();
        }
        self.latest.push_back(ms);
    }

    /// The smallest duration that `percent` of the latest ones do not exceed.
    fn percentiles(&self, percents: [usize; 3]) -> [f64; 3] {
        let mut sorted: Vec<f64> = self.latest.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        percents.map(|percent| {
            let rank = (sorted.len() * percent).div_ceil(100).max(1);
            sorted.get(rank - 1).copied().unwrap_or_default()
        })
    }
}

fn totals() -> MutexGuard<'static, Totals> {
    static TOTALS: OnceLock<Mutex<Totals>> = OnceLock::new();
    TOTALS
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn gates_failed(gates: &[Code]) {
    let mut totals = totals();
    for gate in gates {
        *totals.gate_failures.entry(*gate).or_default() += 1;
    }
}

pub(crate) fn run_ended(ended: &Ended) {
    let mut totals = totals();
    *totals.runs.entry(ended.status).or_default() += 1;
    totals.retries += u64::from(ended.retries);
    totals.tool_calls += u64::try_from(ended.tool_calls).unwrap_or(u64::MAX);
    if let Some(usage) = ended.usage {
        totals.input_tokens = totals.input_tokens.saturating_add(usage.input_tokens.unwrap_or(0));
        totals.output_tokens = totals.output_tokens.saturating_add(usage.output_tokens.unwrap_or(0));
    }
}

/// The counters over the runs of this process with telemetry on, and the durations of their parts.
pub fn telemetry() -> Value {
    let totals = totals();
    let gates: Map<String, Value> = totals
        .gate_failures
        .iter()
        .map(|(gate, count)| (gate.as_str().to_owned(), json!(count)))
        .collect();
    let spans: Map<String, Value> = totals
        .durations
        .iter()
        .map(|(name, durations)| {
            let [p50, p95, max] = durations.percentiles([50, 95, 100]);
            let row = json!({"count": durations.count, "p50_ms": p50, "p95_ms": p95, "max_ms": max});
            ((*name).to_owned(), row)
        })
        .collect();
    json!({
        "runs": totals.runs,
        "retries": totals.retries,
        "tool_calls": totals.tool_calls,
        "gate_failures": gates,
        "tokens": {"input": totals.input_tokens, "output": totals.output_tokens},
        "spans": spans,
    })
}

/// Resets every counter.
pub fn reset_telemetry() {
    *totals() = Totals::default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "ranks are taken, not computed")]
    fn percentiles_are_ranks_of_the_latest_durations() {
        let mut durations = Durations::default();
        assert_eq!(durations.percentiles([50, 95, 100]), [0.0; 3]);
        durations.add(7.0);
        assert_eq!(durations.percentiles([50, 95, 100]), [7.0; 3]);
        for n in 1..=WINDOW {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            durations.add(n as f64);
        }
        assert_eq!(durations.percentiles([50, 95, 100]), [500.0, 950.0, 1000.0]);
        assert_eq!(durations.latest.len(), WINDOW);
    }

    #[test]
    fn a_run_has_a_bounded_number_of_spans() {
        let mut spans = Spans::default();
        for _ in 0..MAX_SPANS + 3 {
            spans.add(Open::new("judge", Some("run")).with("attempt", 1).end());
        }
        assert_eq!((spans.spans.len(), spans.left_out), (MAX_SPANS, 3));
    }
}
