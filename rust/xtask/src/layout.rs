//! The folders of the checkout.

use std::path::{Path, PathBuf};

/// The folders that every command works with.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The checkout.
    pub(crate) root: PathBuf,
}

impl Layout {
    /// The checkout that this build of xtask belongs to.
    pub(crate) fn find() -> Self {
        // `cargo run` sets the current folder of the package; the compiled-in path is for a binary that is started directly.
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package
            .parent()
            .and_then(Path::parent)
            .map_or_else(|| package.clone(), Path::to_path_buf);
        Self { root }
    }

    /// Everything that is generated: environments, wheels, results.
    pub(crate) fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// The environment (venv) called `name`.
    pub(crate) fn env(&self, name: &str) -> PathBuf {
        self.target().join("env").join(name)
    }

    /// The pinned packages of `name`.
    pub(crate) fn requirements(&self, name: &str) -> PathBuf {
        self.root.join("rust/xtask/requirements").join(format!("{name}.txt"))
    }

    /// The folder that makes `import geonode_assistant` work.
    pub(crate) fn addon(&self) -> PathBuf {
        self.root.join("addon")
    }
}
