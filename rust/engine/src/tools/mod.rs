//! The tools of the product and their use in a run: [`builtin`] contains those that ship, [`registered`] those of scripts, [`agents`] those of other programs,
//! [`toolbox`] connects a run with the executor.

mod agents;
mod builtin;
mod reference;
mod registered;
mod toolbox;

pub use agents::agent_tools;
pub use reference::reference;
pub use registered::{ToolRequest, listing, register_tool, unregister_tool};

pub use toolbox::ToolStep;

pub(crate) use toolbox::{ToolResults, Toolbox, echoed};
