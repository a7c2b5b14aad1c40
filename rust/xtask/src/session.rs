//! A Blender that is ready to run commands of the add-on: chosen, set up, linked to the core.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::blender::{Blender, Choice, SUPPORTED};
use crate::env::{self, Environment, Wanted};
use crate::layout::Layout;
use crate::native::{self, Build, Core};
use crate::process;
use crate::python::{self, Surroundings};

/// A ready Blender.
#[derive(Debug)]
pub(crate) struct Session {
    kind: Kind,
    layout: Layout,
    core: Core,
    /// A description and why it was chosen, for people.
    pub(crate) title: String,
}

#[derive(Debug)]
enum Kind {
    /// One of our environments.
    Environment(Environment),
    /// A Python of the user's that has `bpy`.
    Python(PathBuf),
    /// A Blender executable of the user's.
    Executable(PathBuf),
}

/// Starts the add-on's command line in a Blender executable: what follows `--` are its arguments.
const BOOTSTRAP: &str = include_str!("bootstrap.py");

impl Session {
    /// Sets up the choice. The environment and the core are built in parallel.
    ///
    /// # Errors
    /// One sentence with the fix when something is missing.
    pub(crate) fn open(layout: &Layout, choice: &Choice, build: Build) -> Result<Self> {
        let (kind, core, title) = match choice {
            Choice::Newest => {
                let (blender, why) = newest(layout)?;
                let (environment, core) = both(layout, &Wanted::blender(blender), build)?;
                (
                    Kind::Environment(environment),
                    core,
                    format!("Blender {} (bpy {}; {why})", blender.version, blender.bpy),
                )
            }
            Choice::Release(blender) => {
                let (environment, core) =
                    both(layout, &Wanted::blender(*blender), build).map_err(|error| hint(layout, *blender, error))?;
                (
                    Kind::Environment(environment),
                    core,
                    format!("Blender {} (bpy {}; as asked)", blender.version, blender.bpy),
                )
            }
            Choice::Executable(path) => {
                let (kind, title) = identify(path)?;
                (kind, native::prepare(layout, build)?, title)
            }
        };
        if let Kind::Environment(environment) = &kind {
            environment.link(&[layout.addon(), core.site()])?;
        }
        Ok(Self {
            kind,
            layout: layout.clone(),
            core,
            title,
        })
    }

    /// The command `python -m geonode_assistant …`; arguments are added by the caller.
    ///
    /// # Errors
    /// When the start-up script cannot be written.
    pub(crate) fn assistant(&self) -> Result<Command> {
        Ok(match &self.kind {
            Kind::Environment(environment) => {
                let mut command = environment.command();
                command.args(["-m", "geonode_assistant"]);
                command
            }
            Kind::Python(path) => {
                let mut command = process::python(path);
                command
                    .env("PYTHONPATH", self.modules()?)
                    .args(["-m", "geonode_assistant"]);
                command
            }
            Kind::Executable(path) => {
                let script = self.layout.target().join("core").join("bootstrap.py");
                if std::fs::read_to_string(&script).ok().as_deref() != Some(BOOTSTRAP) {
                    env::replace(&script, BOOTSTRAP)?;
                }
                let mut command = process::command(path);
                command
                    .args([
                        "--background",
                        "--factory-startup",
                        "--python-exit-code",
                        "1",
                        "--python",
                    ])
                    .arg(script);
                command.env("GEONODE_MODULES", self.modules()?).arg("--");
                command
            }
        })
    }

    /// The environment, if it is one of ours.
    pub(crate) fn environment(&self) -> Option<&Environment> {
        match &self.kind {
            Kind::Environment(environment) => Some(environment),
            _ => None,
        }
    }

    fn modules(&self) -> Result<std::ffi::OsString> {
        Ok(std::env::join_paths([self.layout.addon(), self.core.site()])?)
    }
}

/// Creates the environment while the core is being built: one waits for the network, the other for the processor.
fn both(layout: &Layout, wanted: &Wanted, build: Build) -> Result<(Environment, Core)> {
    if let (Some(environment), Some(core)) = (env::ready(layout, wanted)?, native::ready(layout, build)?) {
        return Ok((environment, core));
    }
    // A missing Python is reported at once, not after minutes of building.
    env::possible(layout, wanted)?;
    let (environment, core) = std::thread::scope(|scope| {
        let environment = scope.spawn(|| env::prepare(layout, wanted));
        // The tools have their own environment, so the two do not conflict.
        let core = scope.spawn(|| native::prepare(layout, build));
        (environment.join(), core.join())
    });
    let environment = environment.map_err(|_| anyhow::anyhow!("setting up {} failed", wanted.name))??;
    let core = core.map_err(|_| anyhow::anyhow!("building the core failed"))??;
    Ok((environment, core))
}

/// The newest Blender whose Python is found, and why it was chosen.
fn newest(layout: &Layout) -> Result<(Blender, String)> {
    let surroundings = Surroundings::of_this_process();
    let mut passed_over: Vec<String> = Vec::new();
    for blender in SUPPORTED {
        if env::ready(layout, &Wanted::blender(blender))?.is_some()
            || python::find(blender.python, &surroundings).is_ok()
        {
            let why = if passed_over.is_empty() {
                "the newest".to_owned()
            } else {
                passed_over.join("; ")
            };
            return Ok((blender, why));
        }
        passed_over.push(format!("no Python 3.{} for {}", blender.python, blender.version));
    }
    let [newest, ..] = SUPPORTED;
    let error = python::find(newest.python, &surroundings).err();
    Err(error.unwrap_or_else(|| anyhow::anyhow!("no Python for any supported Blender")))
}

/// Adds to the error of a missing Python which Blender would work here.
fn hint(layout: &Layout, asked: Blender, error: anyhow::Error) -> anyhow::Error {
    if python::find(asked.python, &Surroundings::of_this_process()).is_ok() {
        return error;
    }
    match newest(layout) {
        Ok((other, _)) => anyhow::anyhow!("{error} Or use `--blender {}`.", other.version),
        Err(_) => error,
    }
}

/// Determines the kind of a user's program.
fn identify(path: &Path) -> Result<(Kind, String)> {
    let shown = path.display();
    let output = process::bounded(process::python(path).arg("--version"), Duration::from_secs(60))
        .with_context(|| format!("--blender {shown}: it cannot be started"))?;
    let Some(output) = output else {
        bail!("--blender {shown}: it did not answer `--version` within a minute.")
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim();
    if let Some(version) = line.strip_prefix("Blender ") {
        let version = version.split_whitespace().next().unwrap_or_default();
        let numbers: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
        if numbers < vec![4, 2] {
            bail!("--blender {shown}: it is Blender {version}; 4.2 and later are supported.");
        }
        return Ok((Kind::Executable(path.to_path_buf()), format!("{line} ({shown})")));
    }
    if line.starts_with("Python 3.") {
        let script = "import os, sys, bpy; print('bpy', bpy.app.version_string); sys.stdout.flush(); os._exit(0)";
        let probe = process::bounded(process::python(path).args(["-c", script]), Duration::from_secs(120))?;
        let found = probe
            .as_ref()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default();
        let Some(version) = found.lines().find_map(|line| line.strip_prefix("bpy ")) else {
            bail!(
                "--blender {shown}: this is {line} without a working bpy; install bpy into it, or give a Blender executable."
            );
        };
        return Ok((
            Kind::Python(path.to_path_buf()),
            format!("Blender {version} as a module of {line} ({shown})"),
        ));
    }
    bail!("--blender {shown}: it is neither a Blender nor a Python (its `--version` says {line:?}).");
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn program(text: &str) -> (tempfile::TempDir, PathBuf) {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        (folder, path)
    }

    #[test]
    fn blender_and_python_programs_are_distinguished() {
        let (_folder, blender) = program("echo; echo 'Blender 4.5.1 LTS'; echo '\tbuild date: x'");
        let (kind, title) = identify(&blender).unwrap();
        assert!(
            matches!(kind, Kind::Executable(_)) && title.starts_with("Blender 4.5.1 LTS ("),
            "{title}"
        );

        let python = r#"case "$1" in --version) echo 'Python 3.13.0';; *) echo 'noise'; echo 'bpy 5.2.3 LTS';; esac"#;
        let (_folder, python) = program(python);
        let (kind, title) = identify(&python).unwrap();
        assert!(
            matches!(kind, Kind::Python(_)) && title.starts_with("Blender 5.2.3 LTS as a module of Python 3.13.0"),
            "{title}"
        );
    }

    #[test]
    fn unsuitable_programs_are_named() {
        for (text, sentence) in [
            ("echo 'Blender 3.6.0'", "it is Blender 3.6.0; 4.2 and later"),
            (
                "[ \"$1\" = --version ] && echo 'Python 3.13.0'",
                "without a working bpy",
            ),
            ("echo 'GNU Emacs 30.1'", "neither a Blender nor a Python"),
            ("exit 1", "neither a Blender nor a Python"),
        ] {
            let (_folder, path) = program(text);
            let message = identify(&path).unwrap_err().to_string();
            assert!(message.contains(sentence), "{message}");
        }
    }
}
