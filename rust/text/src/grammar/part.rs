//! The parts that a grammar is made of, and how they are written.

use std::fmt::{self, Write as _};

use indexmap::IndexMap;

/// A part of a grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// This text.
    Text(String),
    /// One digit of a range.
    Digit(u8, u8),
    /// All of them, one after the other.
    All(Vec<Part>),
    /// One of them.
    Any(Vec<Part>),
    /// The part, so many times.
    Times(Box<Part>, usize, usize),
    /// What the rule of this name says.
    Rule(String),
}

impl Part {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn rule(name: impl Into<String>) -> Self {
        Self::Rule(name.into())
    }

    pub(super) fn times(self, least: usize, most: usize) -> Self {
        Self::Times(Box::new(self), least, most)
    }

    /// The part or nothing.
    pub(super) fn or_nothing(self) -> Self {
        self.times(0, 1)
    }
}

/// Rules by name; the first, `root`, is what a reply is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grammar {
    /// The rules.
    pub rules: IndexMap<String, Part>,
}

impl fmt::Display for Grammar {
    /// In GBNF, which llama.cpp reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, part) in &self.rules {
            let mut text = String::new();
            write(part, &mut text);
            writeln!(f, "{name} ::= {text}")?;
        }
        Ok(())
    }
}

fn write(part: &Part, out: &mut String) {
    match part {
        Part::Text(text) => literal(text, out),
        Part::Digit(low, high) => {
            let _ = write!(out, "[{low}-{high}]");
        }
        Part::All(parts) => listed(parts, " ", out),
        Part::Any(parts) => {
            out.push('(');
            listed(parts, " | ", out);
            out.push(')');
        }
        Part::Times(part, least, most) => {
            out.push('(');
            write(part, out);
            let _ = write!(out, "){{{least},{most}}}");
        }
        Part::Rule(name) => out.push_str(name),
    }
}

fn listed(parts: &[Part], between: &str, out: &mut String) {
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            out.push_str(between);
        }
        write(part, out);
    }
}

/// A literal: characters that the notation gives a meaning are escaped.
fn literal(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02X}", u32::from(c).min(0xFF));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
