//! The committed schemas are the generated ones.

use geonode_testing::{compare, project};

const FOLDER: &str = "rust/protocol/schemas";

#[test]
fn committed_schemas_are_up_to_date() {
    let schemas = geonode_protocol::schemas();
    assert!(schemas.len() >= 8);
    for (name, schema) in &schemas {
        compare(&format!("{FOLDER}/{name}.json"), &format!("{schema:#}\n"));
        assert!(jsonschema::meta::is_valid(schema), "{name} is not a valid schema");
    }
    let files = std::fs::read_dir(project(FOLDER)).unwrap().count();
    assert_eq!(files, schemas.len(), "schemas/ holds a file that no type generates");
}

/// The task set is for others as well, so its form is a schema of its own, written by hand.
#[test]
fn the_tasks_of_the_benchmark_have_their_form() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../manifests/benchmark");
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let schema = read("tasks.schema.json");
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let tasks = read("tasks.json");
    let found: Vec<String> = validator
        .iter_errors(&tasks)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(found.is_empty(), "{found:?}");
    // It can fail: a task without anything that is expected of it, and one with an unknown word.
    for (place, value) in [("expect", None), ("expects", Some(serde_json::json!([])))] {
        let mut broken = tasks.clone();
        let task = broken["tasks"][0].as_object_mut().unwrap();
        task.remove(place);
        if let Some(value) = value {
            task.insert(place.into(), value);
        }
        assert!(!validator.is_valid(&broken), "{place}");
    }
}
