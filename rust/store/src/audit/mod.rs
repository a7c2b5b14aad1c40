//! The audit log of requests, approvals and refusals, in a form that cannot be changed unnoticed.
//!
//! [`record`] never waits: a separate thread writes, and events that come faster than the disk accepts them are only counted. Entries hold
//! sizes, origins, fingerprints and decisions; never the artist's words or names, or keys. Nothing is recorded before [`start`].

mod chain;
mod event;
mod log;
mod often;
mod recorder;
mod watch;

pub use chain::{AuditError, Entry, MAX_ENTRY};
pub use event::{Asked, Event};
pub use log::{AuditLog, MAX_LOG, Verified};
pub use recorder::{flush, record, renew, start, state, stop, trouble, trusted_script};
pub use watch::{Watcher, refused_calls};
