//! The Blender versions this project supports, as data.

use std::path::PathBuf;

use anyhow::{Result, bail};

/// The minor version of a Python 3 interpreter: 11 means 3.11.
pub(crate) type PythonMinor = u8;

/// The lowest Python that the native core runs on (abi3).
pub(crate) const LOWEST_PYTHON: PythonMinor = 11;

/// A supported Blender release line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blender {
    /// The release line, such as `4.2`.
    pub(crate) version: &'static str,
    /// The pinned version of the `bpy` module, the same as in `requirements/blender-<version>.txt` of this crate.
    pub(crate) bpy: &'static str,
    /// The one Python that this `bpy` is built for.
    pub(crate) python: PythonMinor,
}

/// Newest first: the default is the first whose Python is found.
pub(crate) const SUPPORTED: [Blender; 4] = [
    Blender {
        version: "5.2",
        bpy: "5.2.3",
        python: 13,
    },
    Blender {
        version: "5.0",
        bpy: "5.0.1",
        python: 11,
    },
    Blender {
        version: "4.5",
        bpy: "4.5.15",
        python: 11,
    },
    Blender {
        version: "4.2",
        bpy: "4.2.23",
        python: 11,
    },
];

impl Blender {
    /// The release line called `version`.
    pub(crate) fn named(version: &str) -> Option<Self> {
        SUPPORTED.into_iter().find(|blender| blender.version == version)
    }

    /// The name of its requirement file.
    pub(crate) fn requirements(self) -> String {
        format!("blender-{}", self.version)
    }
}

/// The choice of `--blender`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The newest supported release whose Python is found.
    Newest,
    /// This release.
    Release(Blender),
    /// A Blender executable, or a Python that has `bpy`.
    Executable(PathBuf),
}

impl Choice {
    /// Reads the option: nothing, a version, or a path.
    ///
    /// # Errors
    /// A version that is not supported, or a path that does not exist.
    pub(crate) fn read(option: Option<&str>) -> Result<Self> {
        let Some(text) = option else { return Ok(Self::Newest) };
        if let Some(blender) = Blender::named(text) {
            return Ok(Self::Release(blender));
        }
        let versions = SUPPORTED.map(|blender| blender.version).join(", ");
        if !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.') {
            bail!("Blender {text} is not set up by this project; choose {versions}, or give the path of your Blender.");
        }
        let path = PathBuf::from(text);
        if path.is_file() {
            // An absolute path is valid in whatever folder the process is started.
            return Ok(Self::Executable(std::path::absolute(path)?));
        }
        bail!(
            "--blender {text}: there is no such file; give one of {versions}, a Blender executable, or a Python with bpy."
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    #[test]
    fn the_version_table_matches_the_requirement_files() {
        for blender in SUPPORTED {
            let file = Layout::find().requirements(&blender.requirements());
            let text = std::fs::read_to_string(&file).unwrap();
            let pin = format!("bpy=={}", blender.bpy);
            assert!(text.lines().any(|line| line == pin), "{} lacks {pin}", file.display());
            let numpy = text.lines().find_map(|line| line.strip_prefix("numpy==")).unwrap();
            assert!(
                blender.python >= 13 || numpy.starts_with("1."),
                "bpy before 5.1 needs numpy 1, not {numpy}"
            );
        }
    }

    #[test]
    fn every_requirement_is_pinned_exactly() {
        let mut lines = 0;
        for entry in std::fs::read_dir(Layout::find().root.join("rust/xtask/requirements")).unwrap() {
            let path = entry.unwrap().path();
            for line in std::fs::read_to_string(&path)
                .unwrap()
                .lines()
                .filter(|line| !line.starts_with('#'))
            {
                let (name, version) = line
                    .split_once("==")
                    .unwrap_or_else(|| panic!("{}: {line}", path.display()));
                assert!(
                    !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()),
                    "{line}"
                );
                lines += 1;
            }
        }
        assert!(lines > 40, "only {lines} pins were examined");
    }

    #[test]
    fn the_blender_option_is_parsed() {
        assert_eq!(Choice::read(None).unwrap(), Choice::Newest);
        assert_eq!(
            Choice::read(Some("4.5")).unwrap(),
            Choice::Release(Blender::named("4.5").unwrap())
        );
        let manifest = Layout::find().root.join("Cargo.toml");
        assert_eq!(
            Choice::read(manifest.to_str()).unwrap(),
            Choice::Executable(manifest.clone())
        );
        for (wrong, sentence) in [
            ("4.3", "choose 5.2, 5.0, 4.5, 4.2"),
            ("/no/such/blender", "no such file"),
            ("", "no such file"),
        ] {
            let message = Choice::read(Some(wrong)).unwrap_err().to_string();
            assert!(message.contains(sentence), "{message}");
        }
    }
}
