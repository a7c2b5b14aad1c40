//! STATES.md is what the machine does.

use geonode_run::diagram;

#[test]
fn the_diagram_is_current() {
    geonode_testing::compare("rust/run/STATES.md", &diagram());
}
