//! Temporary folders of Blenders; those that a killed run has left are removed by the next one.

use std::path::Path;

use anyhow::{Context, Result};

use crate::lock::Lock;

const PREFIX: &str = "geonode-xtask-e2e-";
/// Held while the folder is in use; a process that dies releases it.
const LOCK: &str = ".lock";

/// One folder, removed with everything in it.
pub(crate) struct Scratch {
    /// The folder.
    pub(crate) folder: tempfile::TempDir,
    _lock: Option<Lock>,
}

impl Scratch {
    /// A new folder in this one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn new(parent: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent);
        let folder = folder.context("cannot make a temporary folder")?;
        let lock = Lock::try_take(&folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }

    /// Removes the folders whose processes are dead. One that was not locked yet, or is another user's, stays.
    pub(crate) fn sweep(parent: &Path) {
        for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
            let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
            // A link is no folder here.
            if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) || !entry.path().join(LOCK).is_file() {
                continue;
            }
            if let Ok(Some(lock)) = Lock::try_take(&entry.path().join(LOCK)) {
                // Where an open file cannot be removed.
                drop(lock);
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_run_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let alive = Scratch::new(parent.path()).unwrap();
        let dead = Scratch::new(parent.path()).unwrap();
        std::fs::write(dead.folder.path().join("left"), "x").unwrap();
        let Scratch { folder, _lock: lock } = dead;
        let left = folder.keep();
        drop(lock);
        for other in ["geonode-xtask-e2e-beginning", "somebody-elses"] {
            std::fs::create_dir(parent.path().join(other)).unwrap();
        }
        assert!(left.exists());
        Scratch::sweep(parent.path());
        assert!(!left.exists() && alive.folder.path().exists());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 3);
        let path = alive.folder.path().to_path_buf();
        drop(alive);
        assert!(!path.exists());
    }
}
