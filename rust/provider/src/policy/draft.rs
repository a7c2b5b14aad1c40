//! A request between two steps of the pipeline.

use geonode_protocol::Code;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::quota::Reserved;
use super::stage::SecurityEvent;
use crate::reply::Notice;
use crate::request::Body;

/// How much was made and how much of it goes out, counted apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Messages of the request as it was made.
    pub stored_messages: usize,
    /// Bytes of their words and of the instructions.
    pub stored_bytes: usize,
    /// Messages that are sent.
    pub sent_messages: usize,
    /// Bytes of their words and of the instructions.
    pub sent_bytes: usize,
    /// Pictures that are sent.
    pub sent_images: usize,
    /// Secrets that were taken out of what is stored.
    pub redacted_stored: usize,
    /// Secrets that were taken out of what is sent.
    pub redacted_sent: usize,
}

/// A request on its way.
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
    /// What a request that was made begins as.
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
