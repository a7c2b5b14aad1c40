//! Finds phrases in a prompt that was read.

use crate::language::Generic;
use crate::phrase::{Pattern, Phrase};
use crate::quantity::{Amount, Unit};
use crate::reading::{Item, ItemKind, Reading};
use crate::scene::Referent;

impl Phrase {
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
                        .is_some_and(|item| !fits(next, item, reading) && reading.is_empty_word(item))
                {
                    here += 1;
                    skipped += 1;
                }
                continue;
            }
            match pattern {
                Pattern::Start if (0..here).all(|before| reading.means_nothing(before)) => {}
                Pattern::End if (here..reading.items.len()).all(|after| ends_with(reading, after)) => {}
                Pattern::Start | Pattern::End => return None,
                Pattern::Some => {
                    let next = self.patterns.get(i + 1)?;
                    let fitting = |at: &usize| reading.item(*at).is_some_and(|item| fits(next, item, reading));
                    here = (here..here + 4).find(fitting)?;
                }
                _ if !fits(pattern, reading.item(here)?, reading) => return None,
                _ => here += 1,
            }
        }
        // “up to 30 cm” says no direction.
        let upper = here > at && reading.is(here - 1, &["up"]) && reading.is(here, &["to"]);
        let number = |at: usize| matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Quantity(_)));
        if upper && self.patterns.len() == 1 && number(here + 1) {
            return None;
        }
        Some(here)
    }

    /// First place at which the phrase occurs.
    pub(crate) fn find(&self, reading: &Reading) -> Option<(usize, usize)> {
        (0..reading.items.len()).find_map(|at| self.ends(reading, at).map(|end| (at, end)))
    }
}

/// Whether a word after the end of a phrase says nothing more: “rocks, please”, but not “cubes look at something”.
fn ends_with(reading: &Reading, at: usize) -> bool {
    let opens = |item: &Item| item.kind == ItemKind::Word && reading.language.prepositions.contains(&item.text);
    reading.means_nothing(at) && !reading.item(at).is_some_and(opens)
}

fn fits(pattern: &Pattern, item: &Item, reading: &Reading) -> bool {
    match (pattern, &item.kind) {
        (Pattern::Stem(stem), ItemKind::Word | ItemKind::Break(_)) => &item.stem == stem,
        (Pattern::Exact(text), ItemKind::Word | ItemKind::Quantity(_)) => &item.text == text,
        // “half buried”: a number in one word is that word too.
        (Pattern::Stem(stem), ItemKind::Quantity(_)) => {
            &item.stem == stem && item.text.chars().all(char::is_alphabetic)
        }
        // “a circle” is a circle, “the Circle” the object of that name.
        // A name of several words, “a name with words”, is no word.
        (Pattern::Stem(stem), ItemKind::Mention(mention)) => {
            !mention.definite && &item.stem == stem && !item.text.contains(' ')
        }
        (Pattern::Exact(text), ItemKind::Mention(mention)) => !mention.definite && &item.text == text,
        (Pattern::Things, ItemKind::Word | ItemKind::Mention(_)) => {
            let copied = matches!(item.kind, ItemKind::Mention(_)) || reading.language.shape(&item.stem).is_some();
            copied && item.text.ends_with('s') && item.stem != item.text
        }
        (Pattern::Count, ItemKind::Quantity(q)) => {
            matches!(q.amount, Amount::One(n) if n.fract() == 0.0) && matches!(q.unit, Unit::Bare | Unit::Times)
        }
        (Pattern::Length, ItemKind::Quantity(q)) => matches!(q.unit, Unit::Metres | Unit::Blender),
        (Pattern::Angle, ItemKind::Quantity(q)) => q.unit == Unit::Radians,
        (Pattern::Range, ItemKind::Quantity(q)) => matches!(q.amount, Amount::Range(..)),
        (Pattern::Sides, ItemKind::Quantity(q)) => matches!(q.amount, Amount::Sides(_)),
        (Pattern::Mesh, ItemKind::Word) => item.stands_for == Some(Generic::Mesh),
        (Pattern::Curve, ItemKind::Word) => item.stands_for == Some(Generic::Curve),
        (Pattern::Mesh, ItemKind::Mention(m)) => m.is("MESH") || m.referent == Referent::Generic(Generic::Mesh),
        (Pattern::Curve, ItemKind::Mention(m)) => m.is("CURVE") || m.referent == Referent::Generic(Generic::Curve),
        (Pattern::Number, ItemKind::Quantity(_)) | (Pattern::Object, ItemKind::Mention(_)) => true,
        _ => false,
    }
}
