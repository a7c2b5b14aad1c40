//! The request of a run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use geonode_planner::saved::PresetFile;
use geonode_provider::policy::Redactor;
use geonode_provider::{ApiKey, Provider};
use geonode_run::Approve;
use geonode_tools::Image;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::EngineError;
use crate::settings::Settings;

/// The provider that plans without a model.
pub(crate) const OFFLINE: &str = Provider::OFFLINE;

/// A request of a run, as the host gives it (`EFFECTS.md`). The key never leaves this process and is never printed.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// The prompt.
    pub prompt: String,
    /// The run's target object; the active one when none is named.
    pub object: Option<String>,
    /// The run's target modifier.
    pub modifier: Option<String>,
    /// The provider.
    pub provider: String,
    /// Model of that provider.
    pub model: Option<String>,
    /// Endpoint with its version segment; for `replay` the file of recorded replies.
    pub base_url: Option<String>,
    /// Key of the provider.
    pub api_key: Option<ApiKey>,
    /// The settings.
    pub settings: Result<Settings, EngineError>,
    /// Path or JSON text of the catalogue of the running Blender.
    pub catalogue: String,
    /// The treatment of plans that need approval.
    pub approve: Approve,
    /// A plan given directly: no provider is asked.
    pub plan: Option<PlanInput>,
    /// Of a given plan that another run compiled, as a dry run tries it: indices of the steps that mean exactly the tree that they name. Its
    /// size was judged there.
    pub exact: Option<BTreeSet<usize>>,
    /// Replies of the provider `replay` given directly, in order.
    pub replies: Option<Vec<Value>>,
    /// Servers that data may be sent to; only the configured one when none are named.
    pub egress: Option<Vec<String>>,
    /// The add-on's own folder, for conversations and replies; without one nothing is stored.
    pub folder: Option<PathBuf>,
    /// The conversation that this run belongs to; a new one when none is named.
    pub conversation: Option<String>,
    /// Presets of the user, which the offline planner has beside those that ship.
    pub presets: Vec<PresetFile>,
    /// Reference pictures that the artist attached to the prompt.
    pub pictures: Vec<Image>,
    /// How many keys were removed from the prompt.
    pub(crate) removed_keys: usize,
    /// The request as given, without secrets.
    pub(crate) raw: Map<String, Value>,
}

/// A plan as text or as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PlanInput {
    /// Text, near-JSON included.
    Text(String),
    /// JSON.
    Json(Value),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    object: Option<String>,
    #[serde(default)]
    modifier: Option<String>,
    #[serde(default)]
    provider: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    base_url: Option<String>,
    #[serde(default)]
    api_key: Option<String>,
    #[serde(default)]
    settings: Map<String, Value>,
    catalogue: String,
    #[serde(default)]
    approve: Option<Approve>,
    #[serde(default)]
    plan: Option<Value>,
    #[serde(default)]
    exact: Option<BTreeSet<usize>>,
    #[serde(default)]
    replies: Option<Vec<Value>>,
    #[serde(default)]
    egress: Option<Vec<String>>,
    #[serde(default)]
    folder: Option<PathBuf>,
    #[serde(default)]
    conversation: Option<String>,
    #[serde(default)]
    presets: Vec<PresetFile>,
    #[serde(default)]
    pictures: Vec<Image>,
}

/// Most pictures of a prompt, and the most bytes of one in base64 (about 6 MB of file).
const MOST_PICTURES: usize = 4;
const PICTURE_BYTES: usize = 8 << 20;
/// Kinds of pictures that every provider takes.
const PICTURE_KINDS: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// Refuses pictures that no provider would take.
fn pictures(given: Vec<Image>) -> Result<Vec<Image>, EngineError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let wrong = |picture: &Image| {
        !PICTURE_KINDS.contains(&picture.media_type.as_str())
            || picture.data.is_empty()
            || picture.data.len() > PICTURE_BYTES
            || !picture.data.bytes().all(plain)
    };
    if given.len() > MOST_PICTURES || given.iter().any(wrong) {
        return Err(EngineError::Request(format!(
            "`pictures` holds at most {MOST_PICTURES} of {}, each as base64 of at most {} MB",
            PICTURE_KINDS.join(", "),
            PICTURE_BYTES >> 20
        )));
    }
    Ok(given)
}

impl RunRequest {
    /// Reads a request. Mistakes of an artist (settings, prompt, provider) are not checked here; they end the run with a report.
    ///
    /// # Errors
    /// [`EngineError::Request`] for unknown fields and wrong types; a key that is not valid.
    pub fn from_json(text: &str) -> Result<Self, EngineError> {
        let given = serde_json::from_str(text).map_err(|error| EngineError::Request(error.to_string()))?;
        Self::from_map(given)
    }

    pub(crate) fn from_map(given: Map<String, Value>) -> Result<Self, EngineError> {
        let mut raw = without_secrets(given.clone());
        let wire: Wire =
            serde_json::from_value(Value::Object(given)).map_err(|error| EngineError::Request(error.to_string()))?;
        let api_key = wire
            .api_key
            .map(ApiKey::new)
            .transpose()
            .map_err(|error| EngineError::Request(error.to_string().trim_end_matches('.').to_owned()))?;
        let pictures = pictures(wire.pictures)?;
        let mut prompt = wire.prompt;
        let removed_keys = Redactor::with_environment(api_key.as_ref()).secrets(&mut prompt);
        if removed_keys > 0 {
            raw.insert("prompt".into(), prompt.as_str().into());
        }
        Ok(Self {
            prompt,
            pictures,
            object: wire.object,
            modifier: wire.modifier,
            provider: wire.provider.unwrap_or_else(|| OFFLINE.to_owned()),
            model: wire.model,
            base_url: wire.base_url,
            api_key,
            settings: Settings::from_json(&wire.settings),
            catalogue: wire.catalogue,
            approve: wire.approve.unwrap_or_default(),
            plan: wire.plan.map(|plan| match plan {
                Value::String(text) => PlanInput::Text(text),
                other => PlanInput::Json(other),
            }),
            exact: wire.exact,
            replies: wire.replies,
            egress: wire.egress,
            folder: wire.folder,
            conversation: wire.conversation,
            presets: wire.presets,
            removed_keys,
            raw,
        })
    }

    /// Whether the same request would get the same reply, so that a retry is pointless.
    pub(crate) fn deterministic(&self) -> bool {
        self.plan.is_some() || self.provider == OFFLINE
    }

    /// Whether its plans come from presets.
    pub(crate) fn is_offline(&self) -> bool {
        self.plan.is_none() && self.replies.is_none() && self.provider == OFFLINE
    }
}

/// The request without its key, without an address that may contain one, and without the folder, which may contain a person's name.
fn without_secrets(mut request: Map<String, Value>) -> Map<String, Value> {
    request.remove("api_key");
    request.remove("folder");
    // Another process has its own.
    request.remove("presets");
    let address = request.get("base_url").and_then(Value::as_str).unwrap_or_default();
    if address.contains(['?', '@']) {
        request.remove("base_url");
    }
    request
}
