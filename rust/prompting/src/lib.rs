//! Everything that is sent to a language model: instructions, examples, the scene, answers, findings.
//!
//! [`draft`] builds a whole request of a run; [`feedback`] describes the outcome of the last reply; [`slices`] and [`view`] show the scene;
//! [`docs`] documents node types. The texts are in `prompts/`. This crate sends nothing and reads no files, and text
//! from the artist's file, a tool or a reply is always data between marks that it cannot close.

mod asked;
mod cut;
mod error;
mod examples;
mod exchange;
mod feedback;
mod form;
mod held;
mod nodes;
mod opening;
mod pages;
mod prompts;
mod request;
mod scene;
mod schema;
mod search;
mod slices;

pub mod docs;

pub use asked::Prompt;
pub use error::PromptError;
pub use examples::search_presets;
pub use exchange::{Exchange, Results};
pub use feedback::{Besides, MAX_FEEDBACK, feedback};
pub use form::{Answer, Form};
pub use opening::{MAX_SYSTEM, Opening, opening};
pub use prompts::{PROMPTS, prompt};
pub use request::{Ask, Calls, Draft, draft};
pub use scene::{View, view};
pub use schema::reply_schema;
pub use search::Index;
pub use slices::{shown_context, slices, tree_text};
