//! Asking for a plan: the request ([`brief`]), its source ([`source`]), its bounds ([`budget`], [`policies`]), and what is
//! remembered of it ([`memory`]).

pub(crate) mod budget;
mod keys;
pub(crate) mod memory;
pub(crate) mod plan_request;
pub(crate) mod planner;
pub(crate) mod policies;
mod prompting;
mod security;
pub(crate) mod source;
pub(crate) mod spending;
mod watch;

pub use keys::{keep_key, key_place, remove_key};
pub use security::security_events;
pub use spending::{Sent, Spent};
