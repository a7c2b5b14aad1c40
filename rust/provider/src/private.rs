//! Files and folders that are their owner's alone: the one place that says how they are made, opened and judged.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Result;
use std::path::Path;

/// Makes a folder, and those above it that are missing, for its owner alone. One that is there stays as it is.
///
/// # Errors
/// What the system says.
pub fn make_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Opens a file that is made for its owner alone; neither follows a link nor waits for the other end of a pipe.
///
/// # Errors
/// What the system says.
#[cfg(unix)]
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Opens a file; what is in the person's own folder only they and administrators can read. Links are refused.
///
/// # Errors
/// What the system says.
#[cfg(not(unix))]
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    if is_link(path) {
        return Err(std::io::Error::other("it is a link"));
    }
    options.open(path)
}

/// Whether a link lies there, wherever it leads.
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
