//! Tree text: the one page in which Geometry Nodes trees are shown to people and models, and in which they are planned. It looks like
//! Python, is parsed with Python's grammar, and is never executed. `FORM.md` beside this crate specifies it.
//!
//! Start at [`names`], which both directions share: what a node, a socket, a property and a variable are called on a page. `read` leads
//! from a page to the steps of a plan; [`grammar`] is what servers hold small models to.

pub mod grammar;
pub mod names;
mod read;
mod write;

pub use names::{Called, Names, SocketNames, Variables};
pub use read::{Expanded, Needs, PagePlaces, PageStep, ReadPage, expand, needs, page_in, page_plan, read_page, reads};
pub use write::{Extent, Page, write, write_brief};
