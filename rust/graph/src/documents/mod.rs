//! The documents that Blender and the core exchange (`FORMATS.md`): each is defined once, here, with a schema.
//!
//! Rust refuses unknown fields and fills in missing ones, since tests and saved runs contain fewer. A schema says what a
//! complete document has; the Python definitions (`addon/geonode_assistant/host/documents.py`) are generated from it.

pub mod context;
pub mod delta;
mod document;
pub mod evidence;
mod modifier;
mod scene;

pub use context::Context;
pub use delta::StepDelta;
pub use document::{Animated, AnimatedBy, Document, Object, TreeInfo};
pub use evidence::Evidence;
pub use modifier::{Made, Modifier, NodeWarning};
pub use scene::{EvaluatedMesh, Figures, Scene};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::ir::{self, Bundle};

/// The JSON Schemas of the documents by name. The one for trees says what is accepted, since people write such documents too; the others say
/// what a complete document has.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("tree_ir", ir::schema()),
        ("context", schema::<Context>()),
        ("document", schema::<Document>()),
        ("delta", schema::<StepDelta>()),
        ("evidence", schema::<Evidence>()),
    ]
}

/// The schemas of complete documents and of all their parts, by the name of the type.
pub fn definitions() -> Map<String, Value> {
    let mut generator = complete();
    generator.subschema_for::<Bundle>();
    generator.subschema_for::<Context>();
    generator.subschema_for::<Document>();
    generator.subschema_for::<StepDelta>();
    generator.subschema_for::<Evidence>();
    generator.take_definitions(true)
}

fn schema<T: JsonSchema>() -> Value {
    complete().into_root_schema_for::<T>().to_value()
}

/// Requires the fields that a writer always writes.
fn complete() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}
