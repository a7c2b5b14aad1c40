//! The committed schema of tree documents is the one that the types say; `UPDATE=1` writes it.

use std::fs;
use std::path::Path;

#[test]
fn the_schema_of_tree_documents_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/tree_ir.json");
    let schema = serde_json::to_string_pretty(&geonode_graph::ir::schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &schema).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        schema,
        "run `cargo xtask schemas`"
    );
}
