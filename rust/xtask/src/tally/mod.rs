//! Runs programs that test, passes on what they print, and counts what they ran.

pub(crate) mod counts;
mod pytest;
mod ran;
mod stream;
mod voice;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

pub(crate) use counts::Counts;
pub(crate) use pytest::counted;
pub(crate) use ran::{Files, Ran};
pub(crate) use stream::{LIMIT, streamed};
pub(crate) use voice::Voice;

use crate::layout::Layout;

/// The folder for what test runs leave behind.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn results(layout: &Layout) -> Result<PathBuf> {
    let folder = layout.target().join("test");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}
