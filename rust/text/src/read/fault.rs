//! What is wrong with a page: a finding before its place is counted in lines and columns.

use std::collections::BTreeSet;

use geonode_protocol::{Code, Finding, Hint, LISTED_FINDINGS, MakeMaterial, Severity};

use crate::names::word;

/// Findings about what is there by a name: they mean nothing where not all of that is known.
const ABOUT_WHAT_IS_THERE: [Code; 8] = [
    Code::UnknownName,
    Code::UnknownNode,
    Code::UnknownSocket,
    Code::UnavailableSocket,
    Code::UnknownInput,
    Code::UnknownNodeGroup,
    Code::MissingField,
    Code::NothingToRemove,
];

/// One finding about a page.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) severity: Severity,
    pub(crate) code: Code,
    /// Offset in bytes.
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) fix: String,
}

impl Fault {
    pub(crate) fn new(code: Code, at: usize, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            at,
            message: message.into(),
            fix: fix.into(),
        }
    }

    pub(crate) fn warning(code: Code, at: usize, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::new(code, at, message, fix)
        }
    }
}

/// The findings about a page, in the order in which they were made, and what its values make beside trees.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Materials that the page makes, each with its place.
    pub(crate) materials: Vec<(MakeMaterial, usize)>,
    /// What refused lines are about, and their places. Nothing is said of other lines that name it: they may be right.
    pub(crate) refused: Refused,
    /// Whether it is open what is there by a name.
    pub(crate) doubting: bool,
    /// Whether names may become known once a first part of the page is carried out, and whether one of them is used.
    pub(crate) awaiting: bool,
    pub(crate) awaited: bool,
    list: Vec<Fault>,
    more: usize,
    errors: usize,
}

/// What lines are about that were refused.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    /// Names that they would have bound, and groups that they would have described.
    pub(crate) names: BTreeSet<String>,
    /// Offsets of lines that are no Python, and that the others are read without.
    pub(crate) lines: Vec<usize>,
    /// Groups of the file of which not all is known.
    pub(crate) groups: BTreeSet<String>,
}

impl Refused {
    /// Whether it is open what a group is, since lines about it are refused.
    pub(crate) fn has(&self, group: &str) -> bool {
        let is_it = |name: &String| name == group || word(group).as_ref() == Some(name);
        self.groups.contains(group) || self.names.iter().any(is_it)
    }

    /// Notes a line, from its first word to its end, that cannot be read: what it would have bound is open.
    pub(crate) fn line(&mut self, text: &str, at: usize) {
        self.lines.push(at);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = |text: &str| text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (word, after) = text.split_at(end(text));
        if after.trim_start().starts_with(['=', ':']) {
            self.names.insert(word.to_owned());
        }
        if let Some(output) = text.strip_prefix("group_output.") {
            self.names.insert(output.split_at(end(output)).0.to_owned());
        }
        // The ends of a zone.
        if let Some((_, ends)) = text.split_once(" as ").filter(|_| word == "with") {
            let words = ends.split(|c| !is_part(c)).filter(|word| !word.is_empty());
            self.names.extend(words.map(str::to_owned));
        }
    }
}

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        let awaits = self.awaiting && fault.code != Code::MissingField;
        if (self.doubting || awaits) && ABOUT_WHAT_IS_THERE.contains(&fault.code) {
            self.awaited |= awaits;
            return;
        }
        self.errors += usize::from(fault.severity == Severity::Error);
        // An expression may be looked at more than once: for its type, and for its value.
        if self
            .list
            .iter()
            .any(|known| known.at == fault.at && known.code == fault.code && known.message == fault.message)
        {
            return;
        }
        if self.list.len() < LISTED_FINDINGS {
            self.list.push(fault);
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn error(&mut self, code: Code, at: usize, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Fault::new(code, at, message, fix));
    }

    /// Whether one of them refuses the page.
    pub(crate) fn failed(&self) -> bool {
        self.errors > 0
    }

    /// How many errors were found so far, those that are found again included.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// As findings about a text, in the order of their places.
    pub(crate) fn findings(mut self, lines: &Lines<'_>) -> Vec<Finding> {
        self.list.sort_by_key(|fault| fault.at);
        let mut all: Vec<Finding> = self
            .list
            .into_iter()
            .map(|fault| {
                let finding = Finding::new(fault.severity, fault.code, lines.place(fault.at), fault.message);
                if fault.fix.is_empty() {
                    finding
                } else {
                    finding.hint(Hint::explain(fault.fix))
                }
            })
            .collect();
        if self.more > 0 {
            let message = format!("{} more findings are not shown.", self.more);
            all.push(Finding::info(Code::MoreFindings, "", message));
        }
        all
    }
}

/// Lines of a text.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            text,
            starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect(),
        }
    }

    /// The line of an offset, from 1.
    pub(crate) fn number(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1)
    }

    /// Line and column of an offset, both from 1, columns in characters.
    pub(crate) fn place(&self, at: usize) -> String {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let line = self.number(at);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let column = self.text.get(start..at).unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}")
    }
}
