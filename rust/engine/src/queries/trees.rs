//! Tree documents on their own: checked, and compared in words.

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::Bundle;
use geonode_graph::sockets::Scope;
use geonode_graph::{
    Catalogue, compact as compact_form, node_sockets, read_compact as read_form, semantic_diff,
    structures as structures_of,
};
use geonode_text::{Extent, Names, write as write_text};
use serde_json::{Map, Value, json};

use crate::catalogues;
use crate::error::EngineError;

/// Checks that `text` is a sound tree document.
///
/// # Errors
/// [`EngineError::Tree`] with the first thing that is wrong.
pub fn check_tree(text: &str) -> Result<(), EngineError> {
    Bundle::read(text).map(drop).map_err(EngineError::from)
}

/// The changes from one tree document to another in plain words; empty for equal ones. The catalogue provides names and units.
///
/// # Errors
/// [`EngineError::Tree`] for a document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn diff(before: &str, after: &str, catalogue: Option<&str>) -> Result<Vec<String>, EngineError> {
    let (before, after) = (Bundle::read(before)?, Bundle::read(after)?);
    match catalogue {
        Some(source) => Ok(semantic_diff(&before, &after, catalogues::catalogue(source)?.as_ref())),
        None => Ok(semantic_diff(&before, &after, &Catalogue::default())),
    }
}

/// The compact form of a tree document.
///
/// # Errors
/// [`EngineError::Tree`] for the document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn compact(tree: &str, catalogue: &str) -> Result<String, EngineError> {
    Ok(compact_form(
        &Bundle::read(tree)?,
        catalogues::catalogue(catalogue)?.as_ref(),
    ))
}

/// The page of a tree document (`text/FORM.md`), `full` with places and looks, and what it cannot say: `{"text", "losses": [TEXT…]}`.
///
/// # Errors
/// [`EngineError::Tree`] for the document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn tree_text(tree: &str, catalogue: &str, full: bool) -> Result<Value, EngineError> {
    let catalogue = catalogues::catalogue(catalogue)?;
    let extent = if full { Extent::Full } else { Extent::Structure };
    let page = write_text(&Bundle::read(tree)?, &Names::new(catalogue.as_ref()), extent);
    Ok(json!({"text": page.text, "losses": page.losses}))
}

/// The trees of a compact form by name, without the parts that it leaves out.
///
/// # Errors
/// [`EngineError::Tree`] for the first line that is wrong, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn read_compact(text: &str, catalogue: &str) -> Result<Value, EngineError> {
    let trees = read_form(text, catalogues::catalogue(catalogue)?.as_ref())?;
    Ok(json!(trees))
}

/// What each socket of every tree of a document holds, as Blender names it: `{tree: {node: {"inputs"|"outputs": {identifier: STRUCTURE}}}}`.
///
/// # Errors
/// [`EngineError::Tree`] for the document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn structures(tree: &str, catalogue: &str) -> Result<Value, EngineError> {
    let bundle = Bundle::read(tree)?;
    let catalogue = catalogues::catalogue(catalogue)?;
    let scope = Scope {
        catalogue: catalogue.as_ref(),
        trees: &bundle.trees,
    };
    let found = bundle
        .trees
        .iter()
        .map(|(name, tree)| (name.clone(), json!(structures_of(scope, tree))));
    Ok(Value::Object(found.collect()))
}

/// The available sockets of every node of a tree document: `{tree: {node: {"inputs"|"outputs": [[identifier, name, type]…]}}}`.
///
/// # Errors
/// [`EngineError::Tree`] for the document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn sockets(tree: &str, catalogue: &str) -> Result<Value, EngineError> {
    let bundle = Bundle::read(tree)?;
    let catalogue = catalogues::catalogue(catalogue)?;
    let list = |sockets: &[Socket]| -> Value {
        let available = sockets.iter().filter(|socket| socket.available);
        available
            .map(|socket| json!([socket.identifier, socket.name, socket.kind]))
            .collect()
    };
    let mut trees = Map::new();
    for (name, tree) in &bundle.trees {
        let nodes = node_sockets(name, tree, &bundle.trees, &catalogue).into_iter();
        let nodes: Map<String, Value> = nodes
            .map(|(id, inputs, outputs)| (id, json!({"inputs": list(&inputs), "outputs": list(&outputs)})))
            .collect();
        trees.insert(name.clone(), Value::Object(nodes));
    }
    Ok(Value::Object(trees))
}
