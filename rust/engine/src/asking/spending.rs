//! Expected and actual costs of requests to a model.

use geonode_provider::policy::Counts;
use geonode_provider::{Estimate, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens and cost of all requests of a run together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Spent {
    /// As counted by the provider.
    #[serde(flatten)]
    pub tokens: Usage,
    /// In US dollars, or in the currency of the settings' prices; `None` if the prices are not known.
    pub cost_usd: Option<f64>,
    /// Requests that the cache of replies answered: they cost nothing.
    pub cached: u32,
}

/// One request, as the report lists it; never its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sent {
    /// Number of the requested plan, from 1.
    pub turn: u32,
    /// The requested model, if one is named.
    pub model: Option<String>,
    /// Its expected usage.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether the reply is streamed.
    pub stream: bool,
    /// Hash of the request before the policies.
    pub fingerprint: String,
    /// Hash of the context and schema that were inserted.
    pub context_hash: String,
    /// Its size as stored and as sent.
    #[serde(flatten)]
    pub counts: Counts,
    /// Whether a stored reply answers it and nothing is sent.
    pub cached: bool,
}
