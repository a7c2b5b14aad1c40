//! The interface to `geonode-planner`: prompt and context in, plans out.

use geonode_graph::documents::Context;
use geonode_planner::Planned;
use geonode_planner::offline::{self, Options};
use geonode_planner::saved::PresetFile;
use geonode_run::Failure;
use serde::Deserialize;
use serde_json::Value;

use crate::error::EngineError;

/// A plan without a model, and how the prompt was read.
pub(crate) fn offline(
    prompt: &str,
    object: Option<&str>,
    context: &Value,
    presets: &[PresetFile],
) -> Result<Planned, Failure> {
    let context = read(context)?;
    let options = Options {
        object: object.map(str::to_owned),
        words: geonode_store::seal(&label(prompt)),
        presets: presets.to_vec(),
    };
    offline::answer(prompt, &context, &options).map_err(|refusal| Failure {
        instead: refusal.instead,
        ..Failure::new(refusal.code, refusal.message)
    })
}

/// What the run is called: `GeoNode: scatter 200 rocks on the plane`. Its undo step shows the beginning, its digest marks what it made.
pub(crate) fn label(prompt: &str) -> String {
    let words = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        "GeoNode: plan".to_owned()
    } else {
        format!("GeoNode: {words}")
    }
}

/// The context as the planner sees it.
pub(crate) fn read(context: &Value) -> Result<Context, EngineError> {
    Context::deserialize(context).map_err(|error| EngineError::document("context", &error))
}
