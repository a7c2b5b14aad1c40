//! Reads a page: its text becomes a draft of each tree that it describes, the draft operations, and the page steps of a plan.
//!
//! Start at [`steps`]: a page's groups in order; `reader` and what follows it read one of them.

mod about;
mod again;
mod applying;
mod arguments;
mod book;
mod calls;
mod components;
mod draft;
mod edits;
mod expand;
mod expressions;
mod fault;
mod frames;
mod functions;
mod giving;
mod idle;
mod interface;
mod items;
mod kinds;
mod making;
mod meant;
mod needs;
mod operations;
mod order;
mod page;
mod panels;
mod probe;
mod properties;
mod reader;
mod released;
mod sockets;
mod statements;
mod step;
mod steps;
mod syntax;
mod terms;
mod value;
mod zones;

pub use expand::{Expanded, PagePlaces, expand, page_in, page_plan, reads};
pub use needs::{Needs, needs};
pub use steps::{PageStep, ReadPage, read_page};
