//! A request between two steps of the pipeline.

use geonode_protocol::Code;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::quota::Reserved;
use super::stage::SecurityEvent;
use crate::reply::Notice;
use crate::request::Body;

/// Sizes of the request as made and as sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Messages of the original request.
    pub stored_messages: usize,
    /// Bytes of their words and of the instructions.
    pub stored_bytes: usize,
    /// Messages that are sent.
    pub sent_messages: usize,
    /// Bytes of their words and of the instructions.
    pub sent_bytes: usize,
    /// Pictures that are sent.
    pub sent_images: usize,
    /// Secrets that were removed from the stored request.
    pub redacted_stored: usize,
    /// Secrets that were removed from the sent request.
    pub redacted_sent: usize,
}

/// A request in the pipeline.
pub(super) struct Draft {
    pub(super) body: Body,
    pub(super) stored: Body,
    pub(super) put_in: Vec<Value>,
    pub(super) counts: Counts,
    pub(super) notices: Vec<Notice>,
    pub(super) events: Vec<SecurityEvent>,
    pub(super) reserved: Reserved,
}

impl Draft {
    /// The initial draft of a request.
    pub(super) fn of(made: &Body) -> Self {
        Self {
            body: made.clone(),
            stored: made.clone(),
            put_in: Vec::new(),
            counts: Counts::default(),
            notices: Vec::new(),
            events: Vec::new(),
            reserved: Reserved::default(),
        }
    }

    pub(super) fn say(&mut self, code: Code, text: impl Into<String>) {
        let text = text.into();
        self.notices.push(Notice { code, text });
    }
}
