//! The result of a group of tests.

use std::collections::BTreeMap;
use std::iter::Sum;

use super::counts::Counts;

/// Seconds by test file.
pub(crate) type Files = BTreeMap<String, f64>;

/// The result of a group.
#[derive(Debug, Default)]
pub(crate) struct GroupResult {
    /// How many tests.
    pub(crate) counts: Counts,
    /// Seconds by test file, where they are known.
    pub(crate) files: Files,
}

impl From<Counts> for GroupResult {
    fn from(counts: Counts) -> Self {
        Self {
            counts,
            files: Files::new(),
        }
    }
}

impl Sum for GroupResult {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |mut all, one| {
            all.counts = [all.counts, one.counts].into_iter().sum();
            all.files.extend(one.files);
            all
        })
    }
}
