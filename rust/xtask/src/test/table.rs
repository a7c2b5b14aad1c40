//! The tables at the end of a test run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use crate::tally::{Counts, Files};

/// How many of the slowest files are shown.
const SHOWN: usize = 20;

/// The result of a group.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) counts: Counts,
    pub(super) time: Duration,
    pub(super) trouble: Option<String>,
}

/// Group, tests, seconds.
pub(super) fn of_groups(outcomes: &[Outcome]) -> String {
    // Writing into a String cannot fail, so its results are dropped.
    let mut text = format!(
        "\n{:<16} {:>7} {:>7} {:>8} {:>8}\n",
        "group", "passed", "failed", "skipped", "seconds"
    );
    for outcome in outcomes {
        let Counts {
            passed,
            failed,
            skipped,
        } = outcome.counts;
        let seconds = outcome.time.as_secs_f64();
        let _ = write!(
            text,
            "{:<16} {passed:>7} {failed:>7} {skipped:>8} {seconds:>8.1}",
            outcome.name
        );
        // Only the first line of the cause; the group itself printed all of it.
        if let Some(cause) = outcome.trouble.as_deref().and_then(|trouble| trouble.lines().next()) {
            let _ = write!(text, "  {cause}");
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

/// The slowest test files: seconds in all groups together, and in the slowest of them. Empty when no file is known.
pub(super) fn of_files(groups: &[(String, Files)]) -> String {
    let mut files: BTreeMap<&str, Vec<(f64, &str)>> = BTreeMap::new();
    for (group, seconds) in groups {
        for (file, seconds) in seconds {
            files.entry(file).or_default().push((*seconds, group));
        }
    }
    if files.is_empty() {
        return String::new();
    }
    let mut rows: Vec<_> = files
        .into_iter()
        .map(|(file, mut seconds)| {
            seconds.sort_by(|a, b| b.0.total_cmp(&a.0));
            (seconds.iter().map(|(one, _)| one).sum::<f64>(), file, seconds)
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut text = format!(
        "\n{:<52} {:>7} {:>8}  {}\n",
        "slowest files", "groups", "seconds", "slowest in"
    );
    for (all, file, seconds) in rows.iter().take(SHOWN) {
        let (most, group) = seconds.first().copied().unwrap_or_default();
        let _ = writeln!(text, "{file:<52} {:>7} {all:>8.1}  {group} ({most:.1})", seconds.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_files_come_first_and_name_their_groups() {
        let group = |name: &str, files: &[(&str, f64)]| {
            let files = files
                .iter()
                .map(|(file, seconds)| ((*file).to_owned(), *seconds))
                .collect();
            (name.to_owned(), files)
        };
        let groups = [
            group("old", &[("a.py", 1.0), ("b.py", 4.0)]),
            group("new", &[("a.py", 6.5), ("c.py", 2.0)]),
        ];
        let table = of_files(&groups);
        let rows: Vec<Vec<&str>> = table
            .lines()
            .skip(2)
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            rows,
            [
                vec!["a.py", "2", "7.5", "new", "(6.5)"],
                vec!["b.py", "1", "4.0", "old", "(4.0)"],
                vec!["c.py", "1", "2.0", "new", "(2.0)"],
            ],
            "{table}"
        );
        let many: Vec<_> = (0..100).map(|n| (format!("{n}.py"), f64::from(n))).collect();
        let table = of_files(&[("all".into(), many.into_iter().collect())]);
        assert_eq!(table.lines().count(), SHOWN + 2);
        assert_eq!(of_files(&[]), "");
    }
}
