//! Every published JSON Schema; `schemas/` contains them as files.

use serde_json::Value;

use crate::node_tree::NodeTreeFields;
use crate::schema::of;
use crate::{Code, Envelope, Finding, GnOps, Limits, Manifest, Plan, PythonScript};

/// Every schema by name, as JSON Schema 2020-12. `x-since` marks additions after version 1.0 of the protocol.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("error_code", of::<Code>()),
        ("finding", of::<Finding>()),
        ("gate_envelope", of::<Envelope>()),
        ("gn_ops", of::<GnOps>()),
        ("limits", of::<Limits>()),
        ("manifest", of::<Manifest>()),
        ("node_tree", of::<NodeTreeFields>()),
        ("plan", of::<Plan>()),
        ("python", of::<PythonScript>()),
    ]
}

/// The schema of that name, if there is one.
pub fn schema(name: &str) -> Option<Value> {
    schemas()
        .into_iter()
        .find_map(|(known, schema)| (known == name).then_some(schema))
}
