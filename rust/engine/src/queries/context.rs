//! The context that a model would see of a scene, for scripts.

use geonode_graph::Document;
use geonode_protocol::ContextRequest;
use serde_json::Value;

use crate::catalogues;
use crate::error::EngineError;

/// The part of a context that a model would see within a budget of tokens, with slices: the context's keys, `tree` as a page, `slices` in the
/// order of the requests, and the `hash` of all of these.
///
/// # Errors
/// [`EngineError::Document`] or [`EngineError::Catalogue`] for JSON that does not have the expected form.
pub fn shown_context(
    context: &str,
    document: &str,
    catalogue: &str,
    budget_tokens: u64,
    requests: &str,
) -> Result<Value, EngineError> {
    let context: Value = serde_json::from_str(context).map_err(|e| EngineError::document("context", &e))?;
    let document: Document = serde_json::from_str(document).map_err(|e| EngineError::document("document", &e))?;
    let requests: Vec<ContextRequest> =
        serde_json::from_str(requests).map_err(|e| EngineError::document("list of slices", &e))?;
    let catalogue = catalogues::catalogue(catalogue)?;
    Ok(geonode_prompting::shown_context(
        &context,
        &document,
        &catalogue,
        budget_tokens,
        &requests,
    ))
}
