//! Finds the one plan in a model's reply.
//!
//! Plain JSON is the rule. Text around it (a code fence, prose) is ignored, with a warning, when exactly one object in
//! the text is a plan; nothing else is ever guessed. The work is linear in the length of the text.

use serde_json::Value;

use crate::codes::Code;
use crate::collect::Collector;
use crate::explain::capitalised;
use crate::finding::{Finding, Hint};
use crate::json::{Reader, Stop};
use crate::limits::Limits;
use crate::streamed_ops::StreamedOps;

const FENCE: &str = "```";

/// Number of a plan's fields that an object in prose needs to count as a plan.
const ENVELOPE_FROM: usize = 2;

/// Bytes that may be read while looking for a plan in prose, per byte of the text.
const WORK_PER_BYTE: usize = 32;

/// The JSON value in `text`, or `None` with the reason in `findings`; with `lift`, its operations are read apart.
pub(crate) fn read(
    text: &str,
    limits: &Limits,
    lift: bool,
    findings: &mut Collector,
) -> Option<(Value, Option<StreamedOps>)> {
    if text.len() > limits.max_bytes {
        let message = format!("The plan has {} bytes; the limit is {}.", text.len(), limits.max_bytes);
        findings.error(|| {
            Finding::error(Code::PlanTooLarge, "", message)
                .hint(Hint::explain("Send a shorter plan, or several plans in turn."))
        });
        return None;
    }
    let search = Search {
        text: text.trim_end(),
        max_depth: limits.max_depth.clamp(1, Limits::DEPTH_CEILING),
        lift: lift.then_some(limits.max_operations),
    };
    match search.run() {
        Ok(found) => {
            findings.extend(found.findings, found.more);
            Some((found.value, found.lifted))
        }
        Err(finding) => {
            findings.error(|| *finding);
            None
        }
    }
}

struct Search<'a> {
    text: &'a str,
    max_depth: usize,
    /// Most operations that are read apart; `None` when they stay in the value.
    lift: Option<usize>,
}

struct Found {
    value: Value,
    lifted: Option<StreamedOps>,
    findings: Vec<Finding>,
    /// Number of errors that were only counted.
    more: usize,
}

impl<'a> Search<'a> {
    /// A reader of `text`, which begins as the whole text does, from byte `at` on.
    fn reader(&self, text: &'a str, at: usize) -> Reader<'a> {
        Reader::new(text, at, self.max_depth).lifting(self.lift.map(StreamedOps::new))
    }

    fn run(&self) -> Result<Found, Box<Finding>> {
        let start = self.text.len()
            - self
                .text
                .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
                .len();
        if start == self.text.len() {
            let message = "The text is empty; a plan is expected.";
            return Err(Box::new(Finding::error(Code::InvalidJson, "", message)));
        }
        let fence = fenced(self.text, start);
        let (start, end) = fence.unwrap_or((start, self.text.len()));
        match self.whole(start, end) {
            Ok(mut found) => {
                if fence.is_some() {
                    let message = "The code fence around the plan was ignored.";
                    found
                        .findings
                        .push(Finding::warning(Code::RecoveredCodeFence, "", message));
                }
                Ok(found)
            }
            Err(stop) => self.in_prose(stop),
        }
    }

    /// The text from `start` to `end` is one value and nothing else.
    fn whole(&self, start: usize, end: usize) -> Result<Found, Stop> {
        let mut reader = self.reader(self.text.get(..end).unwrap_or_default(), start);
        let value = reader.value()?;
        reader.skip_space();
        if reader.cut_off || reader.rest().is_empty() {
            return Ok(finish(reader, value));
        }
        Err(Stop {
            code: Code::InvalidJson,
            at: reader.position(),
            message: "text follows the JSON value".into(),
            hint: None,
        })
    }

    /// Exactly one of the objects in the text is a plan. `stop` is why the text as a whole is not JSON.
    fn in_prose(&self, mut stop: Stop) -> Result<Found, Box<Finding>> {
        let mut found: Option<Found> = None;
        let mut at = 0;
        let mut work = 0;
        while let Some(offset) = self.text.get(at..).and_then(|rest| rest.find('{')) {
            let start = at + offset;
            let mut reader = self.reader(self.text, start);
            let result = reader.value();
            work += reader.position() - start;
            let is_plan = reader.envelope_fields >= ENVELOPE_FROM;
            at = match result {
                Ok(value) => {
                    let end = reader.position();
                    if is_plan && found.replace(finish(reader, value)).is_some() {
                        let message = "The text contains several plans; it is not certain which one is meant.";
                        let hint = Hint::explain("Send exactly one plan.");
                        return Err(Box::new(Finding::error(Code::SeveralPlans, "", message).hint(hint)));
                    }
                    end
                }
                Err(broken) if broken.code == Code::TooDeep => return Err(Box::new(self.explain(&broken))),
                Err(broken) if is_plan => match balanced(self.text, start) {
                    // A plan that cannot be read is skipped as a whole: nothing inside it may count as the plan.
                    Some(end) => {
                        stop = broken;
                        end
                    }
                    None => return Err(Box::new(self.explain(&broken))),
                },
                Err(_) => start + 1,
            };
            if work > WORK_PER_BYTE * self.text.len() {
                break;
            }
        }
        let Some(mut found) = found else {
            return Err(Box::new(self.explain(&stop)));
        };
        let message = "The text around the plan was ignored.";
        found.findings.push(Finding::warning(Code::RecoveredProse, "", message));
        Ok(found)
    }

    fn explain(&self, stop: &Stop) -> Finding {
        let before = self.text.get(..stop.at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let what = if stop.code == Code::InvalidJson {
            "This is not JSON: "
        } else {
            ""
        };
        let mut message = format!("{what}{} (line {line}, column {column}).", stop.message);
        if what.is_empty() {
            message = capitalised(&message);
        }
        let finding = Finding::error(stop.code, "", message);
        match stop.hint {
            Some(hint) => finding.hint(Hint::explain(hint)),
            None if !self.text.contains('{') => finding.hint(Hint::explain("Answer with one JSON object, the plan.")),
            None => finding,
        }
    }
}

/// The value together with warnings about what was repaired in it.
fn finish(reader: Reader<'_>, value: Value) -> Found {
    let (mut findings, more) = (reader.findings, reader.more);
    if reader.trailing_commas > 0 {
        let message = match reader.trailing_commas {
            1 => "A comma before a closing bracket was ignored.".to_owned(),
            count => format!("{count} commas before closing brackets were ignored."),
        };
        findings.push(Finding::warning(Code::RecoveredTrailingComma, "", message));
    }
    if reader.cut_off {
        let message = "The missing last closing brace was added.";
        findings.push(Finding::warning(Code::RecoveredCutOff, "", message));
    }
    Found {
        value,
        lifted: reader.lifted,
        findings,
        more,
    }
}

/// Byte range between an opening code fence at `start` and its closing fence or the end of the text.
fn fenced(text: &str, start: usize) -> Option<(usize, usize)> {
    let inner = text.get(start..)?.strip_prefix(FENCE)?;
    let inner = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.'));
    let start = text.len() - inner.len();
    let end = inner.strip_suffix(FENCE).unwrap_or(inner).len();
    Some((start, start + end))
}

/// Byte offset after the bracket that closes the one at `start`.
fn balanced(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
