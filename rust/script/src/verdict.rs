//! The verdict on a script.

use geonode_protocol::Code;
use serde::Serialize;

/// The verdict on a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether the script may run in safe mode, that is, without findings.
    pub ok: bool,
    /// Why it may not, in the order of the text; at most [`geonode_protocol::LISTED_FINDINGS`].
    pub findings: Vec<Finding>,
    /// Data that it would remove; an artist approves this in every mode. Does not affect `ok`.
    pub asks: Vec<Finding>,
    /// Names of attributes that the script gives to its own objects; the second check, on compiled code, uses them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<String>,
    /// The text that was judged, where it differs from the given one: same-quote f-strings with their inner quotes exchanged, character
    /// by character, so that every supported Python reads it. This is what must run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
}

/// One place in a script that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its code; decisions depend on this.
    pub code: Code,
    /// Rule that refused it: the name of its file in `rules/`, or of the stage before (`scan`, `parse`).
    pub rule: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is refused and why.
    pub text: String,
    /// What to use instead.
    pub hint: String,
}

/// The rules' findings in a tree.
pub(crate) struct Judged {
    pub(crate) findings: Vec<Raw>,
    pub(crate) asks: Vec<Raw>,
    pub(crate) own: Vec<String>,
}

impl Judged {
    pub(crate) fn refused(one: Raw) -> Self {
        Self {
            findings: vec![one],
            asks: Vec::new(),
            own: Vec::new(),
        }
    }
}

/// A finding at a byte offset, before lines are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) code: Code,
    pub(crate) rule: &'static str,
    pub(crate) at: usize,
    pub(crate) text: String,
    pub(crate) hint: String,
}

/// The findings in the order of the text, each place and text once, at most `limit`; a last one counts the rest.
pub(crate) fn located(source: &str, mut raw: Vec<Raw>, limit: usize) -> Vec<Finding> {
    raw.sort_by_key(|one| one.at);
    raw.dedup_by(|a, b| a.at == b.at && a.text == b.text);
    let total = raw.len();
    let shown = if total > limit { limit.saturating_sub(1) } else { total };
    let mut findings: Vec<Finding> = Vec::with_capacity(shown.saturating_add(1));
    let (mut line, mut start, mut passed) = (1u32, 0usize, 0usize);
    for one in raw.into_iter().take(shown) {
        let at = floor(source, one.at);
        for (offset, _) in source.get(passed..at).unwrap_or("").match_indices('\n') {
            line = line.saturating_add(1);
            start = passed.saturating_add(offset).saturating_add(1);
        }
        passed = at;
        let before = source.get(start..at).unwrap_or("").chars().count();
        findings.push(Finding {
            code: one.code,
            rule: one.rule,
            line,
            column: u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1),
            text: one.text,
            hint: one.hint,
        });
    }
    if total > shown {
        findings.push(Finding {
            code: Code::MoreFindings,
            rule: "scan",
            line,
            column: 1,
            text: format!("{} more places are refused.", total.saturating_sub(shown)),
            hint: "Correct these first.".into(),
        });
    }
    findings
}

/// The last character boundary at or before an offset.
fn floor(source: &str, at: usize) -> usize {
    let mut at = at.min(source.len());
    while !source.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    at
}
