//! Stamps: a hash of the inputs of a build, so that a second start does nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Collects inputs; equal inputs give equal text, on every machine.
pub(crate) struct Stamp(Sha256);

impl Stamp {
    /// `kind` and its version keep stamps of different things, or of older layouts, apart.
    pub(crate) fn new(kind: &str) -> Self {
        let mut stamp = Self(Sha256::new());
        stamp.text(kind);
        stamp
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        // The length first: ("ab", "c") and ("a", "bc") differ.
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds the content of a file; a missing file has its own stamp.
    pub(crate) fn file(&mut self, path: &Path) -> Result<()> {
        match std::fs::read(path) {
            Ok(content) => self.bytes(&content),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.text("absent"),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
        Ok(())
    }

    /// Adds every file below `folder` with its place, in the order of their names, except what `skip` says
    /// (of paths relative to `folder`, with `/`) and hidden files.
    pub(crate) fn folder(&mut self, folder: &Path, skip: &dyn Fn(&str) -> bool) -> Result<()> {
        let mut files = BTreeMap::new();
        collect(folder, "", skip, &mut files)?;
        for (name, path) in files {
            self.text(&name);
            self.file(&path)?;
        }
        Ok(())
    }

    /// The hash: 64 hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        self.0
            .finalize()
            .iter()
            .fold(String::with_capacity(64), |mut text, byte| {
                // Writing into a String cannot fail.
                let _ = write!(text, "{byte:02x}");
                text
            })
    }
}

fn collect(
    folder: &Path,
    prefix: &str,
    skip: &dyn Fn(&str) -> bool,
    files: &mut BTreeMap<String, PathBuf>,
) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let file_name = entry.file_name().to_string_lossy().into_owned();
        let name = format!("{prefix}{file_name}");
        if file_name.starts_with('.') || file_name == "__pycache__" || skip(&name) {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            collect(&path, &format!("{name}/"), skip, files)?;
        } else {
            files.insert(name, path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(folder: &Path) -> String {
        let mut stamp = Stamp::new("test");
        stamp.folder(folder, &|name| name == "src/skipped").unwrap();
        stamp.finish()
    }

    #[test]
    fn a_stamp_depends_on_content_and_path_only() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("src/skipped")).unwrap();
        std::fs::write(root.join("src/a.rs"), "one").unwrap();
        let first = hash(root);
        assert_eq!(first.len(), 64);

        // Rewriting the same content, hidden and skipped files change nothing.
        std::fs::write(root.join("src/a.rs"), "one").unwrap();
        std::fs::write(root.join("src/.swap"), "x").unwrap();
        std::fs::write(root.join("src/skipped/b.rs"), "x").unwrap();
        assert_eq!(first, hash(root));

        std::fs::write(root.join("src/a.rs"), "two").unwrap();
        let changed = hash(root);
        assert_ne!(first, changed);
        std::fs::rename(root.join("src/a.rs"), root.join("src/c.rs")).unwrap();
        assert_ne!(changed, hash(root));
    }

    #[test]
    fn a_stamp_distinguishes_boundaries_and_missing_files() {
        let stamp = |texts: &[&str]| {
            let mut stamp = Stamp::new("test");
            for text in texts {
                stamp.text(text);
            }
            stamp.finish()
        };
        assert_ne!(stamp(&["ab", "c"]), stamp(&["a", "bc"]));
        let folder = tempfile::tempdir().unwrap();
        let mut absent = Stamp::new("test");
        absent.file(&folder.path().join("none")).unwrap();
        std::fs::write(folder.path().join("none"), "").unwrap();
        let mut empty = Stamp::new("test");
        empty.file(&folder.path().join("none")).unwrap();
        assert_ne!(absent.finish(), empty.finish());
    }
}
