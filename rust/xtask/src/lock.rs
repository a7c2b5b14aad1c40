//! Locks, so that only one xtask at a time creates an environment or a build.

use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Held until dropped; a process that dies releases it.
#[derive(Debug)]
pub(crate) struct Lock(#[allow(dead_code, reason = "held for its drop")] File);

impl Lock {
    /// Waits for the lock file `path` (created with its folder if necessary), and prints a message if it has to wait.
    ///
    /// # Errors
    /// When the file cannot be created or the file system has no locks.
    pub(crate) fn take(path: &Path, what: &str) -> Result<Self> {
        let file = open(path)?;
        if file.try_lock().is_err() {
            eprintln!("· waiting: another process is working on {what}");
            file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        }
        Ok(Self(file))
    }

    /// The lock file `path` (created with its folder if necessary) without waiting; `None` if another one holds it.
    ///
    /// # Errors
    /// When the file cannot be created or the file system has no locks.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Self>> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => bail!("cannot lock {}: {error}", path.display()),
        }
    }
}

fn open(path: &Path) -> Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let file = File::options().create(true).truncate(false).write(true).open(path);
    file.with_context(|| format!("cannot open {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn only_one_process_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/.lock");
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _lock = Lock::take(&path, "a test").unwrap();
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_lock_that_is_held_is_refused_and_one_that_is_left_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = Lock::try_take(&path).unwrap();
        assert!(held.is_some() && Lock::try_take(&path).unwrap().is_none());
        drop(held);
        assert!(path.exists() && Lock::try_take(&path).unwrap().is_some());
    }
}
