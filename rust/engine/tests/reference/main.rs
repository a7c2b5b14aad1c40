//! What is generated from the program is what the program says: references, the tables of providers, and what the preferences offer.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod offers;
mod protocol;
mod providers;
mod used;

use geonode_testing::compare;

fn is_current(name: &str, now: &str) {
    compare(&format!("addon/docs/{name}"), now);
}

#[test]
fn the_reference_of_tools_is_current() {
    let now = geonode_engine::reference().unwrap();
    assert!(now.matches("\n## `").count() >= 8, "{now}");
    is_current("tools.md", &now);
}

#[test]
fn the_reference_of_settings_is_current() {
    let now = geonode_engine::settings_reference();
    let rows: Vec<&str> = now.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), geonode_engine::Settings::describe().len());
    for row in rows {
        assert_eq!(row.matches(" | ").count(), 4, "{row}");
        assert!(!row.contains("|  |"), "a range is missing: {row}");
    }
    is_current("settings.md", &now);
}

#[test]
fn the_reference_of_policies_is_current() {
    let now = geonode_engine::policies_reference();
    let order: Vec<usize> = [
        "`context`",
        "`schema`",
        "`redaction`",
        "`schema_list`",
        "`egress`",
        "`quota`",
    ]
    .iter()
    .map(|policy| now.find(&format!("| {policy} |")).unwrap())
    .collect();
    assert!(order.is_sorted(), "{now}");
    is_current("policies.md", &now);
}

#[test]
fn the_reference_of_models_is_current() {
    let now = geonode_engine::models_reference();
    assert_eq!(now.matches("\n| `").count(), geonode_provider::models().len());
    assert!(
        !now.contains("null") && !now.contains("None") && now.contains("not known"),
        "{now}"
    );
    is_current("models.md", &now);
}
