//! The committed schemas of documents are those that the types say; `UPDATE=1` writes them.

use std::fs;
use std::path::Path;

use geonode_graph::documents;

#[test]
fn the_schemas_of_documents_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let schemas = documents::schemas();
    for (name, schema) in &schemas {
        compare(
            &folder.join(format!("{name}.json")),
            &(serde_json::to_string_pretty(schema).unwrap() + "\n"),
        );
    }
    let committed = fs::read_dir(&folder).unwrap().count();
    assert_eq!(committed, schemas.len(), "a schema of nothing");
}

fn compare(path: &Path, generated: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, generated).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(committed, generated, "{}: run `cargo xtask schemas`", path.display());
}
