//! Files of the program's own: for this user alone, whole or absent. The one place that makes, opens, checks and replaces them.

#[cfg(windows)]
mod access;
#[cfg(any(windows, test))]
mod access_list;
mod held;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Result, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

pub use held::patiently;

/// Time between two looks whether a lock is free.
const PAUSE: Duration = Duration::from_millis(5);

/// Makes a folder, and missing parents, for its owner alone. An existing folder is not changed.
///
/// # Errors
/// The error of the system.
pub fn make_folder(folder: &Path) -> Result<()> {
    system::make_folder(folder)
}

/// Makes a new file, to be written, for its owner alone.
///
/// # Errors
/// The error of the system, also when something is there.
pub fn make(path: &Path) -> Result<File> {
    system::make(path)
}

/// Opens a file that is there; neither follows links nor waits for the other end of a pipe.
///
/// # Errors
/// The error of the system.
pub fn open(path: &Path, options: &OpenOptions) -> Result<File> {
    patiently(|| system::open(path, options.clone()))
}

/// Opens a file, which is made for its owner alone if it is not there.
///
/// # Errors
/// The error of the system.
pub fn open_or_make(path: &Path, options: &OpenOptions) -> Result<File> {
    match open(path, options) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        opened => return opened,
    }
    match make(path) {
        // Another process was faster.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => open(path, options),
    }
}

/// Writes a file for its owner alone, as a whole: a reader sees the old one or the new one.
///
/// # Errors
/// The error of the system; then the old one is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut new = tempfile::Builder::new().prefix(".new-").make_in(folder, make)?;
    new.as_file_mut().write_all(bytes)?;
    new.as_file().sync_all()?;
    // Windows moves no file that is open. What was not moved is removed with the value.
    let new = new.into_temp_path();
    rename(&new, path)
}

/// Moves a file, in place of another one if there is one.
///
/// # Errors
/// The error of the system.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    patiently(|| fs::rename(from, to))
}

/// Removes a file, if it is there.
///
/// # Errors
/// The error of the system.
pub fn remove(path: &Path) -> Result<()> {
    match patiently(|| fs::remove_file(path)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Takes from everybody else what they may do with a file of this user's.
///
/// # Errors
/// The error of the system, such as for a file of another user.
pub fn make_private(file: &File) -> Result<()> {
    system::make_private(file)
}

/// Excludes other processes from what a file stands for, until it is closed; waits at most `limit` for one that holds it.
///
/// # Errors
/// `TimedOut`, or the error of the system.
pub fn lock(file: &File, limit: Duration) -> Result<()> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < limit => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::TimedOut.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Whether the path is a link.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink())
}

/// Why others could read or have written the file, if they could.
///
/// # Errors
/// The error of the system.
pub fn exposed_to_others(file: &File) -> Result<Option<&'static str>> {
    if file.metadata()?.is_file() {
        system::exposed_to_others(file)
    } else {
        Ok(Some("it is not an ordinary file"))
    }
}

#[cfg(unix)]
mod system {
    use std::fs::{DirBuilder, File, OpenOptions, Permissions};
    use std::io::Result;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    pub(crate) fn make_folder(folder: &Path) -> Result<()> {
        DirBuilder::new().mode(0o700).recursive(true).create(folder)
    }

    pub(crate) fn make(path: &Path) -> Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    }

    pub(crate) fn open(path: &Path, mut options: OpenOptions) -> Result<File> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed()).open(path)
    }

    pub(crate) fn make_private(file: &File) -> Result<()> {
        if file.metadata()?.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        Ok(())
    }

    pub(crate) fn exposed_to_others(file: &File) -> Result<Option<&'static str>> {
        let about = file.metadata()?;
        Ok(if about.uid() != rustix::process::geteuid().as_raw() {
            Some("it belongs to another user")
        } else if about.mode() & 0o077 != 0 {
            Some("others can read or write it (make it private with chmod 600)")
        } else {
            None
        })
    }
}

#[cfg(windows)]
mod system {
    use std::fs::{File, OpenOptions};
    use std::io::{Error, Result};
    use std::os::windows::fs::OpenOptionsExt;
    use std::path::Path;

    use super::{access_list, is_link};
    use crate::access;
    pub(crate) use crate::access::{make, make_folder};

    /// Links are refused, whatever they are: what lies at the path itself is opened, never where it leads.
    pub(crate) fn open(path: &Path, mut options: OpenOptions) -> Result<File> {
        let refused = || Error::other("it is a link");
        if is_link(path) {
            return Err(refused());
        }
        // A link that was put there meanwhile is seen as one.
        let file = options.custom_flags(access::OPEN_REPARSE_POINT).open(path)?;
        if file.metadata()?.is_symlink() {
            return Err(refused());
        }
        Ok(file)
    }

    /// What is made in a folder of this user's is theirs alone, whatever became of it.
    #[expect(clippy::unnecessary_wraps, reason = "as elsewhere")]
    pub(crate) fn make_private(_file: &File) -> Result<()> {
        Ok(())
    }

    pub(crate) fn exposed_to_others(file: &File) -> Result<Option<&'static str>> {
        Ok(access_list::exposed(&access::of(file)?, &access::user()?))
    }
}

#[cfg(test)]
mod tests;
