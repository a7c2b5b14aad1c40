//! Reads a model's text as a plan, or reports everything that is wrong with it.

use serde::Deserialize;
use serde_json::Value;

use crate::check;
use crate::codes::Code;
use crate::collect::Collector;
use crate::extension::{Extensions, Origins};
use crate::finding::{Finding, Hint};
use crate::limits::Limits;
use crate::plan::{Plan, Version};
use crate::recover;
use crate::streamed_ops::StreamedOps;

/// The result of reading a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The plan, migrated to the current version; `None` exactly when a finding is an error.
    pub plan: Option<Plan>,
    /// Errors, and warnings about repairs, together at most [`Limits::max_findings`].
    pub findings: Vec<Finding>,
    /// Where the plan's operations are in its text, if added operations were expanded.
    pub origins: Origins,
}

/// Reads and checks the text of a plan.
///
/// The structure is checked against the protocol alone; whether nodes and objects exist is checked in preflight. Never panics; the
/// time is linear in the length of the text.
pub fn parse_plan(text: &str, limits: &Limits) -> Parsed {
    by_operation(text, limits).unwrap_or_else(|| whole(text, limits))
}

/// Reads a plan as one JSON document.
fn whole(text: &str, limits: &Limits) -> Parsed {
    let mut collector = Collector::new(limits.max_findings);
    let read = recover::read(text, limits, false, &mut collector);
    finish(
        read.as_ref().map(|(value, _)| value),
        limits,
        Origins::default(),
        collector,
    )
}

/// Reads a plan without ever holding all of its operations as JSON; `None` when an operation has to be explained, also because the
/// plan's version does not have it.
fn by_operation(text: &str, limits: &Limits) -> Option<Parsed> {
    // Operations that are read one by one are not searched for NUL.
    if text.contains("\\u0000") || text.contains('\0') {
        return None;
    }
    let mut collector = Collector::new(limits.max_findings);
    let Some((value, lifted)) = recover::read(text, limits, true, &mut collector) else {
        return Some(finish(None, limits, Origins::default(), collector));
    };
    let lifted = lifted.filter(StreamedOps::is_complete)?;
    let version = value.get("version").and_then(Value::as_str).and_then(Version::of);
    if version.is_some_and(|version| version < lifted.needs()) {
        return None;
    }
    let mut parsed = finish(Some(&value), limits, Origins::default(), collector);
    if let Some(plan) = &mut parsed.plan {
        lifted.restore(plan);
    }
    Some(parsed)
}

/// The same with operations and step types that were added. Findings point into the text; the plan holds built-in operations only.
pub fn parse_plan_with(text: &str, limits: &Limits, extensions: &Extensions) -> Parsed {
    if extensions.is_empty() {
        return parse_plan(text, limits);
    }
    let mut collector = Collector::new(limits.max_findings);
    let read = recover::read(text, limits, false, &mut collector);
    extended(read.map(|(value, _)| value), limits, extensions, collector)
}

/// Checks a plan that is already a JSON value; the size limit does not apply.
pub fn parse_plan_value(value: &Value, limits: &Limits) -> Parsed {
    let mut collector = Collector::new(limits.max_findings);
    let max_depth = limits.max_depth.clamp(1, Limits::DEPTH_CEILING);
    if deeper_than(value, max_depth) {
        let message = format!("Objects and arrays are nested more than {max_depth} deep.");
        collector.error(|| {
            Finding::error(Code::TooDeep, "", message).hint(Hint::explain("A plan needs fewer than 10 levels."))
        });
        return Parsed {
            plan: None,
            findings: collector.finish(),
            origins: Origins::default(),
        };
    }
    finish(Some(value), limits, Origins::default(), collector)
}

/// The same with operations and step types that were added.
pub fn parse_plan_value_with(value: &Value, limits: &Limits, extensions: &Extensions) -> Parsed {
    if extensions.is_empty() || deeper_than(value, limits.max_depth.clamp(1, Limits::DEPTH_CEILING)) {
        return parse_plan_value(value, limits);
    }
    extended(
        Some(value.clone()),
        limits,
        extensions,
        Collector::new(limits.max_findings),
    )
}

fn extended(value: Option<Value>, limits: &Limits, extensions: &Extensions, mut collector: Collector) -> Parsed {
    let Some(mut value) = value else {
        return finish(None, limits, Origins::default(), collector);
    };
    // Version 1.0 has no extensions; its reader reports them.
    let origins = if value.get("version").and_then(Value::as_str) == Some("1.0") {
        Origins::default()
    } else {
        extensions.expand(&mut value, limits, &mut collector)
    };
    finish(Some(&value), limits, origins, collector)
}

fn finish(value: Option<&Value>, limits: &Limits, origins: Origins, mut collector: Collector) -> Parsed {
    if let Some(value) = value {
        let mut found = Collector::new(limits.max_findings);
        check::plan(value, limits, &origins.added_steps, &mut found);
        let (list, more) = found.parts();
        collector.extend(list.into_iter().map(|finding| origins.trace(finding)).collect(), more);
    }
    let mut plan = None;
    if let Some(value) = value.filter(|_| !collector.failed()) {
        match Plan::deserialize(value) {
            // Each version only adds to the one before.
            Ok(mut read) => {
                read.version = Version::CURRENT;
                plan = Some(read);
            }
            Err(error) => {
                let message = format!("The plan fits its schema but cannot be read: {error}.");
                collector.error(|| Finding::error(Code::InternalError, "", message));
            }
        }
    }
    let findings = collector.finish();
    Parsed {
        plan,
        findings,
        origins,
    }
}

/// Whether objects and arrays are nested deeper than `limit`; the value may be of any depth.
fn deeper_than(value: &Value, limit: usize) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > limit && (value.is_array() || value.is_object()) {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(object) => open.extend(object.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::{by_operation, whole};
    use crate::Limits;

    fn seeds() -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plans");
        let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
        let inputs = folders.flat_map(|folder| [folder.join("input.json"), folder.join("input.txt")]);
        let seeds: Vec<String> = inputs.filter_map(|input| fs::read_to_string(input).ok()).collect();
        assert!(seeds.len() > 50);
        seeds
    }

    /// Reading operation by operation gives the same result as reading the whole document, or falls back to it.
    fn check(text: &str, limits: &Limits) -> bool {
        let parsed = by_operation(text, limits);
        if let Some(parsed) = &parsed {
            assert_eq!(*parsed, whole(text, limits), "{text}");
        }
        parsed.is_some()
    }

    #[test]
    fn every_fixture_reads_alike() {
        let few = Limits {
            max_operations: 1,
            max_findings: 3,
            ..Limits::default()
        };
        let seeds = seeds();
        let taken = seeds.iter().filter(|text| check(text, &Limits::default())).count();
        assert!(taken > 20, "{taken}");
        for text in &seeds {
            check(text, &few);
            check(&format!("Here it is:\n{text}\nGood luck!"), &Limits::default());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn damaged_texts_read_alike(
            seed in any::<Index>(), at in any::<Index>(), length in 0_usize..40, insert in "[\\[\\]{}\",:0-9a-z ]{0,6}",
            again in any::<bool>(),
        ) {
            let seeds = seeds();
            let chars: Vec<char> = seed.get(&seeds).chars().collect();
            let at = at.index(chars.len() + 1);
            let (head, tail) = chars.split_at(at);
            // The tail is cut, or repeats a key: the later of two equal keys replaces the earlier.
            let tail: String = if again {
                tail.iter().take(length).chain(tail).collect()
            } else {
                tail.iter().skip(length).collect()
            };
            check(&(head.iter().collect::<String>() + &insert + &tail), &Limits::default());
        }
    }
}
