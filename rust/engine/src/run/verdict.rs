//! The gates' verdict on a run.

use geonode_gates::{Evidence, EvidenceModifier};
use geonode_graph::Document;
use geonode_graph::document::{Modifier, Object};

/// The file after the run's writes: as it was compiled, with everything that Blender measured in its place.
pub(crate) fn now(compiled: &Document, evidence: &Evidence) -> Document {
    let mut now = compiled.clone();
    now.trees.extend(evidence.trees.clone());
    for object in &evidence.objects {
        let was = now.objects.get(&object.name).cloned().unwrap_or_default();
        // Inputs of other modifiers are no evidence.
        let inputs = |modifier: &EvidenceModifier| {
            let known = was.modifiers.iter().find(|known| known.name == modifier.name);
            let other = known.filter(|known| known.kind == modifier.kind && known.kind != "NODES");
            other.map_or_else(|| modifier.inputs.clone(), |known| known.inputs.clone())
        };
        let modifiers = object.modifiers.iter().map(|modifier| Modifier {
            name: modifier.name.clone(),
            kind: modifier.kind.clone(),
            node_group: modifier.node_group.clone(),
            inputs: inputs(modifier),
        });
        let modifiers = modifiers.collect();
        let known = Object {
            kind: object.kind.clone(),
            modifiers,
            ..was
        };
        now.objects.insert(object.name.clone(), known);
    }
    now
}
