//! The file in which programs of the same user find the server: address and token, readable by its owner alone.

use std::fs;
use std::path::{Path, PathBuf};

use geonode_files::{make_folder, remove, replace};
use serde_json::{Value, json};

/// The file of this process; it is removed with the value.
#[derive(Debug)]
pub(crate) struct Discovery(PathBuf);

impl Discovery {
    /// Writes the file of this process into `folder`, which is made if it is not there.
    pub(crate) fn write(folder: &Path, [url, socket]: [&str; 2], token: &str, about: &str) -> std::io::Result<Self> {
        make_folder(folder)?;
        let pid = std::process::id();
        // Takes the place of what a process of the same number left.
        let file = folder.join(format!("{pid}.json"));
        remove_dead(folder, url);
        let text =
            json!({"version": 1, "pid": pid, "url": url, "socket": socket, "token": token, "about": about}).to_string();
        replace(&file, text.as_bytes())?;
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
            remove(&file).unwrap_or_default();
        }
    }
}

impl Drop for Discovery {
    fn drop(&mut self) {
        // It may have been removed by hand; then there is nothing to do.
        remove(&self.0).unwrap_or_default();
    }
}
