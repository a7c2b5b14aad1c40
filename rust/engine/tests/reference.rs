//! The reference of tools in the guide is what the contracts say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[test]
fn the_reference_of_tools_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../addon/docs/tools.md");
    let now = geonode_engine::reference().unwrap();
    assert!(now.matches("\n## `").count() >= 8, "{now}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == now,
        "addon/docs/tools.md is out of date: UPDATE=1 cargo test -p geonode-engine --test reference"
    );
}
