//! From a model's text to a plan, or to everything that is wrong with it.

use serde::Deserialize;
use serde_json::Value;

use crate::check;
use crate::codes::Code;
use crate::collect::Collector;
use crate::finding::Finding;
use crate::limits::Limits;
use crate::plan::{Plan, Version};
use crate::recover;

/// What reading a plan gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The plan, migrated to the current version; none exactly when a finding is an error.
    pub plan: Option<Plan>,
    /// Errors, and warnings about what was mended, together at most [`Limits::max_findings`].
    pub findings: Vec<Finding>,
}

/// Reads and checks the text of a plan.
///
/// The structure is checked against the protocol alone; whether nodes and objects exist is the preflight's business. Never panics; the
/// time is linear in the length of the text.
pub fn parse_plan(text: &str, limits: &Limits) -> Parsed {
    let mut collector = Collector::new(limits.max_findings);
    let value = recover::read(text, limits, &mut collector);
    finish(value.as_ref(), limits, collector)
}

/// Checks a plan that is JSON already; the size limit does not apply.
pub fn parse_plan_value(value: &Value, limits: &Limits) -> Parsed {
    let mut collector = Collector::new(limits.max_findings);
    let max_depth = limits.max_depth.clamp(1, Limits::DEPTH_CEILING);
    if deeper_than(value, max_depth) {
        let message = format!("Objects and arrays are nested more than {max_depth} deep.");
        collector.error(|| Finding::error(Code::TooDeep, "", message).hint("A plan needs less than 10 levels."));
        return Parsed {
            plan: None,
            findings: collector.finish(),
        };
    }
    finish(Some(value), limits, collector)
}

fn finish(value: Option<&Value>, limits: &Limits, mut collector: Collector) -> Parsed {
    if let Some(value) = value {
        check::plan(value, limits, &mut collector);
    }
    let mut plan = None;
    if let Some(value) = value.filter(|_| !collector.failed()) {
        match Plan::deserialize(value) {
            // Version 1.1 only adds to 1.0.
            Ok(mut read) => {
                read.version = Version::V1_1;
                plan = Some(read);
            }
            Err(error) => {
                let message = format!("The plan fits its schema but cannot be read: {error}.");
                collector.error(|| Finding::error(Code::InternalError, "", message));
            }
        }
    }
    let findings = collector.finish();
    Parsed { plan, findings }
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
