//! Scenes that the tests of several files use.

use geonode_graph::documents::Context;
use serde_json::json;

/// A plane of two units, in a scene whose unit is a centimetre, in the oldest supported Blender.
pub(crate) fn plane() -> Context {
    serde_json::from_value(json!({
        "active_object": "Plane",
        "objects": [{"name": "Plane", "type": "MESH", "dimensions": [2, 2, 0], "counts": {"vertices": 4, "edges": 4, "faces": 1}}],
        "units": {"scale_length": 0.01},
        "blender": [4, 2, 0]
    }))
    .unwrap()
}

/// The scene of a run without an input file.
pub(crate) fn starter() -> Context {
    serde_json::from_str(include_str!("../tests/fixtures/starter.json")).unwrap()
}
