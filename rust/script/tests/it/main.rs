//! Verdicts through the crate's door. One program: linking takes longer than most of the tests.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod corpus;
mod fuzz;
mod limits;
mod reasons;
mod records;
mod reference;
