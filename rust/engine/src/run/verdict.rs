//! The gates' verdict on a run.

use geonode_graph::documents::Object;
use geonode_graph::documents::{Document, Evidence, Modifier};

/// The file after the run's writes: the compiled state, updated with Blender's measurements.
pub(crate) fn now(compiled: &Document, evidence: &Evidence) -> Document {
    let mut now = compiled.clone();
    now.trees.extend(evidence.trees.clone());
    for object in &evidence.objects {
        let was = now.objects.get(&object.name).cloned().unwrap_or_default();
        // Inputs of other modifiers are not evidence.
        let inputs = |modifier: &Modifier| {
            let known = was.modifiers.iter().find(|known| known.name == modifier.name);
            let other = known.filter(|known| known.kind == modifier.kind && known.kind != "NODES");
            other.map_or_else(|| modifier.inputs.clone(), |known| known.inputs.clone())
        };
        let modifiers = object.modifiers.iter().map(|modifier| Modifier {
            inputs: inputs(modifier),
            warnings: None,
            ..modifier.clone()
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
