//! Collects preflight findings; their JSON Pointers are only built when there is something to report.

use geonode_protocol::{Change, Code, Finding, Hint, LISTED_FINDINGS, Version};
use serde_json::Value;

/// A certain repair of the plan: the value at the pointer becomes another.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// JSON Pointer into the plan.
    pub path: String,
    /// The repaired value.
    pub value: Value,
}

/// Findings and repairs of one compilation.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub findings: Vec<Finding>,
    pub repairs: Vec<Repair>,
    /// Number of errors, listed or not.
    pub errors: usize,
    step: usize,
    list: &'static str,
    op: usize,
}

impl Sink {
    /// Everything reported from now on concerns this step; `list` is the name of its operations' field.
    pub(crate) fn enter_step(&mut self, step: usize, list: &'static str) {
        self.step = step;
        self.list = list;
        self.op = 0;
    }

    /// Everything reported from now on concerns this operation.
    pub(crate) fn enter_op(&mut self, op: usize) {
        self.op = op;
    }

    pub(crate) fn op(&self) -> usize {
        self.op
    }

    /// Pointer to a field of the present operation.
    pub(crate) fn at(&self, field: &str) -> String {
        let slash = if field.is_empty() { "" } else { "/" };
        format!("/steps/{}/payload/{}/{}{slash}{field}", self.step, self.list, self.op)
    }

    /// Pointer to the place after the present operation.
    pub(crate) fn at_next(&self) -> String {
        format!("/steps/{}/payload/{}/{}", self.step, self.list, self.op + 1)
    }

    /// Pointer to a field of the present step's payload.
    pub(crate) fn at_payload(&self, field: &str) -> String {
        format!("/steps/{}/payload/{field}", self.step)
    }

    /// Pointer after the last operation of the present step.
    pub(crate) fn after_last(&self) -> String {
        format!("/steps/{}/payload/{}/-", self.step, self.list)
    }

    /// Pointer to a field of the present step's target.
    pub(crate) fn at_target(&self, field: &str) -> String {
        format!("/steps/{}/payload/target/{field}", self.step)
    }

    pub(crate) fn error(&mut self, code: Code, path: String, message: impl Into<String>, hint: Option<Hint>) {
        self.errors += 1;
        let finding = Finding::error(code, path, message);
        self.push(hinted(finding, hint));
    }

    pub(crate) fn warn(&mut self, code: Code, path: String, message: impl Into<String>) {
        self.push(Finding::warning(code, path, message));
    }

    /// A warning with what can be done about it.
    pub(crate) fn warn_with(&mut self, code: Code, path: String, message: impl Into<String>, hint: Hint) {
        let finding = Finding::warning(code, path, message);
        self.push(hinted(finding, Some(hint)));
    }

    /// Proposes the nearest name for the text in a field of the present operation.
    pub(crate) fn near(&self, field: &str, near: impl Into<Value>) -> Hint {
        let near = near.into();
        let shown = near.as_str().map_or_else(|| near.to_string(), str::to_owned);
        Hint::change(
            format!("did you mean “{shown}”?"),
            Change::replace(self.at(field), near),
        )
    }

    /// Proposes another operation in the place of the present one.
    pub(crate) fn instead(&self, text: impl Into<String>, operation: Value) -> Hint {
        Hint::changes(text, [newest(), Change::replace(self.at(""), operation)])
    }

    /// Proposes a further operation before the present one.
    pub(crate) fn before(&self, text: impl Into<String>, operation: Value) -> Hint {
        Hint::changes(text, [newest(), Change::add(self.at(""), operation)])
    }

    /// Proposes to leave out a field of the present operation, or all of it (`""`).
    pub(crate) fn without(&self, text: impl Into<String>, field: &str) -> Hint {
        Hint::change(text, Change::remove(self.at(field)))
    }

    /// Records that this Blender expresses the same in another way; the plan is not doubtful.
    pub(crate) fn translated(&mut self, path: String, message: impl Into<String>) {
        self.push(Finding::info(Code::Repaired, path, message));
    }

    /// Records a certain repair, which the caller applies.
    pub(crate) fn repaired(&mut self, path: String, value: Value, message: impl Into<String>) {
        self.push(Finding::warning(Code::Repaired, path.clone(), message));
        self.repairs.push(Repair { path, value });
    }

    pub(crate) fn push(&mut self, mut finding: Finding) {
        finding.message = sentence(&finding.message);
        if self.findings.len() < LISTED_FINDINGS || finding.is_error() && self.errors <= LISTED_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// A proposed operation may have come with a later version than that of the plan.
fn newest() -> Change {
    Change::add("/version", Version::CURRENT.text().into())
}

fn hinted(finding: Finding, hint: Option<Hint>) -> Finding {
    match hint {
        Some(hint) => finding.hint(hint.worded(sentence)),
        None => finding,
    }
}

/// The text as a sentence, with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    // The name of an operation or a field is written as it is.
    let name = text.split_whitespace().next().is_some_and(|word| word.contains('_'));
    let mut rest = text.chars();
    if name {
        let mark = if text.ends_with(['.', '?', '!']) { "" } else { "." };
        return format!("{text}{mark}");
    }
    let head = rest.next().into_iter().flat_map(char::to_uppercase);
    let mark = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    head.chain(rest).chain(mark.chars()).collect()
}

/// One part of a JSON Pointer, escaped.
pub(crate) fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}
