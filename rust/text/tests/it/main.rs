//! Tree text: its names and its pages.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first surprise"
)]

mod dropped;
mod edits;
mod grammar;
mod names;
mod others;
mod pages;
mod round_trip;
mod waves;
mod write;

use std::path::Path;

use geonode_graph::Catalogue;

/// The nodes of a Blender.
fn catalogue(version: &str) -> Catalogue {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../addon/geonode_assistant/data/catalogue");
    Catalogue::from_json(&std::fs::read_to_string(folder.join(format!("{version}.json"))).unwrap()).unwrap()
}
