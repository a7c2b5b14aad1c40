//! The committed schemas of documents are those that the types say.

use geonode_graph::documents;
use geonode_testing::{compare, project};

const FOLDER: &str = "rust/graph/schemas";

#[test]
fn the_schemas_of_documents_are_current() {
    let schemas = documents::schemas();
    for (name, schema) in &schemas {
        compare(&format!("{FOLDER}/{name}.json"), &format!("{schema:#}\n"));
    }
    let committed = std::fs::read_dir(project(FOLDER)).unwrap().count();
    assert_eq!(committed, schemas.len(), "a schema of nothing");
}
