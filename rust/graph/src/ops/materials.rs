//! Materials that a plan makes for its nodes.

use geonode_protocol::{Action, Code, GnOp, Hint, MakeMaterial, NodeTreeOp};

use super::operation::{Before, Mention, Operation};
use super::operations_of;
use super::work::Work;
use crate::documents::delta::MaterialEdit;
use crate::ir::{MAX_NAME, Tree};

impl<'p> Operation<'p> for &'p MakeMaterial {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.make_material(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        format!("Make the material “{}”", self.name)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        Vec::new()
    }
}

impl Work<'_> {
    fn make_material(&mut self, op: &MakeMaterial) {
        if op.name.len() > MAX_NAME || op.name.contains('\0') {
            let path = self.sink.at("name");
            let message = format!("Blender does not keep the name “{}” of a material whole", op.name);
            let hint = Hint::explain(format!("names have at most {MAX_NAME} bytes"));
            return self.sink.error(Code::BadName, path, message, Some(hint));
        }
        let edit = MaterialEdit {
            name: op.name.clone(),
            base_color: op.base_color.clone(),
            roughness: op.roughness,
            metallic: op.metallic,
            transmission: op.transmission,
            alpha: op.alpha,
            emission_color: op.emission_color.clone(),
            emission_strength: op.emission_strength,
        };
        match self.materials.iter().find(|known| known.name == op.name) {
            Some(known) if *known != edit => {
                let path = self.sink.at("name");
                let message = format!("the material “{}” is made twice, with other values", op.name);
                let hint = Hint::explain("two materials have two names");
                self.sink.error(Code::DuplicateId, path, message, Some(hint));
            }
            Some(_) => {}
            None => self.materials.push(edit),
        }
    }
}

/// The material that an operation of a step makes.
pub(crate) fn material(action: &Action, at: usize) -> Option<&MakeMaterial> {
    match action {
        Action::NodeTree(payload) => match payload.operations.get(at)? {
            NodeTreeOp::MakeMaterial(op) => Some(op),
            _ => None,
        },
        Action::GnOps(payload) => match payload.ops.get(at)? {
            GnOp::MakeMaterial(op) => Some(op),
            _ => None,
        },
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => None,
    }
}

/// Names of the materials that a step makes.
pub(crate) fn materials_of(action: &Action) -> impl Iterator<Item = &str> {
    let count = operations_of(action).count();
    (0..count).filter_map(|at| Some(material(action, at)?.name.as_str()))
}
