//! The pipeline of policies between making a request and sending it.
//!
//! A request is made with its text and with filters; the pipeline returns two requests. The *effective* one is
//! encoded and sent, once: with context and schema, without configured keys. The *stored* one may be kept in logs and
//! history: without context, and without anything that looks like a secret.

mod context;
mod draft;
mod egress;
mod quota;
mod schemas;
mod stage;

use geonode_protocol::Code;
use serde_json::{Value, json};

pub use draft::Counts;
use draft::Draft;
pub use egress::Egress;
pub use quota::{Limits as QuotaLimits, Meter, Reserved};
pub use schemas::SchemaList;
pub use stage::{SecurityEvent, Stage};

use crate::canonical;
use crate::client::Client;
use crate::error::ProviderError;
use crate::leak::each_string;
use crate::message::{Content, Part};
pub use crate::redact::Redactor;
use crate::reply::Notice;
use crate::request::{Body, Fingerprint, Request};

/// Parts that the pipeline adds to a request.
#[derive(Debug, Clone, Default)]
pub struct Attachments {
    /// Parts of the context by key, in the order in which they are shown.
    pub context: Vec<(String, String)>,
    /// Schema of the reply; a schema in the request takes precedence.
    pub schema: Option<Value>,
}

/// The policies of one process or run.
#[derive(Debug, Clone, Default)]
pub struct Policies {
    /// Whether refusals are only reported and counted. Context, schema and redaction are not affected.
    pub log_only: bool,
    /// The detector of secrets.
    pub redactor: Redactor,
    /// Schemas that may be sent; `None`: any.
    pub schemas: Option<SchemaList>,
    /// Servers that data may be sent to.
    pub egress: Egress,
    /// Limits on requests and tokens.
    pub quotas: QuotaLimits,
}

/// A request that passed the pipeline.
#[derive(Debug, Clone)]
pub struct Effective {
    /// The request that is sent.
    pub request: Request,
    /// The request that may be stored.
    pub stored: Request,
    /// Hash of the request as it was made.
    pub fingerprint: Fingerprint,
    /// Hash of the context and the schema that were inserted.
    pub context_hash: String,
    /// Sizes of both.
    pub counts: Counts,
    /// Doubts, for the artist.
    pub notices: Vec<Notice>,
    /// Security events.
    pub events: Vec<SecurityEvent>,
    /// The share of the quotas; [`Meter::settle`] corrects it when the reply has arrived, [`Meter::release`] returns it.
    pub reserved: Reserved,
}

impl Effective {
    /// Key that is equal for requests that would get the same answer: the request as made, and the inserted parts.
    pub fn key(&self) -> String {
        let whole = json!({"fingerprint": self.fingerprint, "context": self.context_hash});
        canonical::hex(&canonical::hash(&whole))
    }
}

/// A request that was refused, with all findings.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Why.
    pub error: ProviderError,
    /// Security events; the last one is the reason.
    pub events: Vec<SecurityEvent>,
}

impl Policies {
    /// Passes a request through all stages. `client` is the recipient; nothing is sent here.
    ///
    /// # Errors
    /// The first stage that refuses ends it: `SchemaNotAllowed`, `EgressDenied`, `RequestQuota`; with `log_only` none does.
    pub fn apply(
        &self,
        client: &Client,
        made: &Request,
        attachments: &Attachments,
        meter: &Meter,
    ) -> Result<Effective, Box<Refused>> {
        let mut draft = Draft::of(made);
        for stage in Stage::ORDER {
            let passed = match stage {
                Stage::Context => context::inject(&mut draft, &attachments.context),
                Stage::Schema => {
                    Self::attach(&mut draft, attachments.schema.as_ref());
                    Ok(())
                }
                Stage::Redaction => {
                    self.redact(&mut draft);
                    Ok(())
                }
                Stage::SchemaList => self.schemas.as_ref().map_or(Ok(()), |list| list.check(&draft.body)),
                Stage::Egress => self.egress.check(client),
                Stage::Quota => self.reserve(&mut draft, meter),
            };
            if let Err(error) = passed {
                let refused = !(self.log_only && stage.refuses());
                draft.events.push(SecurityEvent {
                    policy: stage,
                    code: error.code(),
                    refused,
                    detail: error.to_string(),
                });
                if refused {
                    let events = draft.events;
                    return Err(Box::new(Refused { error, events }));
                }
                draft.say(
                    error.code(),
                    format!("{error} (Policies only log: it was let through.)"),
                );
            }
        }
        finished(made, client, draft)
    }

    fn attach(draft: &mut Draft, schema: Option<&Value>) {
        if draft.body.schema.is_none()
            && let Some(schema) = schema
        {
            draft.put_in.push(json!({ "schema": schema }));
            draft.body.schema = Some(schema.clone());
        }
    }

    /// Never refuses: secrets are removed from the texts.
    fn redact(&self, draft: &mut Draft) {
        draft.counts.redacted_sent = each_text(&mut draft.body, &mut |text| self.redactor.keys(text));
        draft.counts.redacted_stored = each_text(&mut draft.stored, &mut |text| self.redactor.all(text));
        let (sent, stored) = (draft.counts.redacted_sent, draft.counts.redacted_stored);
        if sent > 0 {
            let text = "The request contained an API key; it was removed before sending.";
            draft.say(Code::SecretRedacted, text);
        }
        if sent + stored > 0 {
            draft.events.push(SecurityEvent {
                policy: Stage::Redaction,
                code: Code::SecretRedacted,
                refused: false,
                detail: format!("{sent} removed from what is sent, {stored} from what is stored"),
            });
        }
    }

    fn reserve(&self, draft: &mut Draft, meter: &Meter) -> Result<(), ProviderError> {
        let tokens = draft.body.tokens();
        // A request that is only logged counts as well.
        draft.reserved = meter.reserve(&self.quotas, tokens, self.log_only)?;
        match draft.reserved.over.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

fn finished(made: &Request, client: &Client, draft: Draft) -> Result<Effective, Box<Refused>> {
    let Draft {
        body,
        stored,
        put_in,
        mut counts,
        notices,
        events,
        reserved,
    } = draft;
    (counts.stored_messages, counts.stored_bytes) = measured(&stored);
    (counts.sent_messages, counts.sent_bytes) = measured(&body);
    counts.sent_images = images(&body);
    let build = |body: Body| crate::request::RequestBuilder::from(body).build();
    match (build(body), build(stored)) {
        (Ok(request), Ok(stored)) => Ok(Effective {
            fingerprint: made.fingerprint(client.provider().name(), client.model()),
            context_hash: canonical::hex(&canonical::hash(&Value::Array(put_in))),
            request,
            stored,
            counts,
            notices,
            events,
            reserved,
        }),
        (Err(error), _) | (_, Err(error)) => Err(Box::new(Refused { error, events })),
    }
}

/// Messages, and bytes of their words and of the instructions.
fn measured(body: &Body) -> (usize, usize) {
    let words = body.messages.iter().map(|message| message.content.text().len());
    let bytes = words.sum::<usize>() + body.system.as_ref().map_or(0, String::len);
    (body.messages.len(), bytes)
}

fn images(body: &Body) -> usize {
    let parts = body.messages.iter().flat_map(|message| match &message.content {
        Content::Parts(parts) => parts.as_slice(),
        Content::Text(_) => &[],
    });
    parts.filter(|part| matches!(part, Part::Image { .. })).count()
}

/// Applies `change` to every text from a person, a model or the scene; returns the sum of its results.
fn each_text(body: &mut Body, change: &mut dyn FnMut(&mut String) -> usize) -> usize {
    let mut sum = body.system.as_mut().map_or(0, &mut *change);
    for message in &mut body.messages {
        match &mut message.content {
            Content::Text(text) => sum += change(text),
            Content::Parts(parts) => {
                for part in parts {
                    if let Part::Text { text } = part {
                        sum += change(text);
                    }
                }
            }
        }
        for call in &mut message.tool_calls {
            sum += each_string(&mut call.arguments, change);
        }
    }
    sum
}
