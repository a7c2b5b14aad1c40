//! Plans without a model: presets, language, offline planner.
//!
//! [`offline::plan`] turns a prompt into a plan, using only the presets in `presets/`; [`example`] offers them as examples for models.

mod build;
mod change;
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
mod template;
mod tokens;
mod wording;

pub use fill::PromptValue;
pub use refusal::{DataError, Refusal, Suggestion};
pub use roles::{Cast, Thing};
