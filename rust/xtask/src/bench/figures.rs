//! Measured figures, and the form in which the measuring programs print them.

use anyhow::{Context, Result};
use serde::Serialize;

/// One measured figure; the median of several tries where one is noisy.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    pub(super) what: String,
    pub(super) blender: String,
    pub(super) value: f64,
    pub(super) unit: String,
    /// What the product promises, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<f64>,
}

/// The figures of an example: a JSON array of `[what, value, unit, limit or null]`.
pub(super) fn example_figures(stdout: &[u8]) -> Result<Vec<Figure>> {
    let figures: Vec<(String, f64, String, Option<f64>)> =
        serde_json::from_slice(stdout).context("unreadable figures")?;
    let figures = figures.into_iter().map(|(what, value, unit, limit)| Figure {
        what,
        blender: String::new(),
        value,
        unit,
        limit,
    });
    Ok(figures.collect())
}

/// The figures of a script, one per line.
pub(super) fn lines(stdout: &[u8], version: &str) -> Result<Vec<Figure>> {
    let text = String::from_utf8_lossy(stdout);
    let lines = text.lines().filter_map(|line| line.strip_prefix("figure "));
    lines
        .map(|line| {
            let (what, value, unit, limit): (String, f64, String, Option<f64>) =
                serde_json::from_str(line).context("unreadable figure")?;
            Ok(Figure {
                what,
                blender: version.into(),
                value,
                unit,
                limit,
            })
        })
        .collect()
}
