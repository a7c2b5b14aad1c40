//! The subjects of unpublished commits: at most 72 characters, so that lists show them completely.

use std::process::Stdio;

use crate::layout::Layout;
use crate::process;
use crate::tally::Printer;

/// Characters of a subject that every list shows.
const LONGEST: usize = 72;

/// Branches with published commits; the first one that this clone has is used.
const BASES: [&str; 4] = ["origin/HEAD", "origin/main", "origin/master", "main"];

/// Warns of subjects that are too long. Published commits cannot be reworded, and a copy without history has no
/// commits: both are skipped, and nothing fails here.
pub(super) fn warn(layout: &Layout, printer: &Printer) {
    let Some(base) = BASES.into_iter().find(|base| {
        git(
            layout,
            &["rev-parse", "--verify", "--quiet", &format!("{base}^{{commit}}")],
        )
        .is_some()
    }) else {
        return;
    };
    let range = format!("{base}..HEAD");
    let log = git(layout, &["log", "--no-merges", "--format=%h %s", &range]).unwrap_or_default();
    for commit in too_long(&log) {
        printer.line(&format!(
            "WARNING: the subject of a commit has more than {LONGEST} characters: {commit}"
        ));
    }
}

/// The lines `hash subject` whose subject is too long.
fn too_long(log: &str) -> Vec<&str> {
    log.lines()
        .filter(|line| {
            line.split_once(' ')
                .is_some_and(|(_, subject)| subject.chars().count() > LONGEST)
        })
        .collect()
}

/// The output of git; `None` if it fails or is missing.
fn git(layout: &Layout, arguments: &[&str]) -> Option<String> {
    let output = process::command("git")
        .current_dir(&layout.root)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_the_subject_count_without_the_hash() {
        let (whole, over) = ("ü".repeat(LONGEST), "x".repeat(LONGEST + 1));
        let log = format!("0123abc {whole}\n4567def {over}\n");
        assert_eq!(too_long(&log), [format!("4567def {over}")]);
    }
}
