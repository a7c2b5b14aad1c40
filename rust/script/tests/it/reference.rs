//! The reference of safe mode in the guide is what the policy says.

#[test]
fn the_reference_of_scripts_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../addon/docs/scripts.md");
    let now = geonode_script::reference();
    assert!(now.matches("\n| `").count() > 200, "{now}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == now,
        "addon/docs/scripts.md is out of date: UPDATE=1 cargo test -p geonode-script --test it reference"
    );
}
