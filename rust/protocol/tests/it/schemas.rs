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
