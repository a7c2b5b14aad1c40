//! The interface to `geonode-planner`: prompt and context in, plans out.

use geonode_graph::documents::Context;
use geonode_planner::offline::{self, Options};
use geonode_run::Failure;
use serde::Deserialize;
use serde_json::Value;

use crate::error::EngineError;

/// Longest text of an undo step.
const LABEL_CHARS: usize = 40;

/// A plan without a model.
pub(crate) fn offline(prompt: &str, object: Option<&str>, context: &Value) -> Result<Value, Failure> {
    let context = read(context)?;
    // Of a longer prompt the mark contains only the beginning, which other prompts may share.
    let label = label(prompt);
    let words = if label.ends_with('…') {
        String::new()
    } else {
        geonode_store::seal(&label)
    };
    let options = Options {
        object: object.map(str::to_owned),
        words,
    };
    offline::plan(prompt, &context, &options).map_err(|refusal| Failure::new(refusal.code, refusal.message))
}

/// Text of the undo step, `GeoNode: scatter 200 rocks on the …`; its digest marks what the run created.
pub(crate) fn label(prompt: &str) -> String {
    let words = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LABEL_CHARS) {
        Some((end, _)) => format!("GeoNode: {}…", words.get(..end).unwrap_or_default().trim_end()),
        None if words.is_empty() => "GeoNode: plan".to_owned(),
        None => format!("GeoNode: {words}"),
    }
}

/// The context as the planner sees it.
pub(crate) fn read(context: &Value) -> Result<Context, EngineError> {
    Context::deserialize(context).map_err(|error| EngineError::document("context", &error))
}
