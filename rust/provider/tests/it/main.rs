//! Requests, replies and servers through the crate's door. One program: linking takes longer than most of the tests.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;
mod dialects;
mod faults;
mod fresh;
mod hostile;
mod leaks;
mod peers;
mod policy;
mod recorded;
mod replay;
mod request;
mod schema;
mod send;
mod stream;
mod strict;
