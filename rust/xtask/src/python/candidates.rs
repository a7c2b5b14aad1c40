//! Finds Python interpreters by name only; `probe` starts them.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::blender::PythonMinor;

/// The inputs of the search, so that tests can set up their own machine.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    /// The folders of the PATH.
    path: Vec<PathBuf>,
    /// The environment variables that version managers define.
    variables: BTreeMap<&'static str, PathBuf>,
    /// The user's home folders: HOME, and the real one where HOME points elsewhere.
    homes: Vec<PathBuf>,
    /// `/`, the root of the system's own locations.
    root: PathBuf,
}

const VARIABLES: [&str; 8] = [
    "PYENV_ROOT",
    "UV_PYTHON_INSTALL_DIR",
    "XDG_DATA_HOME",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "CONDA_PREFIX",
    "LOCALAPPDATA",
    "APPDATA",
];

/// Folders in which conda and similar tools install themselves.
const CONDA: [&str; 7] = [
    "miniforge3",
    "mambaforge",
    "miniconda3",
    "anaconda3",
    "micromamba",
    "conda",
    "miniconda",
];

impl Surroundings {
    /// The inputs of this process.
    pub(crate) fn of_this_process() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut homes: Vec<PathBuf> = std::env::home_dir().into_iter().chain(account_home()).collect();
        homes.dedup();
        Self {
            path: std::env::split_paths(&path).collect(),
            variables: VARIABLES
                .into_iter()
                .filter_map(|name| {
                    Some((
                        name,
                        PathBuf::from(std::env::var_os(name).filter(|value| !value.is_empty())?),
                    ))
                })
                .collect(),
            homes,
            root: PathBuf::from("/"),
        }
    }

    /// Programs that may be Python 3.`minor`: the PATH first, then version managers, then the system's locations, shims
    /// last. Each file once, even if several links lead to it.
    pub(crate) fn candidates(&self, minor: PythonMinor) -> Vec<PathBuf> {
        let (shims, path): (Vec<_>, Vec<_>) = self.path.iter().cloned().partition(|folder| is_shims(folder));
        let launcher = if cfg!(windows) { launcher(minor) } else { None };
        let folders = path
            .into_iter()
            .chain(self.pyenv(minor))
            .chain(self.uv(minor))
            .chain(self.installs(minor))
            .chain(self.conda())
            .chain(self.system(minor))
            .chain(launcher)
            .chain(shims);
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for folder in folders {
            for name in names(minor) {
                let program = folder.join(&name);
                let Ok(real) = program.canonicalize() else { continue };
                if real.is_file() && seen.insert(real) {
                    found.push(program);
                }
            }
        }
        found
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).cloned()
    }

    fn in_homes<'a>(&'a self, place: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        self.homes.iter().map(move |home| home.join(place))
    }

    /// pyenv's roots: from its variable, the default one, or derived from a PATH entry such as `…/.pyenv/plugins/x/shims` or `…/shims`.
    fn pyenv(&self, minor: PythonMinor) -> Vec<PathBuf> {
        let from_path = self.path.iter().flat_map(|folder| {
            let inside = folder
                .ancestors()
                .find(|part| part.file_name().is_some_and(|name| name == ".pyenv"));
            let beside = is_shims(folder).then(|| folder.parent()).flatten();
            inside
                .into_iter()
                .chain(beside)
                .map(Path::to_path_buf)
                .collect::<Vec<_>>()
        });
        let mut roots: Vec<PathBuf> = self
            .variable("PYENV_ROOT")
            .into_iter()
            .chain(self.in_homes(".pyenv"))
            .chain(from_path)
            .collect();
        roots.extend(self.in_homes(".pyenv/pyenv-win"));
        roots
            .iter()
            .flat_map(|root| versions(&root.join("versions"), &format!("3.{minor}")))
            .flat_map(bins)
            .collect()
    }

    fn uv(&self, minor: PythonMinor) -> Vec<PathBuf> {
        let data = self.variable("XDG_DATA_HOME").map(|data| data.join("uv/python"));
        let windows = self.variable("APPDATA").map(|data| data.join("uv/python"));
        let roots = self
            .variable("UV_PYTHON_INSTALL_DIR")
            .into_iter()
            .chain(data)
            .chain(windows);
        roots
            .chain(self.in_homes(".local/share/uv/python"))
            .flat_map(|root| versions(&root, &format!("cpython-3.{minor}")))
            .flat_map(bins)
            .collect()
    }

    /// asdf, mise, rye and hatch.
    fn installs(&self, minor: PythonMinor) -> Vec<PathBuf> {
        let version = format!("3.{minor}");
        let asdf = self.variable("ASDF_DATA_DIR").into_iter().chain(self.in_homes(".asdf"));
        let data = self.variable("XDG_DATA_HOME").map(|data| data.join("mise"));
        let mise = self
            .variable("MISE_DATA_DIR")
            .into_iter()
            .chain(data)
            .chain(self.in_homes(".local/share/mise"));
        let mut folders: Vec<PathBuf> = asdf
            .chain(mise)
            .flat_map(|root| versions(&root.join("installs/python"), &version))
            .collect();
        folders.extend(
            self.in_homes(".rye/py")
                .flat_map(|root| versions(&root, &format!("cpython@{version}"))),
        );
        folders.extend(
            self.in_homes(".local/share/hatch/pythons")
                .map(|root| root.join(&version).join("python")),
        );
        folders.into_iter().flat_map(bins).collect()
    }

    fn conda(&self) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> = self.variable("CONDA_PREFIX").into_iter().collect();
        for name in CONDA {
            roots.extend(self.in_homes(name));
            roots.push(self.root.join("opt").join(name));
        }
        let environments: Vec<PathBuf> = roots.iter().flat_map(|root| versions(&root.join("envs"), "")).collect();
        roots.into_iter().chain(environments).flat_map(bins).collect()
    }

    fn system(&self, minor: PythonMinor) -> Vec<PathBuf> {
        let brew = format!("opt/python@3.{minor}/bin");
        let mut folders = vec![self.root.join("usr/local/bin"), self.root.join("usr/bin")];
        for parent in ["opt", "usr/local"] {
            folders.extend(versions(&self.root.join(parent), "python").into_iter().flat_map(bins));
        }
        folders.extend(versions(&self.root.join("opt/python"), "").into_iter().flat_map(bins));
        folders.extend(
            ["opt/homebrew", "usr/local", "home/linuxbrew/.linuxbrew"].map(|at| self.root.join(at).join(&brew)),
        );
        folders.push(
            self.root
                .join(format!("Library/Frameworks/Python.framework/Versions/3.{minor}/bin")),
        );
        folders.extend(
            self.variable("LOCALAPPDATA")
                .map(|data| data.join(format!("Programs/Python/Python3{minor}"))),
        );
        folders
    }

    /// A test machine below `root`: its home is `home`, its PATH the folders of `path` there.
    #[cfg(test)]
    pub(crate) fn fake(root: &Path, path: &[&str]) -> Self {
        Self {
            path: path.iter().map(|folder| root.join(folder)).collect(),
            variables: BTreeMap::new(),
            homes: vec![root.join("home")],
            root: root.to_path_buf(),
        }
    }
}

/// The folder of the Python that the Windows launcher knows under this version.
fn launcher(minor: PythonMinor) -> Option<PathBuf> {
    let mut command = crate::process::python(Path::new("py"));
    command.args([&format!("-3.{minor}"), "-c", "import sys; print(sys.executable)"]);
    let output = crate::process::bounded(&mut command, std::time::Duration::from_secs(10)).ok()??;
    let executable = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    executable
        .parent()
        .filter(|_| output.status.success())
        .map(Path::to_path_buf)
}

fn is_shims(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "shims")
}

/// The names of an interpreter, the most specific one first.
fn names(minor: PythonMinor) -> Vec<OsString> {
    let end = std::env::consts::EXE_SUFFIX;
    [format!("python3.{minor}"), "python3".into(), "python".into()]
        .map(|name| OsString::from(name + end))
        .into()
}

/// An installation keeps its programs in `bin`, on Windows in the folder itself.
fn bins(installation: PathBuf) -> [PathBuf; 2] {
    [installation.join("bin"), installation]
}

/// The folders in `parent` whose name is `prefix`, or `prefix` followed by something other than a digit; highest version first.
fn versions(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return Vec::new();
    };
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix(prefix)?;
            let same =
                !prefix.ends_with(|c: char| c.is_ascii_digit()) || !rest.starts_with(|c: char| c.is_ascii_digit());
            same.then(|| (numbers(&name), entry.path()))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The numbers in a name, so that 3.11.10 is above 3.11.9.
fn numbers(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

/// The home folder of the account of this process, independent of HOME.
#[cfg(unix)]
fn account_home() -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let user = std::fs::metadata("/proc/self").ok()?.uid().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    accounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (*fields.get(2)? == user)
            .then(|| fields.get(5).map(PathBuf::from))
            .flatten()
    })
}

#[cfg(not(unix))]
fn account_home() -> Option<PathBuf> {
    None
}

#[cfg(test)]
#[cfg(unix)]
pub(crate) mod tests {
    use super::*;

    /// Writes a shell script that can be started.
    pub(crate) fn executable(path: &Path, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn pythons_are_found_in_every_known_location() {
        for place in [
            "bin/python3.13",
            "bin/python3",
            "bin/python",
            "home/.pyenv/versions/3.13.0/bin/python3.13",
            "home/.local/share/uv/python/cpython-3.13.1-linux-x86_64-gnu/bin/python3.13",
            "home/.asdf/installs/python/3.13.0/bin/python3.13",
            "home/.local/share/mise/installs/python/3.13.2/bin/python3",
            "home/.rye/py/cpython@3.13.0/bin/python3",
            "home/.local/share/hatch/pythons/3.13/python/bin/python3.13",
            "home/miniforge3/bin/python",
            "home/miniconda3/envs/blender/bin/python3.13",
            "opt/conda/envs/x/bin/python3.13",
            "opt/python3.13/bin/python3.13",
            "opt/python-3.13.0/bin/python3",
            "opt/python/3.13.0/bin/python3",
            "usr/local/bin/python3.13",
            "usr/local/python3.13/bin/python3.13",
            "usr/bin/python3.13",
            "opt/homebrew/opt/python@3.13/bin/python3.13",
            "home/linuxbrew/.linuxbrew/opt/python@3.13/bin/python3.13",
            "Library/Frameworks/Python.framework/Versions/3.13/bin/python3.13",
        ] {
            let root = tempfile::tempdir().unwrap();
            executable(&root.path().join(place), "");
            let found = Surroundings::fake(root.path(), &["bin"]).candidates(13);
            assert_eq!(found, [root.path().join(place)], "{place}");
        }
    }

    #[test]
    fn a_pyenv_is_found_by_the_path_alone() {
        for (on_path, python) in [
            (
                "elsewhere/.pyenv/plugins/pyenv-virtualenv/shims",
                "elsewhere/.pyenv/versions/3.13.0/bin/python3.13",
            ),
            ("opt/pyenv/shims", "opt/pyenv/versions/3.13.0/bin/python3.13"),
        ] {
            let root = tempfile::tempdir().unwrap();
            executable(&root.path().join(python), "");
            let found = Surroundings::fake(root.path(), &[on_path]).candidates(13);
            assert_eq!(found, [root.path().join(python)], "{on_path}");
        }
    }

    #[test]
    fn version_manager_variables_are_used() {
        for (variable, python) in [
            ("PYENV_ROOT", "versions/3.11.7/bin/python3.11"),
            (
                "UV_PYTHON_INSTALL_DIR",
                "cpython-3.11.7-macos-aarch64-none/bin/python3.11",
            ),
            (
                "XDG_DATA_HOME",
                "uv/python/cpython-3.11.7-macos-aarch64-none/bin/python3.11",
            ),
            ("XDG_DATA_HOME", "mise/installs/python/3.11/bin/python3.11"),
            ("ASDF_DATA_DIR", "installs/python/3.11.7/bin/python3.11"),
            ("MISE_DATA_DIR", "installs/python/3.11.7/bin/python3.11"),
            ("CONDA_PREFIX", "bin/python"),
            ("LOCALAPPDATA", "Programs/Python/Python311/python3.11"),
        ] {
            let root = tempfile::tempdir().unwrap();
            let python = root.path().join("data").join(python);
            executable(&python, "");
            let mut surroundings = Surroundings::fake(root.path(), &[]);
            surroundings.variables.insert(variable, root.path().join("data"));
            assert_eq!(surroundings.candidates(11), [python], "{variable}");
        }
    }

    #[test]
    fn candidates_are_ordered_and_listed_once() {
        let root = tempfile::tempdir().unwrap();
        let pyenv = root.path().join("home/.pyenv");
        for version in ["3.1.5", "3.11.9", "3.11.10", "3.110.0", "3.12.1"] {
            executable(&pyenv.join(format!("versions/{version}/bin/python3.11")), "");
        }
        executable(&pyenv.join("shims/python3.11"), "");
        std::os::unix::fs::symlink("python3.11", pyenv.join("versions/3.11.9/bin/python3")).unwrap();
        let found = Surroundings::fake(root.path(), &["home/.pyenv/shims"]).candidates(11);
        let wanted = [
            "versions/3.11.10/bin/python3.11",
            "versions/3.11.9/bin/python3.11",
            "shims/python3.11",
        ]
        .map(|at| pyenv.join(at));
        assert_eq!(found, wanted);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_account_of_this_process_has_a_home_folder() {
        assert!(account_home().is_some_and(|home| home.is_absolute()));
    }
}
