//! The protocol of a run as JSON Schemas (`EFFECTS.md`): what its types write, so that other languages can be given the same definitions.

use geonode_run::Summary;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::run::host::{Applied, Restored, Wire};
use crate::run::report::Report;
use crate::tools::ToolResults;

/// The schemas of effects, report, approval request and states, of the host's answers, and of all their parts, by the name of the type.
pub fn definitions() -> Map<String, Value> {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.subschema_for::<Summary>();
    generator.subschema_for::<Report>();
    generator.subschema_for::<Wire>();
    let mut definitions = generator.take_definitions(true);
    // What is read may leave out what has a default.
    let mut answers = SchemaSettings::draft2020_12().into_generator();
    answers.subschema_for::<Applied>();
    answers.subschema_for::<Restored>();
    answers.subschema_for::<ToolResults>();
    definitions.extend(answers.take_definitions(true));
    definitions
}
