//! The tools of the product and what a run does with them: [`builtin`] holds those that ship, [`registered`] keeps those of scripts,
//! [`toolbox`] is a run's end of the executor.

mod builtin;
mod reference;
mod registered;
mod toolbox;

pub use reference::reference;
pub use registered::{ToolRequest, listing, register_tool, unregister_tool};

pub use toolbox::ToolStep;

pub(crate) use toolbox::{Toolbox, echoed};
