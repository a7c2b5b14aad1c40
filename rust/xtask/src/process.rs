//! Starting other programs.

use std::ffi::OsStr;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A command in a clean environment: without the variables that `cargo run` sets for this process, which would make nested cargo
/// builds start over and put the toolchain's libraries before Blender's.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
            || ["CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&name.as_ref())
        {
            command.env_remove(name.as_ref());
        }
    }
    for name in ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"] {
        if let Some(paths) = std::env::var_os(name) {
            let kept: Vec<PathBuf> = std::env::split_paths(&paths).filter(|path| !is_cargos(path)).collect();
            match std::env::join_paths(&kept) {
                Ok(joined) if !kept.is_empty() => command.env(name, joined),
                _ => command.env_remove(name),
            };
        }
    }
    command
}

/// True for the folders that cargo puts into the library path of what it runs.
fn is_cargos(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "rustlib")
        || path.ends_with("lib") && path.components().any(|part| part.as_os_str() == ".rustup")
        || path.components().any(|part| part.as_os_str() == "target") && path.join("deps").is_dir()
        || path.ends_with("deps")
}

/// `command` for a Python: without the caller's own Python set-up.
pub(crate) fn python(interpreter: &Path) -> Command {
    let mut command = command(interpreter);
    for name in [
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "VIRTUAL_ENV",
        "__PYVENV_LAUNCHER__",
    ] {
        command.env_remove(name);
    }
    command.env("PYTHONNOUSERSITE", "1");
    command
}

/// The `cargo` that runs this process.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs to the end without showing the output, except in the error.
///
/// # Errors
/// When the program cannot be started or fails; the error carries the end of what it printed.
pub(crate) fn quiet(command: &mut Command, what: &str) -> Result<Output> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{what}: cannot start {}", name(command)))?;
    if !output.status.success() {
        bail!(
            "{what}: {} ended with {}\n{}",
            name(command),
            output.status,
            tail(&output, 30)
        );
    }
    Ok(output)
}

/// As `quiet`, but on a terminal the program's own progress is shown (on standard error).
///
/// # Errors
/// As for `quiet`.
pub(crate) fn visible(command: &mut Command, what: &str) -> Result<()> {
    if !std::io::stderr().is_terminal() {
        return quiet(command, what).map(drop);
    }
    let status = command
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status()
        .with_context(|| format!("{what}: cannot start {}", name(command)))?;
    if !status.success() {
        bail!("{what}: {} ended with {status}", name(command));
    }
    Ok(())
}

/// Runs to the end, or stops it after `limit` and returns `None`.
pub(crate) fn bounded(command: &mut Command, limit: Duration) -> std::io::Result<Option<Output>> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (out, err) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let Some(status) = wait(&mut child, limit)? else {
        return Ok(None);
    };
    // Joining would wait for the pipes to close, which a grandchild may keep open; the answer has arrived by then.
    Ok(Some(Output {
        status,
        stdout: out.join().unwrap_or_default(),
        stderr: err.join().unwrap_or_default(),
    }))
}

/// Waits for a child, stops it after `limit` (then `None`).
pub(crate) fn wait(child: &mut std::process::Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // The output before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Replaces this process by the program if the system can (signals and exit status are then exactly its own), else waits
/// for it and returns its status.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn hand_over(mut command: Command) -> Result<u8> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        let error = command.exec();
        Err(error).with_context(|| format!("cannot start {}", name(&command)))
    }
    #[cfg(not(unix))]
    {
        let status = command
            .status()
            .with_context(|| format!("cannot start {}", name(&command)))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }
}

/// The last `lines` lines that a program printed, errors after output.
pub(crate) fn tail(output: &Output, lines: usize) -> String {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let all: Vec<&str> = text.lines().collect();
    all.get(all.len().saturating_sub(lines)..)
        .unwrap_or_default()
        .join("\n")
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn child_processes_do_not_inherit_cargo_variables() {
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo test sets it");
        let output = quiet(&mut command("env"), "env").unwrap();
        assert!(!String::from_utf8_lossy(&output.stdout).contains("CARGO_MANIFEST_DIR"));
    }

    #[test]
    fn a_failure_shows_the_end_of_the_output() {
        let error = quiet(
            command("sh").args(["-c", "echo first; echo cause >&2; exit 3"]),
            "making x",
        )
        .unwrap_err()
        .to_string();
        assert!(
            error.starts_with("making x: sh ended with exit status: 3") && error.ends_with("first\ncause"),
            "{error}"
        );
    }

    #[test]
    fn a_program_that_hangs_is_stopped_at_its_limit() {
        let hung = bounded(command("sleep").arg("60"), Duration::from_millis(20)).unwrap();
        assert!(hung.is_none());
        let quick = bounded(command("echo").arg("x"), Duration::from_secs(20))
            .unwrap()
            .unwrap();
        assert_eq!(quick.stdout, b"x\n");
    }
}
