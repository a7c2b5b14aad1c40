//! The events that get an entry in the log.

use geonode_protocol::Code;
use geonode_provider::keys::Place;
use geonode_provider::policy::SecurityEvent;
use geonode_run::Decision;
use serde::Serialize;

/// An event that gets an entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "detail", rename_all = "snake_case")]
pub enum Event {
    /// A request goes to a model.
    Request {
        /// Provider by its name in the settings.
        provider: String,
        /// Scheme, host and port.
        origin: Option<String>,
        /// Model as it was asked for; none where the endpoint's first one is used.
        model: Option<String>,
        /// Bytes of the request, without what the provider's own form adds.
        bytes: usize,
        /// Pictures in it.
        images: usize,
        /// Hash of what is asked, and of whom: equal requests have equal ones.
        fingerprint: String,
    },
    /// The artist, or whoever answers for them, answered a question.
    Approval {
        /// What was answered.
        decision: Decision,
        /// What it was about.
        #[serde(flatten)]
        asked: Asked,
        /// Operations that were left out.
        left_out: usize,
    },
    /// A rule refused a plan or a call.
    Refused {
        /// Which rules.
        codes: Vec<Code>,
    },
    /// A policy found something about a request to a model.
    Policy {
        /// What it found; it names policies, origins and sizes.
        #[serde(flatten)]
        event: SecurityEvent,
    },
    /// A script was allowed to do everything.
    TrustedScript {
        /// Its hash.
        sha256: String,
        /// Its length.
        characters: usize,
    },
    /// A key was kept.
    KeyKept {
        /// Provider and origin.
        slot: String,
        /// Where.
        #[serde(flatten)]
        place: Place,
    },
    /// A stored key was removed.
    KeyRemoved {
        /// Provider and origin.
        slot: String,
    },
    /// More happened at once than could be written.
    Lost {
        /// How many entries are missing.
        events: u64,
    },
}

/// What a question was about, without its words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The types of the plan's steps, in order.
    pub steps: Vec<String>,
    /// Whether something that existed before is removed.
    pub destructive: bool,
    /// The tool, where the question was about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}
