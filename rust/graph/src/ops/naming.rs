//! Names that a step gives to nodes. They are settled when all its operations are carried out, so that nodes pass names on to each other.

use std::collections::HashSet;

use geonode_protocol::{Code, Finding, Hint};

use super::work::{NewName, Work};
use crate::ir::MAX_NAME;
use crate::numbering::{free, numbered_names};

impl Work<'_> {
    /// Gives a node another name; its ID stays.
    pub(super) fn rename_node(&mut self, id: &str, wanted: &str) {
        let path = self.sink.at("value");
        if wanted.is_empty() || wanted.len() > MAX_NAME || wanted.contains('\0') {
            let message = format!("Blender does not keep the name “{wanted}” of a node");
            let hint = Hint::explain(format!("names have 1 to {MAX_NAME} bytes; a label may be empty"));
            return self.sink.error(Code::BadName, path, message, Some(hint));
        }
        let Some(now) = self.model.node(id).map(|node| node.name.clone()) else {
            return;
        };
        let known = self.new_names.iter().position(|name| name.id == id);
        let had = known.map_or_else(|| now.clone(), |at| self.new_names.remove(at).had);
        self.new_names.push(NewName {
            id: id.to_owned(),
            wanted: wanted.to_owned(),
            had,
            path,
        });
        // Until all are settled, operations find the node by the name that it gets, where that is free.
        let taken = self.model.nodes().any(|node| node.name == wanted);
        if let Some(node) = self.model.node_mut(id).filter(|_| !taken) {
            wanted.clone_into(&mut node.name);
        }
    }

    /// The name that an operation has given to a node which moves to another tree, where no other operation gives it one.
    pub(super) fn take_new_name(&mut self, id: &str) -> Option<String> {
        let at = self.new_names.iter().position(|name| name.id == id)?;
        Some(self.new_names.remove(at).wanted)
    }

    /// Gives every node the name that was asked for last. A name that another node keeps, or gets first, becomes the next free one, which
    /// is said.
    pub(crate) fn settle_names(&mut self) {
        let wanted = std::mem::take(&mut self.new_names);
        if wanted.is_empty() {
            return;
        }
        let named: HashSet<&str> = wanted.iter().map(|name| name.id.as_str()).collect();
        let others = self.model.nodes().filter(|node| !named.contains(node.id.as_str()));
        let kept: HashSet<String> = others.map(|node| node.name.clone()).collect();
        let mut taken = kept.clone();
        for name in &wanted {
            let NewName {
                id, wanted: asked, had, ..
            } = name;
            if self.model.node(id).is_none() {
                continue;
            }
            let is_asked = |text: &str| wanted.iter().any(|other| other.wanted == text);
            let given = if !taken.contains(asked) {
                asked.clone()
            } else if numbered_names(asked).any(|one| one == *had) && !taken.contains(had) && !is_asked(had) {
                had.clone() // the same plan again finds the number that it got
            } else {
                free(asked, |text| taken.contains(text) || is_asked(text))
            };
            if given != *asked {
                let who = if kept.contains(asked) {
                    format!("another node is named “{asked}”, which stays as it is")
                } else {
                    format!("another node gets the name “{asked}”")
                };
                let message = format!("{who}; “{id}” is named “{given}”");
                self.sink
                    .push(Finding::info(Code::NameTaken, name.path.clone(), message));
            }
            taken.insert(given.clone());
            if let Some(node) = self.model.node_mut(id) {
                node.name = given;
            }
        }
    }
}
