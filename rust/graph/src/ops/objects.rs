//! Objects that a plan makes for its trees.

use geonode_protocol::MakeObject;

use super::operation::{Before, Mention, Operation};
use super::work::Work;
use crate::documents::delta::ObjectEdit;
use crate::ir::Tree;

impl<'p> Operation<'p> for &'p MakeObject {
    fn carry_out(&self, work: &mut Work<'_>) {
        let name = &work.target.object;
        // One that is there already is what this plan made before.
        if work.target.new_object && work.objects.is_empty() {
            work.objects.push(ObjectEdit {
                name: name.clone(),
                location: self.location,
            });
        }
    }

    fn words(&self, before: &Before<'_>) -> String {
        format!("Make the object “{}”", before.object)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        Vec::new()
    }
}
