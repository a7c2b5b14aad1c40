//! Words and values of the compact form.

use serde_json::Value;

use super::CompactError;

/// Characters that a plain word must not contain.
const MARKS: &str = ";=<>:{}\",[]@#|\\";

/// A name: plain if nothing in it could be read as a mark, else a JSON string.
pub(super) fn quote(text: &str) -> String {
    let plain = !text.is_empty()
        && text.trim() == text
        && !text.starts_with(['.', '…'])
        && !text.contains(|c: char| MARKS.contains(c) || c.is_control());
    if plain {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

/// A value: `@kind:name` for a data-block, a plain word for a string that begins like one, else JSON.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::String(text) if is_word(text) => quote(text),
        Value::Object(object) if object.len() == 1 => match object.iter().next() {
            Some((kind, Value::String(name))) if is_word(kind) => format!("@{}:{}", quote(kind), quote(name)),
            _ => value.to_string(),
        },
        other => other.to_string(),
    }
}

/// True for a string that cannot be taken for a number or a constant.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !matches!(text, "true" | "false" | "null")
}

/// A line that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(rest: &'t str, line: usize) -> Self {
        Self { rest, line }
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn fail(&self, expected: &'static str) -> CompactError {
        CompactError::Syntax {
            line: self.line,
            expected,
        }
    }

    /// Takes `mark` if it comes next.
    pub(super) fn take(&mut self, mark: &str) -> bool {
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub(super) fn expect(&mut self, mark: &str, expected: &'static str) -> Result<(), CompactError> {
        if self.take(mark) {
            Ok(())
        } else {
            Err(self.fail(expected))
        }
    }

    pub(super) fn next_is(&self, mark: char) -> bool {
        self.rest.starts_with(mark)
    }

    /// A whole number of digits.
    pub(super) fn number(&mut self) -> Result<u64, CompactError> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number = digits.parse().map_err(|_| self.fail("a number"))?;
        self.rest = rest;
        Ok(number)
    }

    /// A plain or quoted word; the flag says whether it was quoted.
    pub(super) fn word(&mut self) -> Result<(String, bool), CompactError> {
        if self.next_is('"') {
            return match self.json()? {
                Value::String(text) => Ok((text, true)),
                _ => Err(self.fail("a word")),
            };
        }
        let end = self.rest.find(|c| MARKS.contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(self.fail("a word"));
        }
        self.rest = rest;
        Ok((word.to_owned(), false))
    }

    pub(super) fn name(&mut self) -> Result<String, CompactError> {
        self.word().map(|(word, _)| word)
    }

    pub(super) fn value(&mut self) -> Result<Value, CompactError> {
        if self.take("@") {
            let kind = self.name()?;
            self.expect(":", "the name of a data-block")?;
            let name = self.name()?;
            return Ok(Value::Object([(kind, Value::from(name))].into_iter().collect()));
        }
        let word = self.rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !word {
            return self.json();
        }
        Ok(match self.name()?.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            text => Value::from(text),
        })
    }

    fn json(&mut self) -> Result<Value, CompactError> {
        if !self.rest.starts_with(['"', '[', '{']) {
            // A number ends at the next mark; the parser of streams knows only the marks of JSON.
            let end = self.rest.find(|c| MARKS.contains(c)).unwrap_or(self.rest.len());
            let (number, rest) = self.rest.split_at(end);
            let value = serde_json::from_str(number).map_err(|_| self.fail("a value"))?;
            self.rest = rest;
            return Ok(value);
        }
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                self.rest = self.rest.get(values.byte_offset()..).unwrap_or_default();
                Ok(value)
            }
            _ => Err(self.fail("a value")),
        }
    }
}
