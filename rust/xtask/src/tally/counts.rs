//! Numbers of tests, read from the output of test runners.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;

use serde::Deserialize;

/// Numbers of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Passed.
    pub(crate) passed: usize,
    /// Failed.
    pub(crate) failed: usize,
    /// Skipped.
    pub(crate) skipped: usize,
}

impl Counts {
    /// One check that passed or failed.
    pub(crate) fn of(held: bool) -> Self {
        Self {
            passed: usize::from(held),
            failed: usize::from(!held),
            skipped: 0,
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |a, b| Self {
            passed: a.passed + b.passed,
            failed: a.failed + b.failed,
            skipped: a.skipped + b.skipped,
        })
    }
}

impl fmt::Display for Counts {
    /// The plain closing line: `12 passed, 0 failed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// Reads a line of `cargo test`: `test result: ok. 3 passed; 0 failed; 1 ignored; …; finished in 0.10s`, with its seconds.
pub(crate) fn of_cargo_line(line: &str) -> Option<(Counts, f64)> {
    let (_, numbers) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
    let number = |word: &str| {
        numbers
            .split("; ")
            .find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok())
    };
    let seconds = numbers.split("; ").find_map(|part| {
        part.trim()
            .strip_prefix("finished in ")?
            .strip_suffix('s')?
            .parse()
            .ok()
    });
    let counts = Counts {
        passed: number("passed")?,
        failed: number("failed")?,
        skipped: number("ignored")?,
    };
    Some((counts, seconds.unwrap_or_default()))
}

/// A program of tests that cargo starts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The package, if the line names it.
    pub(crate) package: Option<String>,
    /// The path of its main file, or `doc`.
    pub(crate) source: String,
}

/// Reads `Running unittests src/lib.rs (target/debug/deps/geonode_run-0123)`, `Running tests/it/main.rs (…)`, `Doc-tests geonode_run`.
pub(crate) fn program_of_cargo_line(line: &str) -> Option<Program> {
    let line = line.trim();
    if let Some(package) = line.strip_prefix("Doc-tests ") {
        return Some(Program {
            package: Some(package.to_owned()),
            source: "doc".to_owned(),
        });
    }
    let (source, path) = line.strip_prefix("Running ")?.strip_suffix(')')?.split_once(" (")?;
    let name = path.rsplit(['/', '\\']).next()?;
    Some(Program {
        package: source
            .starts_with("unittests ")
            .then(|| name.rsplit_once('-').map_or(name, |(name, _)| name).to_owned()),
        source: source.trim_start_matches("unittests ").to_owned(),
    })
}

/// The data that our pytest plugin writes while the tests run.
#[derive(Debug, Deserialize)]
pub(crate) struct PytestCounts {
    passed: usize,
    failed: usize,
    skipped: usize,
    current: Option<String>,
    finished: bool,
    /// By test file.
    #[serde(default)]
    pub(crate) seconds: BTreeMap<String, f64>,
}

impl PytestCounts {
    /// The counts, and the error if the run did not finish.
    pub(crate) fn judge(self, status: std::process::ExitStatus) -> (Counts, Option<String>) {
        let counts = Counts {
            passed: self.passed,
            failed: self.failed,
            skipped: self.skipped,
        };
        let trouble = match (self.finished, self.current) {
            (true, _) if status.success() || counts.failed > 0 => None,
            (true, _) => Some(format!("pytest ended with {status} though no test failed")),
            (false, Some(test)) => Some(format!("the process died ({status}) in {test}")),
            (false, None) => Some(format!("the process died ({status}) between two tests")),
        };
        (counts, trouble)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn result_lines_of_cargo_are_read() {
        for (line, counts) in [
            (
                "test result: ok. 31 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.10s",
                Some((31, 0, 2, 0.10)),
            ),
            (
                "test result: FAILED. 30 passed; 1 failed; 0 ignored; 0 measured; 5 filtered out; finished in 20.79s",
                Some((30, 1, 0, 20.79)),
            ),
            ("running 3 tests", None),
            ("test result: ok. nonsense", None),
        ] {
            let wanted = counts.map(|(passed, failed, skipped, seconds)| {
                let counts = Counts {
                    passed,
                    failed,
                    skipped,
                };
                (counts, seconds)
            });
            assert_eq!(of_cargo_line(line), wanted, "{line}");
        }
    }

    #[test]
    fn test_program_lines_of_cargo_are_read() {
        let program = |package: Option<&str>, source: &str| {
            Some(Program {
                package: package.map(Into::into),
                source: source.into(),
            })
        };
        for (line, wanted) in [
            (
                "     Running unittests src/lib.rs (target/debug/deps/geonode_run-0123abcd)",
                program(Some("geonode_run"), "src/lib.rs"),
            ),
            (
                "     Running tests/it/main.rs (target/debug/deps/it-0123abcd)",
                program(None, "tests/it/main.rs"),
            ),
            ("   Doc-tests geonode_run", program(Some("geonode_run"), "doc")),
            ("running 3 tests", None),
            ("   Compiling libc v0.2.191", None),
        ] {
            assert_eq!(program_of_cargo_line(line), wanted, "{line}");
        }
    }

    #[test]
    fn a_crash_names_the_test_that_was_running() {
        let judge = |text: &str, status: i32| {
            serde_json::from_str::<PytestCounts>(text)
                .unwrap()
                .judge(ExitStatus::from_raw(status))
        };
        let (counts, trouble) = judge(
            r#"{"passed":4,"failed":0,"skipped":1,"current":null,"finished":true}"#,
            0,
        );
        assert_eq!(
            (counts.to_string().as_str(), trouble),
            ("4 passed, 0 failed, 1 skipped", None)
        );
        let (_, trouble) = judge(
            r#"{"passed":4,"failed":0,"skipped":0,"current":"tests/a.py::test_zone","finished":false}"#,
            11,
        );
        let trouble = trouble.unwrap();
        assert!(
            trouble.contains("tests/a.py::test_zone") && trouble.contains("signal: 11"),
            "{trouble}"
        );
        // pytest's status 5: no tests.
        let (counts, trouble) = judge(
            r#"{"passed":0,"failed":0,"skipped":0,"current":null,"finished":true}"#,
            5 << 8,
        );
        assert_eq!(counts, Counts::default());
        assert!(trouble.is_some());
    }
}
