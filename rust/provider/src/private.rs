//! Private files and folders: the one place that creates, opens and checks them.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Result;
use std::path::Path;

/// Creates a folder, and missing parents, for its owner alone. An existing folder is not changed.
///
/// # Errors
/// The error of the system.
#[cfg(unix)]
pub fn make_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Creates a folder, and missing parents, for its owner alone. An existing folder is not changed.
///
/// # Errors
/// The error of the system.
#[cfg(windows)]
pub fn make_folder(folder: &Path) -> Result<()> {
    crate::access::make_folder(folder)
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

/// Opens a file; Windows lets only the user and administrators read the user's own folder, and what is made in it. Links are refused,
/// whatever they are: what lies at the path itself is opened, never where it leads.
///
/// # Errors
/// The error of the system.
#[cfg(windows)]
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    let refused = || std::io::Error::other("it is a link");
    if is_link(path) {
        return Err(refused());
    }
    // `FILE_FLAG_OPEN_REPARSE_POINT` of winbase.h: a link that was put there meanwhile is seen as one.
    let file = options.custom_flags(0x0020_0000).open(path)?;
    if file.metadata()?.is_symlink() {
        return Err(refused());
    }
    Ok(file)
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
#[cfg(windows)]
pub fn exposed_to_others(about: &Metadata) -> Option<&'static str> {
    (!about.is_file()).then_some("it is not an ordinary file")
}

#[cfg(test)]
#[cfg(windows)]
mod tests {
    use std::os::windows::fs::{symlink_dir, symlink_file};

    use super::*;

    #[test]
    fn links_are_neither_read_nor_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "mine").unwrap();
        open(&file, OpenOptions::new().read(true)).unwrap();
        // Windows lets not everybody make links, and Wine does not tell that something is one.
        let made = symlink_file(&file, &link).and_then(|()| symlink_dir(folder.path(), folder.path().join("loop")));
        if made.is_err() || !is_link(&link) {
            return;
        }
        for options in [
            OpenOptions::new().read(true),
            OpenOptions::new().write(true).create(true),
        ] {
            assert!(open(&link, options).is_err());
            assert!(open(&folder.path().join("loop"), options).is_err());
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
