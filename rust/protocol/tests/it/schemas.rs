//! The committed schemas are the generated ones. `UPDATE=1` rewrites them.

use std::path::Path;

#[test]
fn committed_schemas_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let update = std::env::var_os("UPDATE").is_some();
    let schemas = geonode_protocol::schemas();
    assert!(schemas.len() >= 8);
    for (name, schema) in &schemas {
        let path = folder.join(format!("{name}.json"));
        let generated = format!("{schema:#}\n");
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &generated).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == generated,
            "schemas/{name}.json is out of date: run `cargo xtask schemas`"
        );
        assert!(jsonschema::meta::is_valid(schema), "{name} is not a valid schema");
    }
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, schemas.len(), "schemas/ holds a file that no type generates");
}
