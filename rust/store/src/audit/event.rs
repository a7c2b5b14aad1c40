//! The events that are recorded in the log.

use geonode_protocol::Code;
use geonode_provider::keys::KeyPlace;
use geonode_provider::policy::SecurityEvent;
use geonode_run::Decision;
use serde::Serialize;

/// An event that is recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "detail", rename_all = "snake_case")]
pub enum Event {
    /// A request goes to a model.
    Request {
        /// Provider by its name in the settings.
        provider: String,
        /// Scheme, host and port.
        origin: Option<String>,
        /// Requested model; `None` if the endpoint's first one is used.
        model: Option<String>,
        /// Size of the request in bytes, without the additions of the provider's format.
        bytes: usize,
        /// Number of pictures in it.
        images: usize,
        /// Hash of the request and its recipient: equal requests have equal hashes.
        fingerprint: String,
    },
    /// The artist, or a script on their behalf, answered an approval request.
    Approval {
        /// The answer.
        decision: Decision,
        /// The subject.
        #[serde(flatten)]
        asked: Asked,
        /// Operations that were left out.
        left_out: usize,
    },
    /// A rule refused a plan or a call.
    Refused {
        /// The codes of the rules.
        codes: Vec<Code>,
        /// Such events before this one that are not recorded, as there were too many.
        #[serde(skip_serializing_if = "is_none")]
        left_out: u32,
    },
    /// A policy reported something about a request to a model.
    Policy {
        /// The report, with policies, origins and sizes.
        #[serde(flatten)]
        event: SecurityEvent,
    },
    /// A trusted script was allowed to run.
    TrustedScript {
        /// Its hash.
        sha256: String,
        /// Its length.
        characters: usize,
    },
    /// A key was stored.
    KeyKept {
        /// Provider and origin.
        slot: String,
        /// Where it was stored.
        #[serde(flatten)]
        place: KeyPlace,
    },
    /// A stored key was removed.
    KeyRemoved {
        /// Provider and origin.
        slot: String,
    },
    /// Another program on this machine called a tool that writes, or was refused; without its arguments.
    Program {
        /// What it calls itself; empty where it was not let in.
        client: String,
        /// The tool; empty where no call was understood.
        tool: String,
        /// Why it was refused or failed; `None` for a call that was carried out.
        code: Option<Code>,
        /// Such events before this one that are not recorded, as there were too many.
        left_out: u32,
    },
    /// Events arrived faster than they could be written.
    Lost {
        /// How many entries are missing.
        events: u64,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(left_out: &u32) -> bool {
    *left_out == 0
}

/// The subject of a request, without its words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The types of the plan's steps, in order.
    pub steps: Vec<String>,
    /// Whether a step counts as destructive (`AskedStep::destructive`).
    pub destructive: bool,
    /// The tool, if the request was about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}
