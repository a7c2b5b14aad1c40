//! The one executor: every call of a run goes through it.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use geonode_protocol::Code;
use serde_json::{Value, json};

use crate::batch::{Batch, Entry, HostError, HostResult};
use crate::call::{Call, Image, Outcome, canonical};
use crate::error::ToolError;
use crate::memo::Memo;
use crate::pool::{Job, Metric, Pool, Report};
use crate::registry::Registry;
use crate::scope::late;
use crate::spec::{Access, Spec};
use crate::store::Store;
use crate::tool::{Runner, Tool};

/// Bounds of one run's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Calls of one reply that are carried out; further ones are refused and may be repeated later.
    pub per_reply: usize,
    /// Calls of the core at the same time.
    pub at_once: usize,
    /// Bytes of a call's arguments.
    pub input_bytes: usize,
    /// Bytes of a result in the conversation; a larger one is stored and replaced by a reference.
    pub result_bytes: usize,
    /// Bytes of a large result that are shown with its reference.
    pub head_bytes: usize,
    /// Bytes of one page of a large result.
    pub page_bytes: usize,
    /// Bytes of large results that are stored for a run.
    pub held_bytes: usize,
    /// Bytes of results of pure tools that are remembered for a run.
    pub memo_bytes: usize,
    /// Whether tools that write may be called.
    pub writes: bool,
    /// Whether unknown arguments and results of another form refuse a call; otherwise they are reported and the call continues.
    pub strict: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            per_reply: 16,
            at_once: 4,
            input_bytes: 64 << 10,
            result_bytes: 16_000,
            head_bytes: 2_000,
            page_bytes: 12_000,
            held_bytes: 8 << 20,
            memo_bytes: 1 << 20,
            writes: false,
            strict: true,
        }
    }
}

/// Carries out the calls of one run.
#[derive(Debug)]
pub struct Executor {
    registry: Registry,
    limits: Limits,
    pool: Pool,
    memo: Memo,
    store: Store,
    /// Calls so far, by tool.
    used: BTreeMap<String, u32>,
    /// Hash of the last result, by tool and arguments.
    last: HashMap<String, u64>,
    given: u64,
    scene: u64,
}

impl Executor {
    /// An executor for these tools, without calls so far.
    pub fn new(registry: Registry, limits: Limits) -> Self {
        Self {
            pool: Pool::new(limits.at_once),
            memo: Memo::new(limits.memo_bytes),
            store: Store::new(limits.held_bytes),
            registry,
            limits,
            used: BTreeMap::new(),
            last: HashMap::new(),
            given: 0,
            scene: 0,
        }
    }

    /// The same executor with counts of calls, by tool, that another executor carried out.
    #[must_use]
    pub fn after(mut self, called: BTreeMap<String, u32>) -> Self {
        self.given = called.values().copied().map(u64::from).sum();
        self.used = called;
        self
    }

    /// Calls so far, by tool.
    pub fn called(&self) -> &BTreeMap<String, u32> {
        &self.used
    }

    /// The tools.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Accepts the calls of one reply: invalid calls get their error at once, remembered ones their result. `scene` is equal
    /// for equal state of the scene.
    pub fn admit(&mut self, calls: Vec<Call>, scene: u64) -> Batch {
        self.scene = scene;
        let entries = calls.into_iter().enumerate().map(|(position, call)| {
            self.given += 1;
            let correlation_id = format!("c{}", self.given);
            let mut doubts = Vec::new();
            let (input, tool) = match self.understood(&call, position) {
                Ok((tool, mut input)) => {
                    let tool = self.allowed(tool, &mut input, &mut doubts);
                    (input, tool)
                }
                Err(error) => (call.arguments.clone(), Err(error)),
            };
            let mut entry = Entry::new(call.id.clone(), correlation_id, call.tool(), input, tool);
            entry.doubts = doubts;
            self.recall(&mut entry);
            entry
        });
        Batch {
            entries: entries.collect(),
        }
    }

    /// The tool and the arguments of a call.
    fn understood(&self, call: &Call, position: usize) -> Result<(Tool, Value), ToolError> {
        let id = call.tool();
        let Some(tool) = self.registry.get(&id).cloned() else {
            let known: Vec<&str> = self.registry.iter().map(|tool| tool.spec.id.as_str()).collect();
            let text = format!("There is no tool {:?}. Tools: {}.", shown(&id), known.join(", "));
            return Err(ToolError::new(Code::UnknownTool, text));
        };
        if position >= self.limits.per_reply {
            let text = format!("Only {} calls run at the same time; call again.", self.limits.per_reply);
            return Err(ToolError::new(Code::ToolBusy, text));
        }
        Ok((tool, call.input(self.limits.input_bytes)?))
    }

    /// Whether a call may be made: access, arguments, quota. From here on it counts.
    fn allowed(&mut self, tool: Tool, input: &mut Value, doubts: &mut Vec<ToolError>) -> Result<Tool, ToolError> {
        let refuse = |code, text: String| Err(ToolError::new(code, text));
        let spec = &tool.spec;
        if spec.access == Access::Writes && !self.limits.writes {
            let text = format!("{} changes the file; only a plan may do that here.", spec.id);
            return refuse(Code::ToolWrites, text);
        }
        let mut wrong = spec.input.errors(input);
        if !wrong.is_empty() && !self.limits.strict {
            let unknown = take_unknown(spec, input);
            if !unknown.is_empty() {
                wrong = spec.input.errors(input);
                let text = format!("{} has no argument {}; it was ignored.", spec.id, unknown.join(", "));
                doubts.push(ToolError::new(Code::ToolValidationError, text));
            }
        }
        if !wrong.is_empty() {
            return refuse(
                Code::ToolValidationError,
                format!("The arguments do not fit. {}", wrong.join("; ")),
            );
        }
        let used = self.used.entry(spec.id.clone()).or_default();
        if *used >= spec.quota {
            let text = format!(
                "{} may be called {} times in a run. Continue without it.",
                spec.id, spec.quota
            );
            return refuse(Code::ToolQuota, text);
        }
        *used += 1;
        Ok(tool)
    }

    /// Settles a call whose result is remembered.
    fn recall(&self, entry: &mut Entry) {
        let pure = entry
            .tool()
            .is_some_and(|tool| tool.spec.pure && !tool.spec.requires_approval);
        let key = self.key(entry);
        let Some(value) = self.memo.get(&key).filter(|_| pure) else {
            return;
        };
        let outcome = Outcome::Done(value.clone());
        let bytes = value.to_string().len();
        entry.settle(outcome, bytes, 0);
        if let Some(settled) = entry.settled_mut() {
            settled.note = Some(AGAIN.to_owned());
        }
    }

    fn key(&self, entry: &Entry) -> String {
        Memo::key(&entry.tool, &canonical(&entry.input), self.scene)
    }

    /// Carries out the calls that do not need the host and reports their progress; calls of the host stay open.
    pub fn run(&mut self, batch: &mut Batch, cancelled: &dyn Fn() -> bool, report: &mut dyn FnMut(Metric)) {
        let mut jobs = Vec::new();
        for index in 0..batch.entries.len() {
            let Some(entry) = batch.entries.get_mut(index) else {
                continue;
            };
            let Some(tool) = entry.tool().cloned() else {
                report(started(entry));
                tell_end(entry, report);
                continue;
            };
            match tool.runner {
                Runner::Core(function) => jobs.push(Job {
                    index,
                    function,
                    spec: tool.spec,
                    input: entry.input.clone(),
                    correlation: entry.correlation_id.clone(),
                }),
                Runner::Host(_) => report(started(entry)),
                Runner::Pages => {
                    report(started(entry));
                    let page = self.page(&entry.input);
                    self.settle(entry, page, 0);
                    tell_end(entry, report);
                }
            }
        }
        let mut ended = Vec::new();
        self.pool.run(jobs, cancelled, &mut |told| match told {
            Report::Started { index } => batch
                .entries
                .get(index)
                .into_iter()
                .for_each(|entry| report(started(entry))),
            Report::Progress { index, percent } => batch.entries.get(index).into_iter().for_each(|entry| {
                report(Metric::ToolProgress {
                    tool: entry.tool.clone(),
                    correlation_id: entry.correlation_id.clone(),
                    percent,
                });
            }),
            Report::Done { index, result, ms } => ended.push((index, result, ms)),
        });
        // Cut results get references in the order of the calls, so that equal calls give equal references.
        ended.sort_by_key(|(index, ..)| *index);
        for (index, result, ms) in ended {
            if let Some(entry) = batch.entries.get_mut(index) {
                self.settle(entry, result, ms);
                tell_end(entry, report);
            }
        }
    }

    /// Accepts the host's answers, in the order of [`Batch::host_calls`]. A call without an answer fails.
    pub fn host_answered(&mut self, batch: &mut Batch, results: Vec<HostResult>, report: &mut dyn FnMut(Metric)) {
        let mut results = results.into_iter();
        for entry in &mut batch.entries {
            let Some(tool) = entry.tool().cloned() else { continue };
            let Runner::Host(finish) = &tool.runner else { continue };
            let Some(answer) = results.next() else {
                self.settle(
                    entry,
                    Err(ToolError::new(Code::InternalError, "Blender did not answer.")),
                    0,
                );
                tell_end(entry, report);
                continue;
            };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped; NaN becomes 0"
            )]
            let ms = answer.ms.clamp(0.0, 1e12) as u64;
            let result = if u128::from(ms) > tool.spec.timeout.as_millis() {
                // The main thread cannot be interrupted; a late answer does not count.
                Err(late(&tool.spec))
            } else if answer.ok {
                finish(&entry.input, answer.result)
            } else {
                Err(host_error(answer.error))
            };
            self.settle(entry, result, ms);
            tell_end(entry, report);
        }
    }

    fn page(&self, input: &Value) -> Result<Value, ToolError> {
        let reference = input.get("ref").and_then(Value::as_str).unwrap_or_default();
        let offset = input.get("offset").and_then(Value::as_u64).unwrap_or_default();
        self.store.page(
            reference,
            usize::try_from(offset).unwrap_or(usize::MAX),
            self.limits.page_bytes,
        )
    }

    /// Checks, bounds and remembers a result.
    fn settle(&mut self, entry: &mut Entry, result: Result<Value, ToolError>, ms: u64) {
        let Some(tool) = entry.tool().cloned() else { return };
        let mut value = match result {
            Ok(value) => value,
            Err(error) => return entry.settle(Outcome::Failed(error), 0, ms),
        };
        if let Some(error) = misfit(&tool, &value) {
            if self.limits.strict {
                return entry.settle(Outcome::Failed(error), 0, ms);
            }
            entry.doubts.push(error);
        }
        let image = take_image(&mut value);
        let text = value.to_string();
        let (bytes, mut note) = (text.len(), None);
        let large = bytes > self.limits.result_bytes && !matches!(tool.runner, Runner::Pages);
        if self.seen(entry, &text) && image.is_none() {
            note = Some(AGAIN.to_owned());
        }
        if large {
            value = self.store.put(text, self.limits.head_bytes);
        }
        // A result with a reference may be discarded, so it is not remembered.
        if tool.spec.pure && !large && image.is_none() {
            let key = self.key(entry);
            self.memo.put(key, &value);
        }
        entry.settle(Outcome::Done(value), bytes, ms);
        if let Some(settled) = entry.settled_mut() {
            (settled.note, settled.image) = (note, image);
        }
    }

    /// Whether the last call with these arguments had the same result.
    fn seen(&mut self, entry: &Entry, text: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let now = hasher.finish();
        let key = format!("{}\n{}", entry.tool, canonical(&entry.input));
        self.last.insert(key, now) == Some(now)
    }
}

/// The note for a model that repeats a call.
const AGAIN: &str = "You already have this result. Continue with the plan, or ask for something else.";

/// What is wrong with the form of a result.
fn misfit(tool: &Tool, value: &Value) -> Option<ToolError> {
    let wrong = tool.spec.output.errors(value);
    if wrong.is_empty() {
        return None;
    }
    let text = format!(
        "The result of {} does not fit its schema. {}",
        tool.spec.id,
        wrong.join("; ")
    );
    Some(ToolError::new(Code::ReturnInvalid, text))
}

/// Removes arguments that the tool does not have; returns their names in quotes.
fn take_unknown(spec: &Spec, input: &mut Value) -> Vec<String> {
    let schema = spec.input.schema();
    let (Some(known), Some(given)) = (
        schema.get("properties").and_then(Value::as_object),
        input.as_object_mut(),
    ) else {
        return Vec::new();
    };
    let unknown: Vec<String> = given
        .keys()
        .filter(|name| !known.contains_key(*name))
        .cloned()
        .collect();
    for name in &unknown {
        given.shift_remove(name);
    }
    unknown.iter().map(|name| format!("{:?}", shown(name))).collect()
}

/// The beginning of an unknown name.
fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}

/// Takes a picture out of a result and leaves its type and size.
fn take_image(value: &mut Value) -> Option<Image> {
    let slot = value.as_object_mut()?.get_mut("image")?;
    let image: Image = serde_json::from_value(slot.clone()).ok()?;
    *slot = json!({"media_type": image.media_type, "bytes": image.data.len() / 4 * 3});
    Some(image)
}

fn host_error(error: Option<HostError>) -> ToolError {
    match error {
        Some(error) => ToolError::new(error.code.parse().unwrap_or(Code::InternalError), error.message),
        None => ToolError::new(Code::InternalError, "Blender could not do it and did not say why."),
    }
}

fn started(entry: &Entry) -> Metric {
    Metric::ToolStart {
        tool: entry.tool.clone(),
        correlation_id: entry.correlation_id.clone(),
    }
}

fn tell_end(entry: &Entry, report: &mut dyn FnMut(Metric)) {
    let Some(settled) = entry.settled() else { return };
    report(Metric::ToolEnd {
        tool: entry.tool.clone(),
        correlation_id: entry.correlation_id.clone(),
        ms: settled.ms,
        bytes: settled.bytes,
        error: match &settled.outcome {
            Outcome::Done(_) => None,
            Outcome::Failed(error) => Some(error.code),
        },
    });
}
