//! Nodes that steps move from tree to tree: they are those that they were, and belong to whom they belonged.

use std::collections::HashMap;

use crate::documents::delta::TreeDelta;

/// A tree and the ID of a node in it.
type Place = (String, String);

/// Where nodes were before the first step that moved them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves {
    origins: HashMap<Place, Place>,
}

impl Moves {
    /// Takes over the moves of a step.
    pub fn note(&mut self, step: &[TreeDelta]) {
        let mut found: Vec<(Place, Place)> = Vec::new();
        for tree in step {
            for node in &tree.moved {
                let (from, id) = self.origin(&node.tree, &node.from);
                let origin = (from.to_owned(), id.to_owned());
                found.push(((tree.tree.clone(), node.to.clone()), origin));
            }
        }
        for tree in step {
            for id in &tree.remove {
                self.origins.remove(&(tree.tree.clone(), id.clone()));
            }
        }
        self.origins.extend(found);
    }

    /// Tree and ID under which the node was known before; its own if it was not moved.
    pub fn origin<'m>(&'m self, tree: &'m str, id: &'m str) -> (&'m str, &'m str) {
        if self.origins.is_empty() {
            return (tree, id);
        }
        let known = self.origins.get(&(tree.to_owned(), id.to_owned()));
        known.map_or((tree, id), |(tree, id)| (tree, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::delta::MovedNode;

    fn tree(name: &str, remove: &[&str], moved: &[(&str, &str, &str)]) -> TreeDelta {
        TreeDelta {
            tree: name.into(),
            remove: remove.iter().map(|id| (*id).to_owned()).collect(),
            moved: moved
                .iter()
                .map(|(tree, from, to)| MovedNode {
                    from: (*from).into(),
                    tree: (*tree).into(),
                    to: (*to).into(),
                })
                .collect(),
            ..TreeDelta::default()
        }
    }

    #[test]
    fn a_node_that_moves_on_comes_from_where_it_was_first() {
        let mut moves = Moves::default();
        moves.note(&[tree("Inner", &[], &[("Tree", "a", "a")]), tree("Tree", &["a"], &[])]);
        assert_eq!(moves.origin("Inner", "a"), ("Tree", "a"));
        moves.note(&[tree("Tree", &["g"], &[("Inner", "a", "a.001")])]);
        assert_eq!(moves.origin("Tree", "a.001"), ("Tree", "a"));
        assert_eq!(moves.origin("Tree", "b"), ("Tree", "b"));
        moves.note(&[tree("Inner", &["a"], &[])]);
        assert_eq!(
            moves.origin("Inner", "a"),
            ("Inner", "a"),
            "another node of this ID is another node"
        );
    }
}
