//! Tree documents on their own: checked, and compared in words.

use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, semantic_diff};

use crate::error::EngineError;

/// Checks that `text` is a sound tree document.
///
/// # Errors
/// [`EngineError::Tree`] with the first thing that is wrong.
pub fn check_tree(text: &str) -> Result<(), EngineError> {
    Bundle::read(text).map(drop).map_err(EngineError::from)
}

/// The changes from one tree document to another in plain words; nothing for equal ones. The catalogue gives names and units.
///
/// # Errors
/// [`EngineError::Tree`] for a document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn diff(before: &str, after: &str, catalogue: Option<&str>) -> Result<Vec<String>, EngineError> {
    let (before, after) = (Bundle::read(before)?, Bundle::read(after)?);
    match catalogue {
        Some(source) => Ok(semantic_diff(&before, &after, crate::catalogue(source)?.as_ref())),
        None => Ok(semantic_diff(&before, &after, &Catalogue::default())),
    }
}
