//! The requests of a run so far, the replies, and their costs.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use geonode_graph::ir::Tree;
use geonode_prompting::{Besides, Exchange, Results};
use geonode_protocol::{ContextRequest, Finding, Understanding};
use geonode_provider::{FinishReason, ToolCall, Usage};
use geonode_run::{Answer, Failure, Feedback};
use geonode_text::Called;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::asking::budget::Budget;
use crate::asking::plan_request::Reply;
use crate::asking::planner;
use crate::asking::policies::Taken;
use crate::asking::spending::Spent;
use crate::error::EngineError;
use crate::request::{PlanInput, RunRequest};
use crate::run::amended;
use crate::run::known::Known;
use crate::tariff::Tariff;
use crate::tools::ToolStep;

/// Part of a saved run; skipped fields follow from the scene or are requested again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The scene as it was captured.
    pub(crate) context: Value,
    /// The last reply, or the plan that was given.
    pub(crate) reply: Option<PlanInput>,
    /// Why the last reply ended.
    pub(crate) finish: Option<FinishReason>,
    /// The exchanges before it.
    pub(crate) exchanges: Vec<Exchange>,
    /// Calls of the last reply, in a form that every provider accepts.
    #[serde(skip)]
    pub(crate) calls: Vec<ToolCall>,
    /// Their results.
    #[serde(skip)]
    pub(crate) results: Vec<Results>,
    /// Slices of context for the next request.
    pub(crate) slices: Option<Value>,
    /// Trees as the planner last saw them; others as they were first inspected.
    pub(crate) seen: IndexMap<String, Tree>,
    /// What there was before the run.
    #[serde(default)]
    pub(crate) known: Known,
    /// Recorded replies that were used up.
    pub(crate) replies: usize,
    /// What the artist left out, in words for the planner.
    #[serde(skip)]
    pub(crate) left_out: Vec<String>,
    /// What was repaired in the last plan, for the planner.
    #[serde(skip)]
    pub(crate) repairs: Vec<Finding>,
    /// Tokens as the provider counted them.
    pub(crate) usage: Option<Usage>,
    /// The cost of planning so far in tokens, money and time.
    pub(crate) budget: Budget,
    /// Requests that the cache answered.
    pub(crate) cached: u32,
    /// The share of the quotas of the process.
    pub(crate) taken: Taken,
    /// Calls by tool, which have quotas for a run.
    pub(crate) called: BTreeMap<String, u32>,
    /// Whether no further call is possible in this run.
    #[serde(default)]
    pub(crate) calls_over: bool,
    /// The record of the calls.
    pub(crate) tool_steps: Vec<ToolStep>,
    /// The model that answered last, or the requested one.
    pub(crate) model: Option<String>,
    /// How the offline planner read the prompt.
    #[serde(default)]
    pub(crate) understanding: Option<Understanding>,
}

/// Most objects that are inspected since one of them may run a tree that a plan names.
const MOST_OBJECTS: usize = 100;

impl Asked {
    pub(crate) fn new(request: &RunRequest) -> Self {
        Self {
            reply: request.plan.clone(),
            model: request.model.clone(),
            ..Self::default()
        }
    }

    /// The same in the process that resumes the run.
    pub(crate) fn resumed(mut self, request: &RunRequest) -> Self {
        self.reply = self.reply.or_else(|| request.plan.clone());
        self.taken.resume();
        self
    }

    /// Resets the exchange, so that the next request is like the first.
    pub(crate) fn begin_again(&mut self, request: &RunRequest) {
        self.reply.clone_from(&request.plan);
        self.finish = None;
        self.exchanges.clear();
        self.calls_over = false;
        self.slices = None;
        self.replies = 0;
    }

    /// Records the last reply and the feedback to it, with what was measured on its result, as an exchange, unless the plan was given directly.
    pub(crate) fn tell(&mut self, feedback: &Feedback, figures: Option<&Value>, called: &Called) {
        let Some(PlanInput::Text(reply)) = &self.reply else {
            return;
        };
        let left_out = std::mem::take(&mut self.left_out);
        let (slices, repairs) = (self.slices.take(), std::mem::take(&mut self.repairs));
        let besides = Besides {
            slices: slices.as_ref(),
            left_out: &left_out,
            figures,
            repairs: &repairs,
        };
        let feedback = called.in_words(&geonode_prompting::feedback(feedback, besides));
        self.exchanges.push(Exchange {
            reply: reply.clone(),
            calls: std::mem::take(&mut self.calls),
            results: std::mem::take(&mut self.results),
            feedback,
        });
    }

    /// Records a reply. A model's reply counts towards the quotas of the process, unless it came from the cache. Returns its tool calls.
    pub(crate) fn receive(&mut self, reply: Reply, tariff: &Tariff, from_model: bool) -> Vec<ToolCall> {
        if reply.cached {
            self.cached += 1;
        } else {
            let prices = |input| tariff.prices(input);
            let tokens = self.budget.spend(reply.usage, reply.sent, reply.text.len(), prices);
            if from_model {
                self.taken.note(tokens);
            }
        }
        self.model = reply.model.or(self.model.take());
        self.understanding = reply.understanding;
        self.usage = sum(self.usage, reply.usage);
        self.replies += 1;
        self.finish = reply.finish;
        let before = self.exchanges.iter().rev().find(|one| one.calls.is_empty());
        let whole = before.and_then(|before| amended::whole(&reply.text, &before.reply));
        self.reply = Some(PlanInput::Text(whole.unwrap_or(reply.text)));
        reply.calls
    }

    /// The usage of the requests; `None` when nothing was sent to a model, or it reported nothing.
    pub(crate) fn spent(&self) -> Option<Spent> {
        let asked = self.usage.is_some() || self.cached > 0;
        asked.then(|| Spent {
            tokens: self.usage.unwrap_or_default(),
            cost_usd: self.budget.cost(),
            cached: self.cached,
        })
    }

    pub(crate) fn keep_context(&mut self, json: &str) -> Result<Answer, Failure> {
        self.context = serde_json::from_str(json).map_err(|e| EngineError::document("context", &e))?;
        planner::read(&self.context)?;
        self.known = Known::of_context(&self.context);
        if let Some(trees) = self.context.pointer("/tree/trees") {
            self.seen = IndexMap::deserialize(trees).map_err(|e| EngineError::document("context", &e))?;
        }
        Ok(Answer::Context)
    }

    /// A name from the context.
    pub(crate) fn named(&self, key: &str) -> Option<String> {
        self.context.get(key).and_then(Value::as_str).map(str::to_owned)
    }

    /// The objects with a tree that the host told of: one of them runs what a plan changes by its name alone.
    pub(crate) fn with_trees(&self) -> Vec<String> {
        let objects = self
            .context
            .get("objects")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let runs_a_tree = |object: &&Value| {
            let modifiers = object.get("modifiers").and_then(Value::as_array).into_iter().flatten();
            modifiers
                .into_iter()
                .any(|modifier| modifier.get("node_group").is_some_and(Value::is_string))
        };
        let named = objects
            .filter(runs_a_tree)
            .filter_map(|object| object.get("name")?.as_str().map(str::to_owned));
        named.take(MOST_OBJECTS).collect()
    }

    /// Version of Blender, as the host reports it.
    pub(crate) fn blender(&self) -> Option<String> {
        let version = self.context.get("blender")?.as_array()?;
        Some(version.iter().map(ToString::to_string).collect::<Vec<_>>().join("."))
    }

    /// Default targets of the host's tools.
    pub(crate) fn target(&self) -> Value {
        let name = |key| self.context.get(key).cloned().unwrap_or_default();
        json!({"object": name("target_object"), "node_group": name("target_node_group")})
    }

    /// Key that is equal as long as the scene is, as far as the run knows it after this many writes.
    pub(crate) fn scene(&self, writes: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.context.to_string().hash(&mut hasher);
        writes.hash(&mut hasher);
        hasher.finish()
    }

    /// Records slices of context as tool calls.
    pub(crate) fn note_slices(&mut self, turn: u32, requests: &[ContextRequest], answers: &Value) {
        let answers = answers.as_array().into_iter().flatten();
        for (request, answer) in requests.iter().zip(answers) {
            let input = serde_json::to_value(request).unwrap_or_default();
            self.tool_steps.push(ToolStep {
                turn,
                tool: answer
                    .get("slice")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                call_id: format!("s{}", self.tool_steps.len() + 1),
                input,
                output: answer.get("data").cloned().unwrap_or_default(),
                ok: true,
                ms: 0,
            });
        }
    }
}

fn sum(a: Option<Usage>, b: Option<Usage>) -> Option<Usage> {
    let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
    let add = |x: Option<u64>, y: Option<u64>| match (x, y) {
        (Some(x), Some(y)) => Some(x.saturating_add(y)),
        (x, y) => x.or(y),
    };
    Some(Usage {
        input_tokens: add(a.input_tokens, b.input_tokens),
        output_tokens: add(a.output_tokens, b.output_tokens),
        cached_tokens: add(a.cached_tokens, b.cached_tokens),
        cache_write_tokens: add(a.cache_write_tokens, b.cache_write_tokens),
        reasoning_tokens: add(a.reasoning_tokens, b.reasoning_tokens),
    })
}
