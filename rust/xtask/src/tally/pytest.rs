//! Tests that pytest runs.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::counts::PytestCounts;
use super::group_result::GroupResult;
use super::printer::Printer;
use super::stream::streamed;

/// Runs pytest with our plugin, which writes counts and times to `file`.
///
/// # Errors
/// When it did not start or did not finish.
pub(crate) fn counted(command: &mut Command, file: &Path, limit: Duration, printer: &Printer) -> Result<GroupResult> {
    let status = streamed(command, limit, printer, |_| {})?;
    let text = fs::read(file).with_context(|| format!("pytest did not start ({status})"))?;
    let mut read = serde_json::from_slice::<PytestCounts>(&text).context("unreadable counts")?;
    let files = std::mem::take(&mut read.seconds);
    let (counts, trouble) = read.judge(status);
    if let Some(trouble) = trouble {
        bail!("{trouble}; before that: {counts}");
    }
    Ok(GroupResult { counts, files })
}
