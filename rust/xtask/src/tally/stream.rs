//! Runs a command and passes on its output line by line, standard error included, in the original order.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result};

use super::printer::Printer;
use crate::process;

/// No group takes this long unless something hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(40 * 60);

/// Longest wait for the output to close, which a remaining child process may keep open.
const LEFT_BEHIND: Duration = Duration::from_secs(10);

/// Runs a command, prints each line of its output as it arrives, and passes it to `line`.
///
/// # Errors
/// When it cannot be started, or does not end within `limit`.
pub(crate) fn streamed(
    command: &mut Command,
    limit: Duration,
    printer: &Printer,
    mut line: impl FnMut(&str),
) -> Result<ExitStatus> {
    let program = command.get_program().to_string_lossy().into_owned();
    // One pipe for both keeps their order.
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone().context("cannot share a pipe")?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    // The command keeps its ends of the pipe, which would never close.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (sender, receiver) = channel::<String>();
    let output = printer.clone();
    std::thread::spawn(move || {
        // Not every program prints UTF-8 only.
        for bytes in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            output.line(&text);
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    let status = process::wait(&mut child, limit)?;
    while let Ok(text) = receiver.recv_timeout(LEFT_BEHIND) {
        line(&text);
    }
    status.with_context(|| format!("{program} was stopped after {} minutes", limit.as_secs() / 60))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_outputs_arrive_in_order() {
        let mut lines = Vec::new();
        let mut shell = process::command("sh");
        shell.args(["-c", "echo one; echo two >&2; echo three; exit 3"]);
        let status = streamed(&mut shell, LIMIT, &Printer::only(), |line| lines.push(line.to_owned())).unwrap();
        assert_eq!((status.code(), lines.join(" ").as_str()), (Some(3), "one two three"));
    }
}
