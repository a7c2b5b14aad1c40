//! Plans without a model: presets, language, offline planner.
//!
//! [`offline::plan`] turns a prompt into a plan, using only the presets in `presets/`; [`example`] offers them as examples for models, [`saved`] reads and writes those that
//! artists keep.

mod answer;
mod aside;
mod beside;
mod bounds;
#[cfg(test)]
mod bounds_tests;
mod build;
mod change;
mod choose;
mod clauses;
mod complaint;
mod copies;
mod cover;
mod curve;
mod degree;
mod draft;
mod elsewhere;
mod entry;
pub mod example;
mod expr;
mod fill;
mod follow;
pub mod gallery;
mod handing_on;
mod heads;
mod held;
mod idiom;
mod infix;
mod language;
mod last;
mod library;
mod likeness;
mod matching;
mod named;
mod naming;
mod nouns;
mod numerals;
mod offers;
pub mod offline;
mod page;
mod paging;
mod part;
mod phrase;
mod place;
mod preset;
mod quantity;
mod reading;
mod refusal;
mod relative;
mod request;
mod reword;
mod roles;
pub mod saved;
mod scene;
#[cfg(test)]
mod scenes;
mod second;
mod sequence;
mod settle;
mod share;
mod side;
mod spelling;
mod standing;
mod stated;
mod stays;
mod template;
mod tokens;
mod translate;
mod unread;
mod values;
mod vary;
mod whole;
mod wish;
mod wording;

pub use build::Planned;
pub use refusal::{DataError, Refusal, Suggestion};
pub use roles::{Cast, Number, Thing};
pub use values::PromptValue;
