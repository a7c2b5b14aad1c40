//! Where plans come from: the offline planner, a model, or recorded replies.

use std::collections::VecDeque;
use std::time::Duration;

use geonode_protocol::{Code, Extensions, Limits, Severity, parse_plan_with};
use geonode_provider::schema::lift;
use geonode_provider::{
    Client, ClientConfig, FinishReason, Message as Turn, Options, Provider, ProviderError, Request, Role, StreamEvent,
    Usage,
};
use geonode_run::{Failure, Message, Origin};
use serde_json::Value;

use crate::planner;
use crate::request::{OFFLINE, RunRequest};
use crate::settings::Settings;

/// What happens while a plan is being made.
pub(crate) trait Listener {
    /// A client is at work from now on; cancelling the run shall cancel it.
    fn working(&self, client: Option<Client>);
    /// A piece of the reply arrived.
    fn text(&self, piece: &str);
    /// Something to read.
    fn message(&self, message: Message);
}

/// A reply and what it cost.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Usage>,
    /// How the model ended.
    pub(crate) finish: Option<FinishReason>,
}

/// One exchange with the model that was not the last.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    /// What the model wrote.
    pub(crate) reply: String,
    /// What it was told about it.
    pub(crate) feedback: String,
}

/// What the request is about.
pub(crate) struct Brief<'a> {
    pub(crate) request: &'a RunRequest,
    pub(crate) settings: &'a Settings,
    pub(crate) context: &'a Value,
    pub(crate) exchanges: &'a [Exchange],
    pub(crate) extensions: &'a Extensions,
    /// What the artist said when rejecting the last plan.
    pub(crate) words: Option<&'a str>,
}

/// The source of plans of one run; made at its first use.
pub(crate) enum Source {
    Offline,
    Recorded(VecDeque<Value>),
    Model(Client),
}

impl Source {
    pub(crate) fn new(request: &RunRequest, settings: &Settings) -> Result<Self, Failure> {
        if let Some(replies) = &request.replies {
            return Ok(Self::Recorded(replies.iter().cloned().collect()));
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
            total: Duration::from_secs_f64(settings.total_timeout_s),
            max_retries: u32::try_from(settings.network_retries).unwrap_or(u32::MAX),
            ..ClientConfig::new(provider)
        };
        Client::new(config).map(Self::Model).map_err(|error| failure(&error))
    }

    pub(crate) fn plan(&mut self, brief: &Brief<'_>, listener: &dyn Listener) -> Result<Reply, Failure> {
        match self {
            Self::Offline => {
                // It has no memory of a conversation: the artist's last words are the wish.
                let wish = brief.words.unwrap_or(&brief.request.prompt);
                let plan = planner::offline(wish, brief.request.object.as_deref(), brief.context)?;
                Ok(Reply {
                    text: plan.to_string(),
                    model: None,
                    usage: None,
                    finish: None,
                })
            }
            Self::Recorded(replies) => {
                let reply = replies.pop_front().ok_or_else(|| {
                    Failure::new(
                        Code::BadResponse,
                        "The recording has no further reply for this request.",
                    )
                })?;
                let text = if let Value::String(text) = reply {
                    text
                } else {
                    reply.to_string()
                };
                Ok(Reply {
                    text,
                    model: Some("recorded".into()),
                    usage: None,
                    finish: None,
                })
            }
            Self::Model(client) => {
                listener.working(Some(client.clone()));
                let reply = ask(client, brief, listener);
                listener.working(None);
                reply
            }
        }
    }
}

fn ask(client: &Client, brief: &Brief<'_>, listener: &dyn Listener) -> Result<Reply, Failure> {
    let settings = brief.settings;
    let catalogue = crate::catalogue(&brief.request.catalogue)?;
    let opening = planner::opening(&brief.request.prompt, brief.context, &catalogue, brief.extensions)?;
    let mut messages = vec![Turn::user(opening.user)];
    for exchange in brief.exchanges {
        messages.push(Turn::new(Role::Assistant, &exchange.reply));
        messages.push(Turn::user(&exchange.feedback));
    }
    let schema = if settings.structured_output {
        brief.extensions.schema("plan")
    } else {
        None
    };
    let lowered = schema.as_ref().and_then(|schema| client.lowered(schema));
    let request = Request::builder(messages)
        .system(Some(opening.system))
        .schema(lowered.clone().or_else(|| schema.clone()))
        .max_tokens(settings.max_tokens.and_then(|n| u32::try_from(n).ok()))
        .options(Options {
            temperature: settings.temperature,
            seed: None,
        })
        .build()
        .map_err(|error| failure(&error))?;
    let mut reply = if settings.stream {
        listen(client, request, listener)?
    } else {
        let response = client.send(&request).map_err(|error| failure(&error))?;
        for notice in response.notices {
            listener.message(Message::new(
                Severity::Warning,
                Origin::Provider,
                notice.code,
                notice.text,
            ));
        }
        Reply {
            text: response.text,
            model: Some(response.model),
            usage: response.usage,
            finish: Some(response.finish_reason),
        }
    };
    if let (Some(schema), Some(_)) = (&schema, lowered)
        && let Some(plan) = lifted(&reply.text, schema, brief.extensions)
    {
        reply.text = plan;
    }
    Ok(reply)
}

/// The plan of a reply in the lowered form; none when it has the plan's own form already, or is not certain to be JSON.
fn lifted(text: &str, schema: &Value, extensions: &Extensions) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let plan = lift(value.clone(), schema);
    if plan == value {
        return None;
    }
    // A key that comes twice is refused, not silently one of the two.
    let found = parse_plan_with(text, &Limits::default(), extensions).findings;
    let twice = found.iter().any(|finding| finding.code == Code::DuplicateKey);
    (!twice).then(|| plan.to_string())
}

fn listen(client: &Client, request: Request, listener: &dyn Listener) -> Result<Reply, Failure> {
    let mut reply = Reply {
        text: String::new(),
        model: None,
        usage: None,
        finish: None,
    };
    for event in client.stream(request).map_err(|error| failure(&error))? {
        match event.map_err(|error| failure(&error))? {
            StreamEvent::Text { text } => {
                listener.text(&text);
                reply.text.push_str(&text);
            }
            StreamEvent::Usage { usage } => reply.usage = Some(usage),
            StreamEvent::Notice { notice } => {
                listener.message(Message::new(
                    Severity::Warning,
                    Origin::Provider,
                    notice.code,
                    notice.text,
                ));
            }
            StreamEvent::ToolCall { .. } => {}
            StreamEvent::End {
                finish_reason, model, ..
            } => {
                reply.model = Some(model);
                reply.finish = Some(finish_reason);
                return Ok(reply);
            }
        }
    }
    Err(Failure::new(Code::BadResponse, "The stream ended without its end."))
}

fn failure(error: &ProviderError) -> Failure {
    Failure::new(error.code(), error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_in_the_lowered_form_becomes_a_plan() {
        let extensions = Extensions::default();
        let schema = extensions.schema("plan").unwrap();
        let lift =
            |value: &str| lifted(value, &schema, &extensions).map(|text| serde_json::from_str::<Value>(&text).unwrap());
        let written = json!({"version": "1.1", "steps": [], "done": true, "final_message": "x",
            "meta": {"requires_gate_verification": true}, "context_requests": null});
        let mut plan = written.clone();
        plan.as_object_mut().unwrap().shift_remove("context_requests");
        assert_eq!(lift(&written.to_string()), Some(plan.clone()));
        assert_eq!(lift(&plan.to_string()), None, "it is a plan already");
        assert_eq!(lift("```json {}"), None);
        let twice = written
            .to_string()
            .replacen("\"done\":true", "\"done\":true,\"done\":false", 1);
        assert_eq!(lift(&twice), None);
    }
}
