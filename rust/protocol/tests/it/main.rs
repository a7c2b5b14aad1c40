//! Plans and schemas through the crate's door. One program: linking takes longer than most of the tests.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod codes;
mod extensions;
mod plans;
mod properties;
mod reference;
mod schemas;
