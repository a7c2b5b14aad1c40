//! What the add-on keeps on disk: the audit log, conversations and replies of models.
//!
//! Everything is redacted before it is kept. A file is complete or does not exist; one that anything but this program has changed is set
//! aside and never trusted. Trouble with a file does not end a run; the caller reports it.

pub mod audit;
pub mod cache;
pub mod conversation;
mod folder;

pub use folder::seal;
