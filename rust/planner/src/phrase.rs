//! Phrases that are compared with the words of a prompt.
//!
//! A phrase is words separated by spaces. A word matches every form of itself (“copy” also “copies”); `=rows` matches exactly that.
//! `~` skips up to three words without meaning. `@count @number @length @angle @range @sides` match a quantity,
//! `@mesh @curve @object` an object of the scene, `@things` several of what is copied. `^` is the beginning of the prompt and `$` its end, past
//! words without meaning; `*` skips up to three words of any sort.

use crate::tokens::stem;

/// One place of a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Stem(String),
    Exact(String),
    Gap,
    Count,
    Number,
    Length,
    Angle,
    Range,
    Sides,
    Mesh,
    Curve,
    Object,
    Things,
    Start,
    End,
    Some,
}

/// Why a phrase is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhraseError(pub(crate) String);

/// A compiled phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) patterns: Vec<Pattern>,
    /// Whether it calls for many presets, so that it does not tell them apart: “place”, “arrange”.
    pub(crate) common: bool,
}

impl Phrase {
    pub(crate) fn parse(text: &str) -> Result<Self, PhraseError> {
        let mut patterns = Vec::new();
        for word in text.split_whitespace() {
            let lower = word.to_lowercase();
            patterns.push(match lower.as_str() {
                "~" => Pattern::Gap,
                "@count" => Pattern::Count,
                "@number" => Pattern::Number,
                "@length" => Pattern::Length,
                "@angle" => Pattern::Angle,
                "@range" => Pattern::Range,
                "@sides" => Pattern::Sides,
                "@mesh" => Pattern::Mesh,
                "@curve" => Pattern::Curve,
                "@object" => Pattern::Object,
                "@things" => Pattern::Things,
                "^" => Pattern::Start,
                "$" => Pattern::End,
                "*" => Pattern::Some,
                _ if lower.starts_with('@') => return Err(PhraseError(format!("“{word}” is not a known pattern"))),
                _ => match lower.strip_prefix('=') {
                    Some(exact) => Pattern::Exact(exact.to_owned()),
                    None => Pattern::Stem(stem(&lower)),
                },
            });
        }
        if patterns.is_empty() {
            return Err(PhraseError("an empty phrase matches nothing".into()));
        }
        Ok(Self {
            patterns,
            common: false,
        })
    }

    /// Stems of its words.
    pub(crate) fn stems(&self) -> impl Iterator<Item = String> + '_ {
        self.patterns.iter().filter_map(|pattern| match pattern {
            Pattern::Stem(word) => Some(word.clone()),
            Pattern::Exact(word) => Some(stem(word)),
            _ => None,
        })
    }

    /// Number of places; longer phrases are stronger evidence.
    pub(crate) const fn weight(&self) -> usize {
        self.patterns.len()
    }
}
