//! What findings name by ID, in the words of pages: a model that writes pages knows no other names.

use std::collections::BTreeMap;

use geonode_graph::Catalogue;
use geonode_graph::ir::Tree;

use super::variables::Variables;

/// Words of nodes by their IDs, where they differ.
#[derive(Debug, Clone, Default)]
pub struct Called(BTreeMap<String, String>);

impl Called {
    /// The words in these trees; none of an ID that has several.
    pub fn of<'t>(trees: impl Iterator<Item = &'t Tree>, catalogue: &Catalogue) -> Self {
        let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
        for tree in trees {
            let variables = Variables::new(tree, catalogue);
            for node in &tree.nodes {
                let word = variables.variable(&node.id).filter(|_| !node.id.contains('/'));
                let known = found.entry(node.id.clone()).or_insert_with(|| word.map(str::to_owned));
                if known.as_deref() != word {
                    *known = None;
                }
            }
        }
        let differing = found
            .into_iter()
            .filter_map(|(id, word)| Some((id.clone(), word.filter(|word| *word != id)?)));
        Self(differing.collect())
    }

    /// A text about findings in these words: IDs stand in it in “quotes”, and in JSON as `node_id`.
    #[must_use]
    pub fn in_words(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (id, word)| {
            text.replace(&format!("“{id}”"), &format!("“{word}”"))
                .replace(&format!("\"node_id\":\"{id}\""), &format!("\"node_id\":\"{word}\""))
        })
    }
}
