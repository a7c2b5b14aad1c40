//! Checks whether a program is the wanted Python.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::interpreter::Interpreter;
use crate::blender::PythonMinor;
use crate::process;

/// The result of starting a candidate.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Use it.
    Fit(Interpreter),
    /// The right version, but it cannot be used, for this reason.
    Unfit(String),
    /// A Python of another version.
    OtherVersion,
    /// It did not start, hung, or printed something else: a version manager's shim, for example.
    NotPython,
}

/// The interpreter's description of itself. `executable` is the one behind a venv, so that venvs are never nested.
const QUESTION: &str = r#"
import json, platform, struct, sys, sysconfig
try:
    import ensurepip, venv
    makes_venvs = True
except ImportError:
    makes_venvs = False
print(json.dumps({
    "version": platform.python_version(), "major": sys.version_info[0], "minor": sys.version_info[1],
    "machine": platform.machine(), "bits": struct.calcsize("P") * 8, "implementation": sys.implementation.name,
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")), "venv": makes_venvs,
    "executable": getattr(sys, "_base_executable", None) or sys.executable,
}))
"#;

#[derive(Deserialize)]
struct Answer {
    version: String,
    major: u8,
    minor: u8,
    machine: String,
    bits: u32,
    implementation: String,
    free_threaded: bool,
    venv: bool,
    executable: PathBuf,
}

/// Starts `candidate` and checks it. A program that does not answer within ten seconds is not a Python.
pub(crate) fn probe(candidate: &Path, minor: PythonMinor) -> Verdict {
    let mut command = process::python(candidate);
    // A version manager is asked for exactly this version; other programs ignore the variable.
    command.args(["-I", "-c", QUESTION]).env_remove("PYENV_VERSION");
    let Ok(Some(output)) = process::bounded(&mut command, Duration::from_secs(10)) else {
        return Verdict::NotPython;
    };
    let Ok(answer) = serde_json::from_slice::<Answer>(&output.stdout) else {
        return Verdict::NotPython;
    };
    if (answer.major, answer.minor) != (3, minor) {
        return Verdict::OtherVersion;
    }
    let here = std::env::consts::ARCH;
    if answer.implementation != "cpython" {
        Verdict::Unfit(format!(
            "it is {}, and Blender's modules need CPython",
            answer.implementation
        ))
    } else if answer.free_threaded {
        Verdict::Unfit("it is a free-threaded build, for which there is no bpy".into())
    } else if architecture(&answer.machine) != here || answer.bits != usize::BITS {
        Verdict::Unfit(format!(
            "it is built for {} ({} bit), this machine is {here}",
            answer.machine, answer.bits
        ))
    } else if !answer.venv {
        Verdict::Unfit(format!(
            "its modules venv and ensurepip are missing (on Debian: `apt-get install python3.{minor}-venv`)"
        ))
    } else {
        Verdict::Fit(Interpreter {
            path: answer.executable,
            version: answer.version,
        })
    }
}

/// The names that operating systems give to a processor, in Rust's words.
fn architecture(machine: &str) -> &str {
    match machine {
        "AMD64" | "x86-64" | "amd64" => "x86_64",
        "arm64" | "ARM64" => "aarch64",
        other => other,
    }
}
