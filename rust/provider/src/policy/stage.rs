//! The stages of the pipeline, and their security events.

use geonode_protocol::Code;
use serde::Serialize;

/// The stages of the pipeline, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Inserts the parts of the context that the request's filter selects.
    Context,
    /// Inserts the schema of the reply.
    Schema,
    /// Removes secrets: the configured keys from what is sent, everything that looks like one from what is stored.
    Redaction,
    /// Sends only schemas that this program made or a tool registered.
    SchemaList,
    /// Allows only the configured server, or those of a list.
    Egress,
    /// Limits requests and tokens per minute and day.
    Quota,
}

impl Stage {
    /// All of them, in the order in which a request passes them.
    pub const ORDER: [Self; 6] = [
        Self::Context,
        Self::Schema,
        Self::Redaction,
        Self::SchemaList,
        Self::Egress,
        Self::Quota,
    ];

    /// Its description, for the reference.
    pub fn about(self) -> &'static str {
        match self {
            Self::Context => {
                "Adds the parts of the context that the request asks for, such as the scene and the conversation, marked as data. \
                 Reports a part that is missing or empty."
            }
            Self::Schema => "Adds the schema that the reply must satisfy, unless the request has one.",
            Self::Redaction => {
                "Removes secrets: the configured keys from what is sent; everything that looks like a key, and folders that name a person, \
                 from what is stored (logs, history, conversations)."
            }
            Self::SchemaList => "Sends only schemas that this program made or a tool registered.",
            Self::Egress => {
                "Sends data, text and pictures alike, only to the configured server or to the allowed servers."
            }
            Self::Quota => {
                "Limits requests and tokens per minute and day, over all runs of this process: `max_requests_per_minute`, \
                 `max_requests_per_day`, `max_tokens_per_minute`, `max_tokens_per_day`."
            }
        }
    }

    /// The codes of its refusals and notices.
    pub fn codes(self) -> &'static [Code] {
        match self {
            Self::Context => &[Code::ContextKeyMissing, Code::ContextKeyEmpty],
            Self::Schema => &[],
            Self::Redaction => &[Code::SecretRedacted],
            Self::SchemaList => &[Code::SchemaNotAllowed],
            Self::Egress => &[Code::EgressDenied],
            Self::Quota => &[Code::RequestQuota],
        }
    }

    /// Whether the stage can refuse; with [`Policies::log_only`](super::Policies::log_only) it only reports.
    pub fn refuses(self) -> bool {
        matches!(self, Self::SchemaList | Self::Egress | Self::Quota)
    }
}

/// A security event. It names policies, origins and sizes, never content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecurityEvent {
    /// The policy that reported it.
    pub policy: Stage,
    /// Its code.
    pub code: Code,
    /// Whether the request was refused for it.
    pub refused: bool,
    /// More, in words; never a secret.
    pub detail: String,
}
