//! A strict JSON reader that reports where the text is wrong.
//!
//! The general-purpose reader keeps the last of two equal keys and stops at `1e999`; a plan must name both, with a pointer, and go
//! on. Two deviations from JSON are read because their meaning is certain, and are counted so that they can be reported: a comma
//! before a closing bracket, and a missing last closing brace. A test holds everything else equal to `serde_json`.

use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::codes::Code;
use crate::explain::shown;
use crate::finding::{Finding, Hint};
use crate::pointer;
use crate::streamed_ops::{Place, StreamedOps};

/// Why reading stopped.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) code: Code,
    /// Byte offset in the text.
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

/// Reads one value out of `text`, from a byte offset on.
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    max_depth: usize,
    /// Errors that do not stop the reader; their paths grow as the reader returns from nested values.
    pub(crate) findings: Vec<Finding>,
    /// How many further findings were only counted.
    pub(crate) more: usize,
    /// Number of commas before a closing bracket.
    pub(crate) trailing_commas: usize,
    /// Whether the last closing brace was missing.
    pub(crate) cut_off: bool,
    /// How many of [`ENVELOPE_FIELDS`] the outermost object has.
    pub(crate) envelope_fields: usize,
    /// Receives the operations of a plan as they are read; `None` when they stay in the value.
    pub(crate) lifted: Option<StreamedOps>,
}

/// Most findings that are collected for one document.
const COLLECTED_FINDINGS: usize = 1000;

/// Fields that every plan has.
const ENVELOPE_FIELDS: [&str; 4] = ["version", "steps", "done", "final_message"];

impl<'a> Reader<'a> {
    /// A reader of `text` from byte `at` on, which must be a character boundary.
    pub(crate) fn new(text: &'a str, at: usize, max_depth: usize) -> Self {
        Self {
            text,
            at,
            depth: 0,
            max_depth,
            findings: Vec::new(),
            more: 0,
            trailing_commas: 0,
            cut_off: false,
            envelope_fields: 0,
            lifted: None,
        }
    }

    /// The same reader, which hands the operations of a plan to `lifted`.
    pub(crate) fn lifting(self, lifted: Option<StreamedOps>) -> Self {
        Self { lifted, ..self }
    }

    /// Byte offset after the part that was read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The text that has not been read.
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads the value that starts here.
    pub(crate) fn value(&mut self) -> Result<Value, Stop> {
        self.value_at(Place::Plan)
    }

    fn value_at(&mut self, place: Place) -> Result<Value, Stop> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(place),
            Some(b'[') => self.array(place),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
            None => Err(self.cut("a value is missing")),
        }
    }

    fn object(&mut self, place: Place) -> Result<Value, Stop> {
        self.enter()?;
        let mut map = match place {
            // Most have four or five fields; a map that grows to that is moved once.
            Place::Operation => Map::with_capacity(5),
            _ => Map::new(),
        };
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'}') => {
                    // Only reached with members when a comma stood before the brace.
                    self.trailing_commas += usize::from(!map.is_empty());
                    break self.at += 1;
                }
                Some(b'"') => {}
                Some(b',') => return Err(self.syntax("a comma is where a key is expected", None)),
                Some(_) => return Err(self.unexpected("a key in double quotes")),
                None => return Err(self.cut("an object is not closed")),
            }
            let key = self.string()?;
            if self.depth == 1 && ENVELOPE_FIELDS.contains(&key.as_str()) {
                self.envelope_fields += 1;
            }
            self.skip_space();
            match self.peek() {
                Some(b':') => self.at += 1,
                Some(_) => return Err(self.unexpected("a colon")),
                None => return Err(self.cut("a key has no value")),
            }
            let mark = self.findings.len();
            let value = self.value_at(place.member(&key))?;
            let ends_with_number = value.is_number();
            let end = self.at;
            if self.findings.len() > mark {
                self.place(mark, &key);
            }
            match map.entry(key) {
                Entry::Vacant(free) => drop(free.insert(value)),
                Entry::Occupied(mut taken) => {
                    let message = format!("The key {} appears twice in one object.", shown(taken.key()));
                    self.report(
                        Finding::error(Code::DuplicateKey, "", message).hint(Hint::explain("The last one counted.")),
                    );
                    taken.insert(value);
                }
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break self.at += 1,
                // A number that ends with the text may have lost digits.
                None if self.depth == 1 && !(ends_with_number && end == self.at) => break self.cut_off = true,
                Some(b'`') if self.depth == 1 && self.rest().trim_end() == "```" => break self.cut_off = true,
                Some(_) => return Err(self.unexpected("a comma or a closing brace")),
                None => return Err(self.cut("an object is not closed")),
            }
        }
        self.depth -= 1;
        Ok(Value::Object(map))
    }

    fn array(&mut self, place: Place) -> Result<Value, Stop> {
        self.enter()?;
        let mut items = Vec::new();
        let mut count = 0;
        let lifts = match (place, &mut self.lifted) {
            (Place::Operations(step, step_type), Some(lifted)) => {
                lifted.begin(step, step_type);
                true
            }
            _ => false,
        };
        loop {
            self.skip_space();
            match self.peek() {
                Some(b']') => {
                    self.trailing_commas += usize::from(count > 0);
                    break self.at += 1;
                }
                Some(b',') => return Err(self.syntax("a comma is where a value is expected", None)),
                Some(_) => {}
                None => return Err(self.cut("an array is not closed")),
            }
            let mark = self.findings.len();
            let value = self.value_at(place.item(count))?;
            if self.findings.len() > mark {
                self.place(mark, &count.to_string());
            }
            match &mut self.lifted {
                Some(lifted) if lifts => lifted.take(value),
                _ => items.push(value),
            }
            count += 1;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break self.at += 1,
                Some(_) => return Err(self.unexpected("a comma or a closing bracket")),
                None => return Err(self.cut("an array is not closed")),
            }
        }
        self.depth -= 1;
        Ok(Value::Array(items))
    }

    fn enter(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > self.max_depth {
            let message = format!("objects and arrays are nested more than {} deep", self.max_depth);
            return Err(Stop {
                code: Code::TooDeep,
                at: self.at,
                message,
                hint: Some("A plan needs fewer than 10 levels."),
            });
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string, the reader standing at its opening quote.
    fn string(&mut self) -> Result<String, Stop> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let Some(length) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) else {
                self.at = self.text.len();
                return Err(self.cut("a string is not closed"));
            };
            out.push_str(rest.get(..length).unwrap_or_default());
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => {
                    return Err(self.syntax(
                        "a string contains a raw line break or control character",
                        Some("Write \\n, \\t or \\u00XX."),
                    ));
                }
            }
        }
    }

    /// Reads an escape sequence, the reader standing at the backslash.
    fn escape(&mut self) -> Result<char, Stop> {
        let Some(letter) = self.text.as_bytes().get(self.at + 1).copied() else {
            return Err(self.cut("a string is not closed"));
        };
        let simple = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex(self.at + 2)?;
                if !(0xd800..0xe000).contains(&first) {
                    self.at += 6;
                    return char::from_u32(first).ok_or_else(|| self.lone_surrogate());
                }
                let second = if first < 0xdc00 && self.text.get(self.at + 6..self.at + 8) == Some("\\u") {
                    self.hex(self.at + 8)?
                } else {
                    0
                };
                if !(0xdc00..0xe000).contains(&second) {
                    return Err(self.lone_surrogate());
                }
                let joined = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                let joined = char::from_u32(joined).ok_or_else(|| self.lone_surrogate())?;
                self.at += 12;
                return Ok(joined);
            }
            _ => {
                return Err(self.syntax(
                    "a string contains an unknown escape",
                    Some("Write a backslash as \\\\."),
                ));
            }
        };
        self.at += 2;
        Ok(simple)
    }

    fn hex(&self, at: usize) -> Result<u32, Stop> {
        let digits = self
            .text
            .get(at..at + 4)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        digits
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.syntax("\\u is not followed by four hexadecimal digits", None))
    }

    fn lone_surrogate(&self) -> Stop {
        self.syntax("a string contains one half of a surrogate pair", None)
    }

    fn number(&mut self) -> Result<Value, Stop> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.rest().starts_with("Infinity") {
            self.at = start;
            return self.word();
        }
        let leading_zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if leading_zero && digits > 1 {
            self.at = start;
            return Err(self.syntax("a number starts with 0", None));
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            whole = false;
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        if whole && text != "-0" {
            if let Ok(number) = text.parse::<u64>() {
                return Ok(number.into());
            }
            if let Ok(number) = text.parse::<i64>() {
                return Ok(number.into());
            }
        }
        if let Some(number) = text.parse().ok().and_then(Number::from_f64) {
            return Ok(Value::Number(number));
        }
        let shown: String = text.chars().take(24).collect();
        self.report(Finding::error(
            Code::NonFiniteNumber,
            "",
            format!("The number {shown} is too large to be finite."),
        ));
        Ok(Value::from(0))
    }

    fn digits(&mut self) -> Result<usize, Stop> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        match (count, self.peek()) {
            (0, None) => Err(self.cut("a number is not complete")),
            (0, Some(_)) => Err(self.unexpected("a digit")),
            _ => Ok(count),
        }
    }

    /// Reads `true`, `false` or `null`, and reports words that only look like values.
    fn word(&mut self) -> Result<Value, Stop> {
        let rest = self.rest();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            .count();
        let word = rest.get(..length).unwrap_or_default();
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            "NaN" | "-NaN" | "Infinity" | "-Infinity" | "inf" | "-inf" | "nan" => {
                let message = format!("{word} is not a JSON number");
                return Err(Stop {
                    code: Code::NonFiniteNumber,
                    at: self.at,
                    message,
                    hint: Some("Numbers are finite."),
                });
            }
            "" => return Err(self.unexpected("a value")),
            _ if length == rest.len() && ["true", "false", "null"].iter().any(|full| full.starts_with(word)) => {
                return Err(self.cut("a value is not complete"));
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.at += length;
        Ok(value)
    }

    /// The findings from `mark` on lie inside the member or item `token` of what is being read.
    fn place(&mut self, mark: usize, token: &str) {
        for finding in self.findings.iter_mut().skip(mark) {
            finding.path = pointer::join(&pointer::child("", token), &finding.path);
        }
    }

    fn report(&mut self, finding: Finding) {
        if self.findings.len() < COLLECTED_FINDINGS {
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        self.at += self
            .rest()
            .bytes()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
            .count();
    }

    fn cut(&self, message: &str) -> Stop {
        let hint = Some("Send the whole plan again, shorter if need be.");
        Stop {
            code: Code::CutOff,
            at: self.at,
            message: format!("the text ends too early: {message}"),
            hint,
        }
    }

    fn syntax(&self, message: impl Into<String>, hint: Option<&'static str>) -> Stop {
        Stop {
            code: Code::InvalidJson,
            at: self.at,
            message: message.into(),
            hint,
        }
    }

    /// The error for text that is not `expected`; common mistakes get a hint.
    fn unexpected(&self, expected: &str) -> Stop {
        let rest = self.rest();
        let word: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .take(24)
            .collect();
        let hint = match rest.chars().next() {
            Some('\'' | '‘' | '’' | '“' | '”') => Some("JSON uses straight double quotes."),
            Some('/' | '#') => Some("JSON has no comments."),
            Some(_) if matches!(word.as_str(), "True" | "False" | "None" | "undefined") => {
                Some("JSON writes true, false, null.")
            }
            _ => None,
        };
        let found = if word.is_empty() {
            rest.chars().take(1).collect()
        } else {
            word
        };
        self.syntax(format!("expected {expected}, found {found:?}"), hint)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::Reader;

    /// The reader accepts what `serde_json` accepts, with the same value; beyond that only what it counts or reports.
    fn check(text: &str) -> Result<(), TestCaseError> {
        let mut reader = Reader::new(text, 0, 100);
        let read = reader.value();
        reader.skip_space();
        let whole = reader.rest().is_empty();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                let doubled = reader
                    .findings
                    .iter()
                    .all(|finding| finding.code == crate::Code::DuplicateKey);
                prop_assert!(
                    doubled && whole && !reader.cut_off && reader.trailing_commas == 0,
                    "{text}"
                );
                prop_assert_eq!(read.map_err(|stop| stop.message), Ok(value), "{}", text);
            }
            Err(_) if read.is_ok() && whole => {
                prop_assert!(
                    reader.cut_off || reader.trailing_commas > 0 || !reader.findings.is_empty(),
                    "{text}"
                );
            }
            Err(_) => {}
        }
        Ok(())
    }

    fn fragments() -> impl Strategy<Value = String> {
        let words = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"b\"",
            "\"\\u0041\\n\"",
            "\"\\ud83c\\udfb2\"",
            "\"\\ud83c\"",
            "\"\\udfb2x\"",
            "\"é🎲\"",
            "0",
            "-0",
            "12",
            "-7",
            "01",
            "1.5",
            "1.",
            ".5",
            "1e5",
            "1E-5",
            "1e999",
            "-1e999",
            "18446744073709551616",
            "true",
            "false",
            "null",
            "nul",
            "NaN",
            "-Infinity",
            " ",
            "\n",
            "\\",
            "\"",
            "'",
            "/",
            "```",
            "\"a\":1",
            "\"a\":",
            "{}",
            "[]",
            "\u{0}",
            "\u{a0}",
        ]);
        prop::collection::vec(words, 0..12).prop_map(|words| words.concat())
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map(".*", inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn fragments_are_read_like_serde_json(text in fragments()) {
            check(&text)?;
        }

        #[test]
        fn any_text_is_read_like_serde_json(text in ".*") {
            check(&text)?;
        }
    }

    proptest! {
        #[test]
        fn values_are_read_like_serde_json(value in values()) {
            check(&value.to_string())?;
            check(&format!("{value:#}"))?;
        }
    }
}
