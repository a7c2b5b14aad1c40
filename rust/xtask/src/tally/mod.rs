//! Runs test programs, passes on their output, and counts their tests.

pub(crate) mod counts;
mod group_result;
mod printer;
mod pytest;
mod stream;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

pub(crate) use counts::Counts;
pub(crate) use group_result::{Files, GroupResult};
pub(crate) use printer::Printer;
pub(crate) use pytest::counted;
pub(crate) use stream::{LIMIT, streamed};

use crate::layout::Layout;

/// The folder for the results of test runs.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn results(layout: &Layout) -> Result<PathBuf> {
    let folder = layout.target().join("test");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}
