//! The audit log (POL-2): what was sent where, asked, allowed and refused, so that nobody can quietly change it afterwards.
//!
//! Any room says [`record`] and goes on: a thread of its own writes, and what comes faster than the disk takes it is counted instead
//! of waited for. Entries hold sizes, origins, fingerprints and decisions; never words, names of the artist's, or keys. Nothing is
//! recorded before [`start`].

mod event;
mod log;
mod recorder;
mod watch;

pub use event::{Asked, Event};
pub use log::{AuditError, AuditLog, Entry, MAX_ENTRY, MAX_LOG, Verified};
pub use recorder::{flush, record, renew, start, state, stop, trouble, trusted_script};
pub use watch::{Watcher, refused_calls};
