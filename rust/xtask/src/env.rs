//! Environments: venvs under `target/env`, each created from pinned requirement files, and stamped.
//!
//! A venv is `incomplete` from the first change until its stamp is written; if found in that state, it is discarded. One
//! that has no stamp but is not incomplete (made by hand, or by an older xtask) is adopted: pip brings it to the
//! pinned versions. While the stamp matches, nothing is started and the network is not used.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::blender::{Blender, LOWEST_PYTHON, PythonMinor};
use crate::layout::Layout;
use crate::lock::Lock;
use crate::process;
use crate::python::{self, Interpreter, Surroundings, Verdict};
use crate::stamp::Stamp;
use crate::system::{self, Missing};

/// The specification of an environment.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Its name under `target/env`.
    pub(crate) name: String,
    /// The accepted Pythons, the preferred one first.
    pythons: Vec<PythonMinor>,
    /// The requirement files, without `.txt`.
    requirements: Vec<String>,
    /// The module whose import verifies that it works.
    import: Option<&'static str>,
    /// How to handle missing system libraries.
    missing: Missing,
}

impl Wanted {
    /// The environment of a Blender version.
    pub(crate) fn blender(blender: Blender) -> Self {
        Self {
            name: blender.version.to_owned(),
            pythons: vec![blender.python],
            requirements: vec![blender.requirements()],
            import: Some("bpy"),
            missing: Missing::Name,
        }
    }

    /// A Python without Blender, of the lowest version that the native core supports.
    pub(crate) fn plain() -> Self {
        Self {
            name: "plain".into(),
            pythons: vec![LOWEST_PYTHON],
            requirements: Vec::new(),
            import: None,
            missing: Missing::Name,
        }
    }

    /// A Python with the vendors' own clients, for comparison with the core's.
    pub(crate) fn clients() -> Self {
        Self {
            name: "clients".into(),
            requirements: vec!["clients".into()],
            ..Self::plain()
        }
    }

    /// A Python with the clients of other programs.
    pub(crate) fn agents() -> Self {
        Self {
            name: "agents".into(),
            requirements: vec!["agents".into()],
            ..Self::plain()
        }
    }

    /// A Python that counts tokens.
    pub(crate) fn tokens() -> Self {
        Self {
            name: "tokens".into(),
            requirements: vec!["tokens".into()],
            ..Self::plain()
        }
    }

    /// The tools for building and checking, on any Python that can run them.
    pub(crate) fn tools() -> Self {
        let pythons = vec![LOWEST_PYTHON, LOWEST_PYTHON + 2, LOWEST_PYTHON + 1];
        Self {
            name: "tools".into(),
            pythons,
            requirements: vec!["tools".into()],
            import: None,
            missing: Missing::Name,
        }
    }

    /// The same with another requirement file.
    pub(crate) fn with(mut self, requirements: &str) -> Self {
        self.requirements.push(requirements.to_owned());
        self
    }

    /// The same, with system libraries installed when they are missing.
    pub(crate) fn installing(mut self) -> Self {
        self.missing = Missing::Install;
        self
    }
}

/// An environment that is ready.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    folder: PathBuf,
}

/// The stamp, which is written last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// The full version of its Python.
    python: String,
    /// Requirement file → stamp of its content.
    requirements: BTreeMap<String, String>,
}

impl Environment {
    fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Its interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.programs()
            .join(if cfg!(windows) { "python.exe" } else { "python" })
    }

    /// The folder of its programs.
    pub(crate) fn programs(&self) -> PathBuf {
        self.folder.join(if cfg!(windows) { "Scripts" } else { "bin" })
    }

    /// A command for its interpreter, as if the environment were activated.
    pub(crate) fn command(&self) -> std::process::Command {
        let mut command = process::python(&self.python());
        self.activate(&mut command);
        command
    }

    /// Lets `command` run as in an activated environment.
    pub(crate) fn activate(&self, command: &mut std::process::Command) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(self.programs()).chain(std::env::split_paths(&path)));
        if let Ok(path) = path {
            command.env("PATH", path);
        }
        command.env("VIRTUAL_ENV", &self.folder);
    }

    /// The folder of its packages.
    ///
    /// # Errors
    /// When the venv has none.
    pub(crate) fn packages(&self) -> Result<PathBuf> {
        if cfg!(windows) {
            return Ok(self.folder.join("Lib").join("site-packages"));
        }
        let library = self.folder.join("lib");
        let entries = fs::read_dir(&library).with_context(|| format!("cannot read {}", library.display()))?;
        let packages = entries
            .flatten()
            .map(|entry| entry.path().join("site-packages"))
            .find(|path| path.is_dir());
        packages.with_context(|| format!("{} has no site-packages", self.folder.display()))
    }

    /// Makes the modules in `folders` importable, by a path file; written only when it differs.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn link(&self, folders: &[PathBuf]) -> Result<()> {
        let file = self.packages()?.join("geonode.pth");
        let mut lines: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        lines.push(String::new());
        let text = lines.join("\n");
        if fs::read_to_string(&file).is_ok_and(|present| present == text) {
            return Ok(());
        }
        replace(&file, &text)
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join("geonode-env.json")
    }

    fn incomplete(&self) -> PathBuf {
        self.folder.join("incomplete")
    }

    fn record(&self) -> Option<Record> {
        if self.incomplete().exists() {
            return None;
        }
        serde_json::from_slice(&fs::read(self.stamp()).ok()?).ok()
    }
}

/// Writes a small file so that a reader sees the old or the new text, never a part.
pub(crate) fn replace(file: &Path, text: &str) -> Result<()> {
    // Groups of tests run side by side in one process, and may write the same file.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let mut name = file.file_name().unwrap_or_default().to_owned();
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}.{number}", std::process::id()));
    let temporary = file.with_file_name(name);
    let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, file));
    if written.is_err() {
        // On a full disk a part of it.
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot write {}", file.display()))
}

/// Removes a folder with its content; a missing one is not an error.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Removes a file; a missing one is not an error.
pub(crate) fn remove_file(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

/// The environment if its stamp matches; starts nothing.
///
/// # Errors
/// When the requirement files cannot be read.
pub(crate) fn ready(layout: &Layout, wanted: &Wanted) -> Result<Option<Environment>> {
    let environment = Environment::at(layout.env(&wanted.name));
    let Some(record) = environment.record() else {
        return Ok(None);
    };
    let pins = pins(layout, wanted)?;
    let python = wanted
        .pythons
        .iter()
        .any(|minor| record.python.starts_with(&format!("3.{minor}.")));
    let fits = python
        && pins.iter().all(|(name, stamp)| record.requirements.get(name) == Some(stamp))
        // A link to an interpreter that was removed does not exist.
        && environment.python().exists();
    Ok(fits.then_some(environment))
}

/// The environment, created or updated if necessary.
///
/// # Errors
/// One sentence with the fix when a Python or a system library is missing; the output of pip when it fails.
pub(crate) fn prepare(layout: &Layout, wanted: &Wanted) -> Result<Environment> {
    if let Some(environment) = ready(layout, wanted)? {
        return Ok(environment);
    }
    let lock = layout.target().join("env").join(format!(".{}.lock", wanted.name));
    let _lock = Lock::take(&lock, &format!("target/env/{}", wanted.name))?;
    // The process that held the lock may have created it.
    if let Some(environment) = ready(layout, wanted)? {
        return Ok(environment);
    }
    let environment = Environment::at(layout.env(&wanted.name));
    let version = match adoptable(&environment, wanted) {
        Some(version) => version,
        None => create(&environment, wanted)?.version,
    };
    fs::write(environment.incomplete(), "").context("cannot mark the environment")?;
    let mut pins = pins(layout, wanted)?;
    install(layout, wanted, &environment, &pins)?;
    if let Some(module) = wanted.import {
        prove(&environment, wanted, module)?;
    }
    // Requirement files of an earlier call that have not changed count as well.
    if let Some(earlier) = fs::read(environment.stamp())
        .ok()
        .and_then(|text| serde_json::from_slice::<Record>(&text).ok())
    {
        for (name, stamp) in earlier.requirements {
            if pin(layout, &name).is_ok_and(|present| present == stamp) {
                pins.entry(name).or_insert(stamp);
            }
        }
    }
    let record = serde_json::to_string_pretty(&Record {
        python: version,
        requirements: pins,
    })?;
    replace(&environment.stamp(), &record)?;
    fs::remove_file(environment.incomplete()).context("cannot finish the environment")?;
    Ok(environment)
}

/// Fails at once if the environment cannot be created because a Python is missing.
///
/// # Errors
/// The error that tells which Python is missing and how to get it.
pub(crate) fn possible(layout: &Layout, wanted: &Wanted) -> Result<()> {
    let environment = Environment::at(layout.env(&wanted.name));
    if ready(layout, wanted)?.is_some() || adoptable(&environment, wanted).is_some() {
        return Ok(());
    }
    find(wanted).map(drop)
}

fn pin(layout: &Layout, name: &str) -> Result<String> {
    let mut stamp = Stamp::new("requirements 1");
    stamp.file(&layout.requirements(name))?;
    Ok(stamp.finish())
}

fn pins(layout: &Layout, wanted: &Wanted) -> Result<BTreeMap<String, String>> {
    wanted
        .requirements
        .iter()
        .map(|name| Ok((name.clone(), pin(layout, name)?)))
        .collect()
}

/// The Python version of an existing venv that works and is complete.
fn adoptable(environment: &Environment, wanted: &Wanted) -> Option<String> {
    if environment.incomplete().exists() || !environment.folder.join("pyvenv.cfg").exists() {
        return None;
    }
    wanted
        .pythons
        .iter()
        .find_map(|minor| match python::probe(&environment.python(), *minor) {
            Verdict::Fit(interpreter) => Some(interpreter.version),
            _ => None,
        })
}

/// The first suitable interpreter of the wanted versions; the error is that of the preferred one.
fn find(wanted: &Wanted) -> Result<Interpreter> {
    let surroundings = Surroundings::of_this_process();
    let mut first_error = None;
    for minor in &wanted.pythons {
        match python::find(*minor, &surroundings) {
            Ok(interpreter) => return Ok(interpreter),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| anyhow::anyhow!("no Python was asked for")))
}

fn create(environment: &Environment, wanted: &Wanted) -> Result<Interpreter> {
    let interpreter = find(wanted)?;
    let place = &environment.folder;
    eprintln!(
        "· environment {}: new, with Python {} ({})",
        wanted.name,
        interpreter.version,
        interpreter.path.display()
    );
    if place.exists() {
        fs::remove_dir_all(place).with_context(|| format!("cannot remove the unfinished {}", place.display()))?;
    }
    // Marked before venv starts, since a venv that was interrupted looks complete.
    fs::create_dir_all(place).with_context(|| format!("cannot make {}", place.display()))?;
    fs::write(environment.incomplete(), "").context("cannot mark the environment")?;
    let mut command = process::python(&interpreter.path);
    command.args(["-m", "venv"]).arg(place);
    process::quiet(&mut command, &format!("creating the environment {}", wanted.name))?;
    Ok(interpreter)
}

/// pip does nothing, and does not use the network, for packages that are already installed in the pinned version.
fn install(layout: &Layout, wanted: &Wanted, environment: &Environment, pins: &BTreeMap<String, String>) -> Result<()> {
    if pins.is_empty() {
        return Ok(());
    }
    eprintln!(
        "· environment {}: installing {}",
        wanted.name,
        wanted.requirements.join(", ")
    );
    let mut pip = environment.command();
    pip.args([
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--quiet",
    ]);
    for name in pins.keys() {
        pip.arg("-r").arg(layout.requirements(name));
    }
    process::visible(
        &mut pip,
        &format!(
            "installing the pinned packages of {} (is the network reachable?)",
            wanted.name
        ),
    )
}

fn prove(environment: &Environment, wanted: &Wanted, module: &str) -> Result<()> {
    // `os._exit`: some Blender modules hang while Python shuts down.
    let script = format!("import os, {module}; os._exit(0)");
    for attempt in 0..2 {
        let mut command = environment.command();
        let output = process::bounded(command.args(["-c", &script]), std::time::Duration::from_secs(180))?;
        let Some(output) = output else {
            bail!("`import {module}` hung in the environment {}", wanted.name)
        };
        if output.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        match system::missing_library(&stderr) {
            Some(library) if attempt == 0 => system::provide(library, wanted.missing)?,
            _ => bail!(
                "`import {module}` fails in the environment {}:\n{}",
                wanted.name,
                process::tail(&output, 15)
            ),
        }
    }
    bail!("`import {module}` still fails in the environment {}", wanted.name)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// A separate checkout with one requirement file that needs no network, and any Python of this machine.
    fn checkout() -> (tempfile::TempDir, Layout, Wanted) {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout {
            root: folder.path().to_path_buf(),
        };
        fs::create_dir_all(layout.requirements("tools").parent().unwrap()).unwrap();
        fs::write(layout.requirements("tools"), "# nothing\n").unwrap();
        (folder, layout, Wanted::tools())
    }

    #[test]
    fn a_file_that_cannot_be_replaced_leaves_no_part_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.json");
        fs::create_dir(&file).unwrap();
        assert!(replace(&file, "text").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_dir(&file).unwrap();
        replace(&file, "text").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "text");
    }

    #[test]
    fn two_threads_may_replace_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plugin.py");
        std::thread::scope(|scope| {
            for text in ["one", "two", "three", "four"] {
                let file = &file;
                scope.spawn(move || (0..200).for_each(|_| replace(file, text).unwrap()));
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_environment_is_created_once_and_found_by_its_stamp() {
        let (_folder, layout, wanted) = checkout();
        assert!(ready(&layout, &wanted).unwrap().is_none());
        let environment = prepare(&layout, &wanted).unwrap();
        assert!(environment.packages().unwrap().is_dir());
        let made = fs::metadata(environment.stamp()).unwrap().modified().unwrap();
        prepare(&layout, &wanted).unwrap();
        assert_eq!(
            made,
            fs::metadata(environment.stamp()).unwrap().modified().unwrap(),
            "it was created again"
        );

        // A module that is linked in can be imported; linking the same again writes nothing.
        fs::create_dir(layout.root.join("modules")).unwrap();
        fs::write(layout.root.join("modules/linked_in.py"), "").unwrap();
        let modules = [layout.root.join("modules")];
        environment.link(&modules).unwrap();
        let file = environment.packages().unwrap().join("geonode.pth");
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        environment.link(&modules).unwrap();
        assert_eq!(written, fs::metadata(&file).unwrap().modified().unwrap());
        process::quiet(environment.command().args(["-c", "import linked_in"]), "import").unwrap();

        // Other pins, a mark of unfinished work, or a missing interpreter: no longer ready.
        fs::write(layout.requirements("tools"), "# other\n").unwrap();
        assert!(ready(&layout, &wanted).unwrap().is_none());
        prepare(&layout, &wanted).unwrap();
        fs::write(environment.incomplete(), "").unwrap();
        assert!(ready(&layout, &wanted).unwrap().is_none());
        fs::remove_file(environment.incomplete()).unwrap();
        assert!(ready(&layout, &wanted).unwrap().is_some());

        // An environment with more files satisfies fewer; earlier ones stay recorded.
        fs::write(layout.requirements("dev"), "# nothing either\n").unwrap();
        prepare(&layout, &wanted.clone().with("dev")).unwrap();
        assert!(ready(&layout, &wanted).unwrap().is_some());
        fs::write(layout.requirements("tools"), "# changed\n").unwrap();
        prepare(&layout, &wanted).unwrap();
        assert!(ready(&layout, &wanted.clone().with("dev")).unwrap().is_some());

        // pip's failure is shown and leaves no matching stamp.
        fs::write(layout.requirements("tools"), "no such requirement!\n").unwrap();
        let error = prepare(&layout, &wanted).unwrap_err().to_string();
        assert!(error.contains("installing the pinned packages of tools"), "{error}");
        assert!(ready(&layout, &wanted).unwrap().is_none());

        fs::write(layout.requirements("tools"), "# changed\n").unwrap();
        fs::remove_file(environment.incomplete()).unwrap();
        assert!(ready(&layout, &wanted).unwrap().is_some());
        fs::remove_file(environment.python()).unwrap();
        assert!(ready(&layout, &wanted).unwrap().is_none());
    }

    #[test]
    fn two_processes_create_an_environment_once_and_replace_an_incomplete_one() {
        let (_folder, layout, wanted) = checkout();
        std::thread::scope(|scope| {
            let both = [
                scope.spawn(|| prepare(&layout, &wanted)),
                scope.spawn(|| prepare(&layout, &wanted)),
            ];
            for one in both {
                one.join().unwrap().unwrap();
            }
        });
        let environment = ready(&layout, &wanted).unwrap().unwrap();
        let keepsake = environment.folder.join("keepsake");

        // Without a stamp, but complete: adopted.
        fs::write(&keepsake, "").unwrap();
        fs::remove_file(environment.stamp()).unwrap();
        prepare(&layout, &wanted).unwrap();
        assert!(keepsake.exists(), "a working environment was discarded");

        // Incomplete: a new one.
        fs::write(environment.incomplete(), "").unwrap();
        prepare(&layout, &wanted).unwrap();
        assert!(!keepsake.exists(), "a half-made environment was kept");
        assert!(!environment.incomplete().exists());
    }
}
