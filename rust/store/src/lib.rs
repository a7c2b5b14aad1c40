//! What the add-on keeps on the disk: the audit log, conversations and replies of models.
//!
//! Nothing is kept that did not go through the redaction. A file is complete or not there; one that was changed by anything else than this
//! program is set aside and never believed. Trouble with a file is the caller's to tell: it ends no run.

pub mod audit;
pub mod cache;
pub mod conversation;
mod folder;

pub use folder::seal;
