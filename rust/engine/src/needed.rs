//! What must be read of a file before a plan can be checked against it.

use geonode_graph::{Targets, targets};
use geonode_protocol::{Action, Plan};
use geonode_text::needs;

/// The objects and trees that a plan names, in its operations and on its pages.
pub(crate) fn needed(plan: &Plan) -> Targets {
    let mut targets = targets(plan);
    for step in &plan.steps {
        if let Action::TreeText(page) = &step.action {
            let needs = needs(&page.text);
            targets.objects.extend(needs.objects);
            targets.trees.extend(needs.trees);
            targets.note_materials(needs.materials.iter().map(String::as_str));
        }
    }
    targets
}
