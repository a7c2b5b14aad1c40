//! Plans without a model: presets, language, offline planner.
//!
//! [`offline::plan`] turns a wish into a plan by the presets in `presets/` alone; [`example`] gives them to those who teach a model.

mod choose;
mod cover;
pub mod example;
mod expr;
mod fill;
mod language;
mod library;
mod matching;
mod naming;
pub mod offline;
mod phrase;
mod preset;
mod quantity;
mod reading;
mod refusal;
mod roles;
mod scene;
mod words;

pub use fill::Said;
pub use refusal::{DataError, Refusal, Suggestion};
pub use roles::{Cast, Thing};
