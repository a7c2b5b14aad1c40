//! The crates depend on each other only in the directions that `rust/ARCHITECTURE.md` allows.
