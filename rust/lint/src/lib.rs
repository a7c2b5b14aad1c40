//! What is wrong with a tree although Blender says nothing: nodes that certainly do nothing, and results that go nowhere.
//!
//! Every finding names the node, the socket and what to do. It is only made when it is certain: what is not known is taken to be well.

mod attributes;
mod flow;
mod structure;
mod words;

use std::collections::BTreeSet;

use geonode_protocol::Code;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::document::Document;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// Tree that holds the node.
    pub tree: String,
    /// ID of the node.
    pub node: String,
    /// Name of the socket.
    pub socket: Option<String>,
    /// What it is.
    pub code: Code,
    /// The node certainly does nothing; otherwise it is only doubtful.
    pub effectless: bool,
    /// What is wrong, in words.
    pub cause: String,
    /// What to do, in words.
    pub fix: String,
}

/// What is to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Objects whose modifiers run the trees; their data decides what flows.
    pub objects: &'a [&'a str],
    /// Trees that are judged.
    pub trees: &'a [&'a str],
    /// Names of all attributes that there are; none: nobody knows.
    pub attributes: Option<&'a BTreeSet<String>>,
}

/// Everything that is certainly wrong, in a stable order: by tree, then in the order of the checks.
pub fn lint(document: &Document, catalogue: &Catalogue, question: &Question<'_>) -> Vec<Lint> {
    let mut found = structure::check(document, catalogue, question);
    found.extend(attributes::check(document, catalogue, question));
    flow::check(document, catalogue, question, &mut found);
    let place = |lint: &Lint| question.trees.iter().position(|tree| *tree == lint.tree);
    found.sort_by_key(place);
    found
}
