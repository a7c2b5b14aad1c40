//! The add-on's files on disk: the audit log, conversations and replies of models; and the form of saved runs.
//!
//! Everything is redacted before it is stored. A file is complete or does not exist; one that another program has changed is set
//! aside and never trusted. Problems with a file do not end a run; the caller reports them.

pub mod audit;
pub mod cache;
pub mod conversation;
mod folder;
pub mod saved_run;

pub use folder::seal;
