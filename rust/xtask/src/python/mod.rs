//! Finds a Python of a wanted minor version, also one that is not on the PATH.

mod candidates;
mod interpreter;
mod probe;

use anyhow::{Result, bail};

use crate::blender::PythonMinor;
pub(crate) use candidates::Surroundings;
pub(crate) use interpreter::Interpreter;
pub(crate) use probe::{Verdict, probe};

/// The first fit interpreter of version 3.`minor`.
///
/// # Errors
/// When there is none: one sentence that says what was found instead and how to get one.
pub(crate) fn find(minor: PythonMinor, surroundings: &Surroundings) -> Result<Interpreter> {
    let candidates = surroundings.candidates(minor);
    let mut unfit = None;
    for candidate in &candidates {
        match probe(candidate, minor) {
            Verdict::Fit(interpreter) => return Ok(interpreter),
            // The reason why one of the right version is not used is worth more than a list of other versions.
            Verdict::Unfit(reason) => {
                unfit.get_or_insert_with(|| format!("{} cannot be used: {reason}", candidate.display()));
            }
            Verdict::OtherVersion | Verdict::NotPython => {}
        }
    }
    if let Some(reason) = unfit {
        bail!("Python 3.{minor} is needed; {reason}.");
    }
    bail!(
        "Python 3.{minor} was not found (on the PATH, in pyenv, uv, asdf, mise, conda, /opt, /usr/local, Homebrew); install it, for example with \
         `uv python install 3.{minor}` or `pyenv install 3.{minor}`."
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Python of some version must be there to run the tests at all; it is found by its real version.
    #[test]
    fn a_real_interpreter_is_found_and_probed() {
        let surroundings = Surroundings::of_this_process();
        let found: Vec<Interpreter> = (11..=13).filter_map(|minor| find(minor, &surroundings).ok()).collect();
        assert!(!found.is_empty(), "no Python 3.11 to 3.13 on this machine");
        for interpreter in found {
            assert!(interpreter.path.is_absolute(), "{interpreter:?}");
            assert!(interpreter.version.starts_with("3.1"), "{interpreter:?}");
        }
    }

    #[test]
    fn a_missing_python_is_one_sentence_with_the_fix() {
        let empty = tempfile::tempdir().unwrap();
        let surroundings = Surroundings::fake(empty.path(), &[]);
        let message = find(13, &surroundings).unwrap_err().to_string();
        assert!(
            message.contains("Python 3.13 was not found") && message.contains("uv python install 3.13"),
            "{message}"
        );
        assert!(!message.contains('\n'), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn broken_shims_and_other_versions_are_skipped() {
        let root = tempfile::tempdir().unwrap();
        let script = |place: &str, text: &str| candidates::tests::executable(&root.path().join(place), text);
        // A shim that fails, as pyenv's does when the version is not selected.
        script(
            "home/.pyenv/shims/python3.11",
            "echo 'pyenv: python3.11: command not found' >&2; exit 127",
        );
        // A program whose name states another version than its own.
        script(
            "home/.pyenv/versions/3.11.2/bin/python3.11",
            &answer("3.10.1", 10, std::env::consts::ARCH),
        );
        script(
            "home/.local/share/uv/python/cpython-3.11.9-linux-x86_64-gnu/bin/python3.11",
            &answer("3.11.9", 11, std::env::consts::ARCH),
        );
        let surroundings = Surroundings::fake(root.path(), &["home/.pyenv/shims"]);
        let found = find(11, &surroundings).unwrap();
        assert_eq!(found.version, "3.11.9");
        assert!(
            found.path.ends_with("cpython-3.11.9-linux-x86_64-gnu/bin/python3.11"),
            "{found:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_python_for_another_processor_is_named_in_the_error() {
        let root = tempfile::tempdir().unwrap();
        candidates::tests::executable(&root.path().join("bin/python3.11"), &answer("3.11.9", 11, "mips"));
        let message = find(11, &Surroundings::fake(root.path(), &["bin"]))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("python3.11 cannot be used") && message.contains("mips"),
            "{message}"
        );
    }

    /// A script that answers the probe as a Python of that version would.
    #[cfg(unix)]
    fn answer(version: &str, minor: u8, machine: &str) -> String {
        format!(
            r#"echo '{{"version":"{version}","major":3,"minor":{minor},"machine":"{machine}","bits":64,"implementation":"cpython","free_threaded":false,"venv":true,"executable":"'"$0"'"}}'"#
        )
    }
}
