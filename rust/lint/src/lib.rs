//! Mistakes in a tree that Blender does not report: nodes that certainly have no effect, and unused results.
//!
//! Every finding names the node, the socket and what to do. Only certain mistakes are reported.

mod attributes;
mod finding;
mod flow;
mod materials;
mod structure;
mod wording;

use geonode_cost::observe;
use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;

pub use self::finding::{Lint, Question};
pub use self::structure::used;

/// Everything that is certainly wrong, in a stable order: by tree, then in the order of the checks.
pub fn lint(document: &Document, catalogue: &Catalogue, question: &Question<'_>) -> Vec<Lint> {
    let mut found = structure::check(document, catalogue, question);
    found.extend(attributes::check(document, catalogue, question));
    found.extend(materials::check(document, catalogue, question));
    if let Some(observations) = observe(document, catalogue, question.objects.iter().copied()) {
        flow::check(document, catalogue, question, &observations, &mut found);
    }
    let place = |lint: &Lint| question.trees.iter().position(|tree| *tree == lint.tree);
    found.sort_by_key(place);
    found
}
