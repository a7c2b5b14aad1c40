//! The offline planner through the crate's door. One program: linking takes longer than most of the tests.

#![allow(
    clippy::indexing_slicing,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test ends at the first surprise; the tables are long"
)]

mod advice;
mod bounds;
mod library;
mod part;
mod places;
mod preflight;
mod prompts;
mod reading;
mod sequence;
mod silent;

use geonode_graph::documents::Context;

/// The scene of a run without an input file.
fn starter() -> Context {
    serde_json::from_str(include_str!("../fixtures/starter.json")).unwrap()
}
