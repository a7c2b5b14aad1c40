//! Connects a run with the executor: the tools offered to the model, the calls of the present reply, and the record of all calls.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use geonode_graph::Catalogue;
use geonode_prompting::Results;
use geonode_protocol::Code;
use geonode_provider::{Tool as Offer, ToolCall};
use geonode_run::{ApprovalRequest, AskedTool, Failure, RefusedCall, ToolAsk};
use geonode_store::audit;
use geonode_tools::{
    Access, Batch, Call, Executor, HostCall, HostResult, Limits, Metric, Outcome, Registry, Runner, Settled, Spec,
    Tool, ToolError,
};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::builtin::{self, World};
use super::registered;
use crate::error::EngineError;
use crate::settings::Settings;
use crate::validate::{self, Verdict};

/// Longest name of a function that every provider accepts.
const MAX_NAME: usize = 64;

/// A call of a tool or a slice of context, as the report lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolStep {
    /// The request to the model that made the call, from 1.
    pub turn: u32,
    /// The tool, or the slice.
    pub tool: String,
    /// Number of the call within the run.
    pub call_id: String,
    /// The arguments.
    pub input: Value,
    /// The result, or `{"code", "message"}`.
    pub output: Value,
    /// Whether the call succeeded.
    pub ok: bool,
    /// Time in milliseconds.
    pub ms: u64,
}

/// The host's answer to `call_tools`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolResults {
    /// The answers in the order of the calls.
    results: Vec<HostResult>,
}

/// The tools of one run.
#[derive(Debug)]
pub(crate) struct Toolbox {
    executor: Option<Executor>,
    /// Those of scripts, as they were registered when the run started.
    added: Arc<IndexMap<String, Arc<Spec>>>,
    batch: Batch,
    /// Whether the provider does not support tools.
    refused: bool,
}

impl Toolbox {
    pub(crate) fn new() -> Self {
        Self {
            executor: None,
            added: registered::added(),
            batch: Batch::default(),
            refused: false,
        }
    }

    /// Calls of the run so far, by tool; `None` before tools were offered.
    pub(crate) fn called(&self) -> Option<&BTreeMap<String, u32>> {
        self.executor.as_ref().map(Executor::called)
    }

    /// The tools that the model may call; none when tools are switched off or the provider refused them. `before`: calls by tool that were made
    /// so far.
    pub(crate) fn offer(
        &mut self,
        context: &Value,
        catalogue: &Arc<Catalogue>,
        settings: &Settings,
        before: &BTreeMap<String, u32>,
    ) -> Result<Vec<Offer>, Failure> {
        if !settings.tools || self.refused || settings.max_iterations == 0 {
            return Ok(Vec::new());
        }
        let executor = match &mut self.executor {
            Some(executor) => executor,
            None => {
                let registry = registry(context, catalogue, settings, &self.added)
                    .map_err(|error| EngineError::Internal(error.to_string()))?;
                let limits = Limits {
                    strict: settings.strict_tools,
                    ..Limits::default()
                };
                let executor = Executor::new(registry, limits).after(before.clone());
                self.executor.insert(executor)
            }
        };
        let readable = executor
            .registry()
            .iter()
            .filter(|tool| tool.spec.access == Access::Reads);
        let offers = readable.map(|tool| Offer {
            name: tool.spec.id.clone(),
            description: tool.spec.description.clone(),
            input_schema: tool.spec.input.schema().clone(),
        });
        Ok(offers.collect())
    }

    /// The provider does not support tools; they are no longer offered.
    pub(crate) fn give_up(&mut self) {
        self.refused = true;
    }

    /// Accepts the calls of a reply. Returns those that need the artist's approval.
    pub(crate) fn admit(&mut self, calls: &[ToolCall], scene: u64) -> Vec<ToolAsk> {
        let Some(executor) = &mut self.executor else {
            return Vec::new();
        };
        let calls = calls.iter().map(|call| Call {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        self.batch = executor.admit(calls.collect(), scene);
        let waiting = self
            .batch
            .entries()
            .iter()
            .filter_map(|entry| Some((entry, &entry.tool()?.spec)));
        waiting
            .filter(|(_, spec)| spec.requires_approval)
            .map(|(entry, spec)| ToolAsk {
                id: entry.correlation_id.clone(),
                request: ApprovalRequest {
                    reason: format!("The model wants to call the tool “{}”: {}", spec.name, spec.description),
                    tool: Some(AskedTool {
                        id: spec.id.clone(),
                        call_id: entry.correlation_id.clone(),
                        input: entry.input.clone(),
                    }),
                    ..ApprovalRequest::default()
                },
            })
            .collect()
    }

    /// Carries out the calls that do not need the host.
    pub(crate) fn run(
        &mut self,
        refused: &[RefusedCall],
        cancelled: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Metric),
    ) -> Vec<HostCall> {
        for call in refused {
            let text = match (call.code, call.words.trim()) {
                (Code::UserRejected, "") => "The artist rejected this call. Continue without it.".to_owned(),
                (Code::UserRejected, words) => format!("The artist rejected this call and says: {words}"),
                _ => "This call needs the artist's approval, and nobody is there to give it. Continue without it."
                    .to_owned(),
            };
            self.batch.refuse(&call.id, ToolError::new(call.code, text));
        }
        if let Some(executor) = &mut self.executor {
            executor.run(&mut self.batch, cancelled, tell);
        }
        self.batch.host_calls()
    }

    /// Accepts the host's results.
    ///
    /// # Errors
    /// `invalid_document` when it is not a list of results.
    pub(crate) fn host_answered(&mut self, json: &str, tell: &mut dyn FnMut(Metric)) -> Result<(), Failure> {
        let answer: ToolResults =
            serde_json::from_str(json).map_err(|error| EngineError::document("results of tools", &error))?;
        if let Some(executor) = &mut self.executor {
            executor.host_answered(&mut self.batch, answer.results, tell);
        }
        Ok(())
    }

    /// The results in the order of the calls, their records, and the violations of rules.
    pub(crate) fn finish(&mut self, turn: u32) -> (Vec<Results>, Vec<ToolStep>, Verdict) {
        let settled = std::mem::take(&mut self.batch).results();
        let verdict = validate::calls(&settled);
        let steps = settled.iter().map(|call| step(call, turn)).collect();
        audit::refused_calls(settled.iter().filter_map(|call| match &call.outcome {
            Outcome::Failed(error) => Some(error.code),
            Outcome::Done(_) => None,
        }));
        let results = settled.into_iter().map(|call| Results {
            id: call.call_id.clone(),
            text: call.text(),
            image: call.image,
        });
        (results.collect(), steps, verdict)
    }
}

fn step(call: &Settled, turn: u32) -> ToolStep {
    let (output, ok) = match &call.outcome {
        Outcome::Done(result) => (result.clone(), true),
        Outcome::Failed(error) => (json!(error), false),
    };
    ToolStep {
        turn,
        tool: call.tool.clone(),
        call_id: call.correlation_id.clone(),
        input: call.input.clone(),
        output,
        ok,
        ms: call.ms,
    }
}

fn registry(
    context: &Value,
    catalogue: &Arc<Catalogue>,
    settings: &Settings,
    added: &IndexMap<String, Arc<Spec>>,
) -> Result<Registry, geonode_tools::SpecError> {
    let world = World::new(context.clone(), catalogue);
    let mut registry = Registry::default();
    builtin::add(&mut registry, &world, settings.send_pictures)?;
    for spec in added.values() {
        registry.add(Tool {
            spec: Arc::clone(spec),
            runner: Runner::Host(Arc::new(|_, raw| Ok(raw))),
        })?;
    }
    Ok(registry)
}

/// Calls in a form that every provider accepts: each with an identifier of its own, a legal name, and an object of arguments.
pub(crate) fn echoed(calls: Vec<ToolCall>) -> (Vec<ToolCall>, Vec<ToolCall>) {
    let mut seen = HashSet::new();
    let own = calls.into_iter().enumerate().map(|(at, mut call)| {
        if call.id.is_empty() || !seen.insert(call.id.clone()) {
            call.id = format!("{}call_{at}", call.id);
            seen.insert(call.id.clone());
        }
        call
    });
    let calls: Vec<ToolCall> = own.collect();
    let echo = calls.iter().map(|call| {
        let legal = |c: char| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        };
        let name: String = call.name.trim().chars().map(legal).take(MAX_NAME).collect();
        ToolCall {
            id: call.id.clone(),
            name: if name.is_empty() { "unknown".to_owned() } else { name },
            arguments: if call.arguments.is_object() {
                call.arguments.clone()
            } else {
                json!({})
            },
        }
    });
    let echo = echo.collect();
    (calls, echo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_recorded_in_a_form_that_every_provider_accepts() {
        let call = |id: &str, name: &str, arguments| ToolCall {
            id: id.into(),
            name: name.into(),
            arguments,
        };
        let (calls, echo) = echoed(vec![
            call("", "a", json!({})),
            call("x", "b c!", json!("{broken")),
            call("x", "", json!([1])),
            call("", "d", json!({"k": 1})),
        ]);
        let ids: HashSet<&str> = echo.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids.len(), 4, "{ids:?}");
        assert_eq!(
            calls.iter().map(|call| &call.id).collect::<Vec<_>>(),
            echo.iter().map(|call| &call.id).collect::<Vec<_>>()
        );
        assert_eq!(
            echo.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(),
            ["a", "b_c_", "unknown", "d"]
        );
        assert!(echo.iter().all(|call| call.arguments.is_object()));
        assert_eq!(calls[1].arguments, json!("{broken"), "the executor sees what came");
    }
}
