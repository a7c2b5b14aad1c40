//! The interface to the pipeline of policies: how a run's settings configure it, and where its findings go.

use std::sync::OnceLock;
use std::time::Duration;

use geonode_protocol::{Code, Severity};
use geonode_provider::policy::{
    Attachments, Effective, Egress, Meter, Policies, QuotaLimits, Redactor, SchemaList, SecurityEvent, Stage,
};
use geonode_provider::{Client, Request, Tool};
use geonode_run::{Failure, Message, Origin};
use geonode_store::audit;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::asking::plan_request::{Brief, Listener};
use crate::asking::security;
use crate::clock::clock;
use crate::request::RunRequest;
use crate::settings::Settings;

/// Most requests of a run that a saved run lists; retries and iterations are limited to far fewer.
const MAX_TAKEN: usize = 500;

/// The policies of a request that offers these schemas.
fn of(client: &Client, request: &RunRequest, settings: &Settings, schemas: &[&Value]) -> Result<Policies, Failure> {
    let egress = match &request.egress {
        None => Egress::default(),
        Some(servers) => Egress::only(servers).map_err(|error| Failure::new(error.code(), error.to_string()))?,
    };
    Ok(Policies {
        log_only: settings.policy_log_only,
        redactor: client.redactor(),
        schemas: Some(SchemaList::of(schemas.iter().copied())),
        egress,
        quotas: QuotaLimits {
            requests_per_minute: settings.max_requests_per_minute,
            requests_per_day: settings.max_requests_per_day,
            tokens_per_minute: settings.max_tokens_per_minute,
            tokens_per_day: settings.max_tokens_per_day,
        },
    })
}

/// Whether the settings allow any request to this client's server.
pub(crate) fn allows(client: &Client, request: &RunRequest) -> bool {
    let servers = request.egress.as_deref().map(Egress::only).transpose();
    servers.is_ok_and(|servers| servers.unwrap_or_default().allows(client))
}

/// Sends a request through the policies; their findings become messages and security events.
///
/// # Errors
/// The code of the policy that refused.
pub(crate) fn apply(
    client: &Client,
    brief: &Brief<'_>,
    made: &Request,
    attachments: &Attachments,
    tools: &[Tool],
    listener: &dyn Listener,
) -> Result<Effective, Failure> {
    let offered = tools.iter().map(|tool| &tool.input_schema);
    let schemas: Vec<&Value> = attachments.schema.iter().chain(offered).collect();
    let policies = of(client, brief.request, brief.settings, &schemas)?;
    match policies.apply(client, made, attachments, Meter::process()) {
        Ok(passed) => {
            passed.events.iter().for_each(note);
            for notice in &passed.notices {
                let text = notice.text.as_str();
                listener.message(Message::new(Severity::Warning, Origin::Request, notice.code, text));
            }
            Ok(passed)
        }
        Err(refused) => {
            refused.events.iter().for_each(note);
            Err(Failure::new(refused.error.code(), refused.error.to_string()))
        }
    }
}

fn note(event: &SecurityEvent) {
    audit::record(audit::Event::Policy { event: event.clone() });
    security::note("policy", json!(event));
}

/// Records that keys were removed from what the artist typed.
pub(crate) fn note_typed_keys(count: usize) {
    note(&SecurityEvent {
        policy: Stage::Redaction,
        code: Code::SecretRedacted,
        refused: false,
        detail: format!("{count} removed from the prompt"),
    });
}

/// Redacts what is stored beyond the run.
pub(crate) fn redactor(client: Option<&Client>, request: &RunRequest) -> Redactor {
    match client {
        Some(client) => client.redactor(),
        None => Redactor::new(request.api_key.clone()),
    }
}

/// Withdraws a request that was not sent.
pub(crate) fn release(passed: &Effective) {
    Meter::process().release(&passed.reserved);
}

/// A run's share of the quotas of its process. It is part of saved runs and counts in the process that resumes one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Taken {
    /// The process that already counts it.
    process: String,
    requests: Vec<TakenOnce>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TakenOnce {
    /// Unix time in seconds.
    at: f64,
    tokens: u64,
}

impl Taken {
    /// Counts another request.
    pub(crate) fn note(&mut self, tokens: u64) {
        this_process().clone_into(&mut self.process);
        if self.requests.len() < MAX_TAKEN {
            let at = clock();
            self.requests.push(TakenOnce { at, tokens });
        }
    }

    /// Counts the requests of a saved run in the process that resumes it.
    pub(crate) fn resume(&mut self) {
        if self.process.is_empty() || self.process == this_process() {
            return;
        }
        this_process().clone_into(&mut self.process);
        let now = clock();
        self.requests.truncate(MAX_TAKEN);
        for request in &self.requests {
            // A time in the future comes from another clock.
            let ago = Duration::try_from_secs_f64((now - request.at).max(0.0)).unwrap_or(Duration::MAX);
            Meter::process().earlier(ago, request.tokens);
        }
    }
}

/// An identifier that no other process has.
fn this_process() -> &'static str {
    use std::hash::{BuildHasher, RandomState};
    static WORD: OnceLock<String> = OnceLock::new();
    WORD.get_or_init(|| {
        format!(
            "{:x}-{:016x}",
            std::process::id(),
            RandomState::new().hash_one(clock().to_bits())
        )
    })
}

/// Records the usage that the provider counted.
pub(crate) fn settle(passed: &Effective, tokens: u64) {
    Meter::process().settle(&passed.reserved, tokens);
}
