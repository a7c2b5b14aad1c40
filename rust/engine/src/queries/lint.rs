//! The lint on its own, for scripts and tests.

use std::collections::BTreeSet;

use geonode_cost::{Components, RULES};
use geonode_graph::Document;
use geonode_lint::{Question, lint};
use geonode_protocol::Code;
use serde::Serialize;

use crate::catalogues;
use crate::error::EngineError;

/// A mistake in a tree that Blender does not report.
#[derive(Debug, Clone, Serialize)]
pub struct TreeLint {
    /// Tree that contains the node.
    pub tree: String,
    /// ID of the node.
    pub node: String,
    /// Name of the socket.
    pub socket: Option<String>,
    /// Its code.
    pub code: Code,
    /// Whether the node certainly has no effect.
    pub effectless: bool,
    /// The mistake, in words.
    pub cause: String,
    /// The fix, in words.
    pub fix: String,
}

/// Certain mistakes in the trees of a document (as `inspect` returns it), on its objects. `attributes` are the names of all
/// attributes that exist; without them, names of attributes are not checked.
///
/// # Errors
/// [`EngineError::Document`] for a document, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn lints(
    document: &str,
    catalogue: &str,
    attributes: Option<&BTreeSet<String>>,
) -> Result<Vec<TreeLint>, EngineError> {
    let document: Document = serde_json::from_str(document).map_err(|e| EngineError::document("document", &e))?;
    let catalogue = catalogues::catalogue(catalogue)?;
    let objects: Vec<&str> = document.objects.keys().map(String::as_str).collect();
    let trees: Vec<&str> = document.trees.keys().map(String::as_str).collect();
    let question = Question {
        objects: &objects,
        trees: &trees,
        attributes,
        materials: None,
    };
    let found = lint(&document, &catalogue, &question);
    Ok(found
        .into_iter()
        .map(|lint| TreeLint {
            tree: lint.tree,
            node: lint.node,
            socket: lint.socket,
            code: lint.code,
            effectless: lint.effectless,
            cause: lint.cause,
            fix: lint.fix,
        })
        .collect())
}

/// One row of the table of what nodes act on.
#[derive(Debug, Clone, Serialize)]
pub struct EffectRow {
    /// `bl_idname` of the node.
    pub node: String,
    /// Name of the input; `None`: the node's first geometry.
    pub input: Option<&'static str>,
    /// Property or menu and its value, folded, for which the row applies.
    pub mode: Option<(&'static str, &'static str)>,
    /// Components that the node acts on.
    pub acts_on: Vec<&'static str>,
    /// Whether it acts on geometry inside instances.
    pub deep: bool,
}

/// The table of what nodes act on, for the test that verifies it in Blender.
pub fn effects() -> Vec<EffectRow> {
    const NAMES: [(Components, &str); 8] = [
        (Components::VERTICES, "vertices"),
        (Components::EDGES, "edges"),
        (Components::FACES, "faces"),
        (Components::CURVES, "curves"),
        (Components::POINTS, "points"),
        (Components::INSTANCES, "instances"),
        (Components::VOLUME, "volume"),
        (Components::STROKES, "strokes"),
    ];
    let row = |rule: &geonode_cost::Rule| EffectRow {
        node: format!("GeometryNode{}", rule.node),
        input: rule.secondary,
        mode: rule.mode,
        acts_on: NAMES
            .iter()
            .filter(|(one, _)| rule.acts_on.meets(*one))
            .map(|(_, name)| *name)
            .collect(),
        deep: rule.deep,
    };
    RULES.iter().map(row).collect()
}
