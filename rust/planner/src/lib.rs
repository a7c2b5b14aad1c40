//! What the model is told, and what plans without one: prompts, retrieval, offline planner.
//!
//! [`offline::plan`] turns a wish into a plan by the presets in `presets/` alone; [`prompt::request`] tells a model how to.

mod choose;
pub mod context;
mod cover;
mod expr;
mod fill;
mod language;
mod library;
mod naming;
pub mod offline;
mod phrase;
mod preset;
pub mod prompt;
mod quantity;
mod reading;
mod refusal;
mod roles;
mod scene;
mod words;

pub use fill::Said;
pub use refusal::{DataError, Refusal, Suggestion};
pub use roles::{Cast, Thing};
