//! The file in which programs of the same user find the server: address and token, readable by its owner alone.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The file of this process; it is removed with the value.
#[derive(Debug)]
pub(crate) struct Discovery(PathBuf);

impl Discovery {
    /// Writes the file of this process into `folder`, which is made if it is not there.
    pub(crate) fn write(folder: &Path, [url, socket]: [&str; 2], token: &str, about: &str) -> std::io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let pid = std::process::id();
        let (file, staged) = (folder.join(format!("{pid}.json")), folder.join(format!("{pid}.tmp")));
        // What a process of the same number left is of no use to anyone.
        for old in [&file, &staged] {
            match fs::remove_file(old) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        remove_dead(folder, url);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let text =
            json!({"version": 1, "pid": pid, "url": url, "socket": socket, "token": token, "about": about}).to_string();
        options.open(&staged)?.write_all(text.as_bytes())?;
        fs::rename(&staged, &file)?;
        Ok(Self(file))
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// Removes what processes left that have crashed: this one listens at their address now.
fn remove_dead(folder: &Path, url: &str) {
    let files = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let said = fs::read(&file)
            .ok()
            .and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        if said.is_some_and(|said| said.get("url").and_then(Value::as_str) == Some(url)) {
            // Whoever cannot remove it is told of two Blenders, as before.
            fs::remove_file(&file).unwrap_or_default();
        }
    }
}

impl Drop for Discovery {
    fn drop(&mut self) {
        // It may have been removed by hand; then there is nothing to do.
        fs::remove_file(&self.0).unwrap_or_default();
    }
}
