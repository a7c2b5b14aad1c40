//! Calling tools: those that run here, those that the host carries out, and the artist's view of them.

use std::time::Instant;

use geonode_protocol::{Code, Severity};
use geonode_run::{Answer, Failure, Message, Notice, Origin, RefusedCall};
use geonode_tools::Metric;
use serde_json::{Value, json};

use crate::run::host::HostEffect;
use crate::run::shared::Shared;
use crate::run::work::Work;
use crate::tools::ToolStep;

/// Carries out the calls of the last reply; `None` when the host has to carry out some of them first.
pub(crate) fn begin(
    work: &mut Work,
    shared: &Shared,
    id: u64,
    refused: &[RefusedCall],
) -> Option<Result<Answer, Failure>> {
    shared.progress(None, "Looking things up");
    let started = Instant::now();
    let calls = work
        .tools
        .run(refused, &|| shared.cancelled(), &mut |metric| show(shared, &metric));
    work.asked.budget.took(started.elapsed());
    work.count_calls();
    if calls.is_empty() {
        return Some(Ok(done(work, shared)));
    }
    let target = work.asked.target();
    shared.hand(id, HostEffect::CallTools { calls, target }).err().map(Err)
}

/// Called when the host has answered its calls.
pub(crate) fn answered(work: &mut Work, shared: &Shared, json: &str) -> Result<Answer, Failure> {
    work.tools.host_answered(json, &mut |metric| show(shared, &metric))?;
    Ok(done(work, shared))
}

fn done(work: &mut Work, shared: &Shared) -> Answer {
    let (results, steps, verdict) = work.tools.finish(work.turn);
    work.count_calls();
    work.asked.results = results;
    work.judged.ledger.note(work.turn, &verdict);
    for finding in verdict.findings.into_iter().filter(|finding| !finding.is_error()) {
        let message = Message::new(finding.severity, Origin::Tools, finding.code, finding.message);
        shared.tell(Notice::Message(message));
    }
    for step in &steps {
        tell_step(shared, step);
        if let Some(message) = complaint(step) {
            shared.tell(Notice::Message(message));
        }
    }
    work.asked.tool_steps.extend(steps);
    Answer::Called
}

/// The start and the progress of a call; its end is announced with its result.
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
    shared.event(&event);
}

fn tell_step(shared: &Shared, step: &ToolStep) {
    let mut event = serde_json::to_value(step).unwrap_or_default();
    if let Some(fields) = event.as_object_mut() {
        fields.insert("event".into(), "tool".into());
        fields.insert("status".into(), if step.ok { "done" } else { "failed" }.into());
    }
    shared.event(&event);
}

/// The message to the artist about a failed call. A failure that the model can correct itself is only information.
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
    let text = format!("The tool “{}” failed: {}", step.tool, word("message"));
    Some(Message::new(severity, Origin::Tools, code, text))
}
