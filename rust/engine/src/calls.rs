//! A run's calls of tools: admitted when the reply comes, carried out here and by the host, told to the model in one turn.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use geonode_protocol::{ContextRequest, Finding};
use geonode_provider::ToolCall;
use geonode_run::{Answer, Failure, RefusedCall};
use geonode_tools::{HostCall, Metric};
use serde_json::{Value, json};

use crate::tools::{ToolStep, echoed};
use crate::work::Work;

impl Work {
    /// Takes the calls of a reply.
    pub(crate) fn wants_tools(&mut self, calls: Vec<ToolCall>) -> Answer {
        let (calls, echo) = echoed(calls);
        self.calls = echo;
        let scene = self.scene();
        Answer::ToolCalls {
            asks: self.tools.admit(&calls, scene),
        }
    }

    /// Carries out what needs no host; gives what does.
    pub(crate) fn run_tools(
        &mut self,
        refused: &[RefusedCall],
        cancelled: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Metric),
    ) -> Vec<HostCall> {
        let started = Instant::now();
        let left = self.tools.run(refused, cancelled, tell);
        self.budget.took(started.elapsed());
        left
    }

    /// Takes what the host answered.
    pub(crate) fn keep_tool_results(&mut self, json: &str, tell: &mut dyn FnMut(Metric)) -> Result<(), Failure> {
        self.tools.host_answered(json, tell)
    }

    /// The results are ready for the model; gives the record of the calls, and the rules that were waived.
    pub(crate) fn tools_done(&mut self) -> (&[ToolStep], Vec<Finding>) {
        let before = self.tools.steps.len();
        let (results, verdict) = self.tools.finish(self.turn);
        self.results = results;
        self.ledger.note(self.turn, &verdict);
        let waived = verdict.findings.into_iter().filter(|finding| !finding.is_error());
        (self.tools.steps.get(before..).unwrap_or_default(), waived.collect())
    }

    /// What the host's tools are about when a call names nothing.
    pub(crate) fn target(&self) -> Value {
        let name = |key| self.context.get(key).cloned().unwrap_or_default();
        json!({"object": name("target_object"), "node_group": name("target_node_group")})
    }

    /// Records slices of context as what they are: calls in another form.
    pub(crate) fn note_slices(&mut self, requests: &[ContextRequest], answers: &Value) {
        let answers = answers.as_array().into_iter().flatten();
        for (request, answer) in requests.iter().zip(answers) {
            let input = serde_json::to_value(request).unwrap_or_default();
            self.tools.steps.push(ToolStep {
                turn: self.turn,
                tool: answer
                    .get("slice")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                call_id: format!("s{}", self.tools.steps.len() + 1),
                input,
                output: answer.get("data").cloned().unwrap_or_default(),
                ok: true,
                ms: 0,
            });
        }
    }

    /// Equal while the scene is, as far as the run knows it.
    fn scene(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.context.to_string().hash(&mut hasher);
        self.writes().hash(&mut hasher);
        hasher.finish()
    }
}
