//! STATES.md is what the machine does.

use geonode_run::diagram;

#[test]
fn the_diagram_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/STATES.md");
    let now = diagram();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == now,
        "STATES.md is out of date: UPDATE=1 cargo test -p geonode-run --test it states"
    );
}
