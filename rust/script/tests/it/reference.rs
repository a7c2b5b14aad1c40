//! The reference of safe mode in the guide is what the policy says.

#[test]
fn the_reference_of_scripts_is_current() {
    let now = geonode_script::reference();
    assert!(now.matches("\n| `").count() > 200, "{now}");
    geonode_testing::compare("addon/docs/scripts.md", &now);
}
