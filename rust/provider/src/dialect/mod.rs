//! One module per wire dialect, a folder if it is long. A dialect is pure: it builds requests and reads replies; sending is `http`'s alone.
//!
//! `rust/CONTRIBUTING.md` has the recipe for a new one.

mod anthropic;
mod chat;
mod error_body;
mod gemini;
mod interface;
mod openai_error;
mod repeated;
mod responses;
mod window;

pub(crate) use interface::{Call, Dialect, ModelPage, SchemaUse, Step};

use crate::providers::Provider;
use crate::schema::Subset;

/// The dialect that a provider speaks; `None` for those that do not use the network.
pub(crate) fn dialect_of(provider: Provider) -> Option<&'static dyn Dialect> {
    match provider {
        Provider::OpenAi => Some(&responses::Responses),
        Provider::OpenAiCompatible => Some(&chat::Chat),
        Provider::Anthropic => Some(&anthropic::Anthropic),
        Provider::Gemini => Some(&gemini::Gemini),
        Provider::Replay => None,
    }
}

impl Provider {
    /// What its constrained output takes; none where it takes what it is given, or has none.
    pub fn subset(self) -> Option<&'static Subset> {
        dialect_of(self)?.subset()
    }

    /// Whether asking it opens connections.
    pub fn uses_network(self) -> bool {
        dialect_of(self).is_some()
    }
}
