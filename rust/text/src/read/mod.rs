//! Reads a page: its text becomes a draft of each tree that it describes, the draft operations, and the page steps of a plan.
//!
//! Start at [`steps`]: a page's groups in order; `reader` and what follows it read one of them.

mod again;
mod arguments;
mod calls;
mod draft;
mod expand;
mod expressions;
mod fault;
mod frames;
mod interface;
mod items;
mod operations;
mod page;
mod reader;
mod statements;
mod steps;
mod syntax;
mod terms;
mod value;
mod zones;

pub use expand::{Expanded, PagePlaces, expand, page_in, page_plan, reads};
pub use steps::{Needs, PageStep, ReadPage, needs, read_page};
