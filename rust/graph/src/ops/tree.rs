//! Properties of the tree itself.

use geonode_protocol::{Code, Hint, SetTree};

use super::operation::{Before, Mention, Operation, short};
use super::work::Work;
use crate::ir::Tree;
use crate::properties::{tree_properties, tree_property};
use crate::sink::escape;
use crate::values::same;

impl<'p> Operation<'p> for &'p SetTree {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.set_tree(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let all = self.properties.iter();
        let all: Vec<String> = all
            .map(|(name, value)| format!("{} to {}", name.replace('_', " "), short(value)))
            .collect();
        format!("Set of the node group {}", all.join(", "))
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        Vec::new()
    }
}

impl Work<'_> {
    fn set_tree(&mut self, op: &SetTree) {
        for (name, value) in &op.properties {
            let field = format!("properties/{}", escape(name));
            let blender = &self.scope.catalogue.blender;
            let Some((want, new)) = tree_property(name, blender) else {
                let known: Vec<&str> = tree_properties(blender).collect();
                let hint = Hint::explain(format!("it has: {}", known.join(", ")));
                let message = format!("a node group has no property “{name}” in Blender {blender}");
                let path = self.sink.at(&field);
                self.sink.error(Code::UnknownProperty, path, message, Some(hint));
                continue;
            };
            let Some(fitted) = self.fit(&want, value, &field) else {
                continue;
            };
            if same(&fitted, &new) {
                self.model.settings.shift_remove(name);
            } else {
                self.model.settings.insert(name.clone(), fitted);
            }
        }
    }
}
