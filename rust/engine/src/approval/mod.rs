//! What needs the artist's word: the request that is shown, what is told about scripts, and what is left of a plan when something is left out.

pub(crate) mod choice;
pub(crate) mod request;
pub(crate) mod script;
