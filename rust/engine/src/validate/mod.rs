//! Validator chains: one kind of chain for requests, responses and tools, the same for every provider.
//!
//! A chain runs its links in the order of their stages. A finding names a place and a code and never repeats the text in which it was found.

mod calls;
mod requests;
mod responses;
mod scripts;

use geonode_protocol::{Finding, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use calls::calls;
pub(crate) use requests::request;
pub(crate) use responses::{Response, response};
pub(crate) use scripts::{Rules, confirmed_only, starts};

/// The subject of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// The request of a run.
    Requests,
    /// The reply of a planner.
    Responses,
    /// The calls of a model, and the results of the tools.
    Tools,
}

/// The order of checks: cheap ones first, and meaning only after the form is known to be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Whether it can be read at all.
    Structure,
    /// Whether it fits its schema, and whether the recipient supports it.
    Schema,
    /// Whether it makes sense.
    Domain,
}

/// The effect of an error that can be waived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It refuses the subject.
    Strict,
    /// It is only reported.
    Warn,
}

impl Mode {
    /// The mode of a setting `strict_…`.
    pub(crate) fn strict(strict: bool) -> Self {
        if strict { Self::Strict } else { Self::Warn }
    }
}

/// One check.
pub(crate) struct Link<S> {
    pub(crate) stage: Stage,
    /// An error of this link ends the chain and cannot be waived.
    pub(crate) fatal: bool,
    pub(crate) check: fn(&mut S, &mut Vec<Finding>),
}

/// Links in the order of their stages; within a stage as they were given.
pub(crate) struct Chain<S> {
    feature: Feature,
    links: Vec<Link<S>>,
}

impl<S> Chain<S> {
    pub(crate) fn new(feature: Feature, links: impl Into<Vec<Link<S>>>) -> Self {
        let mut links = links.into();
        links.sort_by_key(|link| link.stage);
        Self { feature, links }
    }

    /// Runs every link, up to the first fatal error.
    pub(crate) fn run(&self, subject: &mut S, mode: Mode) -> Verdict {
        let mut findings = Vec::new();
        for link in &self.links {
            let before = findings.len();
            (link.check)(subject, &mut findings);
            let found = findings.get_mut(before..).unwrap_or_default();
            if link.fatal && found.iter().any(Finding::is_error) {
                break;
            }
            if !link.fatal && mode == Mode::Warn {
                for finding in found {
                    finding.severity = finding.severity.max(Severity::Warning);
                }
            }
        }
        Verdict {
            feature: self.feature,
            findings,
        }
    }
}

/// The findings of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    feature: Feature,
    pub(crate) findings: Vec<Finding>,
}

impl Verdict {
    /// The first error, if any refuses.
    pub(crate) fn error(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.is_error())
    }
}

/// The number of findings of a chain in one turn of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Number of the requested plan, from 1; 0 before the first.
    pub turn: u32,
    /// Which chain.
    pub feature: Feature,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
    /// Number of remarks.
    pub infos: usize,
}

/// Most turns that are counted; retries and iterations are limited to far fewer.
const MAX_TALLIES: usize = 1000;

/// The counts of a run, per turn and chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger(Vec<Tally>);

impl Ledger {
    /// Counts what was found in this turn.
    pub(crate) fn note(&mut self, turn: u32, verdict: &Verdict) {
        let feature = verdict.feature;
        let count = |severity| verdict.findings.iter().filter(|f| f.severity == severity).count();
        let [errors, warnings, infos] = [Severity::Error, Severity::Warning, Severity::Info].map(count);
        let known = self.0.iter_mut().find(|t| t.turn == turn && t.feature == feature);
        if let Some(tally) = known {
            tally.errors += errors;
            tally.warnings += warnings;
            tally.infos += infos;
        } else if self.0.len() < MAX_TALLIES {
            self.0.push(Tally {
                turn,
                feature,
                errors,
                warnings,
                infos,
            });
        }
    }

    /// Drops the counts of a turn that begins again.
    pub(crate) fn forget(&mut self, turn: u32) {
        self.0.retain(|tally| tally.turn != turn);
    }

    /// In the order of the turns.
    pub(crate) fn tallies(&self) -> &[Tally] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geonode_protocol::Code;

    /// Numbers of the links that should find an error, and of those that ran.
    struct Subject(Vec<usize>, Vec<usize>);

    fn asked<const N: usize>(subject: &mut Subject, findings: &mut Vec<Finding>) {
        subject.1.push(N);
        if subject.0.contains(&N) {
            findings.push(Finding::error(Code::WrongType, format!("/{N}"), "wrong"));
        }
    }

    fn chain() -> Chain<Subject> {
        let link = |stage, fatal, check| Link { stage, fatal, check };
        // Given out of order.
        Chain::new(
            Feature::Tools,
            [
                link(Stage::Domain, false, asked::<2> as fn(&mut Subject, &mut Vec<Finding>)),
                link(Stage::Structure, true, asked::<0>),
                link(Stage::Schema, false, asked::<1>),
            ],
        )
    }

    fn run(wrong: &[usize], mode: Mode) -> (Vec<usize>, Verdict) {
        let mut subject = Subject(wrong.to_vec(), Vec::new());
        let verdict = chain().run(&mut subject, mode);
        (subject.1, verdict)
    }

    #[test]
    fn a_fatal_error_ends_the_chain_and_another_does_not() {
        let (asked, verdict) = run(&[0, 1, 2], Mode::Strict);
        assert_eq!((asked, verdict.findings.len()), (vec![0], 1));
        let (asked, verdict) = run(&[1, 2], Mode::Strict);
        assert_eq!((asked, verdict.findings.len()), (vec![0, 1, 2], 2));
        assert_eq!(verdict.error().map(|f| f.path.as_str()), Some("/1"));
    }

    #[test]
    fn warn_only_waives_what_can_be_waived() {
        let (_, verdict) = run(&[1, 2], Mode::Warn);
        assert_eq!(verdict.error(), None);
        assert!(verdict.findings.iter().all(|f| f.severity == Severity::Warning));
        let (asked, verdict) = run(&[0, 2], Mode::Warn);
        assert_eq!(asked, [0]);
        assert!(verdict.error().is_some());
    }

    #[test]
    fn findings_are_counted_per_turn() {
        let mut ledger = Ledger::default();
        let (_, verdict) = run(&[1, 2], Mode::Strict);
        ledger.note(1, &verdict);
        ledger.note(1, &verdict);
        ledger.note(2, &run(&[], Mode::Strict).1);
        let counts: Vec<_> = ledger.tallies().iter().map(|t| (t.turn, t.errors)).collect();
        assert_eq!(counts, [(1, 4), (2, 0)]);
    }
}
