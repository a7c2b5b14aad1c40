//! Catalogues, read once per process since they are large and do not change while Blender runs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use geonode_graph::Catalogue;

use crate::error::EngineError;

/// Largest file that is read as a catalogue.
const MAX_BYTES: u64 = 64 << 20;

type Key = (PathBuf, SystemTime, u64);

/// The catalogue in `source`: JSON text, or the path of a file with it.
///
/// # Errors
/// [`EngineError::Catalogue`] when the file does not exist or does not have the expected form.
pub fn catalogue(source: &str) -> Result<Arc<Catalogue>, EngineError> {
    if source.trim_start().starts_with('{') {
        return parse(source, "the given text").map(Arc::new);
    }
    let unreadable = |error: std::io::Error| EngineError::Catalogue(format!("{source}: {error}."));
    let meta = std::fs::metadata(source).map_err(unreadable)?;
    if meta.len() > MAX_BYTES {
        return Err(EngineError::Catalogue(format!("{source} is larger than 64 MB.")));
    }
    let key = (PathBuf::from(source), meta.modified().map_err(unreadable)?, meta.len());
    if let Some(known) = cache().lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(Arc::clone(known));
    }
    let text = std::fs::read_to_string(source).map_err(unreadable)?;
    let read = Arc::new(parse(&text, source)?);
    cache()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(key, Arc::clone(&read));
    Ok(read)
}

fn parse(text: &str, source: &str) -> Result<Catalogue, EngineError> {
    Catalogue::from_json(text).map_err(|error| EngineError::Catalogue(format!("{source}: {error}.")))
}

fn cache() -> &'static Mutex<HashMap<Key, Arc<Catalogue>>> {
    static CACHE: OnceLock<Mutex<HashMap<Key, Arc<Catalogue>>>> = OnceLock::new();
    CACHE.get_or_init(Mutex::default)
}
