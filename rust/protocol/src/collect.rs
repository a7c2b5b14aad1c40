//! Findings of one document, bounded.

use crate::codes::Code;
use crate::finding::Finding;

/// Collects findings up to a limit and counts the rest.
pub(crate) struct Collector {
    list: Vec<Finding>,
    limit: usize,
    more: usize,
    failed: bool,
}

impl Collector {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            list: Vec::new(),
            limit: limit.max(1),
            more: 0,
            failed: false,
        }
    }

    /// Adds a finding; beyond the limit it is only counted, and its text is never built.
    pub(crate) fn error(&mut self, finding: impl FnOnce() -> Finding) {
        self.failed = true;
        if self.list.len() < self.limit {
            self.list.push(finding());
        } else {
            self.more += 1;
        }
    }

    /// Adds findings, and counts `more` errors that were not collected.
    pub(crate) fn extend(&mut self, findings: Vec<Finding>, more: usize) {
        self.failed |= more > 0 || findings.iter().any(Finding::is_error);
        let room = self.limit.saturating_sub(self.list.len());
        self.more += more + findings.len().saturating_sub(room);
        self.list.extend(findings.into_iter().take(room));
    }

    /// Whether an error is among them.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// The findings and how many more there were, before they are counted as one.
    pub(crate) fn parts(self) -> (Vec<Finding>, usize) {
        (self.list, self.more)
    }

    /// The findings; when there are more than the limit, the last one says how many are left out.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        if self.more > 0 {
            self.list.pop();
            let message = format!("{} more findings are not shown.", self.more + 1);
            self.list.push(Finding::info(Code::MoreFindings, "", message));
        }
        self.list
    }
}
