//! Private files and folders: the one place that creates, opens and checks them.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Result;
use std::path::Path;

/// Creates a folder, and missing parents, for its owner alone. An existing folder is not changed.
///
/// # Errors
/// The error of the system.
pub fn make_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Opens a file, creating it for its owner alone; neither follows links nor waits for the other end of a pipe.
///
/// # Errors
/// The error of the system.
#[cfg(unix)]
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Opens a file; only the user and administrators can read the user's own folder. Links are refused.
///
/// # Errors
/// The error of the system.
#[cfg(not(unix))]
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    if is_link(path) {
        return Err(std::io::Error::other("it is a link"));
    }
    options.open(path)
}

/// Whether the path is a link.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink())
}

/// Why others could read or have written the file, if they could.
#[cfg(unix)]
pub fn exposed_to_others(about: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    if !about.is_file() {
        Some("it is not an ordinary file")
    } else if about.uid() != rustix::process::geteuid().as_raw() {
        Some("it belongs to another user")
    } else if about.mode() & 0o077 != 0 {
        Some("others can read or write it (make it private with chmod 600)")
    } else {
        None
    }
}

/// Why others could read or have written the file, if they could.
#[cfg(not(unix))]
pub fn exposed_to_others(about: &Metadata) -> Option<&'static str> {
    (!about.is_file()).then_some("it is not an ordinary file")
}
