//! `cargo xtask test`: runs every test, in groups; a group without tests counts as failed.

mod audit;
mod cargo;
mod coverage;
mod groups;
mod lint;
mod pytest;
mod room;
mod schedule;
mod subjects;
mod systems;
mod table;
mod wine;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;

use crate::blender::SUPPORTED;
use crate::layout::Layout;
use crate::native::{self, Build};
use crate::tally::{Counts, Files, Printer};
use crate::window::RELEASES;
use groups::Group;
use table::Outcome;

/// The options of `test`.
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Rust, Python, and the newest Blender only
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Everything, with the core as it is shipped, and coverage figures
    #[arg(long)]
    full: bool,
    /// Only these groups: lint, rust, audit, python, peers, blender-5.2, manifests-5.2, headless-4.3, window-4.3, …
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    only: Vec<String>,
}

impl Test {
    /// The core that is tested: the one that is shipped takes too long to compile for every run.
    fn build(&self) -> Build {
        if self.full { Build::Release } else { Build::Checked }
    }
}

impl Outcome {
    /// A required group that ran nothing, or did not finish, has failed.
    fn of(name: String, result: Result<Counts>, time: Duration) -> Self {
        let (mut counts, mut trouble) = match result {
            Ok(counts) => (counts, None),
            Err(error) => (Counts::default(), Some(format!("{error:#}"))),
        };
        if trouble.is_none() && counts.passed + counts.failed == 0 {
            trouble = Some("no test ran".into());
        }
        if trouble.is_some() {
            counts.failed += 1;
        }
        Self {
            name,
            counts,
            time,
            trouble,
        }
    }
}

/// Runs the groups and prints the tables; the status is 0 only if all of them pass.
///
/// # Errors
/// When a requested group does not exist.
pub(crate) fn run(layout: &Layout, options: &Test) -> Result<u8> {
    let groups = choose(options)?;
    if let Some(warning) = room::warning(layout) {
        println!("{warning}");
    }
    let printers = Printer::several(groups.len());
    let (mut outcomes, files): (Vec<_>, Vec<_>) = std::thread::scope(|scope| {
        scope.spawn(|| {
            for group in &groups {
                group.prepare(layout);
            }
        });
        // The core takes minutes of compiling: it fills the pauses of the other builds. A failure is reported by the groups that
        // need it.
        if groups.iter().any(|group| group.needs_core()) {
            scope.spawn(|| drop(native::prepare(layout, options.build())));
        }
        schedule::side_by_side(
            &groups,
            schedule::lanes(),
            |group| group.alone(),
            |number, group| {
                printers
                    .get(number)
                    .map(|printer| run_one(layout, options, *group, printer))
            },
        )
        .into_iter()
        .flatten()
        .unzip()
    });
    if options.full
        && groups
            .iter()
            .any(|group| coverage::of_python(*group) || coverage::of_rust(*group))
    {
        let start = Instant::now();
        println!("\n== coverage");
        let counts = coverage::report(layout, &groups);
        outcomes.push(Outcome::of("coverage".into(), counts, start.elapsed()));
    }
    print!("{}{}", table::of_files(&files), table::of_groups(&outcomes));
    let all: Counts = outcomes.iter().map(|outcome| outcome.counts).sum();
    println!("{all}");
    Ok(u8::from(all.failed > 0))
}

/// Runs a group and prints how it ended.
fn run_one(layout: &Layout, options: &Test, group: Group, printer: &Printer) -> (Outcome, (String, Files)) {
    printer.line(&format!("\n== {}", group.name()));
    let start = Instant::now();
    let (counts, files) = match group.run(layout, options.build(), options.full, printer) {
        Ok(ran) => (Ok(ran.counts), ran.files),
        Err(error) => (Err(error), Files::new()),
    };
    let outcome = Outcome::of(group.name(), counts, start.elapsed());
    printer.line(&match &outcome.trouble {
        Some(trouble) => format!("== {}: FAILED: {trouble}", outcome.name),
        None => format!(
            "== {}: {} in {:.0} s",
            outcome.name,
            outcome.counts,
            outcome.time.as_secs_f64()
        ),
    });
    printer.finish();
    (outcome, (group.name(), files))
}

/// The groups that only `--full` and `--only` run.
const LONG: [Group; 4] = [Group::Systems, Group::Wine, Group::WinePython, Group::Fuzz];

/// The groups in the order in which they run: what fails soonest first.
fn all() -> Vec<Group> {
    let [newest, .., oldest] = SUPPORTED;
    let mut groups = vec![
        Group::Lint { clippy: false },
        Group::Rust,
        Group::Audit,
        Group::Python,
        Group::Peers,
    ];
    groups.extend(SUPPORTED.into_iter().rev().map(Group::Blender));
    let required = || RELEASES.into_iter().filter(|release| release.required);
    // In parallel with the last Blender, which would otherwise run alone.
    groups.extend(required().map(Group::Headless));
    groups.extend([Group::Manifests(newest), Group::Manifests(oldest)]);
    groups.extend(required().map(Group::Window));
    groups
}

fn choose(options: &Test) -> Result<Vec<Group>> {
    let [newest, ..] = SUPPORTED;
    if options.quick {
        return Ok(vec![Group::Rust, Group::Python, Group::Blender(newest)]);
    }
    if options.only.is_empty() {
        let long = LONG.into_iter().filter(|_| options.full);
        return Ok(all().into_iter().chain(long).collect());
    }
    // Manifests and windows may be asked for in any Blender.
    let more = SUPPORTED
        .map(Group::Manifests)
        .into_iter()
        .chain(RELEASES.map(Group::Headless))
        .chain(RELEASES.map(Group::Window))
        .chain(LONG);
    let known: Vec<Group> = all().into_iter().chain(more).collect();
    let find = |name: &String| known.iter().copied().find(|group| group.name() == *name);
    match options.only.iter().find(|name| find(name).is_none()) {
        Some(unknown) => {
            let names: Vec<String> = all().into_iter().map(Group::name).collect();
            bail!("there is no group {unknown:?}; the groups are {}.", names.join(", "))
        }
        None => {
            let chosen: Vec<Group> = options.only.iter().filter_map(find).collect();
            let clippy = !chosen.contains(&Group::Rust);
            Ok(chosen
                .into_iter()
                .map(|group| match group {
                    Group::Lint { .. } => Group::Lint { clippy },
                    other => other,
                })
                .collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(only: &[&str], quick: bool) -> Test {
        Test {
            quick,
            full: false,
            only: only.iter().map(ToString::to_string).collect(),
        }
    }

    fn names(options: &Test) -> Vec<String> {
        choose(options).unwrap().into_iter().map(Group::name).collect()
    }

    #[test]
    fn every_blender_is_tested_unless_one_is_named() {
        let all = names(&options(&[], false));
        for blender in SUPPORTED {
            assert!(all.contains(&format!("blender-{}", blender.version)), "{all:?}");
        }
        assert!(all.contains(&"headless-4.3".to_owned()), "{all:?}");
        assert_eq!(all.last().map(String::as_str), Some("window-4.3"));
        assert_eq!(names(&options(&[], true)), ["rust", "python", "blender-5.2"]);
        assert_eq!(
            names(&options(&["manifests-4.5", "rust"], false)),
            ["manifests-4.5", "rust"]
        );
        assert_eq!(
            choose(&options(&["lint"], false)).unwrap(),
            [Group::Lint { clippy: true }],
            "nothing else lints Rust"
        );
        assert_eq!(
            choose(&options(&["lint", "rust"], false)).unwrap(),
            [Group::Lint { clippy: false }, Group::Rust]
        );
        let full = Test {
            full: true,
            ..options(&[], false)
        };
        assert_eq!(names(&full).last().map(String::as_str), Some("fuzz"));
        let message = choose(&options(&["rusty"], false)).unwrap_err().to_string();
        assert!(
            message.contains("\"rusty\"") && message.contains("lint, rust"),
            "{message}"
        );
    }

    #[test]
    fn a_group_without_tests_has_failed() {
        let second = Duration::from_secs(1);
        let none = Outcome::of(
            "x".into(),
            Ok(Counts {
                skipped: 3,
                ..Counts::default()
            }),
            second,
        );
        assert_eq!((none.counts.failed, none.trouble.as_deref()), (1, Some("no test ran")));
        let broken = Outcome::of("x".into(), Err(anyhow::anyhow!("first line\nsecond")), second);
        assert_eq!(broken.counts.failed, 1);
        let fine = Outcome::of("fine".into(), Ok(Counts::of(true)), second);
        let table = table::of_groups(&[fine, broken]);
        assert!(
            table.contains("fine                   1       0        0      1.0\n"),
            "{table}"
        );
        assert!(table.contains("first line\n") && !table.contains("second\n"), "{table}");
    }
}
