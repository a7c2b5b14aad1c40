//! What requests to a model are expected to cost, and what they did cost.

use geonode_provider::policy::Counts;
use geonode_provider::{Estimate, Usage};
use serde::{Deserialize, Serialize};

/// Tokens of all requests of a run together, and what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// As the provider counted them.
    #[serde(flatten)]
    pub tokens: Usage,
    /// In US dollars, or in the currency of the settings' prices; none where the prices are not known.
    pub cost_usd: Option<f64>,
    /// Requests that the cache of replies answered: they cost nothing.
    pub cached: u32,
}

/// One request, as the report lists it; never its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// The plan that was asked for, from 1.
    pub turn: u32,
    /// The model that is asked, where one is named.
    pub model: Option<String>,
    /// What it was expected to use.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether the reply comes in pieces.
    pub stream: bool,
    /// Hash of the request before the policies.
    pub fingerprint: String,
    /// Hash of the context and schema that were inserted.
    pub context_hash: String,
    /// Its size as stored and as sent.
    #[serde(flatten)]
    pub counts: Counts,
    /// A kept reply answers it; nothing is sent.
    pub cached: bool,
}
