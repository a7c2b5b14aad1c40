//! Phrases: what the words of a preset are compared with.
//!
//! A phrase is words parted by spaces. A word matches every form of itself (“copy” also “copies”); `=rows` only exactly that.
//! `~` passes over up to three words that carry no meaning. `@count @number @length @angle @range @sides` match a quantity,
//! `@mesh @curve @object` an object of the scene.

use crate::language::Generic;
use crate::quantity::{Amount, Unit};
use crate::reading::{Item, ItemKind, Reading};
use crate::scene::Referent;
use crate::words::stem;

/// One place of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
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
}

/// Why a phrase is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhraseError(pub(crate) String);

/// A compiled phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    patterns: Vec<Pattern>,
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
                _ if lower.starts_with('@') => return Err(PhraseError(format!("“{word}” is no known pattern"))),
                _ => match lower.strip_prefix('=') {
                    Some(exact) => Pattern::Exact(exact.to_owned()),
                    None => Pattern::Stem(stem(&lower)),
                },
            });
        }
        if patterns.is_empty() {
            return Err(PhraseError("an empty phrase matches nothing".into()));
        }
        Ok(Self { patterns })
    }

    /// Stems of its words.
    pub(crate) fn stems(&self) -> impl Iterator<Item = String> + '_ {
        self.patterns.iter().filter_map(|pattern| match pattern {
            Pattern::Stem(word) => Some(word.clone()),
            Pattern::Exact(word) => Some(stem(word)),
            _ => None,
        })
    }

    /// Number of places; longer phrases say more.
    pub(crate) const fn weight(&self) -> usize {
        self.patterns.len()
    }

    /// Where the phrase ends when it starts at item `at` (one past its last item).
    pub(crate) fn ends(&self, reading: &Reading, at: usize) -> Option<usize> {
        let mut here = at;
        for (i, pattern) in self.patterns.iter().enumerate() {
            if *pattern == Pattern::Gap {
                let next = self.patterns.get(i + 1)?;
                let mut skipped = 0;
                while skipped < 3
                    && reading
                        .item(here)
                        .is_some_and(|item| !fits(next, item) && reading.is_empty_word(item))
                {
                    here += 1;
                    skipped += 1;
                }
                continue;
            }
            if !fits(pattern, reading.item(here)?) {
                return None;
            }
            here += 1;
        }
        Some(here)
    }

    /// First place at which the phrase stands.
    pub(crate) fn find(&self, reading: &Reading) -> Option<(usize, usize)> {
        (0..reading.items.len()).find_map(|at| self.ends(reading, at).map(|end| (at, end)))
    }
}

fn fits(pattern: &Pattern, item: &Item) -> bool {
    match (pattern, &item.kind) {
        (Pattern::Stem(stem), ItemKind::Word | ItemKind::Break(_)) => &item.stem == stem,
        (Pattern::Exact(text), ItemKind::Word | ItemKind::Quantity(_)) => &item.text == text,
        // “a circle” is a circle, “the Circle” the object of that name.
        (Pattern::Stem(stem), ItemKind::Mention(mention)) => !mention.definite && &item.stem == stem,
        (Pattern::Exact(text), ItemKind::Mention(mention)) => !mention.definite && &item.text == text,
        (Pattern::Count, ItemKind::Quantity(q)) => {
            matches!(q.amount, Amount::One(n) if n.fract() == 0.0) && matches!(q.unit, Unit::Bare | Unit::Times)
        }
        (Pattern::Length, ItemKind::Quantity(q)) => matches!(q.unit, Unit::Metres | Unit::Blender),
        (Pattern::Angle, ItemKind::Quantity(q)) => q.unit == Unit::Radians,
        (Pattern::Range, ItemKind::Quantity(q)) => matches!(q.amount, Amount::Range(..)),
        (Pattern::Sides, ItemKind::Quantity(q)) => matches!(q.amount, Amount::Sides(_)),
        (Pattern::Mesh, ItemKind::Mention(m)) => m.is("MESH") || m.referent == Referent::Generic(Generic::Mesh),
        (Pattern::Curve, ItemKind::Mention(m)) => m.is("CURVE") || m.referent == Referent::Generic(Generic::Curve),
        (Pattern::Number, ItemKind::Quantity(_)) | (Pattern::Object, ItemKind::Mention(_)) => true,
        _ => false,
    }
}
