//! Approval: the request that the artist is shown, its description of scripts, and the rest of a plan when something is left out.

pub(crate) mod choice;
pub(crate) mod request;
pub(crate) mod script;
mod summary;
