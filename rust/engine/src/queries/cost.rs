//! The cost estimate on its own, for scripts and tests.

use geonode_cost::{Budget, Estimate, Multiplied, Stack, estimate, multiplied};
use geonode_graph::Document;
use indexmap::IndexMap;

use crate::catalogues;
use crate::error::EngineError;

/// The elements that the modifiers of each object of a document (as `inspect` returns it) are expected to create.
///
/// # Errors
/// [`EngineError::Document`] for a document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn estimates(document: &str, catalogue: &str) -> Result<IndexMap<String, Estimate>, EngineError> {
    let document: Document = serde_json::from_str(document).map_err(|e| EngineError::document("document", &e))?;
    let catalogue = catalogues::catalogue(catalogue)?;
    let names = document.objects.keys();
    Ok(names
        .map(|name| (name.clone(), estimate(&document, &catalogue, name, Budget::default())))
        .collect())
}

/// The result of modifiers that multiply an object's own data by their numbers (`{"elements", "extent", "modifiers"}`), as far as Blender
/// can handle it.
///
/// # Errors
/// [`EngineError::Document`] if it is not such a stack.
pub fn stack(stack: &str) -> Result<Multiplied, EngineError> {
    let stack: Stack = serde_json::from_str(stack).map_err(|e| EngineError::document("stack of modifiers", &e))?;
    Ok(multiplied(&stack))
}
