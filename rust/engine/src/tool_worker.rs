//! The worker's part of calling tools: what runs here, what the host is asked, what the artist sees of it.

use geonode_protocol::{Code, Severity};
use geonode_run::{Answer, Failure, Message, Notice, Origin, RefusedCall};
use geonode_tools::Metric;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::host::HostEffect;
use crate::run::{Event as Shown, Shared};
use crate::tools::ToolStep;
use crate::worker::Worker;

impl Worker<'_> {
    /// Carries out the calls of the last reply; none when the host has to do some of them first.
    pub(crate) fn call_tools(&mut self, id: u64, refused: &[RefusedCall]) -> Option<Result<Answer, Failure>> {
        self.progress(None, "Looking things up");
        let shared = self.shared;
        let calls = self
            .work
            .run_tools(refused, &|| shared.cancelled(), &mut |metric| show(shared, &metric));
        if calls.is_empty() {
            return Some(Ok(self.tools_done()));
        }
        let target = self.work.target();
        self.hand(id, HostEffect::CallTools { calls, target }).err().map(Err)
    }

    /// The host has answered its calls.
    pub(crate) fn tools_answered(&mut self, json: &str) -> Result<Answer, Failure> {
        let shared = self.shared;
        self.work.keep_tool_results(json, &mut |metric| show(shared, &metric))?;
        Ok(self.tools_done())
    }

    fn tools_done(&mut self) -> Answer {
        let (steps, waived) = self.work.tools_done();
        let steps = steps.to_vec();
        for finding in waived {
            let message = Message::new(finding.severity, Origin::Tools, finding.code, finding.message);
            self.tell(Notice::Message(message));
        }
        for step in &steps {
            tell_step(self.shared, step);
            if let Some(message) = complaint(step) {
                self.tell(Notice::Message(message));
            }
        }
        Answer::Called
    }
}

/// The start and the progress of a call; its end is told with its result.
fn show(shared: &Shared, metric: &Metric) {
    let event = match metric {
        Metric::ToolStart { tool, correlation_id } => {
            json!({"event": "tool", "status": "running", "tool": tool, "call_id": correlation_id})
        }
        Metric::ToolProgress {
            tool,
            correlation_id,
            percent,
        } => json!({"event": "tool", "status": "running", "tool": tool, "call_id": correlation_id, "percent": percent}),
        Metric::ToolEnd { .. } => return,
    };
    if let Ok(json) = to_raw_value(&event) {
        shared.show(|front| front.event(Shown::Json(json)));
    }
}

fn tell_step(shared: &Shared, step: &ToolStep) {
    let mut event = serde_json::to_value(step).unwrap_or_default();
    if let Some(fields) = event.as_object_mut() {
        fields.insert("event".into(), "tool".into());
        fields.insert("status".into(), if step.ok { "done" } else { "failed" }.into());
    }
    if let Ok(json) = to_raw_value(&event) {
        shared.show(|front| front.event(Shown::Json(json)));
    }
}

/// What the artist should know of a call that failed. What the model can mend itself is no more than an information.
fn complaint(step: &ToolStep) -> Option<Message> {
    if step.ok {
        return None;
    }
    let word = |key: &str| step.output.get(key).and_then(Value::as_str).unwrap_or_default();
    let code = word("code").parse().unwrap_or(Code::Unknown);
    let severity = match code {
        Code::InternalError | Code::ReturnInvalid | Code::ToolTimeout => Severity::Warning,
        _ => Severity::Info,
    };
    let text = format!("The tool “{}” gave no result: {}", step.tool, word("message"));
    Some(Message::new(severity, Origin::Tools, code, text))
}
