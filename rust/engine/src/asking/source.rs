//! Where plans come from: the offline planner, a model, or recorded replies.

use std::collections::VecDeque;
use std::sync::{Arc, Once};
use std::time::Duration;

use geonode_protocol::{Code, Extensions, Limits, Severity, parse_plan_with};
use geonode_provider::schema::restore;
use geonode_provider::{
    Client, ClientConfig, Departure, FinishReason, Models, Notice, Provider, ProviderError, Request, StreamEvent,
    ToolCall,
};
use geonode_run::{Failure, Message, Origin};
use geonode_store::audit;
use geonode_store::cache::{self, Cache, Found};
use serde_json::Value;

use crate::asking::budget::late;
use crate::asking::plan_request::{Brief, Listener, Reply};
use crate::asking::prompting::{self, Shape};
use crate::asking::spending::Sent;
use crate::asking::watch::Watch;
use crate::asking::{planner, policies};
use crate::request::{OFFLINE, RunRequest};
use crate::settings::Settings;
use crate::tariff::Tariff;

/// A feature that the run would use and its model certainly does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    Tools,
    Pictures,
}

impl Lack {
    pub(crate) fn message(self, model: Option<&str>) -> Message {
        let (cannot, so) = match self {
            Self::Tools => ("call tools", "plans without them"),
            Self::Pictures => ("see pictures", "gets none"),
        };
        let text = format!("The model “{}” cannot {cannot}, so it {so}.", model.unwrap_or_default());
        Message::new(Severity::Warning, Origin::Provider, Code::CapabilityMismatch, text)
    }
}

/// The source of plans of one run; created at its first use.
pub(crate) enum Source {
    Offline,
    Recorded(VecDeque<Value>),
    Model(Client),
}

impl Source {
    /// `used`: recorded replies that were used up before.
    pub(crate) fn new(request: &RunRequest, settings: &Settings, used: usize) -> Result<Self, Failure> {
        if let Some(replies) = &request.replies {
            return Ok(Self::Recorded(replies.iter().skip(used).cloned().collect()));
        }
        if request.provider == OFFLINE {
            return Ok(Self::Offline);
        }
        let provider = Provider::from_name(&request.provider).map_err(|error| failure(&error))?;
        let config = ClientConfig {
            model: request.model.clone(),
            base_url: request.base_url.clone(),
            api_key: request.api_key.clone(),
            timeout: Duration::from_secs_f64(settings.timeout_s),
            local_timeout: Some(Duration::from_secs_f64(local_patience(settings))),
            total: Duration::from_secs_f64(settings.total_timeout_s),
            max_retries: u32::try_from(settings.network_retries).unwrap_or(u32::MAX),
            streaming: settings.stream,
            ..ClientConfig::new(provider)
        };
        Client::new(config).map(Self::Model).map_err(|error| failure(&error))
    }

    /// Features that the run would use and its model certainly does not support.
    pub(crate) fn lacks(&self, settings: &Settings) -> Vec<Lack> {
        let Self::Model(client) = self else { return Vec::new() };
        let Some(info) = client.model_info() else {
            return Vec::new();
        };
        let lack = |wanted: bool, can: Option<bool>, lack| (wanted && can == Some(false)).then_some(lack);
        let lacks = [
            lack(settings.tools, info.tools, Lack::Tools),
            lack(settings.tools && settings.send_pictures, info.images, Lack::Pictures),
        ];
        lacks.into_iter().flatten().collect()
    }

    pub(crate) fn plan(&mut self, brief: &Brief<'_>, listener: &dyn Listener) -> Result<Reply, Failure> {
        match self {
            Self::Offline => {
                // The offline planner does not use the conversation: the artist's last words are the prompt.
                let prompt = brief.words.unwrap_or(&brief.request.prompt);
                let planned = planner::offline(
                    prompt,
                    brief.request.object.as_deref(),
                    brief.context,
                    &brief.request.presets,
                )?;
                Ok(Reply {
                    understanding: Some(planned.understanding),
                    ..Reply::text(planned.plan.to_string(), None)
                })
            }
            Self::Recorded(replies) => {
                let reply = replies.pop_front().ok_or_else(|| {
                    Failure::new(
                        Code::BadResponse,
                        "The recording has no further reply for this request.",
                    )
                })?;
                Ok(recorded(reply))
            }
            Self::Model(client) => {
                listener.working(Some(client.clone()));
                let watch = brief.left.map(|left| Watch::start(client.clone(), left));
                let reply = ask(client, brief, listener);
                listener.working(None);
                match watch {
                    Some(watch) if reply.is_err() && watch.fired() => Err(late(brief.settings)),
                    _ => reply,
                }
            }
        }
    }
}

/// A recorded reply: text, the JSON of a plan, or `{"tool_calls": [{"id", "name", "arguments"}…], "text"?}`.
fn recorded(reply: Value) -> Reply {
    let model = Some("recorded".to_owned());
    let calls = reply
        .get("tool_calls")
        .filter(|_| reply.get("steps").is_none())
        .and_then(Value::as_array);
    if let Some(calls) = calls {
        let text = reply.get("text").and_then(Value::as_str).unwrap_or_default();
        let word = |call: &Value, key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let calls = calls.iter().map(|call| ToolCall {
            id: word(call, "id"),
            name: word(call, "name"),
            arguments: call.get("arguments").cloned().unwrap_or_default(),
        });
        let calls = calls.collect();
        return Reply {
            calls,
            ..Reply::text(text.to_owned(), model)
        };
    }
    let text = match reply {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Reply {
        finish: Some(FinishReason::Done),
        ..Reply::text(text, model)
    }
}

/// Asks in the best shape that the server is known to take; a refusal because of the tools, or of the length, costs one more request each.
fn ask(client: &Client, brief: &Brief<'_>, listener: &dyn Listener) -> Result<Reply, Failure> {
    if policies::allows(client, brief.request) {
        client.look_around().map_err(|error| failure(&error))?;
    }
    let mut shape = Shape {
        tools: brief.tools,
        window: client.window(),
    };
    let mut below = None;
    loop {
        let fault = match attempt(client, brief, shape, below.as_ref(), listener) {
            Ok(reply) => {
                let tools_refused = shape.tools.len() < brief.tools.len();
                return Ok(Reply { tools_refused, ..reply });
            }
            Err(fault) => fault,
        };
        match fault.reason {
            Reason::Tools if !shape.tools.is_empty() => {
                shape.tools = &[];
                let text = format!(
                    "The model cannot use tools here, so it plans without them. {}",
                    fault.failure.message
                );
                let code = Code::CapabilityMismatch;
                listener.message(Message::new(Severity::Warning, Origin::Provider, code, text));
            }
            Reason::Length { reads, sent } if below.is_none() && shape.window.is_none_or(|window| reads < window) => {
                shape.window = Some(reads);
                below = Some((sent, fault.failure));
                let text = format!("The model reads only about {reads} tokens here, so it is sent a shorter request.");
                listener.message(Message::new(Severity::Info, Origin::Provider, Code::ContextCut, text));
            }
            Reason::Tools | Reason::Length { .. } | Reason::Other => return Err(fault.failure),
        }
    }
}

/// Why there is no reply.
struct Fault {
    failure: Failure,
    reason: Reason,
}

/// What a request may do without.
enum Reason {
    /// The tools.
    Tools,
    /// A part of its `sent` bytes: the server reads so many tokens.
    Length { reads: u64, sent: usize },
    /// Nothing that is known.
    Other,
}

impl From<ProviderError> for Fault {
    fn from(error: ProviderError) -> Self {
        Self {
            failure: failure(&error),
            reason: match &error {
                ProviderError::ContextTooLong(_) => Reason::Length {
                    reads: error.reads().unwrap_or(u64::MAX),
                    sent: 0,
                },
                error if error.refuses_tools() => Reason::Tools,
                _ => Reason::Other,
            },
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        let reason = Reason::Other;
        Self { failure, reason }
    }
}

/// Seconds that a server on this computer has to begin its answer: `timeout_s` where only that was set.
fn local_patience(settings: &Settings) -> f64 {
    let usual = Settings::default();
    let set = |value: f64, usual: f64| (value - usual).abs() > f64::EPSILON;
    if set(settings.timeout_s, usual.timeout_s) && !set(settings.local_timeout_s, usual.local_timeout_s) {
        settings.timeout_s
    } else {
        settings.local_timeout_s
    }
}

/// `below`: a request of so many bytes was too long, which is the failure if this one is not shorter.
fn attempt(
    client: &Client,
    brief: &Brief<'_>,
    shape: Shape<'_>,
    below: Option<&(usize, Failure)>,
    listener: &dyn Listener,
) -> Result<Reply, Fault> {
    let draft = prompting::draft(client, brief, shape, listener)?;
    let passed = policies::apply(client, brief, &draft.request, &draft.attachments, shape.tools, listener)?;
    let sent = serde_json::to_string(&*passed.request).map_or(0, |text| text.len());
    if let Some((_, failure)) = below.filter(|(before, _)| sent >= *before) {
        policies::release(&passed);
        return Err(failure.clone().into());
    }
    let fitting = match client.fit(&passed.request, true) {
        Ok(fitting) => fitting,
        Err(error) => {
            policies::release(&passed);
            return Err(error.into());
        }
    };
    let key = passed.key();
    let kept = brief.cache.and_then(|cache| cached(cache, &key, listener));
    for notice in &fitting.notices {
        listener.message(message_of(client, notice));
    }
    listener.asks(Sent {
        turn: brief.turn,
        model: brief.request.model.clone(),
        estimate: Tariff::new(brief.request, brief.settings).priced(fitting.estimate),
        stream: fitting.stream,
        fingerprint: passed.fingerprint.to_string(),
        context_hash: passed.context_hash.clone(),
        counts: passed.counts,
        cached: kept.is_some(),
    });
    if let Some(kept) = kept {
        policies::release(&passed);
        listener.text(&kept.text);
        return Ok(Reply {
            finish: kept.finish,
            calls: kept.calls,
            key: Some(key),
            cached: true,
            ..Reply::text(kept.text, kept.model)
        });
    }
    let event = audit::Event::Request {
        provider: brief.request.provider.clone(),
        origin: client.origin(),
        model: brief.request.model.clone(),
        bytes: sent,
        images: passed.counts.sent_images,
        fingerprint: passed.fingerprint.to_string(),
    };
    // Only what leaves is recorded, and once, however often it is tried.
    let left = Arc::new(Once::new());
    let seen = Arc::clone(&left);
    let client = &client.telling(Departure::new(move || seen.call_once(|| audit::record(event.clone()))));
    let result = if fitting.stream {
        listen(client, passed.request.clone(), listener)
    } else {
        send(client, &passed.request, &fitting.notices, listener)
    };
    if result.is_err() && !left.is_completed() {
        policies::release(&passed);
    }
    let mut reply = result.map_err(|mut fault| {
        if let Reason::Length { sent: bytes, reads } = &mut fault.reason {
            *bytes = sent;
            // A server that names no length reads less than it was sent.
            *reads = (*reads).min(fitting.estimate.input_tokens.saturating_sub(1));
        }
        fault
    })?;
    reply.sent = sent;
    reply.key = Some(key);
    if let Some(usage) = reply.usage {
        let tokens = usage.input_tokens.unwrap_or(fitting.estimate.input_tokens);
        policies::settle(&passed, tokens.saturating_add(usage.output_tokens.unwrap_or(0)));
    }
    if let Some(plan) = draft
        .original_schema
        .and_then(|schema| restore_plan(&reply.text, &schema, brief.extensions))
    {
        reply.text = plan;
    }
    Ok(reply)
}

/// A stored reply. Problems with the cache are reported, and the model is asked.
fn cached(cache: &Cache, key: &str, listener: &dyn Listener) -> Option<cache::StoredReply> {
    let text = match cache.find(key) {
        Ok(Found::Reply(kept)) => return Some(kept),
        Ok(Found::Nothing) => return None,
        Ok(Found::Damaged(name)) => {
            format!("A stored reply was damaged; it was set aside as “{name}”, and the model is asked instead.")
        }
        Err(error) => format!("The stored replies cannot be read ({error}), so the model is asked."),
    };
    listener.message(Message::new(Severity::Warning, Origin::Run, Code::DamagedFile, text));
    None
}

/// The plan of a reply in the form of the adapted schema; `None` when it already has the plan's own form, or is not certain to be JSON.
fn restore_plan(text: &str, schema: &Value, extensions: &Extensions) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let plan = restore(value.clone(), schema);
    if plan == value {
        return None;
    }
    // A duplicate key is refused; neither value is chosen silently.
    let found = parse_plan_with(text, &Limits::default(), extensions).findings;
    let twice = found.iter().any(|finding| finding.code == Code::DuplicateKey);
    (!twice).then(|| plan.to_string())
}

/// A message about a deviation from the request. That a server's own model is not listed, or that streaming is switched off, is
/// information and not a warning.
fn message_of(client: &Client, notice: &Notice) -> Message {
    let harmless = match notice.code {
        Code::UnknownModel => client.provider().models() == Models::Server,
        Code::StreamingDisabledProvider => true,
        _ => false,
    };
    let severity = if harmless { Severity::Info } else { Severity::Warning };
    Message::new(severity, Origin::Provider, notice.code, notice.text.as_str())
}

/// `announced`: notices that the artist was shown before it was sent.
fn send(client: &Client, request: &Request, announced: &[Notice], listener: &dyn Listener) -> Result<Reply, Fault> {
    let response = client.send(request)?;
    for notice in response.notices.iter().filter(|notice| !announced.contains(notice)) {
        listener.message(message_of(client, notice));
    }
    Ok(Reply {
        usage: response.usage,
        finish: Some(response.finish_reason),
        calls: response.tool_calls,
        ..Reply::text(response.text, Some(response.model))
    })
}

fn listen(client: &Client, request: Request, listener: &dyn Listener) -> Result<Reply, Fault> {
    let mut reply = Reply::text(String::new(), None);
    for event in client.stream(request)? {
        match event? {
            StreamEvent::Text { text } => {
                listener.text(&text);
                reply.text.push_str(&text);
            }
            StreamEvent::Usage { usage } => reply.usage = Some(usage),
            StreamEvent::Notice { notice } => listener.message(message_of(client, &notice)),
            StreamEvent::ToolCall { call } => reply.calls.push(call),
            StreamEvent::End {
                finish_reason, model, ..
            } => {
                reply.model = Some(model);
                reply.finish = Some(finish_reason);
                return Ok(reply);
            }
        }
    }
    Err(Failure::new(Code::BadResponse, "The stream ended unexpectedly.").into())
}

fn failure(error: &ProviderError) -> Failure {
    Failure::new(error.code(), error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_in_the_adapted_form_becomes_a_plan() {
        let extensions = Extensions::default();
        let schema = extensions.schema("plan").unwrap();
        let restored = |value: &str| {
            restore_plan(value, &schema, &extensions).map(|text| serde_json::from_str::<Value>(&text).unwrap())
        };
        let written = json!({"version": "1.1", "steps": [], "done": true, "final_message": "x",
            "meta": {"requires_gate_verification": true}, "context_requests": null});
        let mut plan = written.clone();
        plan.as_object_mut().unwrap().shift_remove("context_requests");
        assert_eq!(restored(&written.to_string()), Some(plan.clone()));
        assert_eq!(restored(&plan.to_string()), None, "it is a plan already");
        assert_eq!(restored("```json {}"), None);
        let twice = written
            .to_string()
            .replacen("\"done\":true", "\"done\":true,\"done\":false", 1);
        assert_eq!(restored(&twice), None);
    }
}
